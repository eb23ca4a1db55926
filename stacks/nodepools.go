package stacks

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/lookup"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// runNodePools registers the pools, as the HostedCluster in the management cluster allows, and returns the stack's outputs.
func runNodePools(ctx *pulumi.Context, place placement, n *config.NodePools) (*NodePoolsOutputs, error) {
	owner := ctx.Project() + "/" + ctx.Stack()
	live, existing, vpcID, err := place.readCluster(ctx, n, owner)
	if err != nil {
		return nil, place.placed(err)
	}
	if err := place.checkPoolsVPC(ctx, n, vpcID, live.Exists()); err != nil {
		return nil, place.placed(err)
	}
	refused := func(err error) error { return place.origin.Refused(poolFaults(n, err), config.KindNodePools, "") }
	args := n.Args(existing)
	if args.Referred, err = n.ReferredInputs(*args); err != nil {
		return nil, refused(err)
	}
	args.Owner, args.Live, args.Held, args.Unpreviewed, args.Refused = owner, live, place.options.Held, place.options.Unpreviewed, refused
	cluster, err := place.managementCluster(ctx, n.Kubeconfig)
	if err != nil {
		return nil, err
	}
	made, err := hostedcluster.NewNodePools(ctx, "node-pools", args, place.with(cluster)...)
	if err != nil {
		return nil, refused(err)
	}
	outputs := &NodePoolsOutputs{
		Kind: pulumi.String(config.KindNodePools), Name: pulumi.String(n.Name), Namespace: pulumi.String(n.NamespaceOrDefault()),
		Region: pulumi.String(place.region), NodePools: made.NodePools, HostedCluster: clusterOutput(existing, vpcID),
	}
	if len(made.Stages) > 0 {
		outputs.Stages = pulumi.ToStringArray(made.Stages)
	}
	return outputs, place.guardDestroy(ctx, Dependent{Kind: config.KindNodePools, Section: n, Name: n.Name}, n.Unprotected)
}

// placed adds the lines of the stack's file to faults. Other errors are returned unchanged.
func (p placement) placed(err error) error {
	if fault.In(err) == nil {
		return err
	}
	return p.origin.Placed(err)
}

// poolFaults maps faults of the component to the keys of the section. Other errors are returned unchanged.
func poolFaults(n *config.NodePools, err error) error {
	if found := fault.In(err); found != nil {
		return n.InObjects(found)
	}
	return err
}

// readCluster reads the HostedCluster from its management cluster, with its node pools. In a preview of a program that cannot read it, such as
// the one that finds the permissions of a stack, a placeholder represents it.
func (p placement) readCluster(ctx *pulumi.Context, n *config.NodePools, owner string) (live *hostedcluster.Live, existing hostedcluster.ExistingCluster, vpcID string, err error) {
	if p.options.Live == nil {
		if !ctx.DryRun() {
			return nil, existing, "", errors.New("a program of kind nodePools reads its HostedCluster: run it with package program, or with stacks.Options.Live")
		}
		return nil, n.Placeholder(), "vpc-00000000000000000", nil
	}
	if live, err = p.options.Live(ctx.Context(), *n.Kubeconfig, n.NamespaceOrDefault(), n.Name); err != nil {
		return nil, existing, "", fmt.Errorf("HostedCluster %s/%s, to which the node pools belong, cannot be read: %w; nothing was changed",
			n.NamespaceOrDefault(), n.Name, err)
	}
	existing, vpcID, err = n.UseCluster(live, p.region, owner)
	return live, existing, vpcID, err
}

// checkPoolsVPC looks up the subnets and security groups of the HostedCluster's VPC, if pools name some, and compares them unless the VPC is a
// placeholder.
func (p placement) checkPoolsVPC(ctx *pulumi.Context, n *config.NodePools, vpcID string, known bool) error {
	var found config.Found
	subnets := func(filters ...ec2.GetSubnetsFilter) ([]string, error) {
		filters = append(filters, ec2.GetSubnetsFilter{Name: "vpc-id", Values: []string{vpcID}})
		all, err := ec2.GetSubnets(ctx, &ec2.GetSubnetsArgs{Filters: filters}, p.lookups...)
		if err != nil {
			return nil, fmt.Errorf("looking up the subnets of %s, the VPC of the HostedCluster: %s", vpcID, lookup.Cause(err))
		}
		return all.Ids, nil
	}
	var err error
	for _, pool := range n.NodePools {
		if input.IsSet(pool.SubnetID) && found.InZone == nil {
			found.InZone = map[string][]string{}
			if found.Subnets, err = subnets(); err != nil {
				return err
			}
		}
		if input.IsSet(pool.SubnetID) && pool.Zone != "" && found.InZone[pool.Zone] == nil {
			if found.InZone[pool.Zone], err = subnets(ec2.GetSubnetsFilter{Name: "availability-zone", Values: []string{pool.Zone}}); err != nil {
				return err
			}
		}
		if len(pool.SecurityGroups) > 0 && found.SecurityGroups == nil {
			groups, err := ec2.GetSecurityGroups(ctx, &ec2.GetSecurityGroupsArgs{Filters: []ec2.GetSecurityGroupsFilter{{Name: "vpc-id", Values: []string{vpcID}}}}, p.lookups...)
			if err != nil {
				return fmt.Errorf("looking up the security groups of %s, the VPC of the HostedCluster: %s", vpcID, lookup.Cause(err))
			}
			found.SecurityGroups = groups.Ids
		}
	}
	if !known {
		return nil
	}
	return n.CheckVPC(vpcID, found)
}

// clusterOutput returns what the pools took from the HostedCluster, for renderings and comparisons of a later run.
func clusterOutput(c hostedcluster.ExistingCluster, vpcID string) pulumi.StringMap {
	return pulumi.StringMap{
		"infraID": pulumi.String(c.InfraID), "release": pulumi.String(c.Release), "zone": pulumi.String(c.Zone), "vpcID": pulumi.String(vpcID),
		"subnetID": pulumi.String(input.Text(c.SubnetID)),
	}
}
