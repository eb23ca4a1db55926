package automation_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/sqs"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// withOwnQueue is a program that creates a queue beside the stack's resources.
func withOwnQueue(o stacks.Options) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		if err := o.Run(ctx); err != nil {
			return err
		}
		_, err := sqs.NewQueue(ctx, "own", nil)
		return err
	}
}

func TestOptionsChooseTheWorkFolderTheProgramAndTheTagsOfNewStacks(t *testing.T) {
	t.Parallel()
	dir, work := t.TempDir(), filepath.Join(t.TempDir(), "work")
	o, err := offlineOptions(t.TempDir())
	require.NoError(t, err)
	o.Dir, o.WorkDir, o.StackTags = dir, work, map[string]string{"team": "platform"}
	o.Program = withOwnQueue
	p, err := automation.Open(o)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	stack, err := p.NewStack("given", content())
	require.NoError(t, err)
	planned, err := stack.Preview(t.Context(), automation.PreviewOptions{})
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(planned.Plan.Changed(), func(s *automation.Step) bool { return s.Name == "own" }))
	require.NotNil(t, planned.Forecast)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "everything is in the work folder")
	tags, err := filepath.Glob(filepath.Join(work, "offline", "state", ".pulumi", "stacks", "*", "given.pulumi-tags"))
	require.NoError(t, err)
	require.Len(t, tags, 1)
	text, err := os.ReadFile(tags[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"version": 1, "tags": {"team": "platform"}}`, string(text))
	listed, err := p.List(t.Context())
	require.NoError(t, err)
	require.Len(t, listed, 1)
}
