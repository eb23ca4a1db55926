package gate

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// The names of the gates.
const (
	NameIdentity   = "identity"
	NameTarget     = "target"
	NameUnfinished = "unfinished"
	NameUsers      = "users"
	NameServer     = "server"
	NameInherited  = "inherited"
	NameLife       = "life"
	NameConsent    = "consent"
	NameGuard      = "guard"
	NamePolicies   = "policies"
	NameObjects    = "objects"
	NameQuotas     = "quotas"
	NameSavedPlan  = "saved-plan"
	NameRestored   = "restored"
)

// All describes all gates, in the order in which an operation asks them.
func All() []gates.Gate {
	plans := []gates.Operation{gates.Up, gates.Preview}
	return []gates.Gate{
		{
			Name: NameIdentity,
			Refuses: "a kubeconfig that selects another management cluster than the one that the stack's objects were applied to: an operation would change, " +
				"forget, or show the wrong objects. AWS credentials of another account than the one of the stack's resources are refused too, except for forget, " +
				"backup, status, and access (`kubeconfig`, `console`): a refresh would forget the resources, and a deletion count them as deleted. " +
				"up, preview, and destroy of node pools in a cluster of another stack also refuse a node pool that was created again, or that has the mark of another stack",
			WayOn: "correct the kubeconfig or the credentials; `relocate` continues with a HostedCluster that was restored or created again, `refresh` with such a node pool",
			Operations: []gates.Operation{gates.Up, gates.Preview, gates.Refresh, gates.Drift, gates.Adopt, gates.Forget, gates.Destroy, gates.Backup,
				gates.Status, gates.Access}, Cost: gates.CostManagementCluster,
		},
		{
			Name: NameTarget,
			Refuses: "to go on, after a decision and directly before each run of the engine, if the AWS accounts, the management cluster, the infra ID or the stack's file are no " +
				"longer those that the operation began with; and a destroy whose file describes another cluster than the state",
			WayOn:      "run the command again; restore the file",
			Operations: []gates.Operation{gates.Up, gates.Refresh, gates.Adopt, gates.Forget, gates.Destroy, gates.Backup}, Cost: gates.CostManagementCluster,
		},
		{
			Name:       NameUnfinished,
			Refuses:    "to forget the resources of a stack whose last run was interrupted: what that run created may be missing in the state",
			WayOn:      "`repair`, or `refresh --forget-pending` for what was not created",
			Operations: []gates.Operation{gates.Forget}, Cost: gates.CostFree,
		},
		{
			Name: NameUsers,
			Refuses: "to delete or forget a stack of kind management, network, or iam that stacks with resources refer to, in any project of the backend, " +
				"or to delete a HostedCluster while another stack has node pools of it; a stack that cannot be read may be such a stack",
			WayOn:      "destroy or forget the other stacks first; `--unread-stack` for one that cannot be read",
			Operations: []gates.Operation{gates.Forget, gates.Destroy}, Cost: gates.CostStates,
		},
		{
			Name: NameServer,
			Refuses: "a HostedCluster for a management cluster that does not answer, does not have HyperShift's kinds or a field that the file sets, " +
				"or is deleting the cluster: the update would fail halfway",
			WayOn:      "correct the kubeconfig, or upgrade HyperShift",
			Operations: plans, Cost: gates.CostManagementCluster,
		},
		{
			Name:       NameInherited,
			Refuses:    "a file of a management stack that removes or replaces a value that clusters took from it when they were created",
			WayOn:      "restore the value",
			Operations: []gates.Operation{gates.Up, gates.Preview, gates.Adopt}, Cost: gates.CostStates,
		},
		{
			Name: NameLife,
			Refuses: "a destroy while the cluster that depends on the stack is alive or may be, unless the destroy deletes that cluster first: its network, " +
				"addresses, roles, and zones cannot be restored as they were. A stack of kind management, network, or iam is kept too while a cluster whose " +
				"file names it was forgotten and is alive, or while a management cluster of the project has the stack's cluster; and a management stack, " +
				"while its management cluster has a HostedCluster",
			WayOn:      "`adopt` the cluster, or let its owner delete it; `--management-cluster-gone`, `--destroy-under-living-cluster`",
			Operations: []gates.Operation{gates.Destroy}, Cost: gates.CostAWS,
		},
		{
			Name: NameConsent,
			Refuses: "the deletion of the cluster in the stack's state, or of node pools of a living one, unless its name is entered or is the value of --cluster, " +
				"because --yes alone must not delete a cluster or its nodes",
			WayOn:      "`--cluster`",
			Operations: []gates.Operation{gates.Destroy}, Cost: gates.CostFree,
		},
		{
			Name:       NameGuard,
			Refuses:    "a plan that replaces or deletes a resource that a running cluster depends on, unless --allow names it",
			WayOn:      "`--allow`, or the key `allow`",
			Operations: plans, Cost: gates.CostFree,
		},
		{
			Name:       NamePolicies,
			Refuses:    "with --policy mandatory or the key policy: mandatory, a plan that violates a policy without a waiver",
			WayOn:      "a waiver in the key `policyWaivers`",
			Operations: plans, Cost: gates.CostFree,
		},
		{
			Name: NameObjects,
			Refuses: "a plan whose objects the management cluster would not accept: it has one of that name already, does not have a field, deletes their " +
				"namespace, or does not allow the user of the kubeconfig to apply it; and a new HostedCluster with the infra ID of another stack's cluster, or a new cluster " +
				"of which AWS shows signs of life: it is in another management cluster",
			WayOn:      "`adopt` what exists, or correct the file, its kubeconfig or the permissions",
			Operations: []gates.Operation{gates.Up, gates.Preview, gates.Adopt}, Cost: gates.CostManagementCluster,
		},
		{
			Name: NameQuotas,
			Refuses: "a plan that exceeds a quota of an account, creates names of another cluster with the same infra ID, " +
				"or gives a cluster a role without the permissions that it cannot do without, unless --skip-preflight is set",
			WayOn:      "raise the quota, or `--skip-preflight`",
			Operations: plans, Cost: gates.CostAWS,
		},
		{
			Name:       NameSavedPlan,
			Refuses:    "with --plan, a plan or a drift that differs from the saved one, which was reviewed",
			WayOn:      "review a new plan",
			Operations: []gates.Operation{gates.Up}, Cost: gates.CostEngine,
		},
		{
			Name: NameRestored,
			Refuses: "to continue with a HostedCluster that is another cluster, that was restored without its node pools, whose release the installed operator " +
				"does not support, whose etcd is encrypted with a key in another account, or that the former management cluster still runs",
			WayOn:      "correct what differs; `--management-cluster-gone` for a former management cluster that does not answer",
			Operations: []gates.Operation{gates.Relocate}, Cost: gates.CostManagementCluster,
		},
	}
}

// WithCheck returns the gate with a name, and the check that it makes. One with an unknown name refuses everything.
func WithCheck(name string, check Check) Gate {
	for _, g := range All() {
		if g.Name == name {
			return Gate{g, check}
		}
	}
	return Gate{Gate: gates.Gate{Name: name}, Check: Refuses(func(context.Context) error { return fmt.Errorf("internal error: no gate has the name %s", name) })}
}
