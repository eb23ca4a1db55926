package orphan

import (
	"context"
	"maps"
	"slices"
	"strings"
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
	// Description is the description of a network interface.
	Description string
	// Groups are the IDs of the security groups of a network interface.
	Groups []string
	// Backends are the ARNs of the load balancers that an endpoint service offers.
	Backends []string
	// Host is the DNS name of a load balancer, or the target of a record.
	Host string
	// Kept is why it is not deleted by itself, because AWS deletes it with another resource: a main route table with its VPC. "" for all
	// others.
	Kept string
	// Priced are the inputs that determine its price, under the provider's names.
	Priced map[string]any
}

// clusterTag is the prefix of the key of a cluster's tag.
const clusterTag = "kubernetes.io/cluster/"

// Clusters are the infra IDs whose tag the resource has, with any value, in alphabetical order. The infra ID is the whole rest of the key
// after the prefix.
func (l Leftover) Clusters() []string {
	var infraIDs []string
	for _, key := range slices.Sorted(maps.Keys(l.Tags)) {
		if infraID, of := strings.CutPrefix(key, clusterTag); of && infraID != "" {
			infraIDs = append(infraIDs, infraID)
		}
	}
	return infraIDs
}

// Carries reports whether the resource has the cluster's tag, with any value.
func (l Leftover) Carries(infraID string) bool {
	_, carries := l.Tags[clusterTag+infraID]
	return carries
}

// ClusterTag is the value of a cluster's tag, "" without one.
func (l Leftover) ClusterTag(infraID string) string { return l.Tags[clusterTag+infraID] }

// Name is the tag Name, "" without one.
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
	// Leftovers lists the resources of the types of awstype.Sweeps that have a cluster's tag, and all instances and network interfaces,
	// ordered by type and ID. Types that could not be listed are in missing; the others are listed all the same.
	Leftovers(ctx context.Context) ([]Leftover, []Missing)
	// Records lists the records with a name in the account's public zones that contain the name.
	Records(ctx context.Context, name string) ([]Leftover, error)
	// Describe reads a resource again, nil if it is gone.
	Describe(ctx context.Context, l Leftover) (*Leftover, error)
	// Release removes the rules of a security group, so that groups that refer to each other can be deleted. It does nothing for other
	// types.
	Release(ctx context.Context, l Leftover) error
	// Delete deletes a resource and its parts. It succeeds if the resource is gone.
	Delete(ctx context.Context, l Leftover) error
}
