package life

import (
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// facts are the facts that the life of the cluster that depends on a stack is decided from. The functions read other
// stacks, and are called only if the answer depends on them.
type facts struct {
	// Cluster is true if a cluster depends on the stack itself, and not only on stacks that use it.
	Cluster bool
	// Users decides whether a cluster that uses the stack is alive; nil if no stack can use it.
	Users func() (gates.Life, string, error)
	// Elsewhere is true if the kubeconfig selects another management cluster than the recorded one. Another is true too if
	// it selects another object than the recorded one.
	Elsewhere, Another bool
	// Own are the facts about the cluster, unless Another is true.
	Own gate.Facts
	// Shared returns why another stack may have the cluster, "" if none has. It is nil if this stack deleted the cluster,
	// or has its object.
	Shared func() (why string, err error)
}

// decide decides whether a cluster that depends on the stack is alive, and returns the evidence in words. An error
// means that this cannot be decided.
func decide(f facts) (life gates.Life, evidence string, err error) {
	switch {
	case !f.Cluster && f.Users == nil:
		return gates.Gone, "no cluster depends on it", nil
	case !f.Cluster:
		return f.Users()
	case f.Elsewhere:
		return gates.Unknown, "its recorded management cluster cannot be asked, because the kubeconfig selects another one", nil
	case f.Another:
		return gates.Unknown, "", nil // gate.Deletion.Judge refuses it
	}
	life, evidence = gate.LifeOf(f.Own)
	if life == gates.Alive {
		return life, evidence, nil
	}
	// What names a stack says more than that the cluster cannot be told to be gone.
	if f.Shared != nil {
		switch why, err := f.Shared(); {
		case why != "", err != nil && life == gates.Gone:
			return gates.Unknown, why, err
		}
	}
	if f.Users != nil {
		users, of, err := f.Users()
		switch {
		case err != nil:
			return life, evidence, err
		case users != gates.Gone:
			return users, of, nil
		}
	}
	return life, evidence, nil
}
