package hypershift

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// The tags by which HyperShift, Kubernetes and Karpenter find a cluster's resources.
const (
	// ClusterTagPrefix, followed by a cluster's infra ID, is the key of the tag of its resources. Its value is "owned".
	ClusterTagPrefix = recorded.ClusterTagPrefix
	// InfraIDTag is the key of the tag of IAM resources, whose value is the infra ID.
	InfraIDTag     = "hypershift.openshift.io/infra-id"
	clusterNameTag = "hypershift.openshift.io/cluster-name"
	// InternalELBTag and PublicELBTag are on the subnets of internal load balancers, and of those on the internet.
	InternalELBTag = "kubernetes.io/role/internal-elb"
	PublicELBTag   = "kubernetes.io/role/elb"
	// KarpenterDiscoveryTag is on the subnets in which Karpenter creates nodes. Its value is the infra ID.
	KarpenterDiscoveryTag = "karpenter.sh/discovery"
)

// FieldManager is this project's field manager in a management cluster.
const FieldManager = "hypershift-aws"

// StackTag is the key of the tag that names the stack of a resource in the management account, and of the annotation of
// objects in the management cluster. Resources of clusters are tagged with the infra ID instead.
const StackTag = "hypershift-aws/stack"

// The annotations of a NodePool whose nodes are paused: since when, and how many nodes it has otherwise, at most.
const (
	PausedSinceAnnotation = "hypershift-aws/paused-since"
	PausedNodesAnnotation = "hypershift-aws/paused-nodes"
)

// HTTPTokensAnnotation is the annotation of a NodePool with the value of EC2's HttpTokens for its nodes. HyperShift
// takes every value but required for optional, and a change gives the pool another machine template. Source:
// ec2InstanceMetadataHTTPTokensAnnotation in
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/nodepool/aws.go
const HTTPTokensAnnotation = "hypershift.openshift.io/ec2-instance-metadata-http-tokens"

// NamesOwner reports whether a tag names the stack or cluster of a resource. The search for the creations of an
// interrupted run needs such a tag: tags that users set may be on the resources of several stacks. Kubernetes looks
// only at the key of the tag of a cluster: what is not "shared" is the cluster's, whatever the value.
func NamesOwner(key, value string) bool {
	return value != "" && (key == StackTag || key == InfraIDTag || strings.HasPrefix(key, ClusterTagPrefix) && value != "shared")
}

// maxUserTags is HyperShift's limit of 25 tags per HostedCluster minus one, which its operator adds.
const maxUserTags = 24

// EC2Tags returns the tags of an EC2 resource, with a Name where one is given.
func (c Cluster) EC2Tags(name string) map[string]string {
	tags := c.ownTags()
	if name != "" {
		tags["Name"] = name
	}
	return tags
}

// PrivateSubnetTags returns the tags of a subnet for nodes and internal load balancers.
func (c Cluster) PrivateSubnetTags(name string) map[string]string {
	tags := c.EC2Tags(name)
	tags[InternalELBTag] = "1"
	tags[KarpenterDiscoveryTag] = c.InfraID
	return tags
}

// PublicSubnetTags returns the tags of a subnet for load balancers on the internet.
func (c Cluster) PublicSubnetTags(name string) map[string]string {
	tags := c.EC2Tags(name)
	tags[PublicELBTag] = "1"
	return tags
}

// PublicOnlySubnetTags returns the tags of a subnet for nodes and load balancers on the internet.
func (c Cluster) PublicOnlySubnetTags(name string) map[string]string {
	tags := c.PublicSubnetTags(name)
	tags[KarpenterDiscoveryTag] = c.InfraID
	return tags
}

// DiscoveryTags returns the tags by which the cluster's operators find a subnet that belongs to others: it has the
// cluster's tag with the value shared, so that nothing deletes it with the cluster.
func (c Cluster) DiscoveryTags(public, nodes bool) map[string]string {
	tags := map[string]string{ClusterTagPrefix + c.InfraID: "shared"}
	if public {
		tags[PublicELBTag] = "1"
	} else {
		tags[InternalELBTag] = "1"
	}
	if nodes {
		tags[KarpenterDiscoveryTag] = c.InfraID
	}
	return tags
}

// ZoneTags returns the tags of a private hosted zone.
func (c Cluster) ZoneTags() map[string]string { return c.ownTags() }

// IAMTags returns the tags of an IAM resource.
func (c Cluster) IAMTags() map[string]string {
	tags := make(map[string]string, len(c.Tags)+1)
	maps.Copy(tags, c.Tags)
	tags[InfraIDTag] = c.InfraID
	return tags
}

func (c Cluster) ownTags() map[string]string {
	tags := c.IAMTags()
	tags[ClusterTagPrefix+c.InfraID] = "owned"
	tags[clusterNameTag] = c.Name
	return tags
}

// tagPattern is the pattern of HyperShift's CRD, which is narrower than AWS's.
var tagPattern = regexp.MustCompile(`^[0-9A-Za-z_.:/=+@-]+$`)

// ValidateTags returns every fault in tags that users choose.
func ValidateTags(tags map[string]string) error {
	var faults fault.Faults
	if len(tags) > maxUserTags {
		faults.Add("", len(tags), "are more tags than HyperShift allows",
			fmt.Sprintf("use at most %d", maxUserTags))
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		value := tags[key]
		path := "[" + key + "]"
		if problem, remedy := tagKeyProblem(key); problem != "" {
			faults.Add(path, key, problem, remedy)
		}
		switch {
		case value == "" || len(value) > 256:
			faults.Add(path, value, fmt.Sprintf("has %d characters", len(value)), "use 1 to 256")
		case !tagPattern.MatchString(value):
			faults.Add(path, value, "has characters that HyperShift refuses", "use letters, digits and _.:/=+@-")
		}
	}
	return faults.Err()
}

func tagKeyProblem(key string) (problem, remedy string) {
	switch {
	case key == "" || len(key) > 128:
		return fmt.Sprintf("is a key of %d characters", len(key)), "use 1 to 128"
	case !tagPattern.MatchString(key):
		return "is a key with characters that HyperShift refuses", "use letters, digits and _.:/=+@-"
	case strings.HasPrefix(strings.ToLower(key), "aws:"):
		return "is a key that AWS reserves", "use a key without the prefix aws:"
	case key == "Name" || strings.HasPrefix(key, ClusterTagPrefix) || strings.HasPrefix(key, "hypershift.openshift.io/") ||
		key == InternalELBTag || key == PublicELBTag || key == KarpenterDiscoveryTag:
		return "is a key that is set automatically", "leave it out"
	}
	return "", ""
}

// ResourceTags returns the tags that HyperShift's operators set on resources that they create for a running cluster:
// the user's and the owner's. Source: spec.platform.aws.resourceTags of a HostedCluster.
func (c Cluster) ResourceTags() map[string]string {
	tags := make(map[string]string, len(c.Tags)+1)
	maps.Copy(tags, c.Tags)
	tags[ClusterTagPrefix+c.InfraID] = "owned"
	return tags
}

// OwnerTag returns the tag of the owner, which all of HyperShift's AWS resources have.
func (c Cluster) OwnerTag() map[string]string {
	return map[string]string{ClusterTagPrefix + c.InfraID: "owned"}
}
