package documents_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// published are manifests that somebody has published.
type published struct {
	combination `yaml:",inline"`
	Source      string           `yaml:"source"`
	Manifests   []map[string]any `yaml:"manifests"`
	// Differs are the reasons for fields of theirs that are rendered otherwise, by kind and path.
	Differs map[string]string `yaml:"differs"`
}

// added matches the fields that a manifest may lack and the rendered object has: the AWS resources of the cluster, what
// HyperShift's CLI writes for each cluster, and the encryption of etcd.
var added = regexp.MustCompile(`^(HostedCluster metadata\.annotations\.hypershift\.openshift\.io/cleanup-cloud-resources|` +
	`HostedCluster spec\.(dns|infraID|issuerURL|sshKey|pullSecret|release|services|secretEncryption|etcd|fips|` +
	`olmCatalogPlacement|controllerAvailabilityPolicy|networking|platform|configuration\.ingress\.loadBalancer\.platform\.type)\b.*|` +
	`NodePool spec\.(arch|clusterName|management|platform|release)\b.*)$`)

func TestWhatPeoplePublishedIsRenderedAsTheyHaveIt(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/people/manifests.yaml")
	require.NoError(t, err)
	var cases []published
	require.NoError(t, yaml.Unmarshal(text, &cases))
	require.Len(t, cases, 7)
	for _, c := range cases {
		rendered, differs := rendered(t, c.combination), []string{}
		for _, theirs := range c.Manifests {
			at := slices.IndexFunc(rendered, func(m hostedcluster.Manifest) bool {
				return m.Object["kind"] == theirs["kind"] && name(m.Object) == name(theirs)
			})
			require.GreaterOrEqual(t, at, 0, "%s: %s %s isn't rendered", c.Name, theirs["kind"], name(theirs))
			was, is := leaves(t, theirs), leaves(t, rendered[at].Object)
			for field, value := range was {
				if !reflect.DeepEqual(value, is[field]) {
					differs = append(differs, fmt.Sprint(theirs["kind"], " ", field))
				}
			}
			for field := range is {
				path := fmt.Sprint(theirs["kind"], " ", field)
				if _, given := was[field]; !given && !added.MatchString(path) {
					differs = append(differs, path)
				}
			}
		}
		require.ElementsMatch(t, slices.Collect(maps.Keys(c.Differs)), differs, c.Name)
	}
}

func name(object map[string]any) any {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata["name"]
}

// rendered returns the objects of a combination with the base of the combinations.
func rendered(t *testing.T, c combination) []hostedcluster.Manifest {
	t.Helper()
	base, dir := readCombinations(t).Base, t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(recorded, "files"))))
	for file, content := range map[string]string{
		"id_rsa.pub": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIX8xO5hn6KJ3q0h9hNqvCHK8ZfWf0vUKz0P0A6z3n1h core\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
	}
	config := merged(base.Config, c.Config)
	section := config["hostedCluster"].(map[string]any) //nolint:forcetypeassert // the base has it
	if secret, given := section["pullSecret"]; given && secret == nil {
		delete(section, "pullSecret")
	}
	file, err := yaml.Marshal(map[string]any{"config": map[string]any{
		"aws:region": "us-east-1", "hypershift-aws:kind": "cluster", "hypershift-aws:cluster": config,
	}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), file, 0o600))
	infraText, err := json.Marshal(merged(base.Infra, c.Infra))
	require.NoError(t, err)
	iamText, err := json.Marshal(merged(base.IAM, c.IAM))
	require.NoError(t, err)
	infra, roles, err := documents.Read(infraText, iamText)
	require.NoError(t, err)
	loaded, err := stacks.Kinds().LoadFileIssuedBy(dir, "dev", roles.IssuerURL)
	require.NoError(t, err, c.Name)
	manifests, err := documents.Manifests(loaded, infra, roles, "", true, etcdKey)
	require.NoError(t, err, c.Name)
	return manifests
}

// leaves returns the values of an object that are no objects, by their paths. Lists of tags and services have no order.
func leaves(t *testing.T, object map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(object)
	require.NoError(t, err)
	var plain map[string]any
	require.NoError(t, json.Unmarshal(text, &plain))
	found := map[string]any{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, inner := range v {
				walk(strings.TrimPrefix(path+"."+key, "."), inner)
			}
		case []any:
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			found[path] = v
		default:
			found[path] = v
		}
	}
	walk("", plain)
	return found
}
