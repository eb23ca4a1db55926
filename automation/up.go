package automation

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/forecasting"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// UpOptions configure Up.
type UpOptions struct {
	// Decide is asked before a plan with changes is carried out.
	Decide Decide
	// ExpectNoChanges fails with ChangesFound if the plan has changes, and recovers nothing.
	ExpectNoChanges bool
	// Allow are the names of guarded resources that the plan may replace or delete: see GuardError.
	Allow []string
	// Take are the config keys of fields that get the value of the file, although another client of the management cluster holds them.
	Take []string
	// Plan is the file of a saved plan (PreviewOptions.SavePlan): it is carried out exactly, or nothing is. "" for none.
	Plan string
	// MandatoryPolicies refuses a plan that violates a policy.
	MandatoryPolicies bool
	// SkipQuotas does not compare the plan with the quotas of its accounts.
	SkipQuotas bool
	// Refresh first reads every resource from AWS into the state, as Refresh does.
	Refresh bool
	// ProgressStreams receive what the engine prints while it updates the stack, like ProgressStreams of Pulumi's optup. Default: none.
	ProgressStreams []io.Writer
	// Wait is the maximum wait until the hosted cluster is available and its node pools have nodes, 0 not to wait.
	Wait time.Duration
}

// UpResult is what an update planned and did.
type UpResult struct {
	// Stack is the stack's name, and File its file.
	Stack string
	File  *config.File
	// Planned is the plan that was decided on, Done what was carried out; nil if it was not reached.
	Planned, Done *Plan
	Forecast      *Forecast
	// Updated is true if the update succeeded; the wait for the hosted cluster may have failed nevertheless.
	Updated bool
}

// Up creates, updates and deletes resources until they match the stack's file.
func (s *Stack) Up(ctx context.Context, o UpOptions) (*UpResult, error) {
	ctx, r, err := s.begin(ctx, gates.Up, opening{mode: run.MayCreate})
	if err != nil {
		return nil, err
	}
	defer r.close()
	result := &UpResult{Stack: r.Stack.Name, File: r.Stack.File}
	if o.Wait != 0 && !kind.Waits(r.Stack.File) {
		return result, kind.RefuseToWait(r.Stack.Name, r.Stack.File.Kind)
	}
	if r.waivers, err = forecasting.Waivers(r.Stack.File); err != nil {
		return result, err
	}
	saved, err := r.readPlan(o.Plan)
	if err != nil {
		return result, err
	}
	if err := r.Connection.Resolve(ctx, r.operation); err != nil {
		return result, err
	}
	if !o.ExpectNoChanges {
		if _, err := r.Recovery.Recover(ctx); err != nil {
			return result, err
		}
	}
	if err := r.stopAt(ctx, r.before()...); err != nil {
		return result, err
	}
	if o.Refresh {
		if _, err := r.Engine.Refresh(ctx, false); err != nil {
			return result, err
		}
	}
	planned, err := r.Engine.Preview(ctx)
	if err != nil {
		return result, err
	}
	result.Planned = planned
	f, err := r.forecast(planned, o.Allow)
	if err != nil {
		return result, err
	}
	result.Forecast = &f.Forecast
	if err := r.Held.CheckTake(o.Take); err != nil {
		return result, err
	}
	if o.ExpectNoChanges && planned.HasChanges {
		return result, changesFound(r.Stack.Name, planned)
	}
	err = r.stopAt(ctx, r.ofPlan(judged{
		plan: planned, forecast: &f.Forecast, allow: o.Allow, mandatory: o.MandatoryPolicies, objects: true, quotas: !o.SkipQuotas, saved: saved,
	})...)
	if err != nil {
		return result, err
	}
	// A plan without changes is carried out too, without a decision: outputs may be new.
	if planned.HasChanges || len(o.Take) > 0 {
		if err := r.ask(ctx, o.Decide, Question{Text: "Carry out this plan?", Plan: planned}); err != nil {
			return result, err
		}
	}
	if len(o.Allow) > 0 {
		use := workspace.Use{Flag: "--allow", Value: strings.Join(o.Allow, ","), Resources: o.Allow, Reviewed: saved != nil}
		if err := r.Stack.RecordUse(use); err != nil {
			return result, err
		}
	}
	if !o.ExpectNoChanges {
		if err := r.Held.TakeOverTags(ctx); err != nil {
			return result, err
		}
	}
	if err := r.Held.Take(ctx, o.Take); err != nil {
		return result, err
	}
	err = r.follow(f, func() (err error) {
		if saved == nil {
			result.Done, err = r.Engine.Up(ctx, optup.ProgressStreams(o.ProgressStreams...))
		} else {
			result.Done, err = r.Engine.UpByPlan(ctx, saved.Engine, optup.ProgressStreams(o.ProgressStreams...))
		}
		return err
	})
	if result.Updated = err == nil; err != nil {
		return result, err
	}
	stages, err := r.stages(ctx)
	if err != nil || o.Wait == 0 {
		for _, stage := range stages {
			r.say("not complete yet: %s; run `hypershift-aws up -s %s` again to continue, or with --wait", stage, r.Stack.Name)
		}
		return result, err
	}
	return result, r.advance(ctx, o, result, stages)
}

// advance waits for the hosted cluster, and carries out the stages that are open, each once the cluster is ready for it. No lock is held while it
// waits. The user has approved the stages with the plan that began them. The gates check each of their plans.
func (r *operation) advance(ctx context.Context, o UpOptions, result *UpResult, stages []string) error {
	deadline := time.Now().Add(o.Wait)
	for {
		if err := r.wait(ctx, time.Until(deadline), len(stages) > 0); err != nil || len(stages) == 0 {
			return err
		}
		planned, err := r.Engine.Preview(ctx)
		if err != nil {
			return err
		}
		f, err := r.forecast(planned, o.Allow)
		if err != nil {
			return err
		}
		err = r.stopAt(ctx, r.ofPlan(judged{plan: planned, forecast: &f.Forecast, allow: o.Allow, mandatory: o.MandatoryPolicies, objects: true, quotas: !o.SkipQuotas})...)
		if err != nil {
			return err
		}
		if err := r.follow(f, func() (err error) {
			result.Done, err = r.Engine.Up(ctx, optup.ProgressStreams(o.ProgressStreams...))
			return err
		}); err != nil {
			return err
		}
		if stages, err = r.stages(ctx); err != nil {
			return err
		}
	}
}

// stages returns the changes that a further update continues, and reports them.
func (r *operation) stages(ctx context.Context) ([]string, error) {
	open, err := r.Stages(ctx)
	r.of.open.Store(len(open) > 0)
	if len(open) > 0 {
		r.event(&StagesEvent{Open: open})
	}
	return open, err
}

// wait waits for the hosted cluster and, with staged, until it is ready for the next stage of a change.
func (r *operation) wait(ctx context.Context, most time.Duration, staged bool) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return r.Cluster.Wait(ctx, r.session.Environment.Timing().Ready, staged)
}

// Wait waits until the stack's hosted cluster is available and its node pools have all nodes, for at most the given time, or an hour if that is 0. It
// reports the conditions of both as they change, and does nothing for a stack without a hosted cluster.
func (s *Stack) Wait(ctx context.Context, most time.Duration) error {
	ctx, r, err := s.begin(ctx, gates.Up, opening{mode: run.MustExist, anyFile: true})
	if err != nil {
		return err
	}
	defer r.close()
	if most == 0 {
		most = time.Hour
	}
	return r.wait(ctx, most, false)
}
