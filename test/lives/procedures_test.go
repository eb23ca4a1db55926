package lives

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// procedure is a row of docs/migrating.md: the keys of cluster that replace flags of HyperShift's CLI.
type procedure struct{ name, keys string }

func procedures(t *testing.T) []procedure {
	t.Helper()
	text, err := os.ReadFile(repo.Path("docs", "migrating.md"))
	require.NoError(t, err)
	var found []procedure
	for _, match := range regexp.MustCompile("(?m)^\\| ([^|]+) \\| [^|]+ \\| `(\\w+: [^`|]*)`").
		FindAllStringSubmatch(string(text), -1) {
		found = append(found, procedure{match[1], match[2]})
	}
	return found
}

// mergeKeys merges mappings key by key.
func mergeKeys(into, from map[string]any) {
	for key, value := range maps.All(from) {
		inner, isMap := value.(map[string]any)
		if before, was := into[key].(map[string]any); isMap && was {
			mergeKeys(before, inner)
		} else {
			into[key] = value
		}
	}
}

func TestHyperShiftsProceduresAreKeysThatAreDeployedAndDestroyed(t *testing.T) {
	t.Parallel()
	rows := procedures(t)
	require.GreaterOrEqual(t, len(rows), 9)
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cluster := map[string]any{
				"name": "demo", "baseDomain": "example.com", "oidc": map[string]any{"bucketName": "demo-oidc"},
				"network": map[string]any{"zones": []any{"us-east-1a"}},
				"hostedCluster": map[string]any{
					"kubeconfig": map[string]any{},
					"release":    strings.Replace(stackfile.Release, "x86_64", "multi", 1),
					"pullSecret": "pull-secret.json",
				},
			}
			var keys map[string]any
			require.NoError(t, yaml.Unmarshal([]byte("{"+row.keys+"}"), &keys))
			mergeKeys(cluster, keys)
			text, err := yaml.Marshal(map[string]any{"config": map[string]any{
				"aws:region": "us-east-1", "hypershift-aws:kind": "cluster", "hypershift-aws:cluster": cluster,
			}})
			require.NoError(t, err)
			dir := t.TempDir()
			for file, text := range map[string]string{
				"Pulumi.demo.yaml": string(text), "pull-secret.json": `{"auths":{}}`, "users": "ada:$2y$05$abc\n", "id_ed25519.pub": "ssh-ed25519 AAAA ada\n",
			} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
			}
			_, err = stacks.LoadFile(dir, "demo")
			require.NoError(t, err)
			if i >= sizes.Pick(1, len(rows)) {
				return // its keys are those of the config
			}
			c := harness.NewCLI(t, dir)
			c.Run("--offline", "up", "--yes")
			c.Run("--offline", "up", "--yes", "--expect-no-changes")
			c.Run("--offline", "destroy", "--yes", "--cluster", "demo")
		})
	}
}
