package pods_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pko"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// allows reports whether the rules of roles allow a verb on an object. The API server does not know the name of an
// object that is created.
func allows(roles []map[string]any, verb string, kind schema.GroupVersionKind, namespace, name string) bool {
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	for _, role := range roles {
		if role["kind"] != "ClusterRole" && (role["kind"] != "Role" ||
			role["metadata"].(map[string]any)["namespace"] != namespace) {
			continue
		}
		for _, one := range role["rules"].([]any) {
			rule := one.(map[string]any)
			names, limited := rule["resourceNames"].([]any)
			if slices.Contains(rule["apiGroups"].([]any),
				any(resource.Group)) && slices.Contains(rule["resources"].([]any), any(resource.Resource)) &&
				slices.Contains(rule["verbs"].([]any), any(verb)) && (!limited ||
				verb != "create" && slices.Contains(names, any(name))) {
				return true
			}
		}
	}
	return false
}

// Each object that a stack of each kind applies may be read, created, changed and deleted by the account of its pod,
// and its management cluster identified.
func TestTheRolesOfPodsAllowWhatTheirStacksDo(t *testing.T) {
	t.Parallel()
	alone := func(seeds []offline.Seed) func(*testing.T) *enginetest.Stack {
		return func(t *testing.T) *enginetest.Stack {
			return enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seeds})
		}
	}
	for name, c := range sizes.Only(t, map[string]struct {
		text string
		open func(*testing.T) *enginetest.Stack
	}{
		"hosted cluster": {stackfile.WithHostedCluster(t, "").String(), alone(stackfile.Seeds())},
		"management":     {stackfile.InNamespaceOfOthers(stackfile.Management(stackfile.Managements()["kubernetes"])), alone(stackfile.ManagementSeeds())},
		"operator":       {stackfile.InNamespaceOfOthers(stackfile.Installer(stackfile.RecordedRender(t, "second"), "")), alone(stackfile.ManagementSeeds())},
		"capa":           {stackfile.Example(t, "capa-private"), alone(stackfile.SeedsOf(t, "capa-private"))},
		"node pools": {stackfile.NodePools("    nodePools: [{name: spare, replicas: 1}]\n"),
			func(t *testing.T) *enginetest.Stack {
				_, pools := harness.NewPools(t, nil)
				return pools
			}},
	}, "hosted cluster", "management") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := c.open(t)
			stack.Configure(c.text)
			stack.Up()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName("test")), []byte(c.text), 0o600))
			file, err := stacks.LoadFile(dir, "test")
			require.NoError(t, err)
			require.NotNil(t, file.ManagementCluster())
			file.ManagementCluster().Context = ""
			files, err := pko.Render([]pko.Stack{{Name: "a", Text: []byte("config: {}"), Section: file.Section}}, pko.Options{
				Image: "i", RoleARN: "r", Backend: "https://api.pulumi.com", Roles: true,
			})
			require.NoError(t, err)
			roles, created := slices.DeleteFunc(files[1].Objects, func(o map[string]any) bool {
				return o["rules"] == nil
			}), []string{"default"}
			for _, file := range files[2:] {
				created = append(created, file.Objects[0]["metadata"].(map[string]any)["name"].(string))
			}
			objects := 0
			for _, r := range stack.State() {
				if !strings.HasPrefix(string(r.Type), "kubernetes:") {
					continue
				}
				objects++
				metadata, _ := r.Outputs["metadata"].(map[string]any)
				namespace, _ := metadata["namespace"].(string)
				called, _ := metadata["name"].(string)
				kind := schema.FromAPIVersionAndKind(r.Outputs["apiVersion"].(string), r.Outputs["kind"].(string))
				verbs := []string{"get", "create", "patch"}
				if !strings.HasSuffix(string(r.Type), "Patch") {
					verbs = append(verbs, "delete")
				}
				if kind.Kind == "Namespace" {
					verbs = []string{"get", "patch"}
					require.Equal(t, "kubernetes:core/v1:NamespacePatch", string(r.Type), "pods create no namespace")
					require.Contains(t, created, called)
				}
				for _, verb := range verbs {
					require.True(t, allows(roles, verb, kind, namespace, called), "%s %s %s/%s", verb, kind, namespace, called)
				}
			}
			require.Positive(t, objects)
			require.True(t, allows(roles, "get", schema.GroupVersionKind{
				Version: "v1",
				Kind:    "Namespace",
			}, "", "kube-system"), "the UID of the management cluster")
			namespaces, secrets := schema.GroupVersionKind{
				Version: "v1",
				Kind:    "Namespace",
			}, schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
			for _, verb := range []string{"get", "list", "create", "patch", "delete"} {
				require.False(t, allows(roles, verb, secrets, "kube-system", "demo-pull-secret"), verb)
				require.False(t, allows(roles, verb, secrets, "kube-system", "hypershift-operator-aws-credentials"), verb)
				require.Equal(t, verb == "get", allows(roles, verb, namespaces, "", "kube-system"), verb)
			}
			require.False(t, allows(roles, "delete", namespaces, "", "clusters"))
			require.False(t, allows(roles, "get", secrets, "clusters", "other-pull-secret"),
				"a Secret of another cluster in the same namespace")
		})
	}
}
