package enginetest

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
)

// RequireRefused previews and updates a stack, and fails the test unless both are refused with the text, and the update
// changes nothing.
func RequireRefused(t *testing.T, stack *Stack, config string, want ...string) {
	t.Helper()
	before := stack.State()
	stack.Configure(config)
	_, previewed := stack.PreviewErr()
	_, updated := stack.UpErr()
	for _, err := range []error{previewed, updated} {
		require.Error(t, err)
		for _, text := range want {
			require.ErrorContains(t, err, text)
		}
	}
	inputs := map[resource.URN]map[string]any{}
	for _, r := range before {
		inputs[r.URN] = r.Inputs
	}
	require.Len(t, stack.State(), len(before))
	for _, r := range stack.State() {
		require.Contains(t, inputs, r.URN)
		if !strings.HasSuffix(string(r.Type), ":Secret") { // whose ciphertext differs
			require.Equal(t, inputs[r.URN], r.Inputs, r.URN)
		}
	}
}
