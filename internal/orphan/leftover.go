package orphan

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Leftover is a resource as a sweep sees it, whether it carries a cluster's tag or not.
type Leftover struct {
	Found
	// Owner is the account that it belongs to, "" where AWS does not say: a subnet may be shared by another account.
	Owner string
	// VPC is the ID of the VPC that it is in, of a VPC its own; "" for what is in none.
	VPC string
	// State is AWS's word for it, "running" or "in-use"; "" where there is none.
	State string
	// UsedBy are the IDs of what it is attached to.
	UsedBy []string
	// Interfaces are the IDs of the network interfaces that come and go with it.
	Interfaces []string
	// Description is AWS's or the maker's word for what a network interface is.
	Description string
	// Groups are the IDs of the security groups of a network interface.
	Groups []string
	// Backends are the ARNs of the load balancers that an endpoint service offers.
	Backends []string
	// Host is the DNS name of a load balancer, or the one that a record points at.
	Host string
	// Kept says what it goes with, so that it is not deleted by itself: a main route table with its VPC. "" for all others.
	Kept string
	// Priced are the inputs that its price follows from, under the provider's names.
	Priced map[string]any
}

// clusterTag begins the key of the tag that names a cluster.
const clusterTag = "kubernetes.io/cluster/"

// Clusters are the infra IDs whose tag the resource carries, whatever the value, in alphabetical order. An ID is all that follows the
// key's beginning: one that begins with another is another.
func (l Leftover) Clusters() []string {
	var infraIDs []string
	for _, key := range slices.Sorted(maps.Keys(l.Tags)) {
		if infraID, of := strings.CutPrefix(key, clusterTag); of && infraID != "" {
			infraIDs = append(infraIDs, infraID)
		}
	}
	return infraIDs
}

// Carries is whether the resource carries the cluster's tag, whatever the value.
func (l Leftover) Carries(infraID string) bool {
	_, carries := l.Tags[clusterTag+infraID]
	return carries
}

// ClusterTag is the value of a cluster's tag, "" without one.
func (l Leftover) ClusterTag(infraID string) string { return l.Tags[clusterTag+infraID] }

// Name is the tag Name, "" without one.
func (l Leftover) Name() string { return l.Tags["Name"] }

// Missing is a type that could not be listed in full.
type Missing struct {
	Type string
	Err  error
}

// Sweepable is an account that can be searched for what clusters have left behind, and cleared of it.
type Sweepable interface {
	// Place says where that is.
	Place(ctx context.Context) (Place, error)
	// Leftovers lists the types of awstype.Sweeps that carry a cluster's tag, and all instances and network interfaces, in the
	// order of types and IDs. What could not be listed is missing; the rest is listed all the same.
	Leftovers(ctx context.Context) ([]Leftover, []Missing)
	// Records lists the records called name in the public zones of the account that the name is in.
	Records(ctx context.Context, name string) ([]Leftover, error)
	// Describe reads one again, nil where it is gone.
	Describe(ctx context.Context, l Leftover) (*Leftover, error)
	// Release takes the rules out of a security group, so that groups that refer to each other can be deleted. Of other types it
	// does nothing.
	Release(ctx context.Context, l Leftover) error
	// Delete deletes one with what is only part of it, as AWS accepts it. One that is gone is no error.
	Delete(ctx context.Context, l Leftover) error
}
