package stacks

import (
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// clusterDependencies are the resources that a hosted cluster depends on, as they are registered. A control plane
// deletes its own AWS resources, with its roles, in its network and in its zones, so none of these may be deleted before
// it. It depends on every AWS resource of the stack except NAT gateways and their routes, which only nodes use, and the
// zones' SOA records, which are deleted with their zones.
type clusterDependencies struct {
	all, forNodes []pulumi.Resource
}

// watch returns the option of a component that records every resource of it.
func (d *clusterDependencies) watch() pulumi.ResourceOption {
	return pulumi.Transformations([]pulumi.ResourceTransformation{
		func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
			d.add(args)
			return nil
		},
	})
}

func (d *clusterDependencies) add(args *pulumi.ResourceTransformationArgs) {
	resource, isCustom := args.Resource.(pulumi.CustomResource)
	switch {
	case !isCustom || !strings.HasPrefix(args.Type, "aws:"):
		// Components, providers, references to stacks, and the objects themselves.
	case isSOA(args):
		// Names are not looked up before the control plane exists, and the provider takes half a minute to create the record.
	case isEgress(args):
		d.forNodes = append(d.forNodes, resource)
	default:
		d.all = append(d.all, resource)
	}
}

// isEgress reports whether a resource is a NAT gateway or a route to one. They take longest to create, control planes do
// not use them, and HyperShift's own CLI does not wait for them either.
func isEgress(args *pulumi.ResourceTransformationArgs) bool {
	switch props := args.Props.(type) {
	case *ec2.NatGatewayArgs:
		return true
	case *ec2.RouteArgs:
		return props.NatGatewayId != nil
	}
	return false
}

// isSOA reports whether a resource is a zone's SOA record.
func isSOA(args *pulumi.ResourceTransformationArgs) bool {
	record, ok := args.Props.(*route53.RecordArgs)
	return ok && record.Type == pulumi.StringInput(pulumi.String("SOA"))
}
