package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRemovingAFeatureRemovesItFromListsAlone(t *testing.T) {
	t.Parallel()
	before := `package automation

import (
	"example.com/engine"

	"github.com/hypershift-aws/hypershift-aws/internal/features/review"
	swept "github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
)

func list(o Options) []Feature {
	return append(o.all(),
		&swept.Leftovers{
			Parallel: engine.Parallel(),
		},
		&review.Feature{Plan: o.Plan})
}

func gates() []Gate { return []Gate{review.Gate(), swept.Gate()} }
`
	for name, test := range map[string]struct {
		after string
		lines []int
	}{
		"sweep": {`package automation

import (
	"github.com/hypershift-aws/hypershift-aws/internal/features/review"
)

func list(o Options) []Feature {
	return append(o.all(),

		&review.Feature{Plan: o.Plan})
}

func gates() []Gate { return []Gate{review.Gate()} }
`, []int{4, 7, 12, 13, 14, 18}},
		"review": {`package automation

import (
	"example.com/engine"

	swept "github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
)

func list(o Options) []Feature {
	return append(o.all(),
		&swept.Leftovers{
			Parallel: engine.Parallel(),
		})
}

func gates() []Gate { return []Gate{swept.Gate()} }
`, []int{6, 15, 18}},
		"picture": {before, nil},
	} {
		result, err := prune("features.go", []byte(before), func(imported string) bool { return strings.HasPrefix(imported, folder+name) })
		require.NoError(t, err)
		assert.Equal(t, test.after, string(result.text), name)
		assert.Equal(t, test.lines, result.lines, name)
	}
}

func TestAStatementThatNamesAFeatureStaysUnlessItIsMarked(t *testing.T) {
	t.Parallel()
	for comment, stays := range map[string]bool{
		"":                                      true,
		"// in memory":                          true,
		"// separable: Offline needs a refusal": false,
	} {
		result, err := prune("project.go", []byte(`package automation

import "github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"

func where(o Options) (other func()) {
	if o.Offline {
		other = sandbox.InMemory `+comment+`
	}
	return other
}
`), func(string) bool { return true })
		require.NoError(t, err)
		assert.Equal(t, stays, strings.Contains(string(result.text), "sandbox.InMemory"), comment)
		assert.Equal(t, stays, strings.Contains(string(result.text), "features/sandbox"),
			"%s: the import of what stays does too", comment)
	}
}

func TestAFeatureGoesWithThoseThatNeedIt(t *testing.T) {
	t.Parallel()
	features := &tree{needs: map[string][]string{"price": nil, "picture": {"price"}, "fleet": {"picture"}, "sweep": nil}}
	assert.Equal(t, []string{"price", "picture", "fleet"}, features.dependents("price"))
	assert.True(t, features.isOwn("automation/fleetquotas.go", []string{"fleet"}))
	assert.False(t, features.isOwn("automation/project.go", []string{"fleet"}))
	assert.False(t, features.isOwn("internal/features/fleetx/a.go", []string{"fleet"}))
}
