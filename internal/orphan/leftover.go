package orphan

import (
	"context"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// Leftover is a resource as listed for a sweep, whether it has a cluster's tag or not.
type Leftover struct {
	Found
	// Owner is its account, "" if AWS does not return it: a subnet may be shared by another account.
	Owner string
	// VPC is the ID of its VPC, for a VPC its own ID; "" for a resource outside of VPCs.
	VPC string
	// State is its state in AWS, "running" or "in-use"; "" if it has none.
	State string
	// UsedBy are the IDs of the resources that it is attached to.
	UsedBy []string
	// Interfaces are the IDs of the network interfaces that belong to it.
	Interfaces []string
	// Description is AWS's or the maker's word for what a network interface is, and the text of a TXT record of external-dns.
	Description string
	// Groups are the IDs of the security groups of a network interface.
	Groups []string
	// Backends are the ARNs of the load balancers that an endpoint service offers.
	Backends []string
	// Hosts are the DNS names and addresses of a load balancer, an endpoint or an elastic IP, and those that a record points at, in
	// the form of Host.
	Hosts []string
	// Domain is the name of a hosted zone.
	Domain string
	// Kept names the resource with which it is deleted, and without which it cannot be: the VPC of a main route table. "" for all others.
	Kept string
	// Priced are the inputs that determine its price, under the provider's names.
	Priced map[string]any
}

// clusterTag begins the key of the tag that names a cluster. IAM resources have infraIDTag instead, whose value is the infra ID.
const (
	clusterTag = "kubernetes.io/cluster/"
	infraIDTag = "hypershift.openshift.io/infra-id"
)

// Clusters returns the infra IDs whose tag the resource has, with any value, in alphabetical order. The infra ID is the whole rest of the
// key after the prefix.
func (l Leftover) Clusters() []string {
	var infraIDs []string
	for key := range l.Tags {
		if infraID, of := strings.CutPrefix(key, clusterTag); of && infraID != "" {
			infraIDs = append(infraIDs, infraID)
		}
	}
	if infraID := l.identityOf(); infraID != "" {
		infraIDs = append(infraIDs, infraID)
	}
	slices.Sort(infraIDs)
	return slices.Compact(infraIDs)
}

// identityOf returns the infra ID in the tag of an IAM resource, or "" for others.
func (l Leftover) identityOf() string {
	switch l.Type {
	case awstype.Role, awstype.InstanceProfile, awstype.OIDCProvider:
		return l.Tags[infraIDTag]
	}
	return ""
}

// Carries reports whether the resource has the cluster's tag, with any value.
func (l Leftover) Carries(infraID string) bool {
	_, carries := l.Tags[clusterTag+infraID]
	return carries || infraID != "" && l.identityOf() == infraID
}

// ClusterTag returns the value of a cluster's tag, or "" without one.
func (l Leftover) ClusterTag(infraID string) string {
	value, has := l.Tags[clusterTag+infraID]
	if !has && l.Carries(infraID) {
		return "owned"
	}
	return value
}

// Zone returns the ID of the hosted zone that a record is in.
func (l Leftover) Zone() string {
	zone, _, _ := strings.Cut(l.ID, "_")
	return zone
}

// Name returns the tag Name, or "" without one.
func (l Leftover) Name() string { return l.Tags["Name"] }

// Missing is a type that could not be listed completely.
type Missing struct {
	Type string
	Err  error
}

// Sweepable is an account in which a sweep lists and deletes what clusters left.
type Sweepable interface {
	// Place returns its partition, account and region.
	Place(ctx context.Context) (Place, error)
	// Leftovers lists what carries a cluster's tag, and all instances and network interfaces, of the types of awstype.Sweeps that are
	// wanted, in the order of types and IDs. The other types are listed even if one cannot be listed.
	Leftovers(ctx context.Context, wanted func(awstype.Sweep) bool) ([]Leftover, []Missing)
	// Records lists what points somewhere, and the TXT records of external-dns, of the account's zones, public and private: the records
	// that are called as one of the domains or are in one of them, all for no domain.
	Records(ctx context.Context, domains []string) ([]Leftover, error)
	// Describe reads one again; it returns nil if it no longer exists.
	Describe(ctx context.Context, l Leftover) (*Leftover, error)
	// Release removes the rules of a security group, so that groups that refer to each other can be deleted. It does nothing for other
	// types.
	Release(ctx context.Context, l Leftover) error
	// Delete deletes a resource and its parts. It succeeds if the resource does not exist.
	Delete(ctx context.Context, l Leftover) error
}
