package status

import (
	"cmp"
	"slices"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
)

// Access is how administrators reach a hosted cluster.
type Access struct {
	// Kubeconfig is the administrator's kubeconfig.
	Kubeconfig string
	// ConsoleURL is the URL of the web console, Password the password of its user kubeadmin; "" once the cluster has other
	// users.
	ConsoleURL, Password string
}

// Verdict is the state of a cluster in one word.
type Verdict string

// The verdicts, the worst first.
const (
	// Failing is a cluster with a finding that waiting does not resolve.
	Failing Verdict = "failing"
	// Unknown is a cluster whose management cluster, or AWS account, was not read completely.
	Unknown Verdict = "unknown"
	// Progressing is a cluster that is created, changed or deleted, or waits for something.
	Progressing Verdict = "progressing"
	// Ready is a cluster that is available, with all its nodes.
	Ready Verdict = "ready"
	// Absent is a stack whose state has no cluster.
	Absent Verdict = "absent"
)

// Worse compares two verdicts: it is negative if v is worse than other.
func (v Verdict) Worse(other Verdict) int {
	order := []Verdict{Failing, Unknown, Progressing, Ready, Absent}
	return cmp.Compare(slices.Index(order, v), slices.Index(order, other))
}

// Cluster is what a management cluster and AWS report about the cluster of a stack.
type Cluster struct {
	// Stack is the stack's name; Kind, Namespace, and Name identify the cluster's object, "" if the state has none.
	Stack     string `json:"stack"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Verdict is the state in one word, and Why the first of its reasons.
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"`
	// Version is the version of the control plane, "4.20.1"; Nodes and NodesWanted are the nodes of all node pools.
	Version     string `json:"version,omitempty"`
	Nodes       int64  `json:"nodes"`
	NodesWanted int64  `json:"nodesWanted"`
	// PausedSince is the time since which the nodes are paused, "" if they are not, and NodesPaused is how many nodes the
	// paused pools have otherwise, at most.
	PausedSince string `json:"pausedSince,omitempty"`
	NodesPaused int64  `json:"nodesPaused,omitempty"`
	// Objects are the cluster's object and its parts: node pools, endpoint services, machines.
	Objects []Object `json:"objects,omitempty"`
	// AWS are the resources with the cluster's tag that show whether it runs.
	AWS []Fact `json:"aws,omitempty"`
	// Stages are the changes of the last update that the next one continues, in words.
	Stages []string `json:"stages,omitempty"`
	// Findings are what needs attention, errors first.
	Findings []finding.Finding `json:"findings,omitempty"`
	// Flow are the steps of HyperShift's networking flow, if they were requested.
	Flow []FlowStep `json:"flow,omitempty"`
}

// Object is an object of the management cluster.
type Object struct {
	// Kind is the object's kind, "NodePool", and Namespace and Name where it is.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Summary is the object's state in words: "2 of 3 nodes, 4.20.1".
	Summary string `json:"summary,omitempty"`
	// Conditions are the object's conditions.
	Conditions []Condition `json:"conditions,omitempty"`
}

// Condition is a condition of an object. Expected is false if its status is not the one of a healthy cluster.
type Condition struct {
	// Type and all other fields but Expected are those of a condition in Kubernetes.
	Type               string     `json:"type"`
	Status             string     `json:"status"`
	ObservedGeneration int64      `json:"observedGeneration,omitempty"`
	LastTransitionTime *time.Time `json:"lastTransitionTime"`
	Reason             string     `json:"reason"`
	Message            string     `json:"message"`
	// Expected is true if the status is the one of a healthy cluster.
	Expected bool `json:"expected"`
}

// Fact is what AWS reports about a resource.
type Fact struct {
	// Kind is the label of its type, "EC2 instance"; Account and Region are its provider's.
	Kind    string `json:"kind"`
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Account string `json:"account"`
	Region  string `json:"region"`
	// State is its state in AWS, "running"; Expected is false if it is not the one of a healthy cluster.
	State    string `json:"state"`
	Expected bool   `json:"expected"`
	// Type is the type's token, "aws:ec2/instance:Instance".
	Type string `json:"-"`
}
