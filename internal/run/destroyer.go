package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/hosted"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/life"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Destroyer deletes all resources of a stack.
type Destroyer struct {
	Stack      *workspace.Stack
	Connection *binding.Connection
	Gates      *life.Gates
	Cluster    *hosted.Cluster
	Recovery   *Recovery
	Engine     *Engine
	// shown are the resources of the state that the plan was made for.
	shown map[string]bool
}

// forgetObjects removes the stack's objects in a management cluster that no longer exists, and their provider, from the
// state.
func (d *Destroyer) forgetObjects(ctx context.Context) error {
	if err := d.Stack.CurrentState(ctx); err != nil {
		return err
	}
	forgotten := map[string]bool{}
	for _, r := range d.Stack.State.Resources {
		if strings.HasPrefix(string(r.Type), "kubernetes:") || r.Type == "pulumi:providers:kubernetes" {
			forgotten[string(r.URN)] = true
		}
	}
	if len(forgotten) == 0 {
		return nil
	}
	err := d.Stack.Rewrite(ctx, true, func(d *state.Deployment) error {
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
	d.Stack.Say("removed %s of the deleted management cluster from the state of stack %s",
		report.Number(len(forgotten)-1, "object"), d.Stack.Name)
	return nil
}

// Preview returns what Destroy would delete. The engine refuses to plan the deletion of a protected resource, so that
// the plan for a cluster that the user will be asked about is made on a copy of the state. The stack's own state does
// not change.
func (d *Destroyer) Preview(ctx context.Context) (*changes.Plan, error) {
	before, err := d.Stack.ResourcesAndProviders(ctx)
	if err != nil {
		return &changes.Plan{}, err
	}
	d.show()
	of := d.Stack.Auto
	if protection := d.Gates.Deletion.Protection; !protection.Empty() {
		copied, remove, err := d.unprotectedCopy(ctx, protection)
		defer remove()
		if err != nil {
			return &changes.Plan{}, err
		}
		of = copied
	}
	recorded, err := d.Engine.preview(ctx, func(ch chan<- events.EngineEvent) error {
		_, err := of.PreviewDestroy(ctx, optdestroy.EventStreams(ch), optdestroy.SuppressOutputs())
		return err
	})
	if err == nil {
		err = recorded.Check(nil)
	}
	made := &recorded.Plan
	made.Before = before
	made.After = slices.DeleteFunc(slices.Clone(before), func(r apitype.ResourceV3) bool {
		return made.Deletes(string(r.URN))
	})
	return made, err
}

// copiesDir is the folder of copies of a stack's state, and of its plans.
func copiesDir(s *workspace.Stack) string { return filepath.Join(s.WorkDir, "copies") }

// unprotectedCopy returns the stack with a copy of its state in a separate backend, in which nothing is protected.
// remove removes the copy, also one that could not be completed.
func (d *Destroyer) unprotectedCopy(
	ctx context.Context,
	p state.Protection,
) (copied auto.Stack, remove func(), err error) {
	remove = func() {}
	if err := d.Stack.Providers.Attach(); err != nil {
		return copied, remove, err
	}
	free, err := d.Stack.State.Copy()
	if err != nil {
		return copied, remove, err
	}
	if err := free.Unprotect(p); err != nil {
		return copied, remove, err
	}
	backend, remove, err := engine.TemporaryBackend(copiesDir(d.Stack))
	if err != nil {
		return copied, remove, err
	}
	file := state.NewFile(backend.Folder(), d.Stack.Session.Project.Name(), workspace.BaseName(d.Stack.Name))
	if err := file.CreateWith(free); err != nil {
		return copied, remove, err
	}
	command := *d.Stack.Command
	command.Environ = command.Environ.With("PULUMI_BACKEND_URL", backend.URL)
	local, err := auto.NewLocalWorkspace(ctx, auto.WorkDir(d.Stack.EngineDir()),
		auto.Pulumi(engine.WithoutHistory(&command)))
	if err == nil {
		copied, err = auto.SelectStack(ctx, workspace.BaseName(d.Stack.Name), workspace.StackWorkspace{Workspace: local})
	}
	return copied, remove, err
}

// deletionSteps are what others do in a deletion.
type deletionSteps struct {
	// together deletes the cluster with everything else.
	together bool
	// changing is called before anything is deleted, and clusterGone once the cluster is, before what it needed.
	changing, clusterGone func() error
}

// destroyCluster deletes only the stack's hosted cluster, so that what its operators leave can be deleted while the
// network and the roles exist. It does nothing if the stack has none.
func (d *Destroyer) destroyCluster(ctx context.Context, together bool) (*engineRun, error) {
	none := newEngineRun(gates.Destroy, d.Stack.Name, d.Stack.Session.Report, time.Now)
	cluster, err := d.Stack.HostedCluster(ctx)
	if err != nil || cluster == nil || together {
		return none, err
	}
	if err := d.onlyShown(); err != nil { // the cluster is deleted with what depends on it
		return none, err
	}
	op, err := d.Engine.changePart(ctx, gates.Destroy, nil, func(ch chan<- events.EngineEvent) error {
		_, err := d.Stack.Auto.Destroy(ctx, optdestroy.Target(d.Stack.State.WithDependents(cluster.URN)),
			optdestroy.EventStreams(ch),
			optdestroy.SuppressProgress(), optdestroy.SuppressOutputs(), optdestroy.UserAgent(d.Stack.Session.Agent()))
		return err
	})
	if err != nil && op.seen {
		d.Stack.Session.Report(op.done.Summary)
	}
	if d.Gates.ClusterDeleted = err == nil; err == nil {
		err = d.Gates.SaveDeleted(ctx)
	}
	return op, err
}

// Destroy carries out a deletion that the gates have checked (life.Gates.Check), and returns what it did. It deletes
// all resources of the stack: a hosted cluster first, then the network and the roles. While it waits for the hosted
// cluster, and if it ends before the cluster is deleted, it reports what blocks the deletion.
func (d *Destroyer) Destroy(ctx context.Context, steps deletionSteps) (*changes.Plan, error) {
	if err := steps.changing(); err != nil {
		return &changes.Plan{}, err
	}
	if d.Gates.Deletion.ManagementGone {
		if err := d.forgetObjects(ctx); err != nil {
			return &changes.Plan{}, err
		}
	}
	endWatch := d.Cluster.WatchDeletion(ctx)
	op, err := d.destroyCluster(ctx, steps.together)
	var stays error
	if err == nil {
		if stays = steps.clusterGone(); mayLive(stays) {
			err, stays = stays, nil
		} else {
			op, err = d.destroyAll(ctx, op, stays)
		}
	}
	endWatch(err != nil)
	if err == nil {
		err = d.Gates.Confirmed().Clear()
	}
	remains, unknown := d.Stack.Session.Environment.Remains(err == nil)
	for _, sentence := range remains {
		d.Stack.Say("%s", sentence)
	}
	return &op.done.Plan, errors.Join(err, unknown, stays)
}

// mayLive reports whether an error says that the cluster is alive, or not certainly gone. Then nothing that it needs
// may be deleted.
func mayLive(err error) bool {
	var known *failure.Error
	return errors.As(err, &known) && known.Code == failure.CodeLiving
}

// show keeps what the state has now as what was shown.
func (d *Destroyer) show() {
	d.shown = map[string]bool{}
	for _, r := range d.Stack.State.Resources {
		d.shown[string(r.URN)] = true
	}
}

// onlyShown fails if the state has resources that the plan did not show: another run has created them since.
func (d *Destroyer) onlyShown() error {
	var added []string
	for _, r := range d.Stack.State.Resources {
		if !d.shown[string(r.URN)] {
			added = append(added, r.URN.Name())
		}
	}
	if len(added) == 0 {
		return nil
	}
	return &failure.Error{
		Reason: failure.Conflict,
		Problem: fmt.Sprintf("another run has created resources of stack %s after the plan was shown: %s; they and what they need were not deleted",
			d.Stack.Name, strings.Join(added, ", ")),
		Remedy: fmt.Sprintf("run `hypershift-aws destroy -s %s` again, which shows them", d.Stack.Name),
	}
}

// longest is how long the names can be that one run of the engine gets as arguments: a process takes arguments of a
// limited length, with its environment a megabyte on macOS, and 32 KB on Windows.
func longest(system string) int {
	if system == "windows" {
		return 24 << 10
	}
	return 1 << 19
}

// lastPart returns the names of the last resources of a state, as many as fit into arguments of this length, and
// whether these are all. The state has each resource after those that it needs, so that none of the part is needed by
// what is left. A name that the state has twice, because a replacement was interrupted, is in one part with everything
// between the two; no names are returned if that does not fit.
func lastPart(resources []*state.Resource, most int) (urns []string, all bool) {
	first, named, begin := map[resource.URN]int{}, map[resource.URN]bool{}, len(resources)
	for i, r := range slices.Backward(resources) {
		first[r.URN] = i
	}
	reaches := len(resources) // the first place of a name in the part
	for i, r := range slices.Backward(resources) {
		if !named[r.URN] {
			named[r.URN] = true
			most -= len(r.URN) + len(`--target "" `)
		}
		if most < 0 {
			break
		}
		if reaches = min(reaches, first[r.URN]); reaches == i {
			begin = i
		}
	}
	clear(named)
	for _, r := range resources[begin:] {
		if !named[r.URN] {
			named[r.URN] = true
			urns = append(urns, string(r.URN))
		}
	}
	return urns, begin == 0
}

// nextPart names to the engine what its next run deletes: what the plan has shown and the state has now, or the part of
// it that fits into its arguments. The engine refuses to delete what another run adds to the state until it starts;
// without names it would delete all that the state then has. last is false if more follows.
func (d *Destroyer) nextPart(ctx context.Context) (urns []string, last bool, err error) {
	if err := d.Stack.CurrentState(ctx); err != nil {
		return nil, false, err
	}
	if err := d.onlyShown(); err != nil {
		return nil, false, err
	}
	most := longest(runtime.GOOS)
	if d.Stack.Session.RunEngine != nil { // it names nothing
		most = math.MaxInt
	}
	urns, last = lastPart(d.Stack.State.Resources, most)
	if len(urns) == 0 && !last {
		return nil, false, &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("stack %s has %s, between which an interrupted replacement left one twice: their names are too long for one "+
				"run of the engine; nothing more was deleted", d.Stack.Name,
				report.Number(len(d.Stack.State.Resources), "resource")),
			Remedy: fmt.Sprintf("run `hypershift-aws up -s %s`, which ends the replacement, and then destroy again", d.Stack.Name),
		}
	}
	return urns, last, nil
}

// present returns the names that the state still has.
func (d *Destroyer) present(urns []string) []string {
	has := map[string]bool{}
	for _, r := range d.Stack.State.Resources {
		has[string(r.URN)] = true
	}
	return slices.DeleteFunc(urns, func(urn string) bool { return !has[urn] })
}

// leftOf returns the check for what AWS has beside the resources of the state, which it reads now.
func (d *Destroyer) leftOf(ctx context.Context) func() error {
	if !d.Stack.Session.Environment.KnowsAccounts() {
		return func() error { return nil }
	}
	resources, settings := d.Stack.State.InCloud(), map[string]map[string]any{}
	for _, one := range resources {
		settings[one.Provider] = d.Stack.State.Provider(one.Provider)
	}
	current := d.Stack.Providers.Current(ctx)
	return func() error {
		return d.Engine.noneLeft(ctx, resources, func(of apitype.ResourceV3) (account.Account, error) {
			return current(settings[of.Provider], of.Provider)
		})
	}
}

// destroyAll deletes all resources of the state, in as many runs of the engine as their names need, and those that
// earlier runs were stopped while creating and that AWS shows only now. stays is why the whole deletion fails
// nevertheless, nil if it does not: its end is no success then.
func (d *Destroyer) destroyAll(ctx context.Context, before *engineRun, stays error) (*engineRun, error) {
	var providers []*state.Resource
	noneLeft := func() error { return nil }
	for first := true; ; first = false {
		urns, last, err := d.nextPart(ctx)
		if err != nil {
			d.Engine.summarize(before, errors.Join(err, stays))
			return before, err
		}
		if first {
			providers = slices.DeleteFunc(slices.Clone(d.Stack.State.Resources), func(r *state.Resource) bool {
				return r.Type != "pulumi:providers:aws"
			})
			noneLeft = d.leftOf(ctx)
		}
		again := false
		op, err := d.Engine.changePart(ctx, gates.Destroy, before,
			d.Engine.runEngine(gates.Destroy, "", func(ch chan<- events.EngineEvent) error {
				if again { // without what the attempt before has deleted, or AWS no longer has
					if err := d.Stack.ReadState(ctx); err != nil {
						return err
					}
					if urns = d.present(urns); len(urns) == 0 { // the engine would delete all that is there
						return nil
					}
				}
				again = true
				_, err := d.Stack.Auto.Destroy(ctx, optdestroy.Target(urns), optdestroy.EventStreams(ch),
					optdestroy.SuppressProgress(),
					optdestroy.SuppressOutputs(), optdestroy.UserAgent(d.Stack.Session.Agent()))
				return err
			}))
		if err != nil || d.Stack.Session.Interrupts.Count() > 0 {
			d.Engine.summarize(op, errors.Join(err, stays))
			return op, err
		}
		before = op
		if !last {
			continue
		}
		added, unread := d.Recovery.searchAgain(ctx, providers)
		if unread != nil {
			d.Stack.Say("%s", unread)
		}
		if !added {
			err = noneLeft()
			d.Engine.summarize(op, errors.Join(err, stays))
			return op, err
		}
		d.show()
	}
}
