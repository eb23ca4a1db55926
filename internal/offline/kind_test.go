package offline

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A slip in a declaration would go unnoticed otherwise: names are text.
func TestDeclarationsNameInputsAndOutputsThatTheSDKHas(t *testing.T) {
	t.Parallel()
	for _, k := range knownTypes().kinds {
		inputs := slices.Concat(k.required, k.computed, k.replaces, k.unique, slices.Concat(k.oneOf...),
			slices.Concat(k.apart...), slices.Collect(maps.Keys(k.defaults)), slices.Collect(maps.Keys(k.enums)),
			slices.Collect(maps.Keys(k.forms)), slices.Collect(maps.Keys(k.valid)))
		if k.named != "" {
			inputs = append(inputs, k.named)
		}
		for _, r := range k.refs {
			inputs = append(inputs, r.input)
		}
		for _, name := range inputs {
			require.Contains(t, k.inputs, name, "%s: input", k.token)
		}
		for name := range k.fixed {
			require.Contains(t, k.outputs, name, "%s: output", k.token)
		}
		for name := range k.inputs {
			require.Contains(t, k.outputs, name, "%s: every input is an output", k.token)
		}
	}
}

func TestDeclarationsReferToDeclaredTypes(t *testing.T) {
	t.Parallel()
	kinds := knownTypes().kinds
	for _, k := range kinds {
		require.NotEmpty(t, k.missing.code, k.token)
		for _, r := range k.refs {
			require.Contains(t, kinds, r.to, "%s.%s", k.token, r.input)
			if r.ties == blocks || r.ties == blockingPart {
				require.NotEmpty(t, kinds[r.to].inUse.code, "%s is held by %s and must say so", r.to, k.token)
			}
		}
	}
}
