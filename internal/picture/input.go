package picture

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/price"
)

// Input is what a picture is drawn of.
type Input struct {
	// Stack is the stack's name.
	Stack string
	// Subtitle says what is drawn: "as of its last update", "planned".
	Subtitle string
	// Resources are the stack's, with providers, as the engine records them. Resources of a plan that AWS has not made yet
	// have their name for an ID.
	Resources []apitype.ResourceV3
	// Changes is what a plan does, by URN; nil where no plan is drawn.
	Changes map[string]Change
	// Drift says by URN how AWS differs from the state; nil where it was not looked at.
	Drift map[string]string
	// Paths are the ways of traffic and names; nil where they were not followed.
	Paths []Path
	// Cost is the fixed cost; nil where it is unknown.
	Cost *price.Estimate
	// Findings says by URN which policies a resource breaks; nil where they were not checked.
	Findings map[string]string
	// Notes are what Markdown says below the drawing.
	Notes string
	// Label is what people call a type's token: "NAT gateway".
	Label func(token string) string
}

// Change is what a plan does to a resource.
type Change string

// The changes of a plan.
const (
	Create  Change = "create"
	Update  Change = "update"
	Replace Change = "replace"
	Delete  Change = "delete"
	// Import takes over what exists.
	Import Change = "import"
)

// sign is how a change is written before a name.
func (c Change) sign() string {
	switch c {
	case Create:
		return "+"
	case Update:
		return "~"
	case Replace:
		return "±"
	case Delete:
		return "−"
	case Import:
		return "="
	}
	return ""
}

// Path is a way of traffic or names through the resources.
type Path struct {
	// Name says from where to where.
	Name string
	// Hops are the resources on the way, up to the one at which it breaks.
	Hops []Hop
	// Absent says why there is no such way by design, "" where there is one.
	Absent string
}

// Hop is one resource on a way.
type Hop struct {
	// Name is the resource's in the program, "" for one that is not the stack's. Kind is what it is.
	Name, Kind string
	// Why says what lets the traffic through, or what is missing.
	Why string
	// Breaks is whether the way ends here.
	Breaks bool
}

// broken is whether a path breaks.
func (p Path) broken() bool { return len(p.Hops) > 0 && p.Hops[len(p.Hops)-1].Breaks }
