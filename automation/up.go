package automation

import (
	"context"
	"io"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// UpOptions configure Up.
type UpOptions struct {
	// Decide is asked before a plan with changes is carried out, and before a stage whose plan has more than that one.
	Decide Decide
	// ExpectNoChanges fails with ChangesFound if the plan has changes, and recovers nothing.
	ExpectNoChanges bool
	// Allow are the names of guarded resources that the plan may replace or delete: see GuardError.
	Allow []string
	// Take are the config keys of fields that get the value of the file, although another client of the management cluster
	// holds them.
	Take []string
	// Plan is the file of a saved plan (PreviewOptions.SavePlan): it is carried out exactly, or nothing is. "" for none.
	Plan string
	// MandatoryPolicies refuses a plan that violates a policy.
	MandatoryPolicies bool
	// SkipQuotas does not compare the plan with the quotas of its accounts.
	SkipQuotas bool
	// Refresh first reads every resource from AWS into the state, as Refresh does.
	Refresh bool
	// ProgressStreams receive what the engine prints while it updates the stack, like ProgressStreams of Pulumi's optup.
	// Default: none.
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
	core := s.core()
	defer s.named(core)
	result, err := core.Up(ctx, o.core(s.project))
	return (*UpResult)(result), err
}

// core returns the options of the operation.
func (o UpOptions) core(p *Project) run.UpOptions {
	return run.UpOptions{
		Decide: o.Decide, ExpectNoChanges: o.ExpectNoChanges, Allow: o.Allow, Overwrite: o.Take, Refresh: o.Refresh,
		ProgressStreams: o.ProgressStreams, Wait: o.Wait, Features: o.features(p),
	}
}

// Wait waits until the stack's hosted cluster is available and its node pools have all nodes, for at most the given
// time, or an hour if that is 0. It reports the conditions of both as they change, and does nothing for a stack without
// a hosted cluster.
func (s *Stack) Wait(ctx context.Context, most time.Duration) error {
	core := s.core()
	defer s.named(core)
	return core.Wait(ctx, most)
}
