package engine

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheLastEntryOfANameCounts(t *testing.T) {
	t.Parallel()
	e := Environ{"A=1", "B=", "A=2=x"}
	assert.Equal(t, "2=x", e.Get("A"))
	value, set := e.Lookup("B")
	assert.Empty(t, value)
	assert.True(t, set)
	_, set = e.Lookup("C")
	assert.False(t, set)
}

func TestACopyLeavesTheOriginalAlone(t *testing.T) {
	t.Parallel()
	e := Environ{"A=1", "A=2", "B=3"}
	assert.Equal(t, Environ{"B=3", "A=4"}, e.With("A", "4"))
	assert.Equal(t, Environ{"A=1", "A=2", "B=3"}, e)
}

func TestTheEngineRunsFourOperationsPerProcessorUnlessConfigured(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 3, Environ{"PULUMI_PARALLEL=3"}.Parallel())
	for _, e := range []Environ{nil, {"PULUMI_PARALLEL=0"}, {"PULUMI_PARALLEL=many"}} {
		assert.Equal(t, 4*runtime.GOMAXPROCS(0), e.Parallel())
	}
}
