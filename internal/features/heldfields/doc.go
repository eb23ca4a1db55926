// Package heldfields lets an update take fields that another client of the management cluster holds.
//
// The folder has the flag --take of up alone: package internal/stack/heldfields finds the fields, also for `pulumi up`.
package heldfields
