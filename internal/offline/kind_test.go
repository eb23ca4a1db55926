package offline

import (
	"maps"
	"os"
	"slices"
	"strings"
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
	content, err := os.ReadFile("aws/types.txt")
	require.NoError(t, err)
	sections := strings.Split(strings.TrimSpace(string(content)), "\n\n")[1:]
	kinds := catalogue().Kinds
	require.Len(t, sections, len(kinds))
	for _, section := range sections {
		lines := strings.Split(section, "\n")
		require.Contains(t, kinds, lines[0])
		var names []string
		for _, line := range lines[1:] {
			require.Regexp(t, `^  \w+ +(r|o?c?)f?( |$)`, line)
			names = append(names, strings.Fields(line)[0])
		}
		require.ElementsMatch(t, slices.Collect(maps.Keys(kinds[lines[0]].Outputs)), names, lines[0])
	}
}

func TestDeclarationsReferToDeclaredTypes(t *testing.T) {
	t.Parallel()
	kinds := catalogue().Kinds
	for _, k := range kinds {
		require.NotEmpty(t, k.NotFound.Code, k.Token)
		for _, r := range k.References {
			require.Contains(t, kinds, r.Type, "%s.%s", k.Token, r.Input)
			if r.Dependency == aws.BlocksDeletion || r.Dependency == aws.BlocksDeletionCall {
				require.NotEmpty(t, kinds[r.Type].InUse.Code, "%s is held by %s and must say so", r.Type, k.Token)
			}
		}
	}
}
