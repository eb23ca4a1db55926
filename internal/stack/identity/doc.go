// Package identity finds out by a stack's state which AWS accounts and which management cluster its resources are in,
// and refuses others. It opens no backend and no account, so that a stack's program asks the same as the commands.
package identity
