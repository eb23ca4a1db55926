package event

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Event is an event of an operation: a pointer to one of the types of package automation whose names end with Event.
// Some of them are types of this package.
type Event interface {
	isEvent()
}

// Marker makes a type an Event. It has no fields. It is public because Go can close an interface only within one
// package, and package automation has events of its own. No operation sends an event of another package.
type Marker struct{}

func (Marker) isEvent() {}

// Status is the status of an operation on a resource.
type Status string

// The statuses, in order.
const (
	StatusPlanned Status = "planned"
	StatusStarted Status = "started"
	StatusDone    Status = "done"
	StatusFailed  Status = "failed"
)

// A refresh found that the resource was changed or deleted outside the stack.
const (
	OpChanged apitype.OpType = "changed"
	OpGone    apitype.OpType = "gone"
)

// OpKept is the end of a stack's ownership of a resource that continues to exist.
const OpKept apitype.OpType = "kept"

// Resource is a change in the status of the operation on one resource.
type Resource struct {
	Marker

	// Op is the operation of the engine; the result of a refresh: OpChanged, OpGone or apitype.OpSame; or OpKept.
	Op   apitype.OpType `json:"op"`
	URN  string         `json:"urn"`
	Name string         `json:"name"`
	// ID is the resource's ID in AWS or its management cluster, "" until it exists.
	ID string `json:"id,omitempty"`
	// ResourceType is the type's token, "aws:ec2/vpc:Vpc".
	ResourceType string `json:"resourceType"`
	Status       Status `json:"status"`
	// Seconds is how long it took, 0 until it is done or has failed.
	Seconds float64 `json:"seconds"`
	// Diffs are the inputs that change, and Keys those that force a replacement; only with StatusPlanned.
	Diffs []string `json:"diffs,omitempty"`
	Keys  []string `json:"replaceKeys,omitempty"`
	// Values are the inputs that change, leaf by leaf, with their values; only with StatusPlanned.
	Values []Value `json:"values,omitempty"`
}

// Value is a leaf in the inputs of a resource that an operation changes.
type Value struct {
	// Path is its path, "spec.release.image" or "policy.Statement[0].Action[1]"; policy is text that is a document in
	// JSON.
	Path string `json:"path"`
	// Old and New are its values before and after; nil if there is none. New is nil too if Unknown is set. A secret is
	// "[secret]".
	Old any `json:"old,omitempty"`
	New any `json:"new,omitempty"`
	// Unknown is true if the new value is known only after the update.
	Unknown bool `json:"unknown,omitempty"`
	// Replaces is true if the change replaces the resource.
	Replaces bool `json:"replaces,omitempty"`
}

// Diagnostic is a message of the engine, a provider or the program.
type Diagnostic struct {
	Marker

	// Severity is "info", "warning" or "error".
	Severity string `json:"severity"`
	// URN is the resource it is about, "" for the whole stack.
	URN     string `json:"urn,omitempty"`
	Message string `json:"message"`
	// Raw is the message as the engine, a provider, AWS or an API server wrote it, "" if Message is that.
	Raw string `json:"raw,omitempty"`
}

// Note is a message of this program about its own operation.
type Note struct {
	Marker

	// Message is a sentence without its full stop.
	Message string `json:"message"`
}

// Stages are the changes that an update has begun and that a further update continues, such as another key of etcd.
type Stages struct {
	Marker

	// Open are the changes in words.
	Open []string `json:"open"`
}

// Interrupt is a signal to stop.
type Interrupt struct {
	Marker

	// Count is 1 for the first signal: the operations in progress are finished. From 2 they are abandoned.
	Count int `json:"count"`
}

// Results of a command that did what it should, and fails for what it found.
const (
	// ResultChanged is for changes where none were expected.
	ResultChanged = "changed"
	// ResultRefused is for a plan that up would refuse.
	ResultRefused = "refused"
)

// Summary ends an operation.
type Summary struct {
	Marker

	// Operation is the command, such as "preview", "up" or "sweep".
	Operation string `json:"operation"`
	Stack     string `json:"stack"`
	// Result is "succeeded", "failed", "stopped" or, if the command fails for what it found, ResultChanged or
	// ResultRefused.
	Result string `json:"result"`
	Counts
	// Seconds is how long the operation took.
	Seconds float64 `json:"seconds"`
	Offline bool    `json:"offline"`
}

// Kind returns the type of its JSON line.
func (*Resource) Kind() string { return "resource" }

// Kind returns the type of its JSON line.
func (*Diagnostic) Kind() string { return "diagnostic" }

// Kind returns the type of its JSON line.
func (*Note) Kind() string { return "note" }

// Kind returns the type of its JSON line.
func (*Stages) Kind() string { return "stages" }

// Kind returns the type of its JSON line.
func (*Interrupt) Kind() string { return "interrupt" }

// Kind returns the type of its JSON line.
func (*Summary) Kind() string { return "summary" }

// Counts are the numbers of resources by what an operation did. Components and providers do not count.
type Counts struct {
	// Created counts new resources.
	Created int `json:"created"`
	// Imported are existing resources that were imported unchanged, with their IDs.
	Imported int `json:"imported"`
	// Updated counts resources that were changed in place, and Replaced those that were created anew.
	Updated  int `json:"updated"`
	Replaced int `json:"replaced"`
	// Deleted counts deleted resources, and Same unchanged ones.
	Deleted int `json:"deleted"`
	Same    int `json:"same"`
}

// Changes returns the number of resources that are changed.
func (c Counts) Changes() int { return c.Created + c.Imported + c.Updated + c.Replaced + c.Deleted }

// Add returns the sum of two counts.
func (c Counts) Add(other Counts) Counts {
	return Counts{
		c.Created + other.Created, c.Imported + other.Imported, c.Updated + other.Updated, c.Replaced + other.Replaced,
		c.Deleted + other.Deleted, c.Same + other.Same,
	}
}

// String returns the event in words: "create network-vpc done".
func (e *Resource) String() string { return string(e.Op) + " " + e.Name + " " + string(e.Status) }

// String returns the message.
func (e *Diagnostic) String() string { return e.Message }

// String returns the message.
func (e *Note) String() string { return e.Message }

// String returns the result and the counts: "up succeeded: 21 created, 0 updated, 0 replaced, 0 deleted".
func (e *Summary) String() string {
	return fmt.Sprintf("%s %s: %d created, %d updated, %d replaced, %d deleted", e.Operation, e.Result, e.Created,
		e.Updated, e.Replaced, e.Deleted)
}
