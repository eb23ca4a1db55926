package props_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
)

func TestAValueIsFoundAtAnyDepth(t *testing.T) {
	t.Parallel()
	deep := map[string]any{"a": []any{1.0, map[string]any{"b": "x"}}}
	is := func(wanted any) func(any) bool {
		return func(value any) bool { return value == wanted }
	}
	require.True(t, props.Holds(deep, is("x")))
	require.True(t, props.Holds("x", is("x")))
	require.False(t, props.Holds(deep, is("y")))
	require.False(t, props.Holds(nil, is("x")))
	require.False(t, props.Holds([]any{map[string]any{"a": "y"}}, is("x")))
}
