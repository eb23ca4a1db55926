package run

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	api "github.com/hypershift-aws/hypershift-aws/api/operation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/heldfields"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// UpOptions configure Up.
type UpOptions struct {
	// Decide is asked before a plan with changes is carried out, and before a stage whose plan has more than that one.
	Decide api.Decide
	// ExpectNoChanges fails with ChangesFound if the plan has changes, and recovers nothing.
	ExpectNoChanges bool
	// Allow are the names of guarded resources that the plan may replace or delete.
	Allow []string
	// Overwrite are the config keys of fields that get the value of the file, although another client of the management
	// cluster holds them.
	Overwrite []string
	// Refresh first reads every resource from AWS into the state.
	Refresh bool
	// ProgressStreams receive what the engine prints.
	ProgressStreams []io.Writer
	// Wait is the maximum wait until the hosted cluster is available and its node pools have nodes, 0 not to wait.
	Wait time.Duration
	// Deployed refuses a stack without a state.
	Deployed bool
	// Features take part in the update.
	Features Features
}

// UpResult is what an update planned and did.
type UpResult struct {
	// Stack is the stack's name, and File its file.
	Stack string
	File  *config.File
	// Planned is the plan that was decided on, Done what was carried out; nil if it was not reached.
	Planned, Done *changes.Plan
	Forecast      *forecast.Forecast
	// Updated is true if the update succeeded; the wait for the hosted cluster may have failed nevertheless.
	Updated bool
}

// update is an update of a stack: each stage plans, asks the gates, and runs the engine.
type update struct {
	*Operation
	UpOptions
	result *UpResult
	// endListing ends a list that was begun with the last plan.
	endListing func()
}

// Up creates, updates and deletes resources until they match the stack's file.
func (s *Stack) Up(ctx context.Context, o UpOptions) (*UpResult, error) {
	mode := MayCreate
	if o.Deployed {
		mode = MustBeDeployed
	}
	ctx, r, err := s.Begin(ctx, gates.Up, OpenOptions{Mode: mode})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	u := &update{Operation: r, UpOptions: o, result: &UpResult{Stack: r.Stack.Name, File: r.Stack.File},
		endListing: func() {}}
	defer func() { u.endListing() }()
	if o.Wait != 0 && !kind.Waits(r.Stack.File) {
		return u.result, kind.RefuseToWait(r.Stack.Name, r.Stack.File.Kind)
	}
	if err := o.Features.begin(ctx, r); err != nil {
		return u.result, err
	}
	if err := u.prepare(ctx); err != nil {
		return u.result, err
	}
	planned, err := u.plan(ctx)
	if err != nil {
		return u.result, err
	}
	if err := u.decide(ctx, planned); err != nil {
		return u.result, err
	}
	err = u.carryOut(ctx, planned)
	if u.result.Updated = err == nil; err != nil {
		return u.result, err
	}
	stages, err := r.stages(ctx)
	if err != nil || o.Wait == 0 {
		for _, stage := range stages {
			r.Say("not complete yet: %s; run `hypershift-aws up -s %s` again to continue, or with --wait", stage, r.Stack.Name)
		}
		return u.result, err
	}
	return u.result, u.advance(ctx, stages)
}

// prepare binds the update's target, settles what an earlier run left unfinished, and asks the gates that need no plan.
func (u *update) prepare(ctx context.Context) error {
	if err := u.Connection.Bind(ctx, u.Verb); err != nil {
		return err
	}
	if !u.ExpectNoChanges {
		if _, err := u.Recovery.Recover(ctx); err != nil {
			return err
		}
	}
	if err := u.StopAt(ctx, u.before()...); err != nil {
		return err
	}
	if !u.Refresh && !u.Session.Project.Refreshes() {
		return nil
	}
	_, err := u.Engine.Refresh(ctx, false)
	return err
}

// plan previews the next stage, and asks the gates.
func (u *update) plan(ctx context.Context) (*Planned, error) {
	made, err := u.Engine.Preview(ctx)
	if err != nil {
		return nil, u.Checker.Explain(ctx, err)
	}
	u.Stack.Providers.StartAhead(ctx) // for the update
	first := u.result.Planned == nil
	if first {
		u.result.Planned = made
	}
	planned, err := u.planned(ctx, made, u.Allow, u.Features)
	if err != nil {
		return nil, err
	}
	if first {
		u.result.Forecast = planned.Forecast
		if err := u.Conflicts.CheckOverwrite(ctx, u.Overwrite); err != nil {
			return nil, err
		}
		if u.ExpectNoChanges && made.HasChanges {
			return nil, changesFound(u.Stack.Name, made)
		}
	}
	u.endListing()
	u.endListing = u.Engine.ListAhead(ctx)
	return planned, u.StopAt(ctx, u.Features.gates(u.Operation, planned, u.guard(planned), u.Objects(made))...)
}

// decide asks the user, and records and prepares what the user allows. A plan without changes is carried out too,
// without a decision: outputs may be new.
func (u *update) decide(ctx context.Context, planned *Planned) error {
	if planned.Plan.HasChanges || len(u.Overwrite) > 0 {
		if err := u.ask(ctx, api.Question{Text: "Carry out this plan?", Plan: planned.Plan}); err != nil {
			return err
		}
	}
	if len(planned.Allowed) > 0 {
		use := workspace.Use{
			Flag:      "--allow",
			Value:     strings.Join(planned.Allowed, ","),
			Resources: planned.Allowed,
			Reviewed:  planned.Reviewed != nil,
		}
		if err := u.Stack.AddUse(use); err != nil {
			return err
		}
	}
	if !u.ExpectNoChanges {
		if err := u.Conflicts.TakeOverTags(ctx); err != nil {
			return err
		}
	}
	return u.Conflicts.Overwrite(ctx, u.Overwrite)
}

// ask asks for the decision. What was allowed, and what other clients hold, is written before the engine starts, so
// that the target is confirmed after the answer. Without any of that, the files are compared now, and the confirmation
// directly before the engine's run is enough.
func (u *update) ask(ctx context.Context, q api.Question) error {
	cluster, err := u.Stack.HostedCluster(ctx)
	if err != nil {
		return err
	}
	if cluster != nil || len(u.Overwrite)+len(u.Allow) > 0 {
		return u.Ask(ctx, u.Decide, q)
	}
	q.Stack, q.Operation = u.Stack.Name, u.Verb
	if err := Ask(ctx, u.Decide, q); err != nil {
		return err
	}
	return u.Connection.ConfirmFiles(ctx, u.Verb)
}

// carryOut runs the engine.
func (u *update) carryOut(ctx context.Context, planned *Planned) error {
	return u.change(ctx, planned, u.Features, func() (err error) {
		if err := u.Features.changing(ctx, u.Operation); err != nil {
			return err
		}
		stream := optup.ProgressStreams(u.ProgressStreams...)
		if planned.Reviewed == nil {
			u.result.Done, err = u.Engine.Up(ctx, stream)
		} else {
			u.result.Done, err = u.Engine.UpByPlan(ctx, planned.Reviewed, stream)
		}
		return err
	})
}

// advance waits for the hosted cluster, and carries out the stages that are open, each once the cluster is ready for
// it. No lock is held while it waits. The gates check the plan of each stage, and the user is asked about what it has
// that no plan before has shown.
func (u *update) advance(ctx context.Context, stages []string) error {
	deadline, announced := time.Now().Add(u.Wait), stages
	shown := &changes.Plan{Steps: u.result.Planned.Steps}
	for {
		if err := u.wait(ctx, time.Until(deadline), len(stages) > 0); err != nil || len(stages) == 0 {
			return err
		}
		planned, err := u.plan(ctx)
		if err != nil {
			return err
		}
		if err := u.decideStage(ctx, shown, planned.Plan, announced); err != nil {
			return err
		}
		if err := u.carryOut(ctx, planned); err != nil {
			return err
		}
		if stages, err = u.stages(ctx); err != nil {
			return err
		}
		shown.Steps, announced = append(shown.Steps, planned.Plan.Steps...), append(announced, stages...)
	}
}

// decideStage asks the user about a stage whose plan has more than the plans that were shown before it. It refuses a
// stage that replaces or deletes a resource which no plan and no announcement has named: someone has changed the stack
// or the cluster while the update waited.
func (u *update) decideStage(ctx context.Context, shown, stage *changes.Plan, announced []string) error {
	more, ends := unseen(shown, stage, announced)
	if len(ends) > 0 {
		return &failure.Error{
			Reason: failure.Conflict,
			Problem: fmt.Sprintf("the next stage of the update of stack %s has replacements or deletions that no plan has shown: %s; "+
				"the stage was not begun", u.Stack.Name, plan.Labels(ends)),
			Remedy: fmt.Sprintf("run `hypershift-aws up -s %s` again, which shows it", u.Stack.Name),
		}
	}
	if len(more) == 0 {
		return nil
	}
	return u.ask(ctx, api.Question{Text: "Carry out this stage?", Plan: stage, Stage: true})
}

// unseen returns the steps of a stage that the plans before have not shown, and those of them that replace or delete an
// object that the announced stages do not name either.
func unseen(shown, stage *changes.Plan, announced []string) (more, ends []*changes.Step) {
	named := strings.FieldsFunc(strings.Join(announced, " "), func(r rune) bool { return strings.ContainsRune(" ,:;", r) })
	more = plan.More(shown, stage, func(*changes.Step) bool { return false })
	for _, step := range more {
		if plan.Ends(step) && !slices.Contains(named, heldfields.NameOf(step.Old)) {
			ends = append(ends, step)
		}
	}
	return more, ends
}

// changesFound returns the error of a plan with changes where none were expected.
func changesFound(stack string, planned *changes.Plan) error {
	return &failure.Error{
		Reason:  failure.ChangesFound,
		Problem: fmt.Sprintf("no changes were expected in stack %s: %s", stack, plan.CountsText(planned)),
	}
}

// stages returns the changes that a further update continues, and reports them.
func (r *Operation) stages(ctx context.Context) ([]string, error) {
	open, err := r.Stages(ctx)
	r.of.Staged.Store(len(open) > 0)
	if len(open) > 0 {
		r.Event(&event.Stages{Open: open})
	}
	return open, err
}

// wait waits for the hosted cluster and, with staged, until it is ready for the next stage of a change.
func (r *Operation) wait(ctx context.Context, most time.Duration, staged bool) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return r.Cluster.Wait(ctx, r.Session.Environment.Timing().Ready, staged)
}

// Wait waits until the stack's hosted cluster is available and its node pools have all nodes, for at most the given
// time, or an hour if that is 0. It reports the conditions of both as they change, and does nothing for a stack without
// a hosted cluster.
func (s *Stack) Wait(ctx context.Context, most time.Duration) error {
	ctx, r, err := s.Begin(ctx, gates.Up, OpenOptions{Mode: MustExist, AnyFile: true})
	if err != nil {
		return err
	}
	defer r.Close()
	if most == 0 {
		most = time.Hour
	}
	return r.wait(ctx, most, false)
}
