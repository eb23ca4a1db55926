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

func TestAStatementThatNamesAFeatureStays(t *testing.T) {
	t.Parallel()
	result, err := prune("project.go", []byte(`package automation

import "github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"

var other = sandbox.InMemory
`), func(string) bool { return true })
	require.NoError(t, err)
	assert.Contains(t, string(result.text), "sandbox.InMemory")
	assert.Contains(t, string(result.text), "internal/features/sandbox", "its import stays, so that the compiler names it")
}

func TestAFeatureGoesWithThoseThatNeedIt(t *testing.T) {
	t.Parallel()
	features := &tree{needs: map[string][]string{"price": nil, "picture": {"price"}, "fleet": {"picture"}, "sweep": nil}}
	assert.Equal(t, []string{"price", "picture", "fleet"}, features.dependents("price"))
	assert.True(t, features.isOwn("automation/fleetquotas.go", []string{"fleet"}))
	assert.False(t, features.isOwn("automation/project.go", []string{"fleet"}))
	assert.False(t, features.isOwn("internal/features/fleetx/a.go", []string{"fleet"}))
}
