// Package sandbox has AWS accounts and management clusters in memory: as the environment of a project's stacks, and for
// Pulumi programs of users.
package sandbox
