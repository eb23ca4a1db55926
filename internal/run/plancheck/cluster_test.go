package plancheck

import (
	"context"
	"errors"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/heldfields"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// olderCluster is a management cluster whose HyperShift lacks a field of HostedClusters.
type olderCluster struct{ workspace.Cluster }

func (olderCluster) Close() error { return nil }

func (olderCluster) Schemas(context.Context) (map[string]map[string]any, error) {
	spec := map[string]any{"type": "object", "properties": map[string]any{"infraID": map[string]any{"type": "string"}}}
	return map[string]map[string]any{
		"NodePool":      nil,
		"HostedCluster": {"type": "object", "properties": map[string]any{"spec": spec}},
	}, nil
}

// onlyCluster is an environment with one management cluster.
type onlyCluster struct {
	workspace.Environment
	cluster workspace.Cluster
}

func (e onlyCluster) OpenCluster(config.Kubeconfig) (workspace.Cluster, error) {
	return e.cluster, nil
}

func (onlyCluster) Select(config.Kubeconfig) (*kubeconfig.Selected, error) { return nil, nil }

// checker returns the checks of a stack's plans.
func checker(s *workspace.Stack) *Checker {
	connection := &binding.Connection{Stack: s}
	return &Checker{Stack: s, Connection: connection, Conflicts: &heldfields.Conflicts{Stack: s, Connection: connection}}
}

// deployed returns a stack whose HostedCluster exists in the management cluster of an environment.
func deployed(t *testing.T, cluster workspace.Cluster) *workspace.Stack {
	t.Helper()
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
	object := map[string]any{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
		"metadata": map[string]any{"name": "demo", "namespace": "clusters"},
		"spec":     map[string]any{"infraID": "demo-x1", "autoNode": map[string]any{}},
	}
	s := &workspace.Stack{Name: "dev", File: file, StateRead: true, Session: &workspace.Session{Environment: onlyCluster{cluster: cluster}}}
	s.State = &state.Deployment{Resources: []*state.Resource{{ResourceV3: apitype.ResourceV3{
		URN: resource.URN("urn:pulumi:dev::hypershift-aws::kubernetes:hypershift.openshift.io/v1beta1:HostedCluster::demo"), Custom: true, ID: "clusters/demo",
		Type: "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster", Inputs: object,
	}}}}
	return s
}

// TestAFieldThatAnOlderHyperShiftLacksIsRefusedBeforeThePreviewOfAnUpdate: the engine's preview would fail there, with
// the API server's words. The gate is asked before the engine starts, with what the file applies to an object that
// exists.
func TestAFieldThatAnOlderHyperShiftLacksIsRefusedBeforeThePreviewOfAnUpdate(t *testing.T) {
	t.Parallel()
	s := deployed(t, olderCluster{})
	require.ErrorContains(t, checker(s).CheckManagementCluster(t.Context()),
		"the HyperShift version of the management cluster does not support spec.autoNode of a HostedCluster\n  upgrade HyperShift there, or remove cluster.hostedCluster.autoNode")
}

// noAccounts are the accounts of an engine that is not started.
type noAccounts struct{ workspace.Accounts }

// unlisted is a management cluster that does not list objects.
type unlisted struct{ olderCluster }

func (unlisted) List(context.Context, string, string) ([]map[string]any, error) {
	return nil, errors.New("etcdserver: request timed out")
}

func TestAnUpdateStopsIfTheFieldsOfOthersAreNotRead(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, checker(deployed(t, unlisted{})).Conflicts.Find(t.Context()),
		"which fields other clients of the management cluster hold was not read: etcdserver: request timed out")
}

// reader is a management cluster whose user may only read.
type reader struct{ olderCluster }

func (reader) Allowed(_ context.Context, p clusterstatus.Permission) (bool, error) {
	return p.Verb == "get", nil
}

func TestAPreviewThatTheAPIServerForbidsNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	forbidden := errors.New(`PATCH /apis/hypershift.openshift.io/v1beta1/...: 403: hostedclusters "demo" is forbidden: User "a" cannot patch resource "hostedclusters"`)
	require.Equal(t, checker(deployed(t, reader{})).Explain(t.Context(), forbidden).Error(),
		checker(deployed(t, reader{})).Explain(t.Context(), &failure.Error{
			Reason: failure.Failed, Problem: "preview of stack test failed: see above", Reported: []string{forbidden.Error()},
		}).Error(), "as the engine's run returns it")
	err := checker(deployed(t, reader{})).Explain(t.Context(), forbidden)
	require.EqualError(t, err, "the user of cluster.hostedCluster.kubeconfig may not patch objects of kind HostedCluster in namespace clusters "+
		"in the management cluster\n  grant it a role with these verbs there, or use another kubeconfig or context")
	require.ErrorIs(t, err, forbidden)
	other := errors.New("AccessDenied: not in the management cluster")
	require.Equal(t, other, checker(deployed(t, reader{})).Explain(t.Context(), other))
}
