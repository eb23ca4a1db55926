package hosted

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// The engine without the CLI: the program records the management cluster once, and refuses another one before it
// registers anything else.
func TestTheProgramRecordsItsManagementClusterOnce(t *testing.T) {
	t.Parallel()
	uid, unreachable, other := "", error(nil), error(nil)
	var last stacks.LastState
	program := stacks.Options{
		ClusterUID: func(context.Context, config.Kubeconfig) (string, error) { return uid, unreachable },
		Identified: func(_ context.Context, _ config.Kubeconfig, _ string, state stacks.LastState) error {
			last = state
			return other
		},
	}.Run
	stack := enginetest.New(t, program, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure(stackfile.Management("    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n    kubeconfig: {context: management}\n"))
	recorded := func() []any {
		var values []any
		for _, r := range stack.State() {
			if recorded.IsManagementCluster(string(r.Type), r.URN.Name()) {
				values = append(values, r.Outputs["output"])
			}
		}
		return values
	}

	unreachable = errors.New("connection refused")
	existing := len(stack.Resources())
	_, err := stack.UpErr()
	require.ErrorContains(t, err, "connection refused")
	require.Len(t, stack.Resources(), existing, "nothing is created in AWS")

	unreachable = nil
	stack.Up()
	require.Empty(t, recorded(), "the namespace may not be read")
	other = errors.New("it has none of the stack's objects")
	_, err = stack.UpErr()
	require.ErrorContains(t, err, "it has none of the stack's objects; nothing was changed")
	require.Equal(t, config.KindManagement, last.Kind)
	require.True(t, slices.ContainsFunc(slices.Collect(maps.Values(last.Outputs)), func(outputs map[string]any) bool {
		return outputs["kind"] == "Namespace"
	}))
	other = nil
	uid = "u-1"
	require.Contains(t, stack.Preview().Of(apitype.OpCreate), "pulumi:index:Stash management-cluster",
		"as a state of an earlier version")
	stack.Up()
	require.Equal(t, []any{"u-1"}, recorded())
	uid = ""
	stack.Up()
	require.Equal(t, []any{"u-1"}, recorded(), "what may no longer be read stays recorded")

	uid = "u-2"
	before := stack.State()
	_, err = stack.UpErr()
	require.ErrorContains(t, err, "another management cluster")
	require.Equal(t, []any{"u-1"}, recorded(), "it never follows")
	require.Len(t, stack.State(), len(before))
	unreachable = errors.New("connection refused")
	require.Empty(t, stack.Preview().Of(apitype.OpDelete), "a preview keeps it")

	uid, unreachable = "u-1", nil
	require.Empty(t, stack.Preview())
}

// `pulumi refresh` runs no program: it forgets the objects that another management cluster does not have.
func TestARefreshUnderAnotherManagementClusterIsNotFollowedByAnUpdateOrADestroy(t *testing.T) {
	t.Parallel()
	uid := "u-1"
	stack := enginetest.New(t, stacks.Options{
		ClusterUID: func(context.Context, config.Kubeconfig) (string, error) { return uid, nil },
	}.Run, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure(stackfile.WithHostedCluster(t, "").String())
	stack.Up()
	owned := len(stack.Resources())

	uid = "u-2"
	whole, err := stack.Export(t.Context())
	require.NoError(t, err)
	text, err := json.Marshal(whole)
	require.NoError(t, err)
	refreshed, err := state.ParseExport(text)
	require.NoError(t, err)
	forgotten := map[string]bool{}
	refreshed.Resources = slices.DeleteFunc(refreshed.Resources, func(r *state.Resource) bool {
		forgotten[string(r.URN)] = strings.HasPrefix(string(r.Type), "kubernetes:")
		return forgotten[string(r.URN)]
	})
	for _, r := range refreshed.Resources {
		require.NoError(t, r.Forget(forgotten))
	}
	after, err := refreshed.Encode()
	require.NoError(t, err)
	require.NoError(t, stack.Import(t.Context(), after))

	_, err = stack.UpErr()
	require.ErrorContains(t, err, "another management cluster than the stack's")
	for _, options := range [][]optdestroy.Option{nil, {optdestroy.RunProgram(true)}} {
		_, err = stack.DestroyErr(options...)
		require.Error(t, err)
	}
	require.Len(t, stack.Resources(), owned, "what the cluster needs")
}
