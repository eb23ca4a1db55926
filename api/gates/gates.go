// Package gates describes what may refuse an operation on a stack, and what is known about the life of the cluster that
// depends on the stack. What is unknown counts as alive.
package gates

// Operation is an operation on a stack, which a gate may refuse.
type Operation string

// The operations.
const (
	Up       Operation = "up"
	Preview  Operation = "preview"
	Refresh  Operation = "refresh"
	Drift    Operation = "drift"
	Adopt    Operation = "adopt"
	Forget   Operation = "forget"
	Destroy  Operation = "destroy"
	Sweep    Operation = "sweep"
	Relocate Operation = "relocate"
	Backup   Operation = "backup"
	// Status reads a cluster in the management cluster, for status and diagnose; Access its credentials, for kubeconfig
	// and console.
	Status Operation = "status"
	Access Operation = "access"
)

// Dry reports whether the operation changes nothing.
func (o Operation) Dry() bool { return o == Preview || o == Drift }

// Cost is the most expensive call that a gate's check makes.
type Cost string

// The costs, cheapest first.
const (
	// CostFree gates look only at the stack's file, state, and plan.
	CostFree Cost = "free"
	// CostStates gates read the states of the backend's other stacks.
	CostStates Cost = "states"
	// CostManagementCluster gates read the management cluster.
	CostManagementCluster Cost = "management cluster"
	// CostAWS gates list resources in AWS. They run only if a plan creates, deletes, or replaces something.
	CostAWS Cost = "AWS"
	// CostEngine gates start the engine.
	CostEngine Cost = "engine"
)

// Reads returns in words what a check with the cost reads.
func (c Cost) Reads() string {
	switch c {
	case CostFree:
		return "the stack's file, state and plan"
	case CostStates:
		return "the states of the backend's other stacks"
	case CostManagementCluster:
		return "the management cluster"
	case CostAWS:
		return "lists in AWS, and for `life` the management cluster first"
	case CostEngine:
		return "every resource of the stack, by the engine"
	}
	return string(c)
}

// Gate may refuse operations.
type Gate struct {
	// Name identifies the gate in output, journals and the documentation: "identity".
	Name string
	// Refuses is a sentence for the documentation: what the gate refuses, and why.
	Refuses string
	// WayOn is what to do after a refusal, for the documentation: the flag or key that allows the operation, or what
	// removes the cause.
	WayOn string
	// Operations are the operations that the gate may refuse.
	Operations []Operation
	Cost       Cost
}

// Life is what is known about the cluster that depends on a stack's resources. The zero value is Unknown.
type Life int

// The answers. Unknown counts as Alive.
const (
	Unknown Life = iota
	Alive
	Gone
)

// String returns the answer as a word.
func (l Life) String() string { return [...]string{"unknown", "alive", "gone"}[l] }
