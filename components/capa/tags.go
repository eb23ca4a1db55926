package capa

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// The tags by which CAPA and the cloud controller manager find resources. Source: CAPA's api/v1beta2/tags.go.
const (
	clusterTagPrefix = recorded.ClusterTagPrefix
	providerPrefix   = "sigs.k8s.io/cluster-api-provider-aws/"
	ownerTagPrefix   = recorded.CAPAOwnerTagPrefix
	roleTag          = providerPrefix + "role"
	elbTag           = "kubernetes.io/role/elb"
	internalELBTag   = "kubernetes.io/role/internal-elb"
	nameTag          = "Name"
)

// Tagging sets exactly those tags on a cluster's resources that CAPA would write, so that CAPA and Pulumi do not change
// each other's tags. No resource has the tag that would make CAPA treat a VPC, a group or an address as its own and
// delete it.
type Tagging struct {
	// Cluster is the name of the Cluster. Required.
	Cluster string `pulumi:"cluster"`
	// Stack is the value of hypershift.StackTag, by which recovery finds what an interrupted run created. Default none.
	Stack string `pulumi:"stack,optional"`
	// Tags are the user's own. Default none.
	Tags map[string]string `pulumi:"tags,optional"`
}

var _ network.Tagging = Tagging{}

// Plain returns the tags of a resource that CAPA does not tag, with a Name if one is given.
func (t Tagging) Plain(name string) map[string]string {
	tags := map[string]string{}
	maps.Copy(tags, t.Tags)
	if t.Stack != "" {
		tags[hypershift.StackTag] = t.Stack
	}
	if name != "" {
		tags[nameTag] = name
	}
	return tags
}

// Own returns the tags of Plain except the user's own.
func (t Tagging) Own(name string) map[string]string {
	t.Tags = nil
	return t.Plain(name)
}

// PublicSubnet returns the tags of a subnet with a route to an internet gateway.
func (t Tagging) PublicSubnet(name string, _ bool) map[string]string {
	return t.and(t.Plain(name), clusterTagPrefix+t.Cluster, "shared", elbTag, "1")
}

// PrivateSubnet returns the tags of a subnet without one.
func (t Tagging) PrivateSubnet(name string) map[string]string {
	return t.and(t.Plain(name), clusterTagPrefix+t.Cluster, "shared", internalELBTag, "1")
}

// Discovery returns the tags that CAPA sets on an existing subnet.
func (t Tagging) Discovery(public, _ bool) map[string]string {
	role := internalELBTag
	if public {
		role = elbTag
	}
	return map[string]string{clusterTagPrefix + t.Cluster: "shared", role: "1"}
}

// NATGateway returns the tags of a NAT gateway; CAPA writes them, including Name, on the gateways of every VPC that it
// uses.
func (t Tagging) NATGateway(string) map[string]string {
	return t.and(t.Plain(t.Cluster+"-nat"), ownerTagPrefix+t.Cluster, "owned", roleTag, "common")
}

// IAM returns the tags of roles and instance profiles.
func (t Tagging) IAM() map[string]string { return t.Plain("") }

// SecurityGroup returns the tags of a role's group. Only the group of role LB has the cluster's tag: the cloud
// controller manager adds rules to the tagged group of an instance, and fails if there are two. Its value is shared,
// because CAPA deletes resources tagged owned.
func (t Tagging) SecurityGroup(role Role) map[string]string {
	tags := t.Plain(t.groupName(role))
	if role == LB {
		tags[clusterTagPrefix+t.Cluster] = "shared"
	}
	return tags
}

// groupName returns the name of a role's group, the same as CAPA's.
func (t Tagging) groupName(role Role) string { return t.Cluster + "-" + string(role) }

func (t Tagging) and(tags map[string]string, keysAndValues ...string) map[string]string {
	for i := 0; i < len(keysAndValues); i += 2 {
		tags[keysAndValues[i]] = keysAndValues[i+1]
	}
	return tags
}

// maxUserTags is AWS's limit of 50 tags per resource minus those that CAPA and this package set.
const maxUserTags = 40

// maxTagValue is AWS's limit of characters in a tag's value.
const maxTagValue = 256

// tagPattern is the pattern of CAPA's webhook.
var tagPattern = regexp.MustCompile(`^[a-zA-Z0-9\s_.:=+\-@/]*$`)

// validateTags returns a fault for each tag that CAPA's webhook or AWS refuses, or that is already set.
func validateTags(tags map[string]string) error {
	var faults fault.Faults
	if len(tags) > maxUserTags {
		faults.Add("", len(tags), "are too many tags", fmt.Sprintf("use at most %d", maxUserTags))
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		path, value := "["+key+"]", tags[key]
		switch {
		case key == "" || len(key) > 128:
			faults.Add(path, key, fmt.Sprintf("is a key of %d characters", len(key)), "use 1 to 128")
		case !tagPattern.MatchString(key):
			faults.Add(path, key, "is a key with characters that CAPA refuses", "use letters, digits, spaces and _.:=+-@/")
		case strings.HasPrefix(strings.ToLower(key), "aws:"):
			faults.Add(path, key, "is a key that AWS reserves", "use one that does not begin with aws:")
		case key == hypershift.StackTag:
			faults.Add(path, key, "is the key of the tag that names the stack, which is set automatically", "leave it out")
		case key == nameTag || key == elbTag || key == internalELBTag || strings.HasPrefix(key, clusterTagPrefix) ||
			strings.HasPrefix(key, providerPrefix):
			faults.Add(path, key, "is a key by which CAPA and Kubernetes find resources",
				"leave it out; it is set where it is needed")
		}
		switch {
		case len(value) > maxTagValue:
			faults.Add(path, value, fmt.Sprintf("has %d characters", len(value)), "use at most 256")
		case !tagPattern.MatchString(value):
			faults.Add(path, value, "has characters that CAPA refuses", "use letters, digits, spaces and _.:=+-@/")
		}
	}
	return faults.Err()
}
