package rights_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
	"github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func sections() map[string]config.Section {
	return map[string]config.Section{
		"cluster": &config.Cluster{Cluster: hypershift.Cluster{Name: "demo"}, HostedCluster: &config.HostedCluster{
			Settings: hostedcluster.Settings{Namespace: "hosted"}, Objects: []config.ReferredObject{{Name: "bundle"}},
		}},
		"nodePools":  &config.NodePools{Name: "demo", Namespace: "hosted"},
		"capa":       &config.CAPA{},
		"management": &config.Management{},
	}
}

// verbsIn returns the verbs of all rules.
func verbsIn(r rights.Rights) (verbs []string) {
	all := slices.Clone(r.Anywhere)
	for _, rules := range r.Inside {
		all = append(all, rules...)
	}
	for _, rule := range all {
		verbs = append(verbs, rule.Verbs...)
	}
	slices.Sort(verbs)
	return slices.Compact(verbs)
}

func TestACommandNeedsNoRightThatItDoesNotUse(t *testing.T) {
	t.Parallel()
	for name, section := range sections() {
		for _, command := range rights.Commands() {
			needed := rights.For(section, command)
			verbs := verbsIn(needed)
			require.Contains(t, verbs, "get", "%s of %s", command, name)
			switch command {
			case "up", "preview": // a preview tries by dry runs, which need the same rights
				require.Subset(t, verbs, []string{"create", "patch", "delete"}, "%s of %s", command, name)
			case "destroy":
				require.Contains(t, verbs, "delete", name)
				require.NotContains(t, verbs, "create", name)
			case "adopt":
				require.Subset(t, verbs, []string{"create", "patch"}, name)
				require.NotContains(t, verbs, "delete", name)
			case "pause", "resume":
				require.Contains(t, verbs, "patch", name)
				require.Subset(t, []string{"get", "list", "patch", "watch"}, verbs, name)
			case "backup": // the objects of Velero are those of a hosted cluster alone
				require.Equal(t, name == "cluster", slices.Contains(verbs, "create"), name)
			default:
				require.Subset(t, []string{"get", "list", "watch"}, verbs, "%s of %s", command, name)
			}
			for _, role := range needed.Roles("x") {
				require.NotEmpty(t, role["rules"])
			}
		}
		require.Subset(t, verbsIn(rights.For(section, "")), verbsIn(rights.Of(section)), name)
	}
	console := rights.For(sections()["cluster"], "console")
	require.Contains(t, console.Inside["hosted"], rights.Rule{
		Verbs: []string{"get"}, Kind: crd.Kind{APIVersion: "v1", Kind: "Secret"},
		Names: []string{"demo-admin-kubeconfig", "demo-kubeadmin-password"},
	})
	status := rights.For(sections()["cluster"], "status")
	for _, rule := range status.Inside["hosted"] {
		require.NotContains(t, rule.Names, "demo-admin-kubeconfig")
	}
	require.Error(t, rights.Command("sweep").Validate())
	for command, kinds := range map[rights.Command]string{
		"status": "AWSEndpointService, AWSMachine, Deployment, HostedCluster, HostedControlPlane, Machine, MachineDeployment, " +
			"MachineSet, Namespace, NodePool, PersistentVolumeClaim, Route, Service, StatefulSet",
		"kubeconfig": "HostedCluster, Namespace, NodePool, Secret",
		"refresh":    "ConfigMap, HostedCluster, Namespace, NodePool, Secret",
		"backup":     "Backup, BackupStorageLocation, HostedCluster, Namespace, NodePool, Schedule",
		"resume": "AWSEndpointService, AWSMachine, ConfigMap, Deployment, HostedCluster, HostedControlPlane, Machine, " +
			"MachineDeployment, MachineSet, Namespace, NodePool, PersistentVolumeClaim, ResourceQuota, Route, Secret, Service, StatefulSet",
		"destroy": "Backup, ConfigMap, HostedCluster, Namespace, NodePool, Schedule, Secret",
	} {
		var read []string
		for _, one := range rights.For(sections()["cluster"], command).Reads() {
			if !slices.Contains(read, one.Kind.Kind) {
				read = append(read, one.Kind.Kind)
			}
		}
		slices.Sort(read)
		require.Equal(t, kinds, strings.Join(read, ", "), command)
	}
}

// A stack's file may have lost the section of a hosted cluster that its state has.
func TestAClusterWithoutItsSectionNeedsOnlyWhatIdentifiesTheManagementCluster(t *testing.T) {
	t.Parallel()
	for _, command := range append(rights.Commands(), "") {
		r := rights.For(&config.Cluster{Cluster: hypershift.Cluster{Name: "demo"}}, command)
		require.Empty(t, r.Inside, command)
		require.Equal(t, []string{"get"}, verbsIn(r), command)
	}
}
