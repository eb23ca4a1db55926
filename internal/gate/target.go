package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// Target is what an operation on a stack acts on. It is bound once, before any question, and again directly before
// each run of the engine: an operation goes on only if it is still the same. Identity is fixed, and credentials aren't:
// other credentials for the same account and the same management cluster are accepted.
type Target struct {
	// Stack is the stack's name.
	Stack string
	// Accounts are the AWS accounts of the stack's providers that could be read.
	Accounts []TargetAccount
	// ManagementCluster is the UID of namespace kube-system of the management cluster, "" if the stack has none, or if it
	// could not be read.
	ManagementCluster string
	// Server is the URL of its API server and the CA that it is trusted by. It is compared only where the UID may not be
	// read.
	Server string
	// File is a digest of the stack's file, "" if it has none.
	File string
	// InfraID is the infra ID of the cluster that depends on the stack, "" if none does.
	InfraID string
}

// TargetAccount is the account that the credentials of a provider lead to.
type TargetAccount struct {
	// Provider is the provider's name in the stack's file, "" for the stack's own.
	Provider, Account, Region string
}

// TargetGate describes the gate of Target.Changed, and of a file and a state of different clusters.
func TargetGate() gates.Gate {
	return gates.Gate{
		Name: "target",
		Refuses: "to go on, after a decision and directly before each run of the engine, if the AWS accounts, the " +
			"management cluster, the infra ID, the stack's file or its state are no longer those that the operation began " +
			"with; and a destroy whose file describes another cluster than the state",
		WayOn:      "run the command again; restore the file",
		Operations: []gates.Operation{gates.Up, gates.Refresh, gates.Adopt, gates.Forget, gates.Destroy, gates.Backup},
		Cost:       gates.CostManagementCluster,
	}
}

// Differs returns how a later reading of the target differs from it, "" if it does not. Except for the file, a value
// that only one of the readings has is not compared. The gates decide about values that could not be read.
func (t Target) Differs(now Target) string {
	var differences []string
	add := func(what, was, is string) {
		if was != "" && is != "" && was != is {
			differences = append(differences, fmt.Sprintf("%s was %s, and is %s", what, was, is))
		}
	}
	add("the UID of namespace kube-system of the management cluster", t.ManagementCluster, now.ManagementCluster)
	if t.ManagementCluster == "" || now.ManagementCluster == "" {
		add("the API server", t.Server, now.Server)
	}
	add("the infra ID", t.InfraID, now.InfraID)
	if t.File != now.File {
		differences = append(differences, "the stack's file has changed")
	}
	for _, was := range t.Accounts {
		i := slices.IndexFunc(now.Accounts, func(a TargetAccount) bool { return a.Provider == was.Provider })
		if i < 0 {
			continue
		}
		provider := "aws:"
		if was.Provider != "" {
			provider = "accounts." + was.Provider
		}
		add("the AWS account of "+provider, was.Account, now.Accounts[i].Account)
		add("the region of "+provider, was.Region, now.Accounts[i].Region)
	}
	return strings.Join(differences, "; ")
}

// Changed returns the refusal of an operation whose target is no longer the same.
func (t Target) Changed(operation gates.Operation, why string) error {
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the target of stack %s changed after %s had begun: %s; it was stopped before it changed anything there", t.Stack, operation,
			why),
		Remedy: "run the command again with the file, the kubeconfig and the credentials of the stack, and do not change them while it runs",
	}
}
