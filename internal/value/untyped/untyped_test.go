package untyped_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

func TestAValueIsFoundAtAnyDepth(t *testing.T) {
	t.Parallel()
	deep := map[string]any{"a": []any{1.0, map[string]any{"b": "x"}}}
	is := func(wanted any) func(any) bool {
		return func(inner any) bool { return inner == wanted }
	}
	require.True(t, untyped.Contains(deep, is("x")))
	require.True(t, untyped.Contains("x", is("x")))
	require.False(t, untyped.Contains(deep, is("y")))
	require.False(t, untyped.Contains(nil, is("x")))
	require.False(t, untyped.Contains([]any{map[string]any{"a": "y"}}, is("x")))
}
