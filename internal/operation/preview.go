package operation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"

	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// Drift compares the stack's resources in AWS with its state: in the returned plan, an update is a resource that was changed outside the
// stack, and a deletion is one that no longer exists. Neither AWS nor the state is changed.
func (s *Stack) Drift(ctx context.Context) (*plan.Plan, error) {
	op, err := s.operate(ctx, gate.Drift, func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.PreviewRefresh(ctx, optrefresh.EventStreams(ch), optrefresh.SuppressOutputs())
		return err
	})
	if err == nil {
		err = s.withoutReads(ctx, &op.plan)
	}
	op.plan.Summary = op.summary(resultOf(err), s.session.Environment.Label())
	return &op.plan, err
}

// withoutReads removes from a drift the resources that the stack only reads and that were deleted: their owner has deleted them.
func (s *Stack) withoutReads(ctx context.Context, found *plan.Plan) error {
	if err := s.currentState(ctx); err != nil {
		return err
	}
	read := map[string]bool{}
	for _, r := range s.state.Resources {
		read[string(r.URN)] = r.External
	}
	found.Steps = slices.DeleteFunc(found.Steps, func(step *plan.Step) bool { return step.Change == plan.ChangeDelete && read[step.URN] })
	return nil
}

// previewGoals previews an update. It returns the plan, and the program's inputs of each resource.
func (s *Stack) previewGoals(ctx context.Context) (*plan.Plan, plan.Goals, error) {
	file, remove, err := s.planFile()
	if err != nil {
		return &plan.Plan{}, nil, err
	}
	defer remove()
	if s.silent != nil { // the Kubernetes provider would wait for half a minute, several times
		environ := s.command.Environ
		s.command.Environ = environ.With("PULUMI_K8S_CLIENT_TIMEOUT", "1")
		defer func() { s.command.Environ = environ }()
	}
	made, err := s.preview(ctx, func(ch chan<- events.EngineEvent) error {
		_, err := s.auto.Preview(ctx, optpreview.EventStreams(ch), optpreview.SuppressOutputs(), optpreview.Plan(file))
		return err
	})
	if err != nil {
		return made, nil, err
	}
	goals, text, err := plan.ReadGoals(file)
	made.Engine = text
	if err != nil {
		return made, nil, fmt.Errorf("reading the plan of stack %s: %w", s.Name, err)
	}
	return made, goals, nil
}

// UpByPlan is like Up, limited to a plan that an earlier preview has made (see plan.Plan.Engine): the engine refuses each step that is not
// in it.
func (s *Stack) UpByPlan(ctx context.Context, engine []byte) (*plan.Plan, error) {
	file, remove, err := s.planFile()
	if err != nil {
		return &plan.Plan{}, err
	}
	defer remove()
	if err := os.WriteFile(file, engine, 0o600); err != nil {
		return &plan.Plan{}, fmt.Errorf("writing the plan of stack %s: %w", s.Name, err)
	}
	return s.Up(ctx, optup.Plan(file))
}

// planFile returns the path of a file for a plan of the engine, in a folder that remove removes.
func (s *Stack) planFile() (path string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "hypershift-aws")
	if err != nil {
		return "", nil, fmt.Errorf("creating a folder for the plan of stack %s: %w", s.Name, err)
	}
	return filepath.Join(folder, "plan.json"), func() { _ = os.RemoveAll(folder) }, nil
}
