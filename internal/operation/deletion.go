package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// watchDeletion begins to report what blocks the deletion of the stack's hosted cluster whenever that changes: the engine reports nothing while it
// waits for up to an hour. end stops it, reports what blocks the deletion then if held is true, and is called once.
func (s *Stack) watchDeletion(ctx context.Context) (end func(held bool)) {
	cluster, err := s.HostedCluster(ctx)
	if err != nil || cluster == nil {
		return func(bool) {}
	}
	api, err := s.openManagementCluster(ctx)
	if err != nil {
		return func(bool) {}
	}
	blockers := func(ctx context.Context) string {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		return clusterstatus.ClusterBlockers(ctx, api, cluster)
	}
	watching, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		ticker, said := time.NewTicker(s.session.Environment.Timing().Deletion), ""
		defer ticker.Stop()
		for {
			select {
			case <-watching.Done():
				return
			case <-ticker.C:
			}
			if why := blockers(watching); why != "" && why != said && watching.Err() == nil {
				s.sayText("waiting for the deletion of the hosted cluster: " + why)
				said = why
			}
		}
	})
	return func(held bool) {
		cancel()
		done.Wait()
		if why := blockers(ctx); held && why != "" {
			s.sayText(why)
		}
		_ = api.Close()
	}
}

// forgetObjects removes the stack's objects in a management cluster that no longer exists, and their provider, from the state.
func (s *Stack) forgetObjects(ctx context.Context) error {
	if err := s.currentState(ctx); err != nil {
		return err
	}
	forgotten := map[string]bool{}
	for _, r := range s.state.Resources {
		if strings.HasPrefix(string(r.Type), "kubernetes:") || r.Type == "pulumi:providers:kubernetes" {
			forgotten[string(r.URN)] = true
		}
	}
	if len(forgotten) == 0 {
		return nil
	}
	err := s.rewrite(ctx, true, func(d *state.Deployment) error {
		d.Resources = slices.DeleteFunc(d.Resources, func(r *state.Resource) bool { return forgotten[string(r.URN)] })
		for _, r := range d.Resources {
			if err := r.Forget(forgotten); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.say("removed %s of the deleted management cluster from the state of stack %s",
		report.Number(len(forgotten)-1, "object"), s.Name)
	return nil
}

// consents returns the journal of the project's uses of flags that allow what is refused.
func (s *Session) consents() consent.Journal {
	return consent.NewJournal(filepath.Join(s.Environment.Folder(), "consents.jsonl"))
}

// deletions returns the journal of the confirmed deletions of the stack's cluster. It exists from the confirmation until the stack is deleted, or
// updated again.
func (s *Stack) deletions() consent.Journal {
	return consent.NewJournal(filepath.Join(s.workDir, "deletion.jsonl"))
}

// confirmedDeletion returns the last confirmed deletion of the stack's cluster, nil if there is none.
func (s *Stack) confirmedDeletion() (*consent.Use, error) {
	uses, err := s.deletions().Uses(s.Name)
	if err != nil || len(uses) == 0 {
		return nil, err
	}
	return &uses[len(uses)-1], nil
}

// endedAt returns when a confirmed deletion of the cluster's object ended, or was under way; zero if it was never accepted.
func endedAt(confirmed *consent.Use, object *clusterstatus.HostedCluster) time.Time {
	if confirmed == nil || confirmed.Ended == nil || object != nil && object.UID != confirmed.UID {
		return time.Time{}
	}
	return *confirmed.Ended
}

// recordDeleted records that the engine has deleted the cluster's object and seen its end. An object that the management cluster did not have was
// deleted before, by others.
func (s *Stack) recordDeleted() error {
	if s.deletion == nil || s.deletion.Object == nil || s.deletion.Reading.Object != s.deletion.Object.UID {
		return nil
	}
	return s.recordEnd()
}

// settleDeletion decides about a confirmed deletion of an object that the state still has: the management cluster has accepted it, and may end it at any
// time, or it was never asked to delete the object, which is then not being deleted.
func (s *Stack) settleDeletion(ctx context.Context, object *clusterstatus.HostedCluster) error {
	accepted := false
	err := s.callManagementCluster(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
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
		return s.recordEnd()
	}
	return s.deletions().Clear()
}

// objectType returns the type in the URN of an object.
func objectType(urn string) string { return string(resource.URN(urn).Type()) }

// recordEnd records that a confirmed deletion has ended, or has been accepted.
func (s *Stack) recordEnd() error {
	confirmed, err := s.confirmedDeletion()
	if err != nil || confirmed == nil || confirmed.Ended != nil {
		return err
	}
	ended, now := *confirmed, time.Now().UTC().Truncate(time.Second)
	ended.Ended = &now
	return s.deletions().Add(ended)
}

// Use is one use of a flag that allows what is refused.
type Use struct {
	// Flag and Value are the flag and its value; Evidence is why it was needed.
	Flag, Value, Evidence string
	// Resources are the resources that it is about.
	Resources []string
	// Reviewed is true if the engine carries out a saved plan, which has the stack's outputs: the next update exports the use.
	Reviewed bool
}

// RecordUse keeps the use of a flag before it takes effect: in the project's journal and, from the next update on, in the stack's outputs.
func (s *Stack) RecordUse(u Use) error {
	use := consent.New(s.Name, u.Flag, u.Value, s.session.Environ.Get)
	use.Evidence, use.Resources = u.Evidence, u.Resources
	if err := s.session.consents().Add(use); err != nil {
		return err
	}
	if !u.Reviewed {
		s.used = append(s.used, use)
	}
	s.say("kept in the journal of consents: %s", use.Text())
	return nil
}

// readUses reads the uses that the stack exports: those of its outputs, which other machines may have added, and those of the journal.
func (s *Stack) readUses() error {
	uses, err := s.session.consents().Uses(s.Name)
	s.used = consent.Merge(s.state.Outputs()[stacks.ConsentsOutput], uses)
	return err
}

// BeginDeletion records the confirmed deletion of the stack's cluster, and then allows the engine to delete its object. If the process is killed, the
// next command protects the object again if it still exists. The record alone does not show that the cluster is gone.
func (s *Stack) BeginDeletion(ctx context.Context, resources []string) error {
	d := s.deletion
	if d.ManagementGone {
		if err := s.RecordUse(Use{Flag: gate.GoneFlag, Evidence: d.Evidence, Resources: resources}); err != nil {
			return err
		}
	}
	if why := d.NeedsConsent(); why != "" {
		if err := s.RecordUse(Use{Flag: gate.ConsentFlag, Value: d.Consent, Evidence: why, Resources: resources}); err != nil {
			return err
		}
	}
	use := consent.New(s.Name, "--cluster", d.Cluster, s.session.Environ.Get)
	use.UID, use.ManagementCluster = d.Identity.Object, d.Identity.ManagementCluster
	if d.Object != nil {
		use.UID = d.Object.UID
	}
	use.Protected = d.protection.Protected
	for _, hooked := range d.protection.Hooked {
		text, err := json.Marshal(hooked)
		if err != nil {
			return fmt.Errorf("recording the deletion of cluster %s: %w", d.Cluster, err)
		}
		use.Hooked = append(use.Hooked, text)
	}
	if err := s.deletions().Add(use); err != nil {
		return err
	}
	return s.unprotect(ctx, d.protection)
}

// protectInterrupted protects the object of a confirmed deletion again if an earlier run was killed before it was deleted.
func (s *Stack) protectInterrupted(ctx context.Context) error {
	confirmed, err := s.confirmedDeletion()
	if err != nil || confirmed == nil {
		return err
	}
	d, err := dependent(ctx, s)
	if err != nil || d.object == nil || d.object.UID != confirmed.UID {
		return err
	}
	p := state.Protection{Protected: confirmed.Protected}
	for _, text := range confirmed.Hooked {
		hooked := &state.Resource{}
		if err := json.Unmarshal(text, hooked); err != nil {
			return fmt.Errorf("reading the confirmed deletion of cluster %s: %w", d.name, err)
		}
		p.Hooked = append(p.Hooked, hooked)
	}
	if err := s.settleDeletion(ctx, d.object); err != nil {
		return err
	}
	if changed, err := s.protect(ctx, p); err != nil || !changed {
		return err
	}
	s.say("protected cluster %s in the state again: an earlier destroy was ended before it deleted the cluster", d.name)
	return nil
}

// Protect restores the protection that a deletion has removed, for what remains in the state, after an interrupt too. The hook is restored while
// the state has the cluster; if the state has pending operations, by the next run, after their recovery.
func (s *Stack) Protect(ctx context.Context) error {
	d := s.deletion
	if err := s.currentState(ctx); err != nil {
		return err
	}
	p := d.protection
	switch {
	case d.Object == nil:
		p.Hooked = nil
	case s.state.Live(d.Object.URN) == nil:
		p.Hooked = nil
		if err := s.recordDeleted(); err != nil {
			return err
		}
	default:
		if err := s.settleDeletion(ctx, d.Object); err != nil {
			return err
		}
	}
	s.command.AfterInterrupt = true
	defer func() { s.command.AfterInterrupt = false }()
	if len(s.state.Pending) == 0 {
		_, err := s.protect(ctx, p)
		return err
	}
	remain := slices.DeleteFunc(slices.Clone(p.Protected), func(urn string) bool { return s.state.Live(urn) == nil })
	if len(remain) == 0 {
		return nil
	}
	s.stateChanged()
	if _, err := s.run(ctx, slices.Concat([]string{"state", "protect"}, remain, []string{"--yes", "--stack", s.Name})...); err != nil {
		return fmt.Errorf("protecting cluster %s in the state: %w", d.Cluster, s.classify(err))
	}
	return nil
}

// protect adds a protection to the current state, and reports whether the state changed.
func (s *Stack) protect(ctx context.Context, p state.Protection) (bool, error) {
	copied, err := s.state.Copy()
	if err != nil {
		return false, err
	}
	if changed, err := copied.Protect(p); err != nil || !changed {
		return false, err
	}
	if err := s.importState(ctx, copied); err != nil {
		return false, fmt.Errorf("protecting the cluster of stack %s in the state: %w", s.Name, err)
	}
	return true, nil
}

// unprotect removes a protection from the state.
func (s *Stack) unprotect(ctx context.Context, p state.Protection) error {
	if p.Empty() {
		return nil
	}
	if err := s.currentState(ctx); err != nil {
		return err
	}
	err := s.rewrite(ctx, false, func(d *state.Deployment) error { return d.Unprotect(p) })
	if err != nil {
		return fmt.Errorf("unprotecting the cluster of stack %s in the state: %w", s.Name, err)
	}
	return nil
}

// PreviewDestroy returns what Destroy would delete. The engine refuses to plan the deletion of a protected resource, so that the plan for a
// cluster that the user will be asked about is made on a copy of the state. The stack's own state does not change.
func (s *Stack) PreviewDestroy(ctx context.Context) (*plan.Plan, error) {
	before, err := s.ResourcesAndProviders(ctx)
	if err != nil {
		return &plan.Plan{}, err
	}
	of := s.auto
	if protection := s.deletion.protection; !protection.Empty() {
		copied, remove, err := s.unprotectedCopy(ctx, protection)
		if err != nil {
			return &plan.Plan{}, err
		}
		defer remove()
		of = copied
	}
	made, err := s.preview(ctx, func(ch chan<- events.EngineEvent) error {
		_, err := of.PreviewDestroy(ctx, optdestroy.EventStreams(ch), optdestroy.SuppressOutputs())
		return err
	})
	made.Before = before
	made.After = slices.DeleteFunc(slices.Clone(before), func(r apitype.ResourceV3) bool { return made.Deletes(string(r.URN)) })
	return made, err
}

// unprotectedCopy returns the stack with a copy of its state, in a backend of its own, without a protection. remove removes the copy.
func (s *Stack) unprotectedCopy(ctx context.Context, p state.Protection) (copied auto.Stack, remove func(), err error) {
	remove = func() {}
	if err := s.attach(); err != nil {
		return copied, remove, err
	}
	free, err := s.state.Copy()
	if err != nil {
		return copied, remove, err
	}
	if err := free.Unprotect(p); err != nil {
		return copied, remove, err
	}
	backend, remove, err := project.TemporaryBackend()
	if err != nil {
		return copied, remove, err
	}
	file := state.NewFile(backend.Folder(), s.session.Project.Name(), stackFileName(s.Name))
	if err := file.CreateWith(free); err != nil {
		return copied, remove, err
	}
	command := *s.command
	command.Environ = command.Environ.With("PULUMI_BACKEND_URL", backend.URL)
	local, err := auto.NewLocalWorkspace(ctx, auto.WorkDir(s.workDir), auto.Pulumi(engine.WithoutHistory(&command)))
	if err == nil {
		copied, err = auto.SelectStack(ctx, stackFileName(s.Name), stackWorkspace{local})
	}
	return copied, remove, err
}

// stackFileName returns the name of a stack in a folder backend, without its organization and project.
func stackFileName(name string) string { return name[strings.LastIndex(name, "/")+1:] }
