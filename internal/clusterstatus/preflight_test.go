package clusterstatus

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// silentCluster is one whose API server does not answer.
type silentCluster struct{ fixedCluster }

func (silentCluster) Schemas(context.Context) (map[string]map[string]any, error) {
	return nil, errors.New("dial tcp 10.0.0.1:6443: connect: connection refused")
}

func TestAManagementClusterThatDoesNotAnswerIsReportedInOneSentence(t *testing.T) {
	t.Parallel()
	_, err := ReadServer(t.Context(), silentCluster{})
	require.EqualError(t, err, "the management cluster does not answer: dial tcp 10.0.0.1:6443: connect: connection refused\n"+
		"  check cluster.hostedCluster.kubeconfig, the network and the credentials in it")
}

func TestAManagementClusterWithoutHyperShiftIsRefused(t *testing.T) {
	t.Parallel()
	_, err := ReadServer(t.Context(), fixedCluster{"schema HostedCluster": nil})
	require.ErrorContains(t, err, "the management cluster has no kind NodePool in hypershift.openshift.io/v1beta1\n  install HyperShift there")
	_, err = ReadServer(t.Context(), fixedCluster{})
	require.ErrorContains(t, err, "has no kind HostedCluster and no kind NodePool in")
}

func TestFieldsThatAnOlderHyperShiftLacksAreNamed(t *testing.T) {
	t.Parallel()
	text := map[string]any{"type": "string"}
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	server, err := ReadServer(t.Context(), fixedCluster{"schema NodePool": nil, "schema HostedCluster": object(map[string]any{
		"spec": object(map[string]any{
			"infraID": text, "labels": map[string]any{"additionalProperties": text},
			"services": map[string]any{"items": object(map[string]any{"service": text})},
			"free":     map[string]any{"x-kubernetes-preserve-unknown-fields": true},
		}),
	})})
	require.NoError(t, err)
	fits := map[string]any{
		"infraID": "x", "labels": map[string]any{"any": "thing"}, "services": []any{map[string]any{"service": "OIDC"}}, "free": map[string]any{"a": 1},
	}
	require.NoError(t, server.CheckFields(map[string]any{"kind": "HostedCluster", "spec": fits}))
	require.NoError(t, server.CheckFields(map[string]any{"kind": "NodePool", "spec": fits}), "the server does not publish that schema")
	err = server.CheckFields(map[string]any{"kind": "HostedCluster", "spec": map[string]any{
		"autoNode": map[string]any{}, "services": []any{map[string]any{"service": "x", "new": 1}, map[string]any{"new": 2}},
	}})
	require.ErrorContains(t, err, "the HyperShift version of the management cluster does not support spec.autoNode, spec.services.new of a HostedCluster\n  upgrade")
}

func TestAKubeconfigThatLeadsToAnotherClusterIsRefused(t *testing.T) {
	t.Parallel()
	cluster := &HostedCluster{Name: "demo", Namespace: "clusters", UID: "u-1"}
	object := func(uid string) map[string]any { return map[string]any{"metadata": map[string]any{"uid": uid}} }
	require.NoError(t, CheckIdentity(t.Context(), fixedCluster{"HostedCluster demo": object("u-1")}, cluster, "test"))
	require.ErrorContains(t, CheckIdentity(t.Context(), fixedCluster{}, cluster, "test"),
		"the management cluster has no HostedCluster clusters/demo, which stack test created\n  correct cluster.hostedCluster.kubeconfig")
	require.ErrorContains(t, CheckIdentity(t.Context(), fixedCluster{"HostedCluster demo": object("u-2")}, cluster, "test"), "its UID is u-2, not u-1")
}

func TestTagsAreTakenOverOnlyFromHyperShiftsOperator(t *testing.T) {
	t.Parallel()
	for manager, want := range map[string]bool{"hypershift-operator-manager": true, "kubectl-edit": false} {
		api := fixedCluster{"manager " + manager + " of HostedCluster demo spec.platform.aws.resourceTags": nil}
		taken, err := TakeOverTags(t.Context(), api, &HostedCluster{Name: "demo", Namespace: "clusters"})
		require.NoError(t, err)
		require.Equal(t, want, taken, manager)
	}
}

func TestAnActiveClusterIsFoundByItsInfraID(t *testing.T) {
	t.Parallel()
	api := fixedCluster{"HostedCluster other": {"spec": map[string]any{"infraID": "x-2"}}, "HostedCluster demo": {
		"metadata": map[string]any{"name": "demo", "namespace": "clusters"}, "spec": map[string]any{"infraID": "x-1"}}}
	object, err := FindLiving(t.Context(), api, "x-1", "clusters", "demo")
	require.NoError(t, err)
	require.Equal(t, &HostedCluster{Name: "demo", Namespace: "clusters"}, object)
	object, err = FindLiving(t.Context(), api, "", "clusters", "demo")
	require.NoError(t, err)
	require.Nil(t, object)
}
