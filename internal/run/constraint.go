package run

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// taken are the objects, by kind and name, of which this update takes fields back that its preview left as they are.
func (r *Engine) taken() map[string]bool {
	objects, now := map[string]bool{}, r.Conflicts.Paths()
	for of, paths := range r.previewed {
		if !slices.Equal(paths, now[of]) {
			objects[of] = true
		}
	}
	return objects
}

// constraint writes the plan to which the engine is limited into a private file: the judged one or, again, that of
// another preview, without some resources and what depends on them. That may have no step that the judged one lacks,
// but those that are expected.
func (r *Engine) constraint(
	ctx context.Context,
	judged *changes.Plan,
	again bool,
	expected func(*changes.Step) bool,
	without ...string,
) (file string, remove func(), err error) {
	if err := r.Stack.CurrentState(ctx); err != nil {
		return "", nil, err
	}
	if again {
		rest, _, err := r.previewGoals(ctx, without...)
		if err != nil {
			return "", nil, err
		}
		if more := plan.More(judged, rest, expected); len(more) > 0 {
			return "", nil, &failure.Error{
				Reason: failure.Conflict,
				Problem: fmt.Sprintf("what stack %s consists of changed after its plan was made: %s would also change %s, and was stopped before that",
					r.Stack.Name, r.verb, plan.Labels(more)),
				Remedy: fmt.Sprintf("run `hypershift-aws %s -s %s` again, which shows it", r.verb, r.Stack.Name),
			}
		}
		judged = rest
	}
	text, err := plan.Constraint(judged, func(urn string) (live apitype.ResourceV3) {
		if found := r.Stack.State.Live(urn); found != nil {
			live = found.ResourceV3
		}
		return live
	}, stacks.ConsentsOutput)
	if err != nil {
		return "", nil, err
	}
	file, remove, err = planFile(r.Stack)
	if err != nil {
		return "", nil, err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		remove()
		return "", nil, fmt.Errorf("writing the plan of stack %s: %w", r.Stack.Name, err)
	}
	return file, remove, nil
}
