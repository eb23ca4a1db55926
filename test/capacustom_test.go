package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// customization adds to the cluster of examples/capa-private what a user customizes: machines, pools, health checks and a second load balancer.
const customization = `
    apiAccess: {cidrs: [203.0.113.0/24], managementCIDRs: [198.51.100.7/32], secondary: true}
    controlPlane:
      replicas: 3
      healthCheck: {}
      volumes: [{device: /dev/sdb, size: 20, type: gp3}]
      kubeadm:
        files: [{path: /etc/kubernetes/audit.yaml, content: "rules: []\n", permissions: "0640"}]
        preCommands: [swapoff -a]
        postCommands: [systemctl enable --now audit]
        kubeletArgs: {max-pods: "110"}
        users: [{name: ops, sshKeys: [ssh-ed25519 AAAA ops], sudo: "ALL=(ALL) NOPASSWD:ALL"}]
        ntpServers: [169.254.169.123]
        disks: [{device: /dev/nvme1n1, label: etcd, mountPath: /var/lib/etcd-data}]
      spec: {controlPlane: {rollout: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0}}}}}
    workers:
    - name: md
    - name: batch
      autoScaling: {min: 1, max: 5}
      spot: {}
      labels: {node-role.kubernetes.io/batch: ""}
      healthCheck: {maxUnhealthy: 40%}
`

// customizedStack returns a CLI for a copy of examples/capa-private with customization.
func customizedStack(t *testing.T) *cli {
	t.Helper()
	cli := newCLI(t, copyOf(t, "capa-private"))
	rewriteFile(t, cli.dir, "    kubeconfig: {}", strings.TrimPrefix(customization, "\n")+"    kubeconfig: {}")
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
	for _, r := range madeIn(t, filepath.Join(dir, ".hypershift-aws", "offline")) {
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
	cli.run("--offline", "up", "--yes")
	cli.run("--offline", "preview", "--expect-no-changes")
	cluster := clusterIn(t, cli.dir)
	control := objectIn(t, cluster, "KubeadmControlPlane", "demo-control-plane")["spec"].(map[string]any)
	require.Equal(t, []any{"swapoff -a"}, control["kubeadmConfigSpec"].(map[string]any)["preKubeadmCommands"])
	require.Contains(t, control["rollout"], "strategy")
	for _, check := range []string{"demo-control-plane", "demo-batch"} {
		require.Contains(t, objectIn(t, cluster, "MachineHealthCheck", check)["spec"], "checks")
	}
	require.Equal(t, 1, named(t, cli.dir, "aws:lb/loadBalancer:LoadBalancer", "demo-apiserver"))
	require.Equal(t, 1, named(t, cli.dir, "aws:lb/loadBalancer:LoadBalancer", "demo-secondary"))

	var sources []string
	for _, r := range resourcesOf(t, cli.dir, "demo") {
		if source, of := strings.CutPrefix(r.URN.Name(), "capa-groups-apiserver-lb-"); of && source != "egress" {
			sources = append(sources, source)
		}
	}
	require.ElementsMatch(t, []string{"vpc", "nat-us-east-1a", "cidr-203.0.113.0/24", "management-198.51.100.7/32"}, sources, "nodes reach both load balancers")

	// Pre-commands are part of a template's hash: the pool's machines are replaced, the rest stays.
	rewriteFile(t, cli.dir, "      spot: {}\n", "      spot: {}\n      kubeadm: {preCommands: [modprobe br_netfilter]}\n")
	require.Contains(t, cli.run("--offline", "up", "--yes"), "cluster-batch-config")
	cli.run("--offline", "drift")

	// CAPA does not delete a load balancer of a cluster that stays.
	rewriteFile(t, cli.dir, "secondary: true", "secondary: false")
	_, stderr, code := cli.exit("--offline", "preview")
	require.Equal(t, 1, code, stderr)
	require.Equal(t, 1, strings.Count(stderr, "which Cluster API refuses"), stderr)
	require.Contains(t, stderr, "apiAccess.secondary")
	rewriteFile(t, cli.dir, "secondary: false", "secondary: true")

	cli.run("--offline", "destroy", "--yes")
	require.Empty(t, madeIn(t, filepath.Join(cli.dir, ".hypershift-aws", "offline")))
	for _, o := range enginetest.ObjectsOf(t, cluster) {
		require.NotContains(t, []string{"Cluster", "AWSCluster", "MachineDeployment", "MachineHealthCheck"}, o.Kind)
	}
}

func TestTheNumberOfNodesIsTheAutoscalersOwn(t *testing.T) {
	t.Parallel()
	const pool, kind = "demo-batch-us-east-1a", "MachineDeployment"
	cli := customizedStack(t)
	cli.run("--offline", "up", "--yes")
	cluster := clusterIn(t, cli.dir)
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
	cli.run("--offline", "drift")
	if sizes.All() {
		cli.run("--offline", "preview", "--expect-no-changes")
	}
	cli.run("--offline", "refresh", "--yes")
	cli.run("--offline", "preview", "--expect-no-changes")
	scaled(4, "1", "5")
	require.Equal(t, 4, named(t, cli.dir, "aws:ec2/instance:Instance", pool))

	rewriteFile(t, cli.dir, "autoScaling: {min: 1, max: 5}", "autoScaling: {min: 2, max: 9}")
	cli.run("--offline", "up", "--yes")
	scaled(4, "2", "9")
	rewriteFile(t, cli.dir, `labels: {node-role.kubernetes.io/batch: ""}`, `labels: {node-role.kubernetes.io/other: ""}`)
	cli.run("--offline", "up", "--yes")
	scaled(4, "2", "9")
	cli.run("--offline", "drift")
	cli.run("--offline", "destroy", "--yes")
	require.Empty(t, madeIn(t, filepath.Join(cli.dir, ".hypershift-aws", "offline")))
}

func TestAClusterInTheDefaultVPCIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	cli := newCLI(t, copyOf(t, "capa-private"))
	rewriteFile(t, cli.dir, "zones: [us-east-1a]\n      bastion: {}",
		"existing: {subnets: [{zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa0, public: subnet-0aaaaaaaaaaaaaaa1}]}")
	cli.run("--offline", "up", "--yes")
	cli.run("--offline", "preview", "--expect-no-changes")
	vpc := objectIn(t, clusterIn(t, cli.dir), "AWSCluster", "demo")["spec"].(map[string]any)["network"].(map[string]any)["vpc"].(map[string]any)["id"]
	require.Regexp(t, "^vpc-[0-9a-f]{17}$", vpc)
	require.Contains(t, cli.run("--offline", "paths"), vpc)
	cli.run("--offline", "destroy", "--yes")
	require.Empty(t, madeIn(t, filepath.Join(cli.dir, ".hypershift-aws", "offline")))
}
