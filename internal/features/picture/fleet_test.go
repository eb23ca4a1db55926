package picture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

func members(t testing.TB) []Member {
	t.Helper()
	prices, err := price.Builtin()
	require.NoError(t, err)
	var list []Member
	for _, name := range examples {
		kind := "cluster"
		if name == "management" {
			kind = "management"
		}
		m := NewMember(name, kind, state(t, name), prices)
		switch name {
		case "private":
			m.Drift, m.Compared = 2, true
		case "public":
			m.Compared = true
			m.AddPaths(layered(t).Paths)
		}
		list = append(list, m)
	}
	return list
}

func TestGoldenFleet(t *testing.T) {
	t.Parallel()
	page, err := Fleet("as of their last updates", members(t))
	require.NoError(t, err)
	golden.Require(t, "testdata/fleet.html", string(page))
}

func TestTheFleetPictureShowsDriftAndBrokenPaths(t *testing.T) {
	t.Parallel()
	page, err := Fleet("as they are in AWS", members(t))
	require.NoError(t, err)
	text := string(page)
	assert.Contains(t, text, "1 stack with broken paths · 1 stack drifted")
	assert.Contains(t, text, `<td class="n bad">2</td>`, "two resources of stack private drifted")
	assert.Contains(t, text, `<td class="n bad">1 of 2</td>`, "a path of stack public breaks")
	assert.Contains(t, text, `<td class="n">0</td>`, "stack public did not drift")
	assert.Equal(t, len(examples)-2, strings.Count(text, "AWS was not asked"), "nothing is said of the others")
}

func TestAMemberIsSummedUp(t *testing.T) {
	t.Parallel()
	for _, m := range members(t) {
		if m.Stack == "public-and-private" {
			assert.Equal(t, Member{
				Stack: "public-and-private", Kind: "cluster", Account: "123456789012", Region: "us-east-1", CIDR: "10.0.0.0/16",
				Resources: 60, Cost: 132.4,
				Zones: []Zone{{"us-east-1a", true, true, true}, {"us-east-1b", true, true, true}, {"us-east-1c", true, true, true}},
			}, m)
		}
	}
}

func TestThePageOfAThousandClustersIsBelowFiveMegabytes(t *testing.T) {
	t.Parallel()
	of := members(t)[1] // of three zones
	of.Drift, of.Compared = 12, true
	of.AddPaths(layered(t).Paths)
	var list []Member
	for i := range 1000 {
		of.Stack = fmt.Sprintf("cluster-%04d", i)
		list = append(list, of)
	}
	page, err := Fleet("", list)
	require.NoError(t, err)
	assert.Less(t, len(page), 5_000_000)
	assert.Equal(t, 1000, strings.Count(string(page), "<b>cluster-"))
}
