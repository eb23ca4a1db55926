// Package awsrequest wraps single requests of AWS clients as separate clients, for the SDK's paginators, which take an interface. If a
// whole client is converted to an interface, the linker keeps every request of its service; those of EC2 alone are a sixth of this program.
package awsrequest

import "context"

// request is a method of a client with options O.
type request[I, O, Output any] = func(context.Context, *I, ...func(*O)) (*Output, error)
