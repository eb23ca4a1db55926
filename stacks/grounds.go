package stacks

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// grounds are the resources of a stack that a hosted cluster stands on, as they are registered. A control plane cleans up
// behind itself with the roles, in the network and in the zones, so none of them may go before it: what nobody thought of
// is therefore ground too, and only what is known to be of no use to a control plane is not.
type grounds struct {
	all, forNodes []pulumi.Resource
}

// watch has every resource that is registered from now on looked at.
func (g *grounds) watch(ctx *pulumi.Context) error {
	err := ctx.RegisterStackTransformation(func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
		g.add(args)
		return nil
	})
	if err != nil {
		return fmt.Errorf("watching what the hosted cluster stands on: %w", err)
	}
	return nil
}

func (g *grounds) add(args *pulumi.ResourceTransformationArgs) {
	resource, isCustom := args.Resource.(pulumi.CustomResource)
	switch {
	case !isCustom || !strings.HasPrefix(args.Type, "aws:"):
		// Components, providers, references to stacks, and the objects themselves.
	case nodesAlone(args):
		g.forNodes = append(g.forNodes, resource)
	default:
		g.all = append(g.all, resource)
	}
}

// nodesAlone says whether a resource is a NAT gateway or a route to one. They take longest to make, control planes use
// none of them, and HyperShift's own CLI does not wait for them either.
func nodesAlone(args *pulumi.ResourceTransformationArgs) bool {
	switch props := args.Props.(type) {
	case *ec2.NatGatewayArgs:
		return true
	case *ec2.RouteArgs:
		return props.NatGatewayId != nil
	}
	return false
}

// standsOn are what the control plane needs; egress is what nodes need beside it.
func (g *grounds) standsOn() []pulumi.Resource { return g.all }
func (g *grounds) egress() []pulumi.Resource   { return g.forNodes }
