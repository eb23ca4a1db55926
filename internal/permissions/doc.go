// Package permissions knows which actions of AWS's APIs a stack's resources and lookups come to, and writes
// the least IAM policies for whoever brings the stack up and takes it down. It is for the command line, which
// shows them.
package permissions
