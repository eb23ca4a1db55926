package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// The user has seen a plan. A stage that follows a wait may do that, and delete what it was announced to; about more
// the user is asked, and what else it would end is refused.
func TestAStageEndsNothingThatNobodyWasToldOf(t *testing.T) {
	t.Parallel()
	step := func(kind, name string, change changes.Change, value any) *changes.Step {
		object := func(value any) map[string]any {
			return map[string]any{"metadata": map[string]any{"name": name}, "spec": map[string]any{"release": value}}
		}
		return &changes.Step{URN: kind + "::" + name, Name: name, Type: "kubernetes:v1:" + kind, Change: change, Custom: true,
			Old: object("before"), New: object(value)}
	}
	shown := &changes.Plan{Steps: []*changes.Step{
		step("HostedCluster", "demo", changes.Update, "4.20"), step("Secret", "demo-key-new", changes.Create, nil),
		step("NodePool", "a", changes.Same, "before"),
	}}
	announced := []string{"etcd key in Secret demo-key-new, formerly demo-key: stage 1 of 4",
		"node pools a, b keep their release"}
	for name, c := range map[string]struct {
		stage      *changes.Step
		more, ends bool
	}{
		"nothing":                            {step("NodePool", "a", changes.Same, "before"), false, false},
		"what was shown":                     {step("HostedCluster", "demo", changes.Update, "4.20"), false, false},
		"another value":                      {step("HostedCluster", "demo", changes.Update, "4.21"), true, false},
		"another object":                     {step("NodePool", "a", changes.Update, "4.20"), true, false},
		"a new object":                       {step("NodePool", "c", changes.Create, "4.20"), true, false},
		"the deletion of an announced name":  {step("Secret", "demo-key", changes.Delete, nil), true, false},
		"the deletion of another":            {step("NodePool", "gpu", changes.Delete, nil), true, true},
		"the deletion of the beginning of a": {step("Secret", "demo", changes.Delete, nil), true, true},
		"the replacement of another":         {step("HostedCluster", "other", changes.Replace, "4.20"), true, true},
	} {
		more, ends := unseen(shown, &changes.Plan{Steps: []*changes.Step{c.stage}}, announced)
		require.Equal(t, c.more, len(more) > 0, "%s: %s", name, plan.Labels(more))
		require.Equal(t, c.ends, len(ends) > 0, "%s: %s", name, plan.Labels(ends))
	}
}
