package hosted

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/selfcheck"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// subnetIn returns the ID of the node subnet of a zone.
func subnetIn(t *testing.T, owner *enginetest.Stack, zone string) string {
	t.Helper()
	for _, r := range owner.State() {
		if r.URN.Name() == "network-private-"+zone && strings.HasSuffix(string(r.Type), ":Subnet") {
			return string(r.ID)
		}
	}
	require.Fail(t, "no subnet in "+zone)
	return ""
}

const release420 = "quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64"

func TestNodePoolsOfAnotherOwnersClusterAreCreatedStableAndDestroyedAndTheClusterStays(t *testing.T) {
	t.Parallel()
	owner, pools := harness.NewPools(t, nil)
	cluster, first := harness.LiveObject(t, owner, "HostedCluster",
		"demo"), harness.LiveObject(t, owner, "NodePool", "demo-us-east-1a")
	require.NotNil(t, cluster)
	made := len(owner.Resources())
	text := stackfile.NodePools(`    objects:
      - {name: kubelet, text: {config: "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: pods}\nspec: {kubeletConfig: {maxPods: 500}}\n"}}
    nodePools:
      - {name: gpu, zone: us-east-1b, subnetID: ` + subnetIn(t, owner, "us-east-1b") + `, instanceType: g4dn.xlarge, replicas: 1, config: [kubelet],
         taints: [{key: gpu, effect: NoSchedule}], labels: {pool: gpu}, spot: {}, drainTimeout: 30m, resourceTags: {cost: gpu}}
      - {name: spare, autoScaling: {min: 1, max: 3}, release: "` + strings.Replace(release420, "4.20.3", "4.19.1", 1) + `"}
`)
	pools.Configure(text)
	pools.Up()
	graph := pools.Graph(nil, "node-pools")
	golden.RequireGraph(t, "nodepools/graph", strings.NewReplacer(subnetIn(t, owner, "us-east-1b"), "<subnet b>",
		subnetIn(t, owner, "us-east-1a"), "<subnet a>").Replace(graph))
	pools.RequireStable()
	gpu := harness.LiveObject(t, owner, "NodePool", "gpu")
	require.Equal(t, "demo", props.Map(gpu).String("spec", "clusterName"))
	require.Equal(t, "demo-x1-worker", props.Map(gpu).String("spec", "platform", "aws", "instanceProfile"))
	require.Equal(t, release420, props.Map(gpu).String("spec", "release", "image"), "that of the cluster")
	require.Equal(t, cluster, harness.LiveObject(t, owner, "HostedCluster", "demo"), "the cluster is not changed")
	require.Greater(t, len(owner.Resources()), made, "HyperShift's operators have started instances")

	text = strings.Replace(text, "replicas: 1", "replicas: 2", 1)
	pools.Configure(text)
	require.Empty(t, owner.Preview(), "the owner's stack has nothing to change")
	pools.Up()
	_, err := pools.DestroyErr()
	require.ErrorContains(t, err, "use-hypershift-aws-destroy")
	why := "its management cluster has it"
	pools.Run(stacks.Options{
		Live:  harness.LiveOf(owner, nil),
		Alive: func(context.Context, stacks.Dependent) string { return why },
	}.Run)
	_, err = pools.DestroyErr(optdestroy.RunProgram(true))
	require.ErrorContains(t, err, "the node pools of cluster demo are not deleted, because the cluster may be alive: its management cluster has it")
	require.ErrorContains(t, err, "set hypershift-aws:nodePools.unprotected: true")
	require.NotNil(t, harness.LiveObject(t, owner, "NodePool", "gpu"))
	pools.Configure(strings.Replace(text, "    name: demo\n", "    name: demo\n    unprotected: true\n", 1))
	require.Empty(t, pools.Up(), "only the state changes")

	uid := props.Map(harness.LiveObject(t, owner, "NodePool", "gpu")).String("metadata", "uid")
	recreate := func(uid string) {
		require.NoError(t, owner.Clusters()[0].Edit("NodePool", "clusters", "gpu", "kubectl-create",
			func(object map[string]any) {
				require.NoError(t, unstructured.SetNestedField(object, uid, "metadata", "uid"))
			}))
	}
	recreate("created-by-others")
	management := harness.SharedCluster{Cluster: inmemory.Cluster{Cluster: owner.Clusters()[0]}}
	open := func(config.Kubeconfig) (selfcheck.Cluster, error) { return management, nil }
	pools.Run(func(ctx *pulumi.Context) error { return selfcheck.Options(ctx, open).Run(ctx) })
	_, err = pools.DestroyErr(optdestroy.RunProgram(true))
	require.ErrorContains(t, err, "NodePool clusters/gpu in the management cluster is another object than the one in the state of stack")
	require.NotNil(t, harness.LiveObject(t, owner, "NodePool", "gpu"))
	require.NotNil(t, harness.LiveObject(t, owner, "NodePool", "spare"))
	recreate(uid)
	_, err = pools.DestroyErr(optdestroy.RunProgram(true))
	require.NoError(t, err)
	require.Nil(t, harness.LiveObject(t, owner, "NodePool", "gpu"))
	require.Nil(t, harness.LiveObject(t, owner, "NodePool", "spare"))
	require.Equal(t, cluster, harness.LiveObject(t, owner, "HostedCluster", "demo"), "the cluster stays as it was")
	require.Equal(t, first, harness.LiveObject(t, owner, "NodePool", "demo-us-east-1a"),
		"the owner's pool stays as it was")
	require.Len(t, owner.Resources(), made, "no instance of the pools is left")
	owner.RequireStable()
	owner.Destroy()
}

// A pool that `hypershift create nodepool aws` created has no annotation of a stack.
func TestAnExistingNodePoolIsReleasedAndAdoptedInPlace(t *testing.T) {
	t.Parallel()
	e := harness.StackAt(t, t.TempDir())
	e.Configure(stackfile.Cluster{
		Access: hypershift.Public,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(2),
		More:   stackfile.HostedCluster(t, ""),
	}.String())
	e.Run("--offline", "-s", "test", "up", "--yes")
	text := stackfile.NodePools("    nodePools: [{name: extra, zone: us-east-1b, subnetID: " + e.IDOf("Subnet",
		"network-private-us-east-1b") + ", replicas: 1}]\n")
	require.NoError(t, os.WriteFile(filepath.Join(e.Dir, "Pulumi.pools.yaml"), []byte(text), 0o600))
	e.Run("--offline", "-s", "pools", "up", "--yes")
	inCluster := func(call func(cluster *offline.Cluster)) {
		clusters, err := offline.Clusters(e.OfflineDir())
		require.NoError(t, err)
		require.Len(t, clusters, 1)
		call(clusters[0])
		require.NoError(t, clusters[0].Close())
	}
	uid := func() (of string) {
		inCluster(func(cluster *offline.Cluster) {
			pool, err := cluster.Get("NodePool", "clusters", "extra")
			require.NoError(t, err)
			of = props.Map(pool).String("metadata", "uid")
		})
		return of
	}
	before := uid()
	require.NotEmpty(t, before)

	e.Run("--offline", "-s", "pools", "forget", "--yes")
	require.Equal(t, before, uid(), "released, and running")
	inCluster(func(cluster *offline.Cluster) {
		require.NoError(t, cluster.Edit("NodePool", "clusters", "extra", "hypershift", func(pool map[string]any) {
			delete(props.Map(pool).Object("metadata").Object("annotations"), hypershift.StackTag)
		}))
	})
	_, stderr, code := e.Exit("--offline", "-s", "pools", "up", "--yes")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "NodePool clusters/extra")
	require.Contains(t, stderr, "adopt -s pools --preview")
	require.Contains(t, e.Run("--offline", "-s", "pools", "adopt", "--yes"),
		"updated in place (1)\n  node pool node-pools-extra clusters/extra\n")
	require.Equal(t, before, uid())
	e.Run("--offline", "-s", "pools", "preview", "--expect-no-changes")
}

func TestNodePoolsThatContradictTheirHostedClusterAreRefused(t *testing.T) {
	t.Parallel()
	var change func(*hostedcluster.Live)
	owner, pools := harness.NewPools(t, func(live *hostedcluster.Live) {
		if change != nil {
			change(live)
		}
	})
	inB := subnetIn(t, owner, "us-east-1b")
	set := func(value any, path ...string) func(*hostedcluster.Live) {
		return func(live *hostedcluster.Live) {
			if live.HostedCluster != nil {
				_ = unstructured.SetNestedField(live.HostedCluster, value, path...)
			}
		}
	}
	const gpu = "    nodePools: [{name: gpu}]\n"
	for name, test := range map[string]struct {
		config string
		change func(*hostedcluster.Live)
		want   string
	}{
		"no such cluster": {strings.Replace(stackfile.NodePools(gpu), "name: demo", "name: other", 1), nil,
			`hypershift-aws:nodePools.name: "other" is not a HostedCluster: the management cluster has no clusters/other`},
		"a cluster that is being deleted": {stackfile.NodePools(gpu),
			set("2026-01-01T00:00:00Z", "metadata", "deletionTimestamp"),
			`hypershift-aws:nodePools.name: "demo" is a HostedCluster that has been in deletion since 2026-01-01T00:00:00Z`},
		"another platform": {stackfile.NodePools(gpu), set("KubeVirt", "spec", "platform", "type"),
			`hypershift-aws:nodePools.name: "demo" is a HostedCluster of platform KubeVirt`},
		"another region": {stackfile.NodePools(gpu), set("eu-west-1", "spec", "platform", "aws", "region"),
			`hypershift-aws:nodePools.name: "demo" is a HostedCluster in region eu-west-1, but the stack is in us-east-1; set aws:region: eu-west-1`},
		"a subnet of another VPC": {stackfile.NodePools("    nodePools: [{name: gpu, subnetID: " + harness.StrangeSubnet +
			"}]\n"), nil,
			`hypershift-aws:nodePools.nodePools[0].subnetID: "` + harness.StrangeSubnet + `" is not in vpc-`},
		"a subnet of another zone": {stackfile.NodePools("    nodePools: [{name: gpu, zone: us-east-1a, subnetID: " + inB +
			"}]\n"), nil,
			`hypershift-aws:nodePools.nodePools[0].subnetID: "` + inB + `" is not in zone us-east-1a`},
		"a security group of another VPC": {stackfile.NodePools("    nodePools: [{name: gpu, securityGroups: [" +
			harness.StrangeGroup + "]}]\n"), nil,
			`hypershift-aws:nodePools.nodePools[0].securityGroups[0]: "` + harness.StrangeGroup + `" is not in vpc-`},
		"a zone without a known subnet": {stackfile.NodePools("    nodePools: [{name: gpu, zone: us-east-1b}]\n"), nil,
			`hypershift-aws:nodePools.nodePools[0].zone: "us-east-1b" is not the zone of the subnet that the HostedCluster names`},
		"a newer release": {stackfile.NodePools("    nodePools: [{name: gpu, release: " + strings.Replace(release420,
			"4.20.3", "4.21.0", 1) + "}]\n"), nil,
			`4.21.0-x86_64" is newer than quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64, the release of the control plane`},
		"a release four minor versions older": {stackfile.NodePools("    nodePools: [{name: gpu, release: " +
			strings.Replace(release420, "4.20.3", "4.16.9", 1) + "}]\n"), nil,
			`is 4 minor versions older than quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64`},
		"the name of the owner's pool": {stackfile.NodePools("    nodePools: [{name: demo-us-east-1a}]\n"), nil,
			`hypershift-aws:nodePools.nodePools[0].name: "demo-us-east-1a" is the name of a node pool of the stack that owns the HostedCluster`},
		"the name of another stack's pool": {stackfile.NodePools(gpu), func(live *hostedcluster.Live) {
			live.NodePools["gpu"] = map[string]any{
				"metadata": map[string]any{"annotations": map[string]any{hypershift.StackTag: "pools/other"}},
			}
		}, `hypershift-aws:nodePools.nodePools[0].name: "gpu" is the name of a node pool of stack pools/other`},
	} {
		change = test.change
		pools.Configure(test.config)
		_, previewed := pools.PreviewErr()
		_, updated := pools.UpErr()
		require.ErrorContains(t, previewed, test.want, name)
		require.ErrorContains(t, updated, test.want, name)
	}
	require.Nil(t, harness.LiveObject(t, owner, "NodePool", "gpu"))
}

func TestAProgramThatCannotReadTheHostedClusterCreatesNoPools(t *testing.T) {
	t.Parallel()
	pools := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.Seeds()})
	pools.Configure(stackfile.NodePools("    nodePools: [{name: gpu}]\n"))
	_, err := pools.UpErr()
	require.ErrorContains(t, err, "a program of kind nodePools reads its HostedCluster: run it with package program")
	require.Empty(t, pools.Custom())
}

func TestPoolsFollowAReleaseThatTheOwnerRollsOutOnceTheControlPlaneHasIt(t *testing.T) {
	t.Parallel()
	newer := strings.Replace(release420, "4.20.3", "4.21.0", 1)
	incomplete := false
	owner, pools := harness.NewPools(t, func(live *hostedcluster.Live) {
		if incomplete { // as while the control plane rolls the release out
			_ = unstructured.SetNestedField(live.HostedCluster, newer, "spec", "release", "image")
		}
	})
	pools.Configure(stackfile.NodePools("    nodePools: [{name: gpu}]\n"))
	pools.Up()
	imageOf := func() string {
		return props.Map(harness.LiveObject(t, owner, "NodePool", "gpu")).String("spec", "release", "image")
	}
	require.Equal(t, release420, imageOf())

	incomplete = true
	require.Empty(t, pools.Preview(), "the pool keeps its release")
	pools.Up()
	outputs, err := pools.Outputs(t.Context())
	require.NoError(t, err)
	require.Contains(t, outputs["stages"].Value, "release "+newer+": stage 1 of 2, the control plane; node pools gpu keep their release until it is complete, and follow in stage 2")

	incomplete = false
	require.NoError(t, owner.Clusters()[0].Edit("HostedCluster", "clusters", "demo", "another-tool",
		func(o map[string]any) {
			_ = unstructured.SetNestedField(o, newer, "spec", "release", "image")
		}))
	for range 6 {
		if len(pools.Preview()) == 0 && imageOf() == newer {
			break
		}
		pools.Up()
	}
	require.Equal(t, newer, imageOf())
	pools.RequireStable()
}
