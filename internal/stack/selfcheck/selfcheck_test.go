package selfcheck

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// serve returns the kubeconfig of a management cluster with the UID "hub", and answers requests by their paths.
func serve(t *testing.T, answers map[string]string) *config.Kubeconfig {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer, known := answers[r.URL.Path]
		switch {
		case r.URL.Path == "/api/v1/namespaces/kube-system":
			answer = `{"kind":"Namespace","metadata":{"name":"kube-system","uid":"hub"}}`
		case !known:
			w.WriteHeader(http.StatusNotFound)
			answer = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"none","code":404}`
		case answer == "":
			w.WriteHeader(http.StatusForbidden)
			answer = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"you may not","code":403}`
		}
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	return kubeconfigFor(t, server.URL)
}

// kubeconfigFor returns the kubeconfig of an API server.
func kubeconfigFor(t *testing.T, url string) *config.Kubeconfig {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q}}]
users: [{name: u, user: {token: t0ken}}]
contexts: [{name: hub, context: {cluster: c, user: u}}]
current-context: hub
`, url), 0o600))
	return &config.Kubeconfig{File: path}
}

func TestAProgramTakesNoClusterForGoneAndNodePoolsIfTheirOwnerIs(t *testing.T) {
	t.Parallel()
	const hostedClusters = "/apis/hypershift.openshift.io/v1beta1/hostedclusters"
	const hostedCluster = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/demo"
	const clusters = "/apis/cluster.x-k8s.io/v1beta2/clusters"
	list := func(infraID string) string {
		return `{"kind":"HostedClusterList","items":[{"metadata":{"name":"demo","namespace":"clusters","uid":"1"},"spec":{"infraID":"` + infraID + `"}}]}`
	}
	hosted := func(kubeconfig *config.Kubeconfig) stacks.Dependent {
		return stacks.Dependent{Kind: config.KindCluster, Name: "demo", ManagementCluster: "hub", Section: &config.Cluster{
			Cluster:       hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
			HostedCluster: &config.HostedCluster{Kubeconfig: kubeconfig},
		}}
	}
	machines := func(kubeconfig *config.Kubeconfig) stacks.Dependent {
		return stacks.Dependent{
			Kind:              config.KindCAPA,
			Name:              "demo",
			ManagementCluster: "hub",
			Section:           &config.CAPA{Args: capa.Args{Name: "demo"}, Kubeconfig: kubeconfig},
		}
	}
	pools := func(kubeconfig *config.Kubeconfig) stacks.Dependent {
		return stacks.Dependent{
			Kind:              config.KindNodePools,
			Name:              "demo",
			ManagementCluster: "hub",
			Section:           &config.NodePools{Name: "demo", Kubeconfig: kubeconfig},
		}
	}
	owner := map[string]string{hostedCluster: `{"kind":"HostedCluster","metadata":{"name":"demo","uid":"1"}}`}
	elsewhere := hosted(serve(t, nil))
	elsewhere.ManagementCluster = "other"
	unrecorded := hosted(serve(t, nil))
	unrecorded.ManagementCluster = ""
	for name, c := range map[string]struct {
		of   stacks.Dependent
		want string
	}{
		"its namespace alone may be read": {hosted(serve(t, map[string]string{hostedClusters: ""})), "cannot be read"},
		"a Cluster in another namespace":  {machines(serve(t, map[string]string{clusters: `{"kind":"ClusterList","items":[{"metadata":{"name":"demo","namespace":"other","uid":"1"}}]}`})), "its management cluster has it"},
		"alive":                           {hosted(serve(t, map[string]string{hostedClusters: list("demo-x1")})), "its management cluster has it"},
		"another cluster": {hosted(serve(t, map[string]string{
			hostedClusters: list("other-x1"),
		})), "AWS could not be searched for it"},
		"not readable": {hosted(serve(t, map[string]string{
			hostedClusters: "",
			hostedCluster:  "",
		})), "cannot be read"},
		"no answer":                 {hosted(&config.Kubeconfig{File: "none"}), "cannot be read"},
		"another management":        {elsewhere, "does not select the management cluster that the stack records"},
		"never recorded":            {unrecorded, "the stack records no management cluster"},
		"no management cluster":     {hosted(nil), "has no management cluster"},
		"a Cluster that is alive":   {machines(serve(t, map[string]string{clusters: `{"kind":"ClusterList","items":[{"metadata":{"name":"demo","namespace":"default","uid":"1"}}]}`})), "its management cluster has it"},
		"a Cluster that is deleted": {machines(serve(t, nil)), "AWS could not be searched for it"},
		"the owner of node pools":   {pools(serve(t, owner)), "its management cluster has it"},
		"an owner that is deleted":  {pools(serve(t, nil)), ""},
	} {
		why := (&reader{open: OpenSelected}).alive(t.Context(), c.of)
		if c.want == "" {
			require.Empty(t, why, name)
		} else {
			require.Contains(t, why, c.want, name)
		}
	}
}

// The namespace kube-system may not be read, or was not when the stack was created.
func TestAManagementClusterIsIdentifiedByTheObjectsOfTheLastState(t *testing.T) {
	t.Parallel()
	const path = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/demo"
	const object = "urn:pulumi:dev::hypershift-aws::hypershift-aws:hostedcluster:HostedCluster$kubernetes:hypershift.openshift.io/v1beta1:HostedCluster::demo"
	const stash = "urn:pulumi:dev::hypershift-aws::pulumi:index:Stash::management-cluster"
	applied := map[string]map[string]any{
		object: {"kind": "HostedCluster", "metadata": map[string]any{"namespace": "clusters", "name": "demo", "uid": "1"}},
	}
	recorded := maps.Clone(applied)
	recorded[stash] = map[string]any{"output": "hub"}
	const pool = "urn:pulumi:dev::hypershift-aws::hypershift-aws:hostedcluster:NodePools$kubernetes:hypershift.openshift.io/v1beta1:NodePool::gpu"
	pools := map[string]map[string]any{
		pool: {
			"kind":     "NodePool",
			"metadata": map[string]any{"namespace": "clusters", "name": "gpu", "uid": "1"},
			"spec":     map[string]any{"clusterName": "demo"},
		},
		stash: {"output": "hub"},
	}
	named := func(uid, mark string) map[string]string {
		return map[string]string{"/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools/gpu": `{"kind":"NodePool","metadata":{"name":"gpu","uid":"` +
			uid + `","annotations":{"hypershift-aws/stack":"` + mark + `"}}}`}
	}
	living := func(uid string) map[string]string {
		return map[string]string{path: `{"kind":"HostedCluster","metadata":{"name":"demo","namespace":"clusters","uid":"` + uid + `"}}`}
	}
	for name, c := range map[string]struct {
		outputs map[string]map[string]any
		answers map[string]string
		uid     string
		want    string
	}{
		"a first update":                         {nil, nil, "", ""},
		"it has the object":                      {applied, living("1"), "", ""},
		"it has the object, and can be read now": {applied, living("1"), "hub", ""},
		"it has another object of the name":      {applied, living("2"), "", "the UID of its object is 2, not 1"},
		"it does not have the object":            {applied, nil, "", "it cannot be identified as the one that had it"},
		"it does not have the object, and is read": {applied, nil, "other",
			"it cannot be identified as the one that had it"},
		"its object may not be read":              {applied, map[string]string{path: ""}, "", "cannot be read"},
		"the recorded one, without the object":    {recorded, nil, "hub", ""},
		"the recorded one, with another object":   {recorded, living("2"), "hub", "was deleted there and created again"},
		"recorded, not readable, with the object": {recorded, living("1"), "", ""},
		"its node pool":                           {pools, named("1", "hypershift-aws/dev"), "hub", ""},
		"its node pool was deleted":               {pools, nil, "hub", ""},
		"its node pool was created again by others": {pools, named("2",
			""), "hub", "it was deleted there and created again"},
		"its node pool belongs to another stack": {pools, named("1",
			"team/other"), "hub", "it belongs to stack team/other"},
		"recorded, not readable, without the object": {recorded, nil, "", "it cannot be identified as the one that had it"},
	} {
		err := (&reader{open: OpenSelected}).identified(t.Context(), *serve(t, c.answers), c.uid, stacks.LastState{
			Stack:   "dev",
			Kind:    config.KindCluster,
			Outputs: c.outputs,
		})
		if c.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.want, name)
		}
	}
}

func TestAfterAReadWithoutAnAnswerTheProgramAsksNoMore(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	r := &reader{open: OpenSelected}
	_, err := r.clusterUID(t.Context(), *kubeconfigFor(t, server.URL))
	require.Error(t, err)
	require.Equal(t, err, r.silent)
}
