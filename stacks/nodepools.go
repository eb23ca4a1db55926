package stacks

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// runNodePools registers the pools, as the HostedCluster in the management cluster allows, and returns the stack's
// outputs.
func runNodePools(ctx *pulumi.Context, place placement, n *config.NodePools) (*NodePoolsOutputs, error) {
	live, existing, vpcID, err := place.readCluster(ctx, n)
	if err != nil {
		return nil, place.placed(err)
	}
	if err := place.checkPoolsVPC(ctx, n, vpcID, live.Exists()); err != nil {
		return nil, place.placed(err)
	}
	if err := hostedcluster.CheckArchitectures(ctx, n.NodePools, place.lookups...); err != nil {
		return nil, place.origin.refused(err, config.KindNodePools, "")
	}
	refused := func(err error) error { return place.origin.refused(poolFaults(n, err), config.KindNodePools, "") }
	args := n.Args(existing)
	args.Live = live
	if args.Referred, err = n.ReferredInputs(*args); err != nil {
		return nil, refused(err)
	}
	args.Owner, args.Held, args.Unpreviewed, args.Refused = stackMark(ctx), place.options.Held,
		place.options.Unpreviewed, refused
	cluster, err := place.managementCluster(ctx, n.Kubeconfig)
	if err != nil {
		return nil, err
	}
	made, err := hostedcluster.NewNodePools(ctx, "node-pools", args, place.with(cluster)...)
	if err != nil {
		return nil, refused(err)
	}
	outputs := &NodePoolsOutputs{
		Kind: pulumi.String(config.KindNodePools), Name: pulumi.String(n.Name),
		Namespace: pulumi.String(n.NamespaceOrDefault()),
		Region:    pulumi.String(place.region), NodePools: made.NodePools, HostedCluster: clusterOutput(existing, vpcID),
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
	return p.origin.placed(err)
}

// poolFaults maps faults of the component to the keys of the section. Other errors are returned unchanged.
func poolFaults(n *config.NodePools, err error) error {
	if found := fault.In(err); found != nil {
		return n.InObjects(found)
	}
	return err
}

// readCluster reads the HostedCluster from its management cluster, with its node pools. In a preview of a program that
// cannot read it, such as the one that finds the permissions of a stack, a placeholder represents it.
func (p placement) readCluster(
	ctx *pulumi.Context,
	n *config.NodePools,
) (live *hostedcluster.Live, existing hostedcluster.ExistingCluster, vpcID string, err error) {
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
	p.readVersions(ctx.Context(), live, n)
	existing, vpcID, err = useCluster(n, live, p.region, func(mark string) bool {
		if mark == stackMark(ctx) {
			return true
		}
		last, _, err := lastState(ctx, config.KindNodePools)
		return err == nil && slices.Contains(last.Former, mark)
	})
	return live, existing, vpcID, err
}

// checkPoolsVPC looks up the subnets and security groups of the HostedCluster's VPC, if pools name some, and compares
// them unless the VPC is a placeholder.
func (p placement) checkPoolsVPC(ctx *pulumi.Context, n *config.NodePools, vpcID string, known bool) error {
	var found foundInVPC
	subnets := func(filters ...ec2.GetSubnetsFilter) ([]string, error) {
		filters = append(filters, ec2.GetSubnetsFilter{Name: "vpc-id", Values: []string{vpcID}})
		all, err := ec2.GetSubnets(ctx, &ec2.GetSubnetsArgs{Filters: filters}, p.lookups...)
		if err != nil {
			return nil, fmt.Errorf("looking up the subnets of %s, the VPC of the HostedCluster: %s", vpcID, awsprovider.Cause(err))
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
			if found.InZone[pool.Zone], err = subnets(ec2.GetSubnetsFilter{
				Name:   "availability-zone",
				Values: []string{pool.Zone},
			}); err != nil {
				return err
			}
		}
		if len(pool.SecurityGroups) > 0 && found.SecurityGroups == nil {
			groups, err := ec2.GetSecurityGroups(ctx, &ec2.GetSecurityGroupsArgs{
				Filters: []ec2.GetSecurityGroupsFilter{{Name: "vpc-id", Values: []string{vpcID}}},
			}, p.lookups...)
			if err != nil {
				return fmt.Errorf("looking up the security groups of %s, the VPC of the HostedCluster: %s", vpcID,
					awsprovider.Cause(err))
			}
			found.SecurityGroups = groups.Ids
		}
	}
	if !known {
		return nil
	}
	return checkInVPC(n, vpcID, found)
}

// clusterOutput returns what the pools took from the HostedCluster, for renderings and comparisons of a later run.
func clusterOutput(c hostedcluster.ExistingCluster, vpcID string) pulumi.StringMap {
	return pulumi.StringMap{
		"infraID": pulumi.String(c.InfraID), "release": pulumi.String(c.Release), "zone": pulumi.String(c.Zone),
		"vpcID":    pulumi.String(vpcID),
		"subnetID": pulumi.String(input.Text(c.SubnetID)),
	}
}

// useCluster returns what the pools take from the HostedCluster that the management cluster has. It returns a fault,
// with the path of the config, if the cluster does not exist, is being deleted, or is not in the stack's region of AWS.
// isOwn reports whether the annotation of a pool has the stack's name.
func useCluster(
	n *config.NodePools,
	live *hostedcluster.Live,
	region string,
	isOwn func(mark string) bool,
) (c hostedcluster.ExistingCluster, vpcID string, err error) {
	var faults fault.Faults
	id := n.NamespaceOrDefault() + "/" + n.Name
	if !live.Exists() {
		faults.Add("name", n.Name, "is not a HostedCluster: the management cluster has no "+id,
			"correct name and namespace, or kubeconfig if it selects another cluster")
		return c, "", underKey(config.KindNodePools.Key(), faults)
	}
	at := func(path ...string) string {
		text, _, _ := unstructured.NestedString(live.HostedCluster, path...)
		return text
	}
	aws := func(path ...string) string { return at(append([]string{"spec", "platform", "aws"}, path...)...) }
	if since := at("metadata", "deletionTimestamp"); since != "" {
		faults.Add("name", n.Name, "is a HostedCluster that has been in deletion since "+since+", with all its node pools",
			"run `hypershift-aws destroy` for this stack, or name another cluster")
	}
	if platform := at("spec", "platform", "type"); platform != "AWS" {
		faults.Add("name", n.Name, "is a HostedCluster of platform "+platform, "name a HostedCluster of platform AWS")
	} else if in := aws("region"); region != "" && in != region {
		faults.Add("name", n.Name, "is a HostedCluster in region "+in+", but the stack is in "+region, "set aws:region: "+in)
	}
	for i, pool := range n.NodePools {
		found := unstructured.Unstructured{Object: live.NodePools[pool.Name]}
		if found.Object == nil {
			continue
		}
		marks := found.GetAnnotations()
		switch other := marks[hypershift.StackTag]; {
		case other != "" && !isOwn(other):
			faults.Add(fmt.Sprintf("nodePools[%d].name", i), pool.Name, "is the name of a node pool of stack "+other,
				"use another name")
		case other == "" && marks[hostedcluster.InfraIDAnnotation] != "":
			faults.Add(fmt.Sprintf("nodePools[%d].name", i), pool.Name,
				"is the name of a node pool of the stack that owns the HostedCluster", "use another name")
		}
	}
	c = hostedcluster.ExistingCluster{
		Name: n.Name, Namespace: n.Namespace, InfraID: at("spec", "infraID"), Release: at("spec", "release", "image"),
		Zone: aws("cloudProviderConfig", "zone"),
	}
	if subnet := aws("cloudProviderConfig", "subnet", "id"); subnet != "" {
		c.SubnetID = pulumi.String(subnet)
	}
	return c, aws("cloudProviderConfig", "vpc"), underKey(config.KindNodePools.Key(), faults)
}

// foundInVPC are the IDs of what AWS has in the VPC of a HostedCluster: all subnets, the subnets of each zone, and the
// security groups.
type foundInVPC struct {
	Subnets, SecurityGroups []string
	InZone                  map[string][]string
}

// checkInVPC returns a fault for each subnet and security group of the pools that is not in the VPC of the
// HostedCluster, and for each subnet in another zone than its pool's.
func checkInVPC(n *config.NodePools, vpcID string, found foundInVPC) error {
	var faults fault.Faults
	for i, pool := range n.NodePools {
		path := fmt.Sprintf("nodePools[%d]", i)
		switch subnet, plain := pool.SubnetID.(pulumi.String); {
		case !plain || subnet == "":
		case !slices.Contains(found.Subnets, string(subnet)):
			faults.Add(path+".subnetID", string(subnet), "is not in "+vpcID+", the VPC of the HostedCluster",
				"use a subnet of that VPC")
		case pool.Zone != "" && !slices.Contains(found.InZone[pool.Zone], string(subnet)):
			faults.Add(path+".subnetID", string(subnet), "is not in zone "+pool.Zone,
				"use a subnet of that zone, or correct zone")
		}
		for j, group := range pool.SecurityGroups {
			if id, plain := group.(pulumi.String); plain && !slices.Contains(found.SecurityGroups, string(id)) {
				faults.Add(fmt.Sprintf("%s.securityGroups[%d]", path, j), string(id),
					"is not in "+vpcID+", the VPC of the HostedCluster", "use a security group of that VPC")
			}
		}
	}
	return underKey(config.KindNodePools.Key(), faults)
}
