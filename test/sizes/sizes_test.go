package sizes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

func TestTheFirstCasesStayAtEachSize(t *testing.T) {
	cases := map[string]int{"one": 1, "two": 2}
	t.Setenv(sizes.Variable, "")
	require.Equal(t, 3, sizes.Pick(3, 200))
	require.Equal(t, []int{1, 2}, sizes.First(2, []int{1, 2, 3}))
	require.Equal(t, []int{1}, sizes.First(2, []int{1}))
	require.Equal(t, map[string]int{"two": 2}, sizes.Only(t, cases, "two"))
	require.Equal(t, []string{"b"}, sizes.Named(t, []string{"a", "b"}, func(name string) string { return name }, "b"))
	require.Equal(t, []uint64{1, 2}, sizes.Seeds(2, 5))

	t.Setenv(sizes.Variable, "all")
	require.Equal(t, 200, sizes.Pick(3, 200))
	require.Equal(t, []int{1, 2, 3}, sizes.First(2, []int{1, 2, 3}))
	require.Equal(t, cases, sizes.Only(t, cases, "two"))
	require.Equal(t, []uint64{1, 2, 3, 4, 5}, sizes.Seeds(2, 5))
}
