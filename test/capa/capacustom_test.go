package capa

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// customizedStack returns a CLI for a copy of examples/capa-private with customization.
func customizedStack(t *testing.T) *harness.CLI {
	t.Helper()
	cli := harness.NewCLI(t, stackfile.CopyOf(t, "capa-private"))
	rewriteFile(t, cli.Dir, "    kubeconfig: {}", strings.TrimPrefix(stackfile.Customization, "\n")+"    kubeconfig: {}")
	return cli
}

// rewriteFile replaces a text in the file of the stack demo.
func rewriteFile(t *testing.T, dir, before, after string) {
	t.Helper()
	path := filepath.Join(dir, "Pulumi.demo.yaml")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), before)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), before, after, 1)), 0o600))
}

// clusterIn opens the offline management cluster of a CLI's folder.
func clusterIn(t *testing.T, dir string) *offline.Cluster {
	t.Helper()
	clusters, err := offline.Clusters(filepath.Join(dir, ".hypershift-aws", "offline"))
	require.NoError(t, err)
	require.Len(t, clusters, 1)
	t.Cleanup(func() { require.NoError(t, clusters[0].Close()) })
	return clusters[0]
}

// objectIn returns the object of a kind and name in an offline cluster.
func objectIn(t *testing.T, cluster *offline.Cluster, kind, name string) map[string]any {
	t.Helper()
	for _, o := range enginetest.ObjectsOf(t, cluster) {
		if o.Kind == kind && strings.HasSuffix(o.ID, "/"+name) {
			return o.Properties
		}
	}
	require.Fail(t, "no object", "%s %s", kind, name)
	return nil
}

// named counts the resources of a type in the offline accounts of dir whose name, or tag Name, begins with prefix.
func named(t *testing.T, dir, token, prefix string) (found int) {
	t.Helper()
	for _, r := range harness.MadeIn(t, filepath.Join(dir, ".hypershift-aws", "offline")) {
		name, _ := r.Properties["name"].(string)
		if tags, ok := r.Properties["tags"].(map[string]any); ok && name == "" {
			name, _ = tags["Name"].(string)
		}
		if r.Type == token && strings.HasPrefix(name, prefix) {
			found++
		}
	}
	return found
}

func TestACustomizedClusterOfCAPAIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	cli := customizedStack(t)
	cli.Run("--offline", "up", "--yes")
	cli.Run("--offline", "preview", "--expect-no-changes")
	cluster := clusterIn(t, cli.Dir)
	control := objectIn(t, cluster, "KubeadmControlPlane", "demo-control-plane")["spec"].(map[string]any)
	require.Equal(t, []any{"swapoff -a"}, control["kubeadmConfigSpec"].(map[string]any)["preKubeadmCommands"])
	require.Contains(t, control["rollout"], "strategy")
	for _, check := range []string{"demo-control-plane", "demo-batch"} {
		require.Contains(t, objectIn(t, cluster, "MachineHealthCheck", check)["spec"], "checks")
	}
	require.Equal(t, 1, named(t, cli.Dir, "aws:lb/loadBalancer:LoadBalancer", "demo-apiserver"))
	require.Equal(t, 1, named(t, cli.Dir, "aws:lb/loadBalancer:LoadBalancer", "demo-secondary"))

	var sources []string
	for _, r := range resourcesOf(t, cli.Dir, "demo") {
		if source, of := strings.CutPrefix(r.URN.Name(), "capa-groups-apiserver-lb-"); of && source != "egress" {
			sources = append(sources, source)
		}
	}
	require.ElementsMatch(t, []string{"vpc", "nat-us-east-1a", "cidr-203.0.113.0/24", "management-198.51.100.7/32"},
		sources, "nodes reach both load balancers")

	// Pre-commands are part of a template's hash: the pool's machines are replaced, the rest stays.
	rewriteFile(t, cli.Dir, "      spot: {}\n", "      spot: {}\n      kubeadm: {preCommands: [modprobe br_netfilter]}\n")
	require.Contains(t, cli.Run("--offline", "up", "--yes"), "cluster-batch-config")
	cli.Run("--offline", "drift")

	// CAPA does not delete a load balancer of a cluster that stays.
	rewriteFile(t, cli.Dir, "secondary: true", "secondary: false")
	_, stderr, code := cli.Exit("--offline", "preview")
	require.Equal(t, 1, code, stderr)
	require.Equal(t, 1, strings.Count(stderr, "which Cluster API refuses"), stderr)
	require.Contains(t, stderr, "apiAccess.secondary")
	rewriteFile(t, cli.Dir, "secondary: false", "secondary: true")

	cli.Run("--offline", "destroy", "--yes")
	require.Empty(t, harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")))
	for _, o := range enginetest.ObjectsOf(t, cluster) {
		require.NotContains(t, []string{"Cluster", "AWSCluster", "MachineDeployment", "MachineHealthCheck"}, o.Kind)
	}
}

func TestTheNumberOfNodesIsTheAutoscalersOwn(t *testing.T) {
	t.Parallel()
	const pool, kind = "demo-batch-us-east-1a", "MachineDeployment"
	cli := customizedStack(t)
	cli.Run("--offline", "up", "--yes")
	cluster := clusterIn(t, cli.Dir)
	scaled := func(want float64, limits ...string) {
		t.Helper()
		live := objectIn(t, cluster, kind, pool)
		require.EqualValues(t, want, live["spec"].(map[string]any)["replicas"])
		annotations := live["metadata"].(map[string]any)["annotations"].(map[string]any)
		for i, limit := range []string{"min", "max"} {
			require.Equal(t, limits[i], annotations["cluster.x-k8s.io/cluster-api-autoscaler-node-group-"+limit+"-size"])
		}
	}
	require.NoError(t, cluster.Edit(kind, "default", pool, "cluster-autoscaler", func(object map[string]any) {
		object["spec"].(map[string]any)["replicas"] = 4.0
	}))
	cli.Run("--offline", "drift")
	if sizes.All() {
		cli.Run("--offline", "preview", "--expect-no-changes")
	}
	cli.Run("--offline", "refresh", "--yes")
	cli.Run("--offline", "preview", "--expect-no-changes")
	scaled(4, "1", "5")
	require.Equal(t, 4, named(t, cli.Dir, "aws:ec2/instance:Instance", pool))

	rewriteFile(t, cli.Dir, "autoScaling: {min: 1, max: 5}", "autoScaling: {min: 2, max: 9}")
	cli.Run("--offline", "up", "--yes")
	scaled(4, "2", "9")
	rewriteFile(t, cli.Dir, `labels: {node-role.kubernetes.io/batch: ""}`, `labels: {node-role.kubernetes.io/other: ""}`)
	cli.Run("--offline", "up", "--yes")
	scaled(4, "2", "9")
	cli.Run("--offline", "drift")
	cli.Run("--offline", "destroy", "--yes")
	require.Empty(t, harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")))
}

func TestAClusterInTheDefaultVPCIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	cli := harness.NewCLI(t, stackfile.CopyOf(t, "capa-private"))
	rewriteFile(t, cli.Dir, "zones: [us-east-1a]\n      bastion: {}",
		"existing: {subnets: [{zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa0, public: subnet-0aaaaaaaaaaaaaaa1}]}")
	cli.Run("--offline", "up", "--yes")
	cli.Run("--offline", "preview", "--expect-no-changes")
	vpc := objectIn(t, clusterIn(t, cli.Dir), "AWSCluster",
		"demo")["spec"].(map[string]any)["network"].(map[string]any)["vpc"].(map[string]any)["id"]
	require.Regexp(t, "^vpc-[0-9a-f]{17}$", vpc)
	require.Contains(t, cli.Run("--offline", "paths"), vpc)
	cli.Run("--offline", "destroy", "--yes")
	require.Empty(t, harness.MadeIn(t, filepath.Join(cli.Dir, ".hypershift-aws", "offline")))
}
