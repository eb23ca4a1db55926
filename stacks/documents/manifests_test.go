package documents_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/upstream"
)

// recorded has the combinations, and what HyperShift's CLI wrote for them.
const recorded = "testdata/hypershift"

// etcdKey is the key that encrypts etcd, in base64.
const etcdKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// combination is a combination of flags of HyperShift's CLI, and what means the same here.
type combination struct {
	Name string `yaml:"name"`
	// Flags are HyperShift's.
	Flags []string `yaml:"flags"`
	// Config is the section cluster of a stack's file.
	Config map[string]any `yaml:"config"`
	// Infra and IAM are documents of HyperShift.
	Infra map[string]any `yaml:"infra"`
	IAM   map[string]any `yaml:"iam"`
}

// merged returns base with the values of over; mappings are merged key by key.
func merged(base, over map[string]any) map[string]any {
	result := maps.Clone(base)
	for key, value := range over {
		inner, isMap := value.(map[string]any)
		if below, both := base[key].(map[string]any); isMap && both {
			value = merged(below, inner)
		}
		result[key] = value
	}
	return result
}

// combinations are the combinations, and the flags that none has by what they are for.
type combinations struct {
	Base  combination         `yaml:"base"`
	Cases []combination       `yaml:"cases"`
	Apart map[string][]string `yaml:"apart"`
}

func readCombinations(t *testing.T) *combinations {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recorded, "cases.yaml"))
	require.NoError(t, err)
	all := &combinations{}
	require.NoError(t, yaml.Unmarshal(text, all))
	return all
}

func TestEveryFlagOfCreateClusterIsInACombinationOrApart(t *testing.T) {
	t.Parallel()
	all := readCombinations(t)
	var found []string
	for _, c := range append(all.Cases, all.Base) {
		for _, flag := range c.Flags {
			name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
			found = append(found, name)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	for _, flags := range all.Apart {
		found = append(found, flags...)
	}
	list, err := os.ReadFile("../../test/documents/testdata/flags/create-cluster-aws.txt")
	require.NoError(t, err)
	assert.ElementsMatch(t, strings.Fields(string(list)), found)
}

func TestTheSameInputsRenderWhatHyperShiftsFlagsDo(t *testing.T) {
	t.Parallel()
	all := readCombinations(t)
	files, err := filepath.Glob(filepath.Join(recorded, "*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, len(all.Cases)+1, "one file for each combination, and that of the combinations")
	require.GreaterOrEqual(t, len(all.Cases), 40)
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(recorded, "files"))))
			file, err := yaml.Marshal(map[string]any{"config": map[string]any{
				"aws:region": "us-east-1", "hypershift-aws:kind": "cluster",
				"hypershift-aws:cluster": merged(all.Base.Config, c.Config),
			}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), file, 0o600))
			infraText, err := json.Marshal(merged(all.Base.Infra, c.Infra))
			require.NoError(t, err)
			iamText, err := json.Marshal(merged(all.Base.IAM, c.IAM))
			require.NoError(t, err)
			infra, iam, err := documents.Read(infraText, iamText)
			require.NoError(t, err)
			loaded, err := stacks.Kinds().LoadFileIssuedBy(dir, "dev", iam.IssuerURL)
			require.NoError(t, err)

			manifests, err := documents.Manifests(loaded, infra, iam, "", true, etcdKey)
			require.NoError(t, err)
			var rendered []byte
			for _, m := range manifests {
				text, err := m.YAML()
				require.NoError(t, err)
				rendered = append(append(rendered, "---\n"...), text...)
			}
			output, err := os.ReadFile(filepath.Join(recorded, c.Name+".yaml"))
			require.NoError(t, err)
			want := upstream.Objects(t, output)
			upstream.Undo(want, etcdKey)
			assert.Equal(t, want, upstream.Objects(t, rendered))
		})
	}
}
