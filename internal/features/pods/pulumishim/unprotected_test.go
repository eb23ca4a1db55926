package pulumishim

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

func TestEachKindOfStackThatStopsADestroyIsAllowedByItsKey(t *testing.T) {
	t.Parallel()
	for _, definition := range stacks.Kinds() {
		section := definition.Section()
		require.False(t, unprotected(section), definition.Kind)
		if kind.ByName(definition.Kind).Owner() == nil {
			continue
		}
		reflect.ValueOf(section).Elem().FieldByName("Unprotected").SetBool(true)
		require.True(t, unprotected(section), definition.Kind)
	}
}

// Another team's stack in the same backend cannot be read: an operation in a pod has no flag that names it.
func TestAStackThatAPodCannotReadIsNamedInItsEnvironment(t *testing.T) {
	t.Parallel()
	f := &shim{System: System{Environ: []string{UnreadStacks + "=organization/team/lost,organization/other/*"}}}
	require.Equal(t, []string{"organization/team/lost", "organization/other/*"}, f.unreadStacks())
	require.Empty(t, (&shim{}).unreadStacks())
	err := withoutFlags(fmt.Errorf("refused: %w", &failure.Error{
		Problem: "a stack cannot be read; --unread-stack",
		Remedy:  "name it with --unread-stack",
	}))
	e := (*failure.Error)(nil)
	require.ErrorAs(t, err, &e)
	require.Equal(t, "name it with HYPERSHIFT_AWS_UNREAD_STACKS in the pod's environment", e.Remedy)
	require.NotContains(t, e.Problem, "--unread-stack")
}

// A pod has no flag that asserts the loss of a management cluster.
func TestAPodIsToldWhichCommandAssertsThatAManagementClusterIsGone(t *testing.T) {
	t.Parallel()
	err := withoutFlags(&failure.Error{Remedy: "if the management cluster no longer exists, use " + gate.GoneFlag})
	e := (*failure.Error)(nil)
	require.ErrorAs(t, err, &e)
	require.Equal(t, "if the management cluster no longer exists, use `hypershift-aws destroy --management-cluster-gone` outside of the pod", e.Remedy)
}
