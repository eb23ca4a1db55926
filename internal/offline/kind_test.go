package offline

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// A slip in a declaration would go unnoticed otherwise: names are text.
func TestDeclarationsNameInputsAndOutputsThatTheSDKHas(t *testing.T) {
	t.Parallel()
	for _, k := range catalogue().Kinds {
		inputs := slices.Concat(k.Required, k.Computed, k.ForceNew, k.UniqueBy, slices.Concat(k.ExactlyOneOf...),
			slices.Concat(k.ConflictsWith...), slices.Collect(maps.Keys(k.Defaults)), slices.Collect(maps.Keys(k.Enums)),
			slices.Collect(maps.Keys(k.CompareAs)), slices.Collect(maps.Keys(k.ValidateFunc)))
		if k.AutoName != "" {
			inputs = append(inputs, k.AutoName)
		}
		for _, r := range k.References {
			inputs = append(inputs, r.Input)
		}
		for _, name := range inputs {
			require.Contains(t, k.Inputs, name, "%s: input", k.Token)
		}
		for name := range k.Constants {
			require.Contains(t, k.Outputs, name, "%s: output", k.Token)
		}
		for name := range k.Inputs {
			require.Contains(t, k.Outputs, name, "%s: every input is an output", k.Token)
		}
	}
}

func TestTheProvidersTableHasEveryPropertyOfTheSDKAndNoOthers(t *testing.T) {
	t.Parallel()
	kinds := catalogue().Kinds
	declared := 0
	for token, section := range aws.Sections() {
		if len(section.Properties) == 0 {
			continue
		}
		declared++
		require.Contains(t, kinds, token)
		var names []string
		for _, property := range section.Properties {
			names = append(names, property.Name)
		}
		require.ElementsMatch(t, slices.Collect(maps.Keys(kinds[token].Outputs)), names, token)
	}
	require.Equal(t, len(kinds), declared)
}

func TestDeclarationsReferToDeclaredTypes(t *testing.T) {
	t.Parallel()
	kinds := catalogue().Kinds
	for _, k := range kinds {
		require.NotEmpty(t, k.NotFound.Code, k.Token)
		require.NotNil(t, k.ID, k.Token)
		for _, r := range k.References {
			require.Contains(t, kinds, r.Type, "%s.%s", k.Token, r.Input)
			if r.Dependency == aws.BlocksDeletion || r.Dependency == aws.BlocksDeletionCall {
				require.NotEmpty(t, kinds[r.Type].InUse.Code, "%s is held by %s and must say so", r.Type, k.Token)
			}
		}
	}
}
