// Package awsrequest has one request of an AWS client as a client of its own, for the SDK's paginators: they take an interface. A
// whole client that is converted to an interface is linked with every request of its service; EC2's alone are a sixth of this program.
package awsrequest

import "context"

// request is a method of a client with options O.
type request[I, O, Output any] = func(context.Context, *I, ...func(*O)) (*Output, error)
