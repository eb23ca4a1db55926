package operate

import (
	"context"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/savedplan"
)

// describe returns a saved plan of the stack as it is now, without the values that only a preview has.
func describe(c *invocation.Invocation, stack *automation.Stack) (*savedplan.File, error) {
	config, err := savedplan.DigestsOf(stack.File().Path)
	return &savedplan.File{
		Project: stack.Project(), Stack: stack.Name, Offline: c.Offline, Backend: stack.BackendURL(),
		Made: time.Now().UTC().Truncate(time.Second), Config: config,
	}, err
}

// savePlan writes a plan for a later up --plan.
func savePlan(c *invocation.Invocation, stack *automation.Stack, path string, planned *plan.Plan, drift []plan.Difference) error {
	file, err := describe(c, stack)
	if err != nil {
		return err
	}
	file.Engine, file.Drift = planned.Engine, drift
	if err := savedplan.Write(path, file); err != nil {
		return err
	}
	if c.JSON != nil {
		c.JSON.Write("savedPlan", map[string]string{"file": path})
		return nil
	}
	c.Say("plan: %s; `hypershift-aws up -s %s --plan %s` carries it out", path, stack.Name, path)
	return nil
}

// reviewed is the saved plan of up --plan.
type reviewed struct{ file *savedplan.File }

// openReviewed reads a saved plan and refuses it if it belongs to another stack or config. It returns nil for path "".
func openReviewed(c *invocation.Invocation, stack *automation.Stack, path string) (*reviewed, error) {
	if path == "" {
		return nil, nil
	}
	file, err := savedplan.Read(path)
	if err != nil {
		return nil, err
	}
	now, err := describe(c, stack)
	if err != nil {
		return nil, err
	}
	return &reviewed{file}, file.CheckFor(now)
}

// check refuses the saved plan if the current preview differs, or if AWS has changed since.
func (r *reviewed) check(ctx context.Context, stack *automation.Stack, planned *plan.Plan) error {
	found, err := stack.Drift(ctx)
	if err != nil {
		return err
	}
	return r.file.CheckAgainst(&savedplan.File{Stack: stack.Name, Engine: planned.Engine, Drift: plan.Drift(found)})
}

// up carries out the saved plan, or the previewed one if r is nil.
func (r *reviewed) up(ctx context.Context, stack *automation.Stack) error {
	var err error
	if r == nil {
		_, err = stack.Up(ctx)
	} else {
		_, err = stack.UpByPlan(ctx, r.file.Engine)
	}
	return err
}
