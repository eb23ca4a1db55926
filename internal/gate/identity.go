package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// Subject names what an identity gate checks, for its messages.
type Subject struct {
	// Stack is the stack's name.
	Stack string
	// Object describes the stack's object in the management cluster, "HostedCluster clusters/demo"; "" if its state has
	// none.
	Object string
	// Key is the config key of the kubeconfig: "cluster.hostedCluster.kubeconfig".
	Key string
}

// IdentityGate describes the gate of JudgeIdentity, and of the accounts that credentials lead to.
func IdentityGate() gates.Gate {
	return gates.Gate{
		Name: "identity",
		Refuses: "a kubeconfig that selects another management cluster than the one that the stack's objects were " +
			"applied to: an operation would change, forget, or show the wrong objects. AWS credentials of another " +
			"account than the one of the stack's resources are refused too, except for forget, backup, status, and " +
			"access (`kubeconfig`, `console`): a refresh would forget the resources, and a deletion count them as " +
			"deleted. up, preview, and destroy of node pools in a cluster of another stack also refuse a node pool that " +
			"was created again, or that has the mark of another stack",
		WayOn: "correct the kubeconfig or the credentials; `relocate` continues with a HostedCluster that was " +
			"restored or created again, `refresh` with such a node pool",
		Operations: []gates.Operation{
			gates.Up, gates.Preview, gates.Refresh, gates.Drift, gates.Adopt,
			gates.Forget, gates.Destroy, gates.Backup, gates.Status, gates.Access,
		},
		Cost: gates.CostManagementCluster,
	}
}

// JudgeIdentity decides whether an operation may go on with the management cluster that was read.
//
// Another management cluster or another object is refused. A management cluster that cannot be read is refused by what
// applies or reads objects there, except Status, which reports it, and is a warning for the rest: Destroy decides by
// the life of the cluster (see LifeOf). An object that is missing from the recorded management cluster was deleted
// there, which Refresh, Drift and Status find out; if the management cluster is not certainly the recorded one, they
// would forget an object that exists elsewhere.
func JudgeIdentity(operation gates.Operation, subject Subject, identity Identity, reading Reading) Answer {
	if !reading.Configured {
		return Answer{}
	}
	if identity.CreatedAgain(reading) {
		return Answer{Refused: createdAgain(subject, identity, reading)}
	}
	if why := identity.Other(reading); why != "" {
		return Answer{Refused: &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("the kubeconfig selects another management cluster than that of stack %s: %s; nothing was changed", subject.Stack, why),
			Remedy:  correct(subject) + restored(subject, operation),
		}}
	}
	if slices.Contains([]gates.Operation{gates.Up, gates.Preview, gates.Destroy}, operation) {
		if err := JudgeNamed(subject, reading); err != nil {
			return Answer{Refused: err}
		}
	}
	applies := slices.Contains([]gates.Operation{gates.Up, gates.Preview, gates.Adopt, gates.Backup, gates.Access},
		operation)
	observes := slices.Contains([]gates.Operation{gates.Refresh, gates.Drift, gates.Status}, operation)
	switch {
	case reading.Err != nil && operation == gates.Status: // it reports that itself
		return Answer{}
	case reading.Err != nil && operation != gates.Preview && (applies || observes):
		return Answer{Refused: unread(subject, reading)}
	case reading.Err != nil && operation == gates.Preview:
		return Answer{Warnings: []string{unread(subject,
			reading).Problem + "; the plan does not show the stages of a change, and up would refuse, because " +
			"it cannot tell whether this is the stack's management cluster"}}
	case reading.Err != nil:
		return Answer{Warnings: []string{unread(subject, reading).Problem}}
	case identity.Object == "" || reading.Object != "":
		return Answer{}
	case applies:
		return Answer{Refused: absent(subject, identity.Proved(reading))}
	case observes && !identity.Proved(reading):
		return Answer{Refused: absent(subject, false)}
	}
	return Answer{}
}

// createdAgain returns the refusal for an object that was deleted in the stack's management cluster, and created again.
func createdAgain(subject Subject, identity Identity, reading Reading) error {
	remedy := "check who created it"
	if strings.HasPrefix(subject.Object, "HostedCluster ") {
		remedy = fmt.Sprintf("if it is this cluster, which was restored or created again, `hypershift-aws relocate -s %s` continues with it; otherwise check who created it", subject.Stack)
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the management cluster of stack %s has another %s than the one in the stack's state: it was deleted there and created again, for its "+
			"UID is %s, not %s; nothing was changed", subject.Stack, subject.Object, reading.Object, identity.Object),
		Remedy: remedy,
	}
}

// JudgeNamed refuses to change or delete objects that have the names of the stack's, and are others.
func JudgeNamed(subject Subject, reading Reading) error {
	for _, named := range reading.Named {
		why, remedy := named.foreign(), "`hypershift-aws forget -s %[1]s` removes the stack's objects from its state, and keeps them"
		switch {
		case why == "":
			continue
		case named.isAnother():
			remedy += "; `hypershift-aws refresh -s %[1]s` takes the one that exists now for the stack's"
		}
		return &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("%s in the management cluster is another object than the one in the state of stack %s: %s; nothing was changed", named.Object,
				subject.Stack, why),
			Remedy: fmt.Sprintf(remedy, subject.Stack),
		}
	}
	return nil
}

// unread returns the refusal of a management cluster that could not be read: nothing answers, or something does that is
// not it or does not allow it.
func unread(subject Subject, reading Reading) *failure.Error {
	problem := "cannot be read"
	if reading.NoAnswer {
		problem = "does not answer"
	}
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("the management cluster of stack %s %s: %s", subject.Stack, problem, reading.Err),
		Remedy:  "check " + subject.Key + ", the network and the credentials in it", Cause: reading.Err,
	}
}

// absent returns the refusal for an object that the management cluster does not have. recorded is true if it is
// certainly the stack's management cluster.
func absent(subject Subject, recorded bool) *failure.Error {
	if recorded {
		return &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("the management cluster of stack %s has no %s: it was deleted there", subject.Stack,
				subject.Object),
			Remedy: fmt.Sprintf("restore it from a backup, or run `hypershift-aws refresh -s %s`, after which up creates a new one in the same network",
				subject.Stack),
		}
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the management cluster has no %s, which stack %s created, and it cannot be identified as the one that had it",
			subject.Object, subject.Stack),
		Remedy: correct(subject),
	}
}

// correct returns the remedy for a kubeconfig that selects another management cluster.
func correct(subject Subject) string {
	return "correct " + subject.Key + ", or its current context, so that it selects the stack's management cluster"
}

// restored returns what to do if the recorded management cluster no longer exists: a HostedCluster may have been
// restored in the other one from a backup, or the stack creates its objects there again.
func restored(subject Subject, operation gates.Operation) string {
	switch {
	case operation == gates.Destroy:
		return "; docs/safety.md describes how to delete what a stack has in AWS after its management cluster was lost"
	case !slices.Contains([]gates.Operation{gates.Up, gates.Preview, gates.Status}, operation):
		return ""
	case strings.HasPrefix(subject.Object, "HostedCluster "):
		return fmt.Sprintf("; if the cluster was restored there from a backup, `hypershift-aws relocate -s %s` continues with it", subject.Stack)
	}
	return fmt.Sprintf("; if that no longer exists, or its objects were moved: `hypershift-aws forget -s %[1]s --remove` with the former kubeconfig, and then "+
		"`hypershift-aws adopt -s %[1]s` with the other one continue there, and AWS keeps everything", subject.Stack)
}
