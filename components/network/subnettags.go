package network

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// maxTags is AWS's limit of tags per resource; those that AWS sets itself do not count.
const maxTags = 50

// discoveryTags returns the tags that the cluster's operators need on an existing subnet. Karpenter's tag has one
// value, so that a cluster without Karpenter leaves it to others.
func (args *BaseNetworkArgs) discoveryTags(subnet SubnetFacts) map[string]string {
	tags := args.Tagging.Discovery(subnet.Public, subnet.Nodes)
	if !args.Karpenter {
		delete(tags, hypershift.KarpenterDiscoveryTag)
	}
	return tags
}

// missingTags returns the keys of the tags that operators need and the subnet does not have, in order.
func (s SubnetFacts) missingTags(needed map[string]string) []string {
	return slices.Sorted(maps.Keys(maps.Collect(func(yield func(string, string) bool) {
		for key, value := range needed {
			if _, has := s.Tags[key]; !has && !yield(key, value) {
				return
			}
		}
	})))
}

// otherClusters returns the names of the clusters other than the network's own to which tags assign the subnet.
func (s SubnetFacts) otherClusters(needed map[string]string) []string {
	var names []string
	for key := range s.Tags {
		if _, own := needed[key]; !own && strings.HasPrefix(key, hypershift.ClusterTagPrefix) {
			names = append(names, strings.TrimPrefix(key, hypershift.ClusterTagPrefix))
		}
	}
	slices.Sort(names)
	return names
}

// checkTags checks the tags of the existing subnets: a tag that has one value must not belong to another cluster, and
// the tags that are added must not exceed AWS's limit. Without tagSubnets it warns of what is missing.
func (c *vpcCheck) checkTags() error {
	var faults fault.Faults
	for _, subnet := range c.vpc.subnets {
		needed := c.args.discoveryTags(subnet.SubnetFacts)
		key := hypershift.KarpenterDiscoveryTag
		if value, has := subnet.Tags[key]; has && needed[key] != "" && value != needed[key] {
			faults.Add(subnet.path, subnet.ID, fmt.Sprintf("has the tag %s with the value %s, so that it belongs to another cluster's Karpenter", key, value),
				"use another subnet, or leave iam.karpenter out of one of the clusters")
		}
		missing := subnet.missingTags(needed)
		count := 0
		for key := range subnet.Tags {
			if !strings.HasPrefix(key, "aws:") {
				count++
			}
		}
		if c.args.Existing.TagSubnets && count+len(missing) > maxTags {
			faults.Add(subnet.path, subnet.ID, fmt.Sprintf("has %d tags, to which tagSubnets adds %d (%s), but AWS allows %d",
				count, len(missing),
				strings.Join(missing, ", "), maxTags), "use a subnet with fewer tags")
		}
	}
	if c.args.tagsSubnets() || !c.ctx.DryRun() {
		return faults.Err()
	}
	for _, warning := range c.tagWarnings() {
		if err := c.ctx.Log.Warn(warning, nil); err != nil {
			return err
		}
	}
	return faults.Err()
}

// untagged returns the tags with the consequences of their absence, in the order of warnings. Sources:
// cloud-provider-aws, pkg/providers/v1/aws.go (findSubnets, findELBSubnets); AWS Load Balancer Controller, "Subnet
// auto-discovery"; HyperShift, karpenter-operator/controllers/nodeclass.
func untagged() []MissingTag {
	return []MissingTag{
		{hypershift.PublicELBTag, "the AWS Load Balancer Controller finds no subnet for load balancers on the internet, and Kubernetes' cloud " +
			"controller may use another public subnet of the zone"},
		{hypershift.InternalELBTag, "the AWS Load Balancer Controller finds no subnet for internal load balancers, and Kubernetes' cloud " +
			"controller may use another subnet of the zone"},
		{hypershift.KarpenterDiscoveryTag, "AutoNode finds no subnet, and creates no nodes"},
	}
}

// tagWarnings returns a warning for each tag that subnets lack, with what fails without it.
func (c *vpcCheck) tagWarnings() []string {
	var warnings []string
	for _, tag := range untagged() {
		var lacking []string
		for _, subnet := range c.vpc.subnets {
			if slices.Contains(c.args.MissingTags(subnet.SubnetFacts), tag) {
				lacking = append(lacking, subnet.ID)
			}
		}
		if len(lacking) > 0 {
			warnings = append(warnings, fmt.Sprintf("no tag %s on %s: %s; %s", tag.Key, strings.Join(lacking, ", "), tag.Without,
				SetTags))
		}
	}
	for _, subnet := range c.vpc.subnets {
		warnings = append(warnings, subnet.ignored(c.args.discoveryTags(subnet.SubnetFacts))...)
	}
	return warnings
}

// ignored returns a warning for each cluster of the network whose tag the subnet lacks, if it has those of others.
func (s SubnetFacts) ignored(needed map[string]string) (warnings []string) {
	others := s.otherClusters(nil)
	for _, key := range s.missingTags(needed) {
		if infraID, isCluster := strings.CutPrefix(key, hypershift.ClusterTagPrefix); isCluster && len(others) > 0 {
			warnings = append(warnings, fmt.Sprintf("%s has the tags of other clusters (%s) and not that of %s: Kubernetes' cloud controller ignores it, and a "+
				"Service of type LoadBalancer fails with \"could not find any suitable subnets for creating the ELB\"; %s",
				s.ID, strings.Join(others, ", "), infraID, SetTags))
		}
	}
	return warnings
}

// tagSubnets sets the tags that the cluster's operators need on the existing subnets. Which tags a subnet had before is
// kept in the state: these belong to others, who may change and remove them.
func (e *existingVPC) tagSubnets() error {
	if e.args.Existing == nil || !e.args.Existing.TagSubnets {
		return nil
	}
	for _, subnet := range e.now.subnets {
		others, err := e.tagsOfOthers(subnet)
		if err != nil {
			return err
		}
		needed := e.args.discoveryTags(subnet.SubnetFacts)
		for _, key := range slices.Sorted(maps.Keys(needed)) {
			if slices.Contains(others, key) {
				if err := e.warnOfOwner(subnet, key, needed); err != nil {
					return err
				}
				continue
			}
			if _, err := ec2.NewTag(e.ctx, e.child("tag-"+subnet.ID+"-"+key), &ec2.TagArgs{
				ResourceId: pulumi.String(subnet.ID),
				Key:        pulumi.String(key),
				Value:      pulumi.String(needed[key]),
			}, e.parent()); err != nil {
				return err
			}
		}
	}
	return nil
}

// warnOfOwner warns of a tag that the stack does not set because the subnet had it before, if it is missing now, or if
// another cluster's stack may have set it.
func (e *existingVPC) warnOfOwner(subnet existingSubnet, key string, needed map[string]string) error {
	_, has := subnet.Tags[key]
	clusters := subnet.otherClusters(needed)
	switch {
	case !e.ctx.DryRun():
		return nil
	case !has:
		return e.ctx.Log.Warn(fmt.Sprintf("%s had the tag %s before the stack used it, and no longer has it; ask the owner of the subnet to add it again", subnet.ID, key), nil)
	case len(clusters) > 0 && !strings.HasPrefix(key, hypershift.ClusterTagPrefix):
		return e.ctx.Log.Warn(fmt.Sprintf("%s had the tag %s before the stack used it, and is also used by %s: if the stack of such a cluster set the tag, it also "+
			"removes it when it is destroyed; ask the owner of the subnet to set the tag", subnet.ID, key,
			strings.Join(clusters, ", ")), nil)
	}
	return nil
}

// tagsOfOthers returns the keys of operators' tags that the subnet had when the stack first used it.
func (e *existingVPC) tagsOfOthers(subnet existingSubnet) ([]string, error) {
	before := pulumi.Map{}
	for _, public := range []bool{true, false} {
		for key := range e.args.Tagging.Discovery(public, true) {
			if value, has := subnet.Tags[key]; has {
				before[key] = pulumi.String(value)
			}
		}
	}
	kept, err := e.record("tags-"+subnet.ID, before, true)
	if err != nil {
		return nil, fmt.Errorf("recording the tags that subnet %s had before: %w", subnet.ID, err)
	}
	if values, known := kept.(map[string]any); known {
		return slices.Sorted(maps.Keys(values)), nil
	}
	return slices.Sorted(maps.Keys(before)), nil
}

// validateTagSubnets returns a fault if the subnets' IDs are not known when the program runs, because they decide which
// tags there are.
func (e *ExistingVPC) validateTagSubnets() error {
	if !e.TagSubnets {
		return nil
	}
	var faults fault.Faults
	for _, id := range e.ids() {
		if *id != nil && !input.ArePlain(*id) {
			faults.Add("", true, "needs the IDs of the VPC, its subnets and zones as plain text: they decide which tags there are", "use plain text")
			break
		}
	}
	return faults.Err()
}

// Tagging returns the tags of a network's resources.
type Tagging interface {
	// Plain returns the tags of a part with the given Name, "" for none.
	Plain(name string) map[string]string
	// Own returns the tags of Plain that the part can be found by, whatever tags the user chooses: all except the user's
	// own.
	Own(name string) map[string]string
	// PrivateSubnet returns the tags of a subnet for machines and internal load balancers.
	PrivateSubnet(name string) map[string]string
	// PublicSubnet returns the tags of a subnet for load balancers on the internet; machines is true if machines are in it
	// too.
	PublicSubnet(name string, machines bool) map[string]string
	// Discovery returns the tags that the cluster's operators find an existing subnet by. public is true if the subnet has
	// a route to an internet gateway, and machines if machines are in it.
	Discovery(public, machines bool) map[string]string
	// NATGateway returns the tags of a NAT gateway.
	NATGateway(name string) map[string]string
	// IAM returns the tags of roles and instance profiles.
	IAM() map[string]string
}

// hostedTagging sets HyperShift's tags.
type hostedTagging struct {
	cluster hypershift.Cluster
	// clusters are the infra IDs of further clusters in the same subnets.
	clusters []string
}

var _ Tagging = hostedTagging{}

func (t hostedTagging) Plain(name string) map[string]string { return t.cluster.EC2Tags(name) }

func (t hostedTagging) Own(name string) map[string]string {
	tags := map[string]string{hypershift.ClusterTagPrefix + t.cluster.InfraID: "owned"}
	if name != "" {
		tags["Name"] = name
	}
	return tags
}

func (t hostedTagging) PrivateSubnet(name string) map[string]string {
	return t.share(t.cluster.PrivateSubnetTags(name))
}

func (t hostedTagging) PublicSubnet(name string, machines bool) map[string]string {
	if machines {
		return t.share(t.cluster.PublicOnlySubnetTags(name))
	}
	return t.share(t.cluster.PublicSubnetTags(name))
}

func (t hostedTagging) Discovery(public, machines bool) map[string]string {
	return t.share(t.cluster.DiscoveryTags(public, machines))
}

// share adds the tag of each further cluster to a subnet's tags.
func (t hostedTagging) share(tags map[string]string) map[string]string {
	for _, infraID := range t.clusters {
		tags[hypershift.ClusterTagPrefix+infraID] = "shared"
	}
	return tags
}

func (t hostedTagging) NATGateway(name string) map[string]string { return t.Plain(name) }
func (t hostedTagging) IAM() map[string]string                   { return t.cluster.IAMTags() }
