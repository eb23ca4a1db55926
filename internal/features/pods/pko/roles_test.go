package pko

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// rendered returns the objects of the file of one stack, and the namespaces that are applied before.
func rendered(t *testing.T, section config.Section, o Options) (objects []map[string]any, namespaces []string) {
	t.Helper()
	files, err := Render([]Stack{{Name: "a", Path: "Pulumi.a.yaml", Text: []byte("config: {}"), Section: section}}, o)
	require.NoError(t, err)
	require.Equal(t, "a.yaml", files[1].Name)
	for _, file := range files[2:] {
		require.Equal(t, "Namespace", file.Objects[0]["kind"])
		name := file.Objects[0]["metadata"].(map[string]any)["name"].(string)
		require.Equal(t, "namespaces/"+name+".yaml", file.Name)
		namespaces = append(namespaces, name)
	}
	return files[1].Objects, namespaces
}

// list returns texts as an object has them.
func list(texts []string) []any {
	var all []any
	for _, text := range texts {
		all = append(all, text)
	}
	return all
}

func podSections() map[string]config.Section {
	in := &config.Kubeconfig{}
	operator := func(o management.OperatorArgs) *config.Management {
		o.ExistingNamespace = true
		return &config.Management{Kubeconfig: in, PrerequisitesArgs: management.PrerequisitesArgs{Operator: o}}
	}
	return map[string]config.Section{
		"hosted cluster": &config.Cluster{Cluster: hypershift.Cluster{Name: "demo"}, HostedCluster: &config.HostedCluster{
			Kubeconfig: in, Settings: hostedcluster.Settings{Namespace: "hosted"},
			Objects: []config.ReferredObject{{Name: "webhook", Kind: hostedcluster.SecretKind}, {Name: "bundle"}},
		}},
		"capa": &config.CAPA{Args: capa.Args{Name: "demo", Namespace: "capa",
			Identity: capa.Identity{Kind: capa.RoleIdentity, Name: "prod"}}, Kubeconfig: in},
		"management":                   operator(management.OperatorArgs{Identity: management.AccessKeys}),
		"management with the operator": operator(management.OperatorArgs{Install: &management.InstallArgs{}, Namespace: "operators"}),
		"node pools": &config.NodePools{
			Name:       "demo",
			Namespace:  "hosted",
			Kubeconfig: in,
			Objects:    []config.ReferredObject{{Name: "bundle"}},
		},
	}
}

func TestTheRolesOfPodsAreWrittenForStacksThatUseTheirServiceAccount(t *testing.T) {
	t.Parallel()
	alone := []string{"Stack", "ServiceAccount", "ClusterRoleBinding"}
	clusterRole, role := []string{"ClusterRole", "ClusterRoleBinding"}, []string{"Role", "RoleBinding"}
	sections := podSections()
	sections["no management cluster"], sections["the network of a cluster"] = &config.Cluster{}, &config.Network{}
	for name, want := range map[string]struct{ roles, namespaces []string }{
		"hosted cluster":               {[]string{"hosted"}, []string{"hosted"}},
		"capa":                         {[]string{"capa"}, []string{"capa"}},
		"management":                   {[]string{"hypershift", "kube-public"}, []string{"hypershift"}},
		"management with the operator": {[]string{"kube-public", "operators"}, []string{"operators"}},
		"node pools":                   {[]string{"hosted"}, nil},
		"no management cluster":        {},
		"the network of a cluster":     {},
	} {
		o := options()
		objects, _ := rendered(t, sections[name], o)
		require.Len(t, objects, len(alone), "%s: without --roles", name)
		o.Roles = true
		objects, namespaces := rendered(t, sections[name], o)
		require.Equal(t, want.namespaces, namespaces, name)
		var kinds, roles []string
		for _, object := range objects {
			kinds = append(kinds, object["kind"].(string))
			if object["kind"] == "Role" {
				roles = append(roles, object["metadata"].(map[string]any)["namespace"].(string))
			}
		}
		require.Equal(t, want.roles, roles, name)
		wanted := alone
		if len(roles) > 0 {
			wanted = slices.Concat(alone, clusterRole, slices.Repeat(role, len(roles)))
		}
		require.Equal(t, wanted, kinds, name)
	}
	o := options()
	o.Roles = true
	for path, section := range map[string]config.Section{
		"kubeconfig.context":         &config.Management{Kubeconfig: &config.Kubeconfig{Context: "hub"}},
		"operator.existingNamespace": &config.Management{Kubeconfig: &config.Kubeconfig{}},
	} {
		_, err := Render([]Stack{{Name: "a", Path: "Pulumi.a.yaml", Text: []byte("config: {}"), Section: section}}, o)
		faults := fault.In(err)
		require.Len(t, faults, 1)
		require.Equal(t, path, faults[0].Path)
		require.Equal(t, "Pulumi.a.yaml", faults[0].File)
	}
}

func TestEachStackHasItsOwnServiceAccount(t *testing.T) {
	t.Parallel()
	o := options()
	o.Roles = true
	for name, section := range podSections() {
		objects, _ := rendered(t, section, o)
		require.Equal(t, "hypershift-aws-a", objects[0]["spec"].(map[string]any)["serviceAccountName"], name)
		require.Equal(t, "hypershift-aws-a", objects[1]["metadata"].(map[string]any)["name"], name)
		for _, object := range objects {
			if subjects, bound := object["subjects"].([]any); bound {
				require.Equal(t, []any{map[string]any{
					"kind":      "ServiceAccount",
					"name":      "hypershift-aws-a",
					"namespace": "pulumi-stacks",
				}}, subjects, name)
			}
		}
	}
}

// TestPodsChangeNoNamespaceAndNoSecretButTheirOwn judges each rule by itself.
func TestPodsChangeNoNamespaceAndNoSecretButTheirOwn(t *testing.T) {
	t.Parallel()
	o := options()
	o.Roles = true
	secrets := map[string][]any{
		"hosted cluster": list([]string{"demo-pull-secret", "demo-ssh-key", "demo-etcd-encryption-key",
			"demo-sa-token-issuer-key", "webhook"}),
		"management": list([]string{management.EC2Secret, management.OIDCS3Secret}), "capa": nil, "node pools": nil,
		"management with the operator": list([]string{management.EC2Secret, management.OIDCS3Secret, management.ExternalDNSSecret}),
	}
	for name, section := range podSections() {
		objects, namespaces := rendered(t, section, o)
		escalates := false
		for _, object := range objects {
			rules, _ := object["rules"].([]any)
			for _, one := range rules {
				rule := one.(map[string]any)
				verbs, resources, names := rule["verbs"].([]any), rule["resources"].([]any), rule["resourceNames"]
				require.NotContains(t, verbs, "*", name)
				require.NotContains(t, resources, "*", name)
				require.Len(t, resources, 1, name)
				escalates = escalates || slices.Contains(verbs, any("escalate")) || slices.Contains(verbs, any("bind"))
				switch {
				case resources[0] == "namespaces" && slices.Equal(verbs, list([]string{"get"})):
					require.Contains(t, []any{list([]string{"kube-system"}), list([]string{"kube-public"}), list([]string{"hosted"})},
						names, name)
				case rule["apiGroups"].([]any)[0] == "velero.io":
					require.Equal(t, list([]string{"list"}), verbs, name)
				case resources[0] == "namespaces":
					require.Equal(t, list(namespaces), names, name)
					require.NotContains(t, verbs, "create", name)
					require.NotContains(t, verbs, "delete", name)
				case resources[0] == "secrets":
					require.Equal(t, "Role", object["kind"], name)
					if !slices.Equal(verbs, list([]string{"create"})) {
						require.Equal(t, any(secrets[name]), names, name)
					}
				case strings.HasPrefix(resources[0].(string),
					"awscluster") && strings.HasSuffix(resources[0].(string), "identities") &&
					!slices.Equal(verbs, list([]string{"create"})) && !slices.Equal(verbs, list([]string{"get", "list"})):
					require.Equal(t, any(list([]string{"prod"})), names, name)
				}
			}
		}
		require.Equal(t, name == "management with the operator", escalates, name)
	}
}
