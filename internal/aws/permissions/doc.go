// Package permissions maps a stack's resources and lookups to IAM actions, and writes minimal IAM policies for the
// users who create and destroy the stack. The command `permissions` prints them.
package permissions
