package inventory

import (
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// SweepOptions configure what may be deleted.
type SweepOptions struct {
	// InfraID is the infra ID of the cluster.
	InfraID string
	// MinAge is the minimum age of all resources.
	MinAge time.Duration
	// Keep are tags of resources that are kept; the value "" matches any.
	Keep map[string]string
	// Data includes volumes, snapshots and buckets.
	Data bool
	// Running includes running instances.
	Running bool
	// Global includes types without a region if no resource of the cluster is in this region.
	Global bool
	// ManagementDeleted is true if the user confirms that the cluster's management cluster no longer exists.
	ManagementDeleted bool
}

// SweepGate is a check that a resource must pass before it is deleted.
type SweepGate string

// The gates.
const (
	// GateAccount keeps what belongs to another account.
	GateAccount SweepGate = "account"
	// GateTag keeps a resource whose value of the cluster's tag is not owned.
	GateTag SweepGate = "tag"
	// GateTwoClusters keeps what carries the tags of several clusters.
	GateTwoClusters SweepGate = "two-clusters"
	// GateStack keeps what is in a stack's state, or whose ID is in a stack's file.
	GateStack SweepGate = "stack"
	// GateAlive keeps everything of a cluster that is in a management cluster.
	GateAlive SweepGate = "alive"
	// GateUnknown keeps everything if it is not known whether the cluster is alive, or if a source of the decision could
	// not be read.
	GateUnknown SweepGate = "unknown"
	// GateRunning keeps everything of a cluster that has running instances.
	GateRunning SweepGate = "running"
	// GateAge keeps what is younger than the minimum age, or whose age is unknown.
	GateAge SweepGate = "age"
	// GateKeep keeps a resource with one of the tags of SweepOptions.Keep.
	GateKeep SweepGate = "keep"
	// GateData keeps what may contain data.
	GateData SweepGate = "data"
	// GateInUse keeps what a resource that is not deleted uses.
	GateInUse SweepGate = "in-use"
	// GateRegion keeps a resource without a region if the cluster may exist in another region.
	GateRegion SweepGate = "region"
	// GatePart keeps what AWS deletes with another resource.
	GatePart SweepGate = "part"
)

// SweepEvent is the event of a line of the journal.
type SweepEvent string

// The events.
const (
	// EventSeen is a resource that existed while the cluster did, and that DNS records may point at.
	EventSeen SweepEvent = "seen"
	// EventBegun is the beginning of a sweep; Youngest is that of the cluster.
	EventBegun SweepEvent = "begun"
	// EventDeleting is written before the call to AWS, and EventDeleted after it.
	EventDeleting SweepEvent = "deleting"
	EventDeleted  SweepEvent = "deleted"
	// EventGone is a resource that no longer existed.
	EventGone SweepEvent = "gone"
	// EventHeld is a resource that has changed since the plan, and that a gate refuses.
	EventKept SweepEvent = "held"
	// EventFailed is a resource that could not be deleted.
	EventFailed SweepEvent = "failed"
)

// SweepEntry is a line of the journal.
type SweepEntry struct {
	// Time is when the line was written.
	Time time.Time `json:"time"`
	// Event is what happened.
	Event SweepEvent `json:"event"`
	// Type is the type's token, ID the ID in AWS, and Name the name of the resource; "" for a line about a
	// cluster.
	Type string `json:"type,omitempty"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	// Hosts are the DNS names and addresses of the resource, to which records may point.
	Hosts []string `json:"hosts,omitempty"`
	// Youngest is when the youngest resource was created.
	Youngest time.Time `json:"youngest,omitzero"`
	// Why is the reason in words, "" if none is needed.
	Why string `json:"why,omitempty"`
	// Seen is the evidence that the cluster was in a management cluster.
	Seen string `json:"seen,omitempty"`
	// Launched is when the newest instance was launched that AWS had when a destroy had just deleted the cluster: zero if
	// AWS had none, nil for other lines.
	Launched *time.Time `json:"launched,omitempty"`
	// Consent is true if the user consented to a sweep of a cluster that is not known to be gone; By is the user, and
	// Version this program's.
	Consent bool   `json:"consent,omitempty"`
	By      string `json:"by,omitempty"`
	Version string `json:"version,omitempty"`
}

// SweepPlan is what a sweep of one cluster would delete.
type SweepPlan struct {
	// Place is the cluster, the account and the region.
	Place Place
	// Options are those of the sweep.
	Options SweepOptions
	// Stack is the stack of the cluster in the backend, "" if there is none.
	Stack string
	// Life tells whether the cluster is alive, and Why is the evidence.
	Life gates.Life
	Why  string
	// Delete is in the order of deletion.
	Delete []Resource
	Kept   []Kept
	// Youngest is the latest known creation time of the cluster's resources, zero if none is known.
	Youngest time.Time
	// MonthlyUSD are the fixed costs of the cluster's resources with known prices, if every cluster is listed.
	MonthlyUSD float64
}

// Kept is a resource that is not deleted, and why.
type Kept struct {
	Resource
	// Gate is the gate that refuses the deletion.
	Gate SweepGate
	// Why is a sentence without its full stop.
	Why string
}

// Swept is the result of a run.
type Swept struct {
	// Deleted were deleted by this run; Gone no longer existed.
	Deleted, Gone []Resource
	// Kept have changed since the plan, and a gate refuses them.
	Kept []Kept
	// Failed could not be deleted.
	Failed []Failure
}

// Failure is a resource that could not be deleted.
type Failure struct {
	Resource
	// Err is the error of its deletion.
	Err error
}

// SweepResult is what a sweep found and did.
type SweepResult struct {
	// Plans are what would be deleted of each cluster in each account and region.
	Plans []SweepPlan
	// Ignored are tags whose text is not an infra ID, if every cluster is listed.
	Ignored []IgnoredTag
	// Searched are the accounts and regions that were searched.
	Searched []Searched
	// Time is when AWS was searched.
	Time time.Time
	// Deleted are the results for the plans, in their order; none if nothing was deleted.
	Deleted []Swept
}

// Searched is an account and a region that a sweep searched. Complete is false if a type could not be listed.
type Searched struct {
	// Place is the account and the region.
	Place Place
	// Complete is true if each type could be listed.
	Complete bool
}

// IgnoredTag is a cluster's tag whose text is not an infra ID.
type IgnoredTag struct {
	// Place is where the tag was found.
	Place Place
	// Text is the text in place of an infra ID.
	Text string
	// Resources are how many resources have the tag.
	Resources int
}
