package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
)

// RefreshOptions configure Refresh.
type RefreshOptions struct {
	// ExpectNoChanges fails with ChangesFound if the state differed; it is refreshed nevertheless.
	ExpectNoChanges bool
	// ForgetPending drops resources whose creation was interrupted from the state, without a search in AWS. Faults of the
	// stack's file are ignored, so that a stack can always be released.
	ForgetPending bool
}

// Refresh reads every resource of the stack from AWS and writes it to the state. It returns the differences. Nothing in
// AWS changes.
func (s *Stack) Refresh(ctx context.Context, o RefreshOptions) (*Plan, error) {
	core := s.core()
	defer s.named(core)
	return core.Refresh(ctx, run.RefreshOptions(o))
}

// DriftResult is how AWS differs from a stack's state.
type DriftResult struct {
	// Stack is the stack's name. Label is "offline" or, on AWS, "".
	Stack, Label string
	Drift        []Difference
	// Existing are the findings about existing resources that the stack's file names, which are not in its state: those
	// that differ from what the cluster needs, or could not be read.
	Existing []Finding
	// Added are the findings about what others added to the stack's resources: rules of security groups, routes, policies
	// of roles, records of zones. Neither a refresh nor an update changes them.
	Added []Finding
	// Summary counts the differences.
	Summary *SummaryEvent
}

// Drift reads every resource of the stack from AWS and compares it with the state, and existing resources that its file
// names with what the cluster needs; nothing is changed. It fails with ChangesFound if anything differs from the state,
// if others added something to the stack's resources, or if the cluster does not work with an existing resource.
func (s *Stack) Drift(ctx context.Context) (*DriftResult, error) {
	core := s.core()
	defer s.named(core)
	result, err := core.Drift(ctx, run.DriftOptions{Existing: preflight.Drift})
	return (*DriftResult)(result), err
}

// Outputs returns the outputs of the last update; the map is empty if the stack is not deployed. Secrets are "[secret]"
// unless showSecrets is set.
func (s *Stack) Outputs(ctx context.Context, showSecrets bool) (map[string]any, error) {
	core := s.core()
	defer s.named(core)
	return core.Outputs(ctx, showSecrets)
}

// GuardedNames returns the resources in the stack's state that Up replaces or deletes only if UpOptions.Allow names
// them.
func (s *Stack) GuardedNames(ctx context.Context) ([]string, error) {
	core := s.core()
	defer s.named(core)
	return core.GuardedNames(ctx)
}

// HeldKeys returns the config keys of fields that other clients of the management cluster hold, and that UpOptions.Take
// gives the file's values.
func (s *Stack) HeldKeys(ctx context.Context) ([]string, error) {
	core := s.core()
	defer s.named(core)
	return core.ConflictKeys(ctx)
}

// Candidates returns the IDs in AWS between which RepairOptions.Take decides.
func (s *Stack) Candidates(ctx context.Context) ([]string, error) {
	core := s.core()
	defer s.named(core)
	return core.Candidates(ctx)
}
