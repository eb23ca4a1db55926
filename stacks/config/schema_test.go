package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// validate checks a stack's file by the JSON Schema alone.
func validate(t *testing.T, text string) error {
	t.Helper()
	var values any
	require.NoError(t, yaml.Unmarshal([]byte(text), &values))
	encoded, err := json.Marshal(values)
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&values))
	compiled, err := compiledSchema()
	require.NoError(t, err)
	return compiled.Validate(values)
}

var compiledSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(SchemaFile, bytes.NewReader(Schema())); err != nil {
		return nil, err
	}
	return compiler.Compile(SchemaFile)
})

// requireSchemaAgrees compares the schema with the faults found in a file: it accepts what is accepted, and refuses
// unknown keys, values of a wrong type and values that an enumeration does not have. It leaves the keys of providers to
// them.
func requireSchemaAgrees(t *testing.T, text string, found fault.Faults) {
	t.Helper()
	structural := slices.ContainsFunc(found, func(f *fault.Fault) bool {
		wrongType := strings.HasPrefix(f.Remedy, "expected ") || strings.Contains(f.Problem, "; expected ")
		return strings.HasPrefix(f.Problem, "is not a key") && !strings.HasSuffix(f.Problem, "provider") || wrongType ||
			strings.Contains(f.Problem, "is not a kind of stack") ||
			slices.Contains([]string{"endpointAccess", "nat", "owner", "destination", "traffic", "privateZonesIn", "access",
				"identity"}, lastKey(f.Path)) && f.Value != nil &&
				strings.HasPrefix(f.Remedy, "use ") && strings.HasPrefix(f.Problem, "is not ")
	})
	switch {
	case len(found) == 0:
		require.NoError(t, validate(t, text))
	case structural:
		require.Error(t, validate(t, text), "the schema accepts what is refused: %v", found)
	}
}

func lastKey(path string) string { return path[strings.LastIndexAny(path, ".:")+1:] }

func TestTheSchemaAcceptsEveryExample(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "Pulumi.*.yaml"))
	require.NoError(t, err)
	checked := 0
	for _, example := range examples {
		text, err := os.ReadFile(example)
		require.NoError(t, err)
		if strings.Contains(string(text), KindKey) { // others are configs of other programs
			require.NoError(t, validate(t, string(text)), example)
			checked++
		}
	}
	require.NotZero(t, checked)
}

func TestTheSchemaRefusesAFileWithoutItsSection(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{}", "config: {}", "config: {hypershift-aws:kind: cluster}",
		"config: {hypershift-aws:kind: management, hypershift-aws:cluster: {}}"} {
		require.Error(t, validate(t, text), text)
	}
}
