package forecast

import (
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
)

// Forecast is the estimates for a plan.
type Forecast struct {
	// Time is how long the plan takes, and its longest chain of operations; the total is 0 if it is not known.
	Time Time
	// Simulated is true offline: Time is what AWS would take.
	Simulated bool
	// OperatorWork is the operators' work after the plan, which is not part of Time: "the start of the control plane and
	// the nodes"; "" if there is none.
	OperatorWork string
	// Cost is the fixed cost per month before and after, of the stack's resources and of what operators create for its
	// objects.
	Cost CostChange
	// Policies are the violations of policies, with the waived ones.
	Policies Policies
	// Unchecked lists what only HyperShift's operator can check in the objects of the plan.
	Unchecked []string
}

// Time is the estimated time of a plan.
type Time struct {
	// Total is the whole time.
	Total time.Duration
	// Chain are the steps that determine the total, from first to last: if any of them is faster, the total is shorter.
	Chain []Step
}

// Op is the operation on a resource.
type Op string

// The operations that take time.
const (
	Create Op = "create"
	Update Op = "update"
	Delete Op = "delete"
	// Import imports an existing resource: the provider reads it.
	Import Op = "import"
)

// Step is an operation on one resource. A replacement is two: a creation and a deletion.
type Step struct {
	// URN identifies the resource.
	URN string
	// Type is the type's token, "aws:ec2/vpc:Vpc".
	Type string
	// Op is the operation.
	Op Op
	// DependsOn are the URNs of the resources that must exist first. Those without a step exist already.
	DependsOn []string
}

// PolicyWaiver accepts a finding of a policy. `hypershift-aws plan-policies` lists the policies.
type PolicyWaiver struct {
	// Rule is the policy's name, such as open-ingress, or addition for what others added, which drift shows. Required.
	Rule string `yaml:"rule" pulumi:"rule" json:"rule"`
	// Resource is the name of the resource in the program, such as network-endpoints-https, or the ID of an
	// addition. Default: all resources.
	Resource string `yaml:"resource" pulumi:"resource,optional" json:"resource,omitempty"`
	// Reason is why the finding is accepted; it appears in every report. Required.
	Reason string `yaml:"reason" pulumi:"reason" json:"reason"`
}

// Policies are the findings of the rules.
type Policies struct {
	// Findings are the violations, with those that a waiver accepts.
	Findings []finding.Finding `json:"findings"`
	// Unchecked are the names of resources with a policy document that is known only after an update.
	Unchecked []string `json:"unchecked,omitempty"`
	// Unused are the waivers without a finding.
	Unused []PolicyWaiver `json:"unusedWaivers,omitempty"`
}

// Open returns the findings that no waiver accepts.
func (p Policies) Open() []finding.Finding {
	return slices.DeleteFunc(slices.Clone(p.Findings), func(f finding.Finding) bool { return f.Waiver != "" })
}

// Remaining follows an operation in progress. Its methods may be called from several goroutines.
type Remaining interface {
	// Follow takes note of an operation on a resource.
	Follow(e *event.Resource, now time.Time)
	// Count returns how many resources are done, how many have begun and are not done, and how many there are.
	Count() (done, running, all int)
	// Timed reports whether the remaining time is estimated. Offline, where AWS takes no time, it is not.
	Timed() bool
	// Left returns the remaining time, 0 unless it is timed.
	Left(now time.Time) time.Duration
	// Waiting returns how many resources have not begun and wait, directly or through others, for the end of an operation.
	Waiting(e *event.Resource) int
}
