package run

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// A process cannot be started with arguments of any length: a larger stack is deleted in several runs of the engine,
// each of which names its part, so that none deletes what was not shown.
func TestADestroyNamesWhatItDeletesInAsManyRunsAsArgumentsNeed(t *testing.T) {
	t.Parallel()
	const windows = 32767 // the longest command line of Windows, with the program and the engine's other arguments
	for _, c := range []struct {
		system          string
		resources, runs int
	}{
		{"linux", 1, 1}, {"linux", 100, 1}, {"linux", 2000, 1}, {"linux", 20000, 6},
		{"windows", 1, 1}, {"windows", 100, 1}, {"windows", 200, 2}, {"windows", 2000, 12},
	} {
		left := make([]*state.Resource, c.resources)
		for i := range left {
			urn := fmt.Sprintf("urn:pulumi:dev::project::aws:ec2/vpc:Vpc::%s-%06d", strings.Repeat("v", 80), i)
			left[i] = &state.Resource{ResourceV3: apitype.ResourceV3{URN: resource.URN(urn)}}
		}
		runs := 0
		for all := false; !all; runs++ {
			var urns []string
			urns, all = lastPart(left, longest(c.system))
			require.NotEmpty(t, urns)
			if c.system == "windows" {
				require.Less(t, len(`--target "`+strings.Join(urns, `" --target "`)+`"`)+4096, windows)
			}
			for i, r := range left[len(left)-len(urns):] {
				require.Equal(t, string(r.URN), urns[i], "what needs others is deleted before them")
			}
			left = left[:len(left)-len(urns)]
		}
		require.Empty(t, left)
		require.Equal(t, c.runs, runs, "%s, %d resources", c.system, c.resources)
	}
	urns, all := lastPart(nil, 100)
	require.Empty(t, urns)
	require.True(t, all)
}

// A name stands for all resources that have it, also for the one that an interrupted replacement has yet to delete.
func TestANameThatAStateHasTwiceIsInOneRunWithEverythingBetween(t *testing.T) {
	t.Parallel()
	of := func(names ...string) (list []*state.Resource) {
		for _, name := range names {
			list = append(list, &state.Resource{ResourceV3: apitype.ResourceV3{URN: resource.URN(name)}})
		}
		return list
	}
	each := len(`--target "a" `)
	for _, c := range []struct {
		state, want string
		most        int
		all         bool
	}{
		{"a b c", "a b c", math.MaxInt, true},
		{"a b c d", "c d", 2 * each, false},
		{"a b c a", "a b c", 3 * each, true},
		{"a b c b d", "b c d", 3 * each, false},
		{"a b c b d", "d", 2 * each, false},
		{"a b c b", "", 1 * each, false},
	} {
		urns, all := lastPart(of(strings.Fields(c.state)...), c.most)
		require.Equal(t, c.want, strings.Join(urns, " "), c.state)
		require.Equal(t, c.all, all, c.state)
	}
}
