package stackfile

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Settings returns the config of a stack's file as the engine passes it to a program.
func Settings(t *testing.T, file string) map[string]string {
	t.Helper()
	var of struct{ Config map[string]any }
	require.NoError(t, yaml.Unmarshal([]byte(file), &of))
	all := map[string]string{}
	for key, value := range of.Config {
		text, plain := value.(string)
		if !plain {
			written, err := json.Marshal(value)
			require.NoError(t, err)
			text = string(written)
		}
		all[key] = text
	}
	return all
}
