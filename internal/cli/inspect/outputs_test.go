package inspect

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

func TestAnOutputIsPrintedForAShell(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]any{
		"vpc-1":                           "vpc-1",
		`{"a":1}`:                         map[string]any{"a": 1},
		`["a","b"]`:                       []any{"a", "b"},
		"hypershift install --name 'a b'": []any{"hypershift", "install", "--name", "a b"},
		"true":                            true,
	} {
		text, err := bare(value)
		require.NoError(t, err)
		assert.Equal(t, want, text)
	}
}

func TestAnOutputWithoutAValueIsEmpty(t *testing.T) {
	t.Parallel()
	for _, value := range []any{nil, "", []any{}, map[string]any{}, map[string]any{
		"a": "",
		"b": map[string]any{"c": nil},
	}} {
		assert.True(t, isEmpty(value), "%v", value)
	}
	for _, value := range []any{"a", []any{""}, map[string]any{"a": "", "b": "c"}, 0, false} {
		assert.False(t, isEmpty(value), "%v", value)
	}
}

// The keys are those of HyperShift's own JSON, in its order, whatever the order of the output.
func TestAFormatPrintsTheKeysOfHyperShift(t *testing.T) {
	t.Parallel()
	for name, format := range outputFormats() {
		var out bytes.Buffer
		c := invocation.New(invocation.Streams{Out: &out, Err: &out}, nil)
		require.NoError(t, printOutput(c, map[string]any{format.output: map[string]any{}}, format.output, format.form), name)
		assert.True(t, json.Valid(out.Bytes()), name)
		require.ErrorContains(t, printOutput(c, map[string]any{"kind": "network"}, format.output, format.form),
			"no output "+format.output, name)
	}
}
