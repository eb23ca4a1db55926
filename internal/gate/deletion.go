package gate

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// ConsentFlag is the flag whose value, the cluster's name or infra ID, allows a deletion under a cluster that is alive
// or may be.
const ConsentFlag = "--destroy-under-living-cluster"

// UnreadFlag is the flag whose value is the name of a stack that cannot be read, and that does not use what the
// operation changes.
const UnreadFlag = "--unread-stack"

// GoneFlag is the flag that asserts that the management cluster no longer exists.
const GoneFlag = "--management-cluster-gone"

// Deletion has the facts that decide whether a destroy may delete what a cluster depends on.
type Deletion struct {
	// Stack and Cluster are the names of the stack and of the cluster that depends on it.
	Stack, Cluster string
	// InState is true if the stack's state has the cluster's object: destroy then deletes the cluster first, and waits for
	// its end.
	InState bool
	// Management is true for a management stack. Life is then the life of the clusters that use its key, zone, issuers,
	// and credentials.
	Management bool
	// Life was decided from Identity and Reading, and Evidence is the reason.
	Identity Identity
	Reading  Reading
	Life     gates.Life
	Evidence string
	// ManagementGone is true if the user asserts that the management cluster no longer exists (GoneFlag).
	ManagementGone bool
	// Consent is the cluster's name in ConsentFlag, "" without the flag.
	Consent string
}

// ordered reports whether destroy itself deletes the cluster, through its management cluster, before anything that it
// depends on.
func (d Deletion) ordered() bool {
	return d.InState && !d.ManagementGone && d.Identity.Proved(d.Reading) && d.Reading.Object != ""
}

// ConsentReason returns why the deletion needs consent, "" if it does not.
func (d Deletion) ConsentReason() string {
	switch {
	case d.ordered():
		return ""
	case d.ManagementGone && d.Reading.Err != nil && !d.Reading.NoAnswer:
		return fmt.Sprintf("nothing shows that its management cluster no longer exists (%v), so it may still run the cluster", d.Reading.Err)
	case d.Life == gates.Gone:
		return ""
	}
	return d.Evidence
}

// Judge returns nil if the deletion may begin, otherwise why not and what to do instead.
func (d Deletion) Judge() error {
	if err := d.judgeTarget(); err != nil {
		return err
	}
	if why := d.ConsentReason(); why != "" && d.Consent != d.Cluster {
		return d.refuseLiving(why)
	}
	return nil
}

// judgeTarget returns why the management cluster or the consent is not that of the deletion's cluster.
func (d Deletion) judgeTarget() error {
	if d.Identity.CreatedAgain(d.Reading) {
		return createdAgain(Subject{Stack: d.Stack, Object: "HostedCluster or Cluster " + d.Cluster}, d.Identity, d.Reading)
	}
	// another one answers in place of the recorded one
	lost := d.ManagementGone && d.Consent != "" && d.Identity.OtherCluster(d.Reading) != ""
	if why := d.Identity.Other(d.Reading); why != "" && !lost {
		return &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("the kubeconfig of stack %s selects another management cluster, or another object, than the recorded one: %s; nothing was changed",
				d.Stack, why),
			Remedy: "correct the kubeconfig in the stack's file",
		}
	}
	if d.Consent != "" && d.Consent != d.Cluster {
		return &failure.Error{
			Reason: failure.Refused, Problem: fmt.Sprintf("%s is %s, but the cluster of stack %s is %s", ConsentFlag, d.Consent,
				d.Stack, d.Cluster),
			Remedy: "check the stack and the cluster before you use the flag",
		}
	}
	if d.ManagementGone && d.Reading.Configured && d.Reading.Err == nil && !lost {
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("the API server of stack %s's management cluster answers: its operators delete cluster %s; nothing was changed", d.Stack, d.Cluster),
			Remedy:  "leave " + GoneFlag + " out",
		}
	}
	if d.InState && d.Reading.Err != nil && !d.ManagementGone {
		return &failure.Error{
			Reason: failure.Failed,
			Problem: fmt.Sprintf("the management cluster of stack %s cannot be read for cluster %s, which only its operators delete, with its machines and "+
				"load balancers; nothing was changed: %s", d.Stack, d.Cluster, d.Reading.Err),
			Remedy: "correct the kubeconfig, the network or the credentials in it, and run destroy again; if the management cluster no longer exists, use " + GoneFlag,
			Cause:  d.Reading.Err,
		}
	}
	return nil
}

// refuseLiving returns the refusal to delete what a living cluster needs.
func (d Deletion) refuseLiving(why string) error {
	state := "is alive"
	if d.Life == gates.Unknown {
		state = "may be alive"
	}
	if d.Management {
		return &failure.Error{
			Reason: failure.Refused, Code: failure.CodeLiving,
			Problem: fmt.Sprintf("a cluster that uses stack %s %s, and destroy would delete the key, zone, issuers and credentials that it needs; "+
				"nothing was changed: %s", d.Stack, state, why),
			Remedy: "`adopt` the cluster into its own stack, which is destroyed first, or run destroy again after the tool that owns the cluster has " +
				"deleted it; docs/safety.md describes " + ConsentFlag,
		}
	}
	take := "`adopt` the cluster into this stack"
	if !d.Reading.Configured {
		take = "describe the cluster in hostedCluster of its stack's file, with its kubeconfig, and `adopt` it there"
	}
	remedy := take + ": destroy then deletes it first; or run destroy again after the stack or tool that owns the cluster has deleted it"
	if d.InState {
		remedy = "run destroy without " + GoneFlag + " with a kubeconfig that reaches the management cluster, so that its operators delete the cluster first"
	}
	return &failure.Error{
		Reason: failure.Refused, Code: failure.CodeLiving,
		Problem: fmt.Sprintf("cluster %s %s, and destroy would delete the network, roles and zones that it needs; nothing was changed: %s", d.Cluster, state, why),
		Remedy:  remedy + "; docs/safety.md describes " + ConsentFlag,
	}
}
