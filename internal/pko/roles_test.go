package pko

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestTheRolesOfPodsAreWrittenForStacksThatUseTheirServiceAccount(t *testing.T) {
	t.Parallel()
	in := &config.Kubeconfig{}
	hosted := &config.Cluster{HostedCluster: &config.HostedCluster{Kubeconfig: in, Settings: hostedcluster.Settings{Namespace: "hosted"}}}
	for name, c := range map[string]struct {
		section config.Section
		kinds   []string
		// namespace is that of the Role.
		namespace string
	}{
		"hosted cluster": {hosted, []string{"Stack", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}, "hosted"},
		"capa": {&config.CAPA{Args: capa.Args{Name: "demo"}, Kubeconfig: in},
			[]string{"Stack", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}, "default"},
		"management": {&config.Management{Kubeconfig: in}, []string{"Stack", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}, "kube-public"},
		"management with the operator": {&config.Management{Kubeconfig: in,
			PrerequisitesArgs: management.PrerequisitesArgs{Operator: management.OperatorArgs{Install: &management.InstallArgs{}}}},
			[]string{"Stack", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}, "kube-public"},
		"node pools": {&config.NodePools{Name: "demo", Namespace: "hosted", Kubeconfig: in},
			[]string{"Stack", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}, "hosted"},
		"no management cluster":    {&config.Cluster{}, []string{"Stack"}, ""},
		"the network of a cluster": {&config.Network{}, []string{"Stack"}, ""},
	} {
		o := options()
		stack := Stack{Name: "a", Path: "Pulumi.a.yaml", Text: []byte("config: {}"), Section: c.section}
		files, err := Render([]Stack{stack}, o)
		require.NoError(t, err)
		require.Len(t, files[1].Objects, 1, "%s: without --roles", name)
		o.Roles = true
		files, err = Render([]Stack{stack}, o)
		require.NoError(t, err)
		var kinds []string
		for _, object := range files[1].Objects {
			kinds = append(kinds, object["kind"].(string))
			if object["kind"] == "Role" {
				require.Equal(t, c.namespace, object["metadata"].(map[string]any)["namespace"])
			}
			if subjects, bound := object["subjects"].([]any); bound {
				require.Equal(t, []any{map[string]any{"kind": "ServiceAccount", "name": "hypershift-aws", "namespace": "pulumi-stacks"}}, subjects, name)
			}
			if object["kind"] == "ClusterRole" {
				for _, rule := range object["rules"].([]any) {
					r := rule.(map[string]any)
					reads := fmt.Sprint(r["verbs"]) != "[create]"
					require.False(t, reads && fmt.Sprint(r["resources"]) == "[secrets]" && r["resourceNames"] == nil, "%s: no Secret of other namespaces may be read", name)
				}
			}
			_, err := File{Objects: []map[string]any{object}}.YAML()
			require.NoError(t, err)
		}
		require.Equal(t, c.kinds, kinds, name)
	}
	o := options()
	o.Roles = true
	_, err := Render([]Stack{{Name: "a", Path: "Pulumi.a.yaml", Text: []byte("config: {}"), Section: &config.Management{Kubeconfig: &config.Kubeconfig{Context: "hub"}}}}, o)
	faults := fault.In(err)
	require.Len(t, faults, 1)
	require.Equal(t, "kubeconfig.context", faults[0].Path)
	require.Equal(t, "Pulumi.a.yaml", faults[0].File)
}
