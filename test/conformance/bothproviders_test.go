package conformance

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// liveCluster is a hosted cluster whose stack is run by the CLI with an AWS provider against moto and pulumi-kubernetes
// against a real API server.
type liveCluster struct {
	*harness.CLI
	t       *testing.T
	cluster *servedCluster
	owned   func() []string
}

// liveHostedCluster creates the stack demo with its hosted cluster.
func liveHostedCluster(t *testing.T) *liveCluster {
	t.Helper()
	if *awsPlugin == "" || *kubernetesPlugin == "" || *apiserver.Folder == "" {
		t.Skip("NOT TESTED: commands with both providers: make conformance AWS_PLUGIN=FOLDER KUBERNETES_PLUGIN=FOLDER")
	}
	config := stackfile.Cluster{
		Access: hypershift.Public,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(1),
		More:   stackfile.HostedCluster(t, ""),
	}.String()
	config = strings.Replace(strings.Replace(config, stackfile.KMSKeyARN, "none", 1), "config:\n",
		"config:\n  aws:s3UsePathStyle: true\n", 1)
	c, _, _, account := realCLI(t, config)
	cluster := serveManagementCluster(t, hypershiftDefinitions())
	plugin, err := filepath.Abs(*kubernetesPlugin)
	require.NoError(t, err)
	for i, variable := range c.Env {
		if path, is := strings.CutPrefix(variable, "PATH="); is {
			c.Env[i] = "PATH=" + path + string(os.PathListSeparator) + plugin
		}
	}
	l := &liveCluster{CLI: c.With("KUBECONFIG=" + cluster.kubeconfig), t: t, cluster: cluster, owned: func() []string { return owned(t, account) }}
	l.Run("-s", "demo", "up", "--yes")
	l.Run("-s", "demo", "preview", "--expect-no-changes")
	require.NotEmpty(t, l.owned())
	return l
}

// refused runs a command that must refuse, with these texts, and change nothing in AWS or in the management cluster.
func (l *liveCluster) refused(args []string, texts ...string) {
	l.t.Helper()
	aws, objects := l.owned(), l.objects()
	stdout, stderr, code := l.Exit(append([]string{"-s", "demo"}, args...)...)
	require.NotZero(l.t, code, stdout+stderr)
	for _, text := range texts {
		require.Contains(l.t, stdout+stderr, text)
	}
	require.ElementsMatch(l.t, aws, l.owned(), args)
	require.Equal(l.t, objects, l.objects(), args)
}

// objects returns the UIDs of the stack's objects in its own management cluster.
func (l *liveCluster) objects() map[string]string {
	l.t.Helper()
	found := map[string]string{}
	for kind, name := range map[string]string{
		"HostedCluster": "demo",
		"NodePool":      "demo-us-east-1a",
		"Secret":        "demo-pull-secret",
	} {
		object, err := l.cluster.get(kind, "clusters", name)
		require.NoError(l.t, err)
		found[kind] = object.Object("metadata").String("uid")
	}
	return found
}

// TestNothingUnderALiveClusterIsChangedThroughAnotherAnswerWithBothProviders asks for updates and deletions through
// another management cluster, something that is no API server, and an address where nothing listens.
func TestNothingUnderALiveClusterIsChangedThroughAnotherAnswerWithBothProviders(t *testing.T) {
	t.Parallel()
	l := liveHostedCluster(t)
	other := serveManagementCluster(t, hypershiftDefinitions())
	own, err := os.ReadFile(l.cluster.kubeconfig)
	require.NoError(t, err)
	another, err := os.ReadFile(other.kubeconfig)
	require.NoError(t, err)
	destroys := [][]string{{"destroy", "--yes", "--cluster", "demo"},
		{"destroy", "--yes", "--cluster", "demo", "--management-cluster-gone"}}

	require.NoError(t, os.WriteFile(l.cluster.kubeconfig, another, 0o600))
	for _, args := range append(destroys, []string{"up", "--yes"}, []string{"refresh", "--yes"}) {
		l.refused(args, "another management cluster")
	}
	for _, how := range []string{"page", "certificate"} {
		l.cluster.fail(t, how)
		for _, args := range append(destroys, []string{"up", "--yes"}, []string{"refresh", "--yes"}) {
			l.refused(args)
		}
	}
	l.cluster.fail(t, refusesConnections)
	for _, args := range [][]string{destroys[0], {"up", "--yes"}, {"refresh", "--yes"}} {
		l.refused(args)
	}
	require.NoError(t, os.WriteFile(l.cluster.kubeconfig, own, 0o600))
	l.Run("-s", "demo", "preview", "--expect-no-changes")
	l.refused([]string{"destroy", "--yes"}, "--cluster demo")
	l.Run("-s", "demo", "destroy", "--yes", "--cluster", "demo")
	require.Empty(t, l.owned())
}

// TestALiveClustersObjectsAreKeptTakenBackAdoptedAndRelocatedWithBothProviders lives through what others do to the
// objects: a size that kubectl edits, a state that is lost, a HostedCluster that is created again.
func TestALiveClustersObjectsAreKeptTakenBackAdoptedAndRelocatedWithBothProviders(t *testing.T) {
	t.Parallel()
	l := liveHostedCluster(t)
	pool := objectEdit{kind: "NodePool", namespace: "clusters", name: "demo-us-east-1a", manager: "kubectl-edit",
		change: func(object props.Map) { object.Object("spec")["replicas"] = 5 }}
	require.NoError(t, l.cluster.change(pool))
	size := func() float64 {
		object, err := l.cluster.get("NodePool", "clusters", "demo-us-east-1a")
		require.NoError(t, err)
		return object.Object("spec").Number("replicas")
	}
	l.Run("-s", "demo", "up", "--yes")
	require.InDelta(t, 5, size(), 0, "an update keeps what others set")
	l.Run("-s", "demo", "up", "--yes", "--take", "cluster.hostedCluster.nodePools[0].replicas")
	require.InDelta(t, 2, size(), 0)

	l.Edit("demo", "zones: [us-east-1a]", "zones: [us-east-1a, us-east-1b]")
	l.Edit("demo", "endpointAccess: Public\n", "endpointAccess: PublicAndPrivate\n")
	plan := l.Run("-s", "demo", "preview")
	require.NotContains(t, plan, "subnet.id", "the subnets of existing pools stay")
	l.Run("-s", "demo", "up", "--yes")
	l.Run("-s", "demo", "preview", "--expect-no-changes")
	l.Run("-s", "demo", "drift")

	require.NoError(t, os.RemoveAll(filepath.Join(l.Dir, ".hypershift-aws")))
	l.refused([]string{"up", "--yes"}, "adopt -s demo")
	aws, objects := l.owned(), l.objects()
	l.Run("-s", "demo", "adopt", "--yes")
	l.Run("-s", "demo", "preview", "--expect-no-changes")
	require.ElementsMatch(t, aws, l.owned())
	require.Equal(t, objects, l.objects())

	l.createAgain()
	for _, args := range [][]string{{"up", "--yes"}, {"refresh", "--yes"}, {"destroy", "--yes", "--cluster", "demo"}} {
		l.refused(args, "created again", "relocate -s demo")
	}
	l.Run("-s", "demo", "relocate", "--yes", "--cluster", "demo")
	l.Run("-s", "demo", "preview", "--expect-no-changes")
	l.Run("-s", "demo", "destroy", "--yes", "--cluster", "demo")
	require.Empty(t, l.owned())
}

// createAgain deletes the HostedCluster and creates it with the same fields.
func (l *liveCluster) createAgain() {
	l.t.Helper()
	path := objectPath("HostedCluster", "clusters", "demo")
	object, err := l.cluster.get("HostedCluster", "clusters", "demo")
	require.NoError(l.t, err)
	metadata := object.Object("metadata")
	for _, own := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields",
		"finalizers"} {
		delete(metadata, own)
	}
	delete(object, "status")
	code, text, err := l.cluster.Try(http.MethodDelete, path, "", nil)
	require.NoError(l.t, err)
	require.Equal(l.t, http.StatusOK, code, "%s", text)
	code, text, err = l.cluster.Try(http.MethodPost, strings.TrimSuffix(path, "/demo"), "application/json", object)
	require.NoError(l.t, err)
	require.Equal(l.t, http.StatusCreated, code, "%s", text)
}
