// Package component registers components: what all their constructors have in common.
package component

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
)

// New checks args, registers a component of the type, builds it, and registers its outputs; nil args are empty ones.
// What the component is, in words, begins the errors.
func New[A, C any, Args interface {
	*A
	Validate() error
}, Component interface {
	*C
	pulumi.ComponentResource
}](ctx *pulumi.Context, typ, words, name string, args Args, opts []pulumi.ResourceOption, build func(
	c Component,
	args Args,
) error) (Component, error) {
	if args == nil {
		args = new(A)
	}
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("%s %q: %w", words, name, err)
	}
	if err := checkProviders(opts); err != nil {
		return nil, fmt.Errorf("%s %q: %w", words, name, err)
	}
	c := Component(new(C))
	if err := ctx.RegisterComponentResource(typ, name, c, opts...); err != nil {
		return nil, fmt.Errorf("registering %s %q: %w", words, name, err)
	}
	outputs.Clear(c)
	if err := build(c, args); err != nil {
		return nil, fmt.Errorf("%s %q: %w", words, name, err)
	}
	return c, ctx.RegisterResourceOutputs(c, outputs.Collect(c))
}
