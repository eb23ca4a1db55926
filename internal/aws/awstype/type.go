package awstype

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Type is the record of one AWS resource type.
type Type struct {
	// Token is Pulumi's, "aws:ec2/vpc:Vpc".
	Token string
	// Label is the name of the type in messages, "NAT gateway".
	Label string
	// Tagged is true if instances have tags, and cost money or are searched for: policies require a tag of the user.
	Tagged bool
	// Permissions are the IAM actions of an instance's whole life.
	Permissions Permissions
	// Lost is how destroy finds what the state has lost.
	Lost Lost
	// Reads are the IAM actions of the requests that list instances.
	Reads Reads
	// Find is how an instance is found in an account.
	Find Find
	// Adopt is how a stack adopts an existing instance.
	Adopt Adoption
	// Guard says what living clusters need an instance for, or why none depends on instances.
	Guard Guard
	// Deletion is how instances are deleted without a state.
	Deletion Deletion
	// Sweep is how a sweep finds and deletes instances.
	Sweep Sweep
	// Hop is the name of the type in network paths, "route table"; "" for types that are not part of paths.
	Hop string
	// Price is the key of the instance's price; Free if AWS charges nothing for it.
	Price string
	// Seconds is how long AWS typically takes.
	Seconds Seconds
}

// Seconds is how many seconds AWS typically takes to create an instance until it can be used, and to delete one
// completely, by the medians of public logs of real runs. 0 is one second.
type Seconds struct{ Create, Delete float64 }

// Reads are the IAM actions of the requests with which package account lists instances of a type. Whatever lists them
// needs these and no others.
type Reads struct {
	// List reads all instances, with the properties that AWS's list has.
	List []string
	// Complete reads in addition what AWS's list lacks, such as tags.
	Complete []string
	// Named looks for an instance of a known name or import ID.
	Named []string
}

// Lists returns the actions of a complete list.
func (r Reads) Lists() []string { return slices.Concat(r.List, r.Complete) }

// Guard is what living clusters need instances of a type for: those cannot be created again with the same properties,
// because an ID, a name, data or an address is lost; or they are the routes, policies, records and endpoints without
// which those are of no use.
type Guard struct {
	// Needed says what living clusters need an instance for, as a phrase: "their nodes run in it". Unneeded is why none
	// depends on instances. Each type has one of them.
	Needed, Unneeded string
	// Remedy is how to get to the new instance in steps that harm nothing; "" if the cause of a change determines it.
	Remedy string
	// Staged is true if instances are replaced in stages. The component checks them, and the guard does not.
	Staged bool
	// Fixed are the inputs of a guarded type that cannot be changed: another value replaces the instance.
	Fixed []string
	// InputKeys are the config keys that determine inputs, by the input or the object that it is in.
	InputKeys map[string]string
	// Keys are the config keys that decide whether a stack has an instance, "" if none does alone.
	Keys string
	// Within are the inputs of a guarded type that refer to the resource that an instance is part of. If that resource is
	// replaced or deleted, the instance needs no separate permission. Such a type can be created again as it was, but a
	// running cluster is cut off without it.
	Within []string
	// Of limits the guard to instances in components whose type begins with it; "" for all instances.
	Of string
	// If limits the guard to instances with this input; "" for all instances.
	If string
	// Losses finds what a change in place takes from those who use an instance, which the guard refuses as it refuses a
	// deletion; nil if no change in place takes anything. It gets the inputs before and after; one that is not known yet
	// is missing or no document.
	Losses func(before, after map[string]any) []Loss
	// Protected is the protection in the state, "" for none. States of earlier versions may not have it.
	Protected Protection
}

// Guarded reports whether a plan that replaces or deletes an instance is refused, unless it is allowed by name.
func (g Guard) Guarded() bool { return g.Needed != "" && !g.Staged }

// Protection is who protects the instances of a type in the state, beside the guard, and until when.
type Protection string

const (
	// ForCluster protects what is deleted with a cluster, until a destroy deletes the cluster itself.
	ForCluster Protection = "cluster"
	// ForUsers protects what clusters of other stacks use, until the stack's file has `unprotected: true`.
	ForUsers Protection = "users"
)

// NewIdentity is how the operator gets other credentials without an interruption.
const NewIdentity = "to change operator.identity, set operator.formerIdentity to the one until now, as docs/management.md describes, and allow the deletion when " +
	"nothing uses these credentials any more; to change operator.namePrefix, allow every name in one update, and restart the Deployments operator and " +
	"external-dns directly after it: until then they cannot call AWS"

// Free is the price key of types for which AWS charges nothing.
const Free = "free"

// Deletion is the order of an instance's deletion, and how long AWS takes.
type Deletion struct {
	// Rank orders types: instances of a lower rank are deleted first. WithOwner (0) is for types that disappear with the
	// resource that it is part of, or is shared by the account; it is not deleted by itself.
	Rank int
	// Wait is how long AWS takes at most from accepting the deletion until higher ranks can be deleted; 0 if the deletion
	// is immediate.
	Wait time.Duration
}

// WithOwner is the rank of types that are not deleted by themselves.
const WithOwner = 0

// All returns the records in the order of their tokens.
func All() []Type {
	all := slices.Concat(networkTypes(), routingTypes(), securityGroupTypes(), endpointTypes(), computeTypes(),
		roleTypes(), identityTypes(),
		dnsTypes(), keyTypes(), bucketTypes(), distributionTypes(), eventTypes(), logTypes(), sharingTypes())
	slices.SortFunc(all, func(a, b Type) int { return strings.Compare(a.Token, b.Token) })
	return all
}

// byToken has every record, built once: the records are read for each step of a plan.
var byToken = sync.OnceValue(func() map[string]Type {
	types := map[string]Type{}
	for _, t := range All() {
		types[t.Token] = t
	}
	return types
})

// Lookup returns the record of a token. It reports false for a token without one.
func Lookup(token string) (Type, bool) {
	t, known := byToken()[token]
	return t, known
}
