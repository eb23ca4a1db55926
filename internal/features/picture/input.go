package picture

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Input is the content of a picture.
type Input struct {
	// Stack is the stack's name.
	Stack string
	// Subtitle describes the drawn state: "as of its last update", "planned".
	Subtitle string
	// Resources are the stack's resources and providers, as the engine records them. Resources that a plan creates have
	// their name as their ID.
	Resources []apitype.ResourceV3
	// Existing are the VPCs and the subnets of others that the stack's file names.
	Existing []config.Existing
	// Accounts are the accounts by the name of the provider, "" for the stack's own, as far as no resource says them.
	Accounts map[string]string
	// Added are parts of the stack's resources that others added, as the state would record them; nil if they were not
	// looked for.
	Added []apitype.ResourceV3
	// Changes is the effect of a plan, by URN; nil if no plan is drawn.
	Changes map[string]Change
	// Drift is how AWS differs from the state, by URN; nil if it was not compared.
	Drift map[string]string
	// Paths are the paths of traffic and DNS names; nil if they were not followed.
	Paths []status.Path
	// Cost is the fixed cost; nil where it is unknown.
	Cost *forecast.Cost
	// Findings are the policy violations by URN; nil if policies were not checked.
	Findings map[string]string
	// Notes are the texts below the drawing in Markdown.
	Notes string
	// Label is the name of a type's token: "NAT gateway".
	Label func(token string) string
}

// Change is the effect of a plan on a resource.
type Change string

// The changes of a plan.
const (
	Create  Change = "create"
	Update  Change = "update"
	Replace Change = "replace"
	Delete  Change = "delete"
	// Import imports an existing resource.
	Import Change = "import"
)

// sign returns the sign of a change before a name.
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
