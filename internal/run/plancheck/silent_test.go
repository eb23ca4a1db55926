package plancheck

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// realCluster is an environment whose management cluster is that of a kubeconfig.
type realCluster struct {
	workspace.Environment
	kubeconfig string
}

func (e realCluster) OpenCluster(config.Kubeconfig) (workspace.Cluster, error) {
	return kubeapi.Open(e.kubeconfig, "")
}

func (realCluster) Select(config.Kubeconfig) (*kubeconfig.Selected, error) { return nil, nil }

// TestNothingWaitsForAManagementClusterThatDidNotSayInTimeWhichOneItIs: the first question may take its time, and no
// other is asked.
func TestNothingWaitsForAManagementClusterThatDidNotSayInTimeWhichOneItIs(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		select { // it never answers
		case <-r.Context().Done():
		case <-done:
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: c, cluster: {server: %q}}]\n"+
		"contexts: [{name: a, context: {cluster: c}}]\n", server.URL), 0o600))
	file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte(`config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    oidc: {bucketName: demo-oidc}
    hostedCluster:
      kubeconfig: {context: management}
      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64
      pullSecret: {env: PULL_SECRET}
`))
	require.NoError(t, err)
	s := &workspace.Stack{Name: "dev", File: file, StateRead: true, State: &state.Deployment{}, Providers: &workspace.Providers{Opened: noAccounts{}},
		Session: &workspace.Session{Environment: realCluster{kubeconfig: path}}}

	c := checker(s)
	ctx, cancel := context.WithTimeout(t.Context(), kubeapi.IdentityWithin/10)
	defer cancel()
	_, reading := c.Connection.ReadIdentity(ctx, *binding.AppliedBy(file))
	require.Error(t, reading.Err)
	asked := requests.Load()
	require.Positive(t, asked)

	object := map[string]any{"kind": "HostedCluster", "metadata": map[string]any{"name": "demo", "namespace": "clusters"}}
	planned := &changes.Plan{
		Steps: []*changes.Step{{
			Type:   "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster",
			Custom: true,
			Change: changes.Create,
			New:    object,
		}},
	}
	require.ErrorContains(t, c.CheckManagementCluster(t.Context()), "the management cluster does not answer")
	require.ErrorContains(t, c.CheckPlan(t.Context(), planned), "the management cluster does not answer")
	require.NoError(t, c.Conflicts.Find(t.Context()))
	_, err = c.Connection.ReadLive(t.Context(), *binding.AppliedBy(file), "clusters", "demo")
	require.Error(t, err)
	_, err = c.Connection.ReadStoredVersions(t.Context(), *binding.AppliedBy(file),
		[]string{"hostedclusters.hypershift.openshift.io"})
	require.Error(t, err)
	require.Equal(t, asked, requests.Load())
}
