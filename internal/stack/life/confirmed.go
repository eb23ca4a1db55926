package life

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Confirmed returns the journal of the confirmed deletions of the stack's cluster. It exists from the confirmation
// until the stack is deleted, or updated again.
func (g *Gates) Confirmed() consent.Journal {
	return consent.NewJournal(filepath.Join(g.Stack.WorkDir, "deletion.jsonl"))
}

// confirmedDeletion returns the last confirmed deletion of the stack's cluster, nil if there is none.
func (g *Gates) confirmedDeletion() (*consent.Use, error) {
	uses, err := g.Confirmed().Uses(g.Stack.Name)
	if err != nil || len(uses) == 0 {
		return nil, err
	}
	return &uses[len(uses)-1], nil
}

// SaveDeleted records that the engine has deleted the cluster's object and seen its end. An object that the
// management cluster did not have was deleted before, by others.
func (g *Gates) SaveDeleted(ctx context.Context) error {
	if g.Deletion == nil || g.Deletion.Object == nil || g.Deletion.Reading.Object != g.Deletion.Object.UID {
		return nil
	}
	return g.recordEnd(ctx)
}

// settleDeletion decides about a confirmed deletion of an object that the state still has: the management cluster has
// accepted it, and may end it at any time, or it was never asked to delete the object, which is then not being deleted.
func (g *Gates) settleDeletion(ctx context.Context, object *clusterstatus.HostedCluster) error {
	accepted := false
	err := g.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		kind := crd.HostedCluster
		if !strings.HasSuffix(objectType(object.URN), ":"+kind) {
			kind = clusterstatus.KindCluster
		}
		live, err := api.Get(ctx, kind, object.Namespace, object.Name)
		now := unstructured.Unstructured{Object: live}
		accepted = live != nil && string(now.GetUID()) == object.UID && now.GetDeletionTimestamp() != nil
		return err
	})
	switch {
	case err != nil:
		return nil //nolint:nilerr // it stays open: the next command asks again
	case accepted:
		return g.recordEnd(ctx)
	}
	return g.Confirmed().Clear()
}

// recordEnd records that a confirmed deletion has ended, or has been accepted, with the newest instance that AWS has.
// Where AWS can't be searched, nothing explains instances, and the cluster may be alive as long as one exists.
func (g *Gates) recordEnd(ctx context.Context) error {
	confirmed, err := g.confirmedDeletion()
	if err != nil || confirmed == nil || confirmed.Launched != nil {
		return err
	}
	d, err := binding.FindDependent(ctx, g.Stack)
	if err != nil {
		return err
	}
	found := g.inAWS(ctx, d)
	if found.Err != nil {
		return nil //nolint:nilerr // see above
	}
	ended := *confirmed
	ended.Launched = &found.Launched
	return g.Confirmed().Add(ended)
}

// Begin records the confirmed deletion of the stack's cluster, and then allows the engine to delete its object. If the
// process is killed, the next command protects the object again if it still exists. The record alone does not show that
// the cluster is gone.
func (g *Gates) Begin(ctx context.Context, resources []string) error {
	d := g.Deletion
	if d.ManagementGone {
		if err := g.Stack.AddUse(workspace.Use{
			Flag:      gate.GoneFlag,
			Evidence:  d.Evidence,
			Resources: resources,
		}); err != nil {
			return err
		}
	}
	if why := d.ConsentReason(); why != "" {
		if err := g.Stack.AddUse(workspace.Use{
			Flag:      gate.ConsentFlag,
			Value:     d.Consent,
			Evidence:  why,
			Resources: resources,
		}); err != nil {
			return err
		}
	}
	use := g.Stack.Session.NewUse(g.Stack.Name, "--cluster", d.Cluster)
	use.UID, use.ManagementCluster = d.Identity.Object, d.Identity.ManagementCluster
	if d.Object != nil {
		use.UID = d.Object.UID
	}
	use.Protected = d.Protection.Protected
	for _, hooked := range d.Protection.Hooked {
		text, err := json.Marshal(hooked)
		if err != nil {
			return fmt.Errorf("recording the deletion of cluster %s: %w", d.Cluster, err)
		}
		use.Hooked = append(use.Hooked, text)
	}
	if err := g.Confirmed().Add(use); err != nil {
		return err
	}
	return g.unprotect(ctx, d.Protection)
}

// ProtectInterrupted protects the object of a confirmed deletion again if an earlier run was killed before it was
// deleted.
func (g *Gates) ProtectInterrupted(ctx context.Context) error {
	confirmed, err := g.confirmedDeletion()
	if err != nil || confirmed == nil {
		return err
	}
	d, err := binding.FindDependent(ctx, g.Stack)
	if err != nil {
		return err
	}
	protected := "cluster " + d.Name
	if pools, _ := g.guest(); pools != nil {
		protected = "the node pools of cluster " + pools.Name
	} else if d.Object == nil || d.Object.UID != confirmed.UID {
		return nil
	}
	p := state.Protection{Protected: confirmed.Protected}
	for _, text := range confirmed.Hooked {
		hooked := &state.Resource{}
		if err := json.Unmarshal(text, hooked); err != nil {
			return fmt.Errorf("reading the confirmed deletion of cluster %s: %w", d.Name, err)
		}
		p.Hooked = append(p.Hooked, hooked)
	}
	if d.Object != nil {
		if err := g.settleDeletion(ctx, d.Object); err != nil {
			return err
		}
	}
	if changed, err := g.protect(ctx, p); err != nil || !changed {
		return err
	}
	g.Stack.Say("protected %s in the state again: an earlier destroy was ended early", protected)
	return nil
}

// Protect restores the protection that a deletion has removed, for what remains in the state, after an interrupt too.
// The hook is restored while the state has the cluster; if the state has pending operations, by the next run, after
// their recovery.
func (g *Gates) Protect(ctx context.Context) error {
	d := g.Deletion
	if err := g.Stack.CurrentState(ctx); err != nil {
		return err
	}
	p := d.Protection
	pools, _ := g.guest()
	switch {
	case pools != nil: // they have no deletion to settle
	case d.Object == nil:
		p.Hooked = nil
	case g.Stack.State.Live(d.Object.URN) == nil:
		p.Hooked = nil
		if err := g.SaveDeleted(ctx); err != nil {
			return err
		}
	default:
		if err := g.settleDeletion(ctx, d.Object); err != nil {
			return err
		}
	}
	g.Stack.Command.AfterInterrupt = true
	defer func() { g.Stack.Command.AfterInterrupt = false }()
	if len(g.Stack.State.Pending) == 0 {
		_, err := g.protect(ctx, p)
		return err
	}
	remain := slices.DeleteFunc(slices.Clone(p.Protected), func(urn string) bool { return g.Stack.State.Live(urn) == nil })
	if len(remain) == 0 {
		return nil
	}
	g.Stack.StateChanged()
	if _, err := g.Stack.Run(ctx, slices.Concat([]string{"state", "protect"}, remain,
		[]string{"--yes", "--stack", g.Stack.Name})...); err != nil {
		return fmt.Errorf("protecting cluster %s in the state: %w", d.Cluster, g.Stack.Classify(err))
	}
	return nil
}

// protect adds a protection to the current state, and reports whether the state changed.
func (g *Gates) protect(ctx context.Context, p state.Protection) (bool, error) {
	copied, err := g.Stack.State.Copy()
	if err != nil {
		return false, err
	}
	if changed, err := copied.Protect(p); err != nil || !changed {
		return false, err
	}
	if err := g.Stack.Import(ctx, copied); err != nil {
		return false, fmt.Errorf("protecting the cluster of stack %s in the state: %w", g.Stack.Name, err)
	}
	return true, nil
}

// unprotect removes a protection from the state.
func (g *Gates) unprotect(ctx context.Context, p state.Protection) error {
	if p.Empty() {
		return nil
	}
	if err := g.Stack.CurrentState(ctx); err != nil {
		return err
	}
	err := g.Stack.Rewrite(ctx, false, func(d *state.Deployment) error { return d.Unprotect(p) })
	if err != nil {
		return fmt.Errorf("unprotecting the cluster of stack %s in the state: %w", g.Stack.Name, err)
	}
	return nil
}
