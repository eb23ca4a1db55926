package clusterstatus

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// silentCluster is one whose API server does not answer.
type silentCluster struct{ fixedCluster }

func (silentCluster) Schemas(context.Context) (map[string]map[string]any, error) {
	return nil, errors.New("dial tcp 10.0.0.1:6443: connect: connection refused")
}

func TestAManagementClusterThatDoesNotAnswerIsReportedInOneSentence(t *testing.T) {
	t.Parallel()
	_, err := ReadServer(t.Context(), silentCluster{}, "cluster.hostedCluster.kubeconfig")
	require.EqualError(t, err, "the management cluster does not answer: dial tcp 10.0.0.1:6443: connect: connection refused\n"+
		"  check cluster.hostedCluster.kubeconfig, the network and the credentials in it")
}

func TestAManagementClusterWithoutHyperShiftIsRefused(t *testing.T) {
	t.Parallel()
	_, err := ReadServer(t.Context(), fixedCluster{"schema HostedCluster": nil}, "nodePools.kubeconfig")
	require.ErrorContains(t, err, "or correct nodePools.kubeconfig if it selects another cluster")
	require.ErrorContains(t, err, "the management cluster has no kind NodePool in hypershift.openshift.io/v1beta1\n  install HyperShift there")
	_, err = ReadServer(t.Context(), fixedCluster{}, "")
	require.ErrorContains(t, err, "has no kind HostedCluster and no kind NodePool in")
}

func TestFieldsThatAnOlderHyperShiftLacksAreNamed(t *testing.T) {
	t.Parallel()
	text := map[string]any{"type": "string"}
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	server, err := ReadServer(t.Context(), fixedCluster{"schema NodePool": nil,
		"schema HostedCluster": object(map[string]any{
			"spec": object(map[string]any{
				"infraID": text, "labels": map[string]any{"additionalProperties": text},
				"services": map[string]any{"items": object(map[string]any{"service": text})},
				"free":     map[string]any{"x-kubernetes-preserve-unknown-fields": true},
			}),
		})}, "")
	require.NoError(t, err)
	fits := map[string]any{
		"infraID": "x", "labels": map[string]any{"any": "thing"}, "services": []any{map[string]any{"service": "OIDC"}},
		"free": map[string]any{"a": 1},
	}
	require.NoError(t, server.CheckFields(map[string]any{"kind": "HostedCluster", "spec": fits}, nil))
	require.NoError(t, server.CheckFields(map[string]any{
		"kind": "NodePool",
		"spec": fits,
	}, nil), "the server does not publish that schema")
	err = server.CheckFields(map[string]any{"kind": "HostedCluster", "spec": map[string]any{
		"autoNode": map[string]any{}, "services": []any{map[string]any{"service": "x", "new": 1}, map[string]any{"new": 2}},
	}}, func(path string) string { return "key of " + path })
	require.ErrorContains(t, err, "the HyperShift version of the management cluster does not support spec.autoNode, spec.services.new of a HostedCluster\n  upgrade HyperShift there, or remove key of spec.autoNode, key of spec.services.new")
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
		"metadata": map[string]any{"name": "demo", "namespace": "clusters", "uid": "1"},
		"spec":     map[string]any{"infraID": "x-1"}}}
	uid, err := LivingObject(t.Context(), api, "HostedCluster", "x-1", "", ObjectKey{})
	require.NoError(t, err)
	require.Equal(t, "1", uid)
	uid, err = LivingObject(t.Context(), api, "HostedCluster", "x-3", "", ObjectKey{})
	require.NoError(t, err)
	require.Empty(t, uid)
}

// oneNamespace is a management cluster whose caller may read the objects of one namespace.
type oneNamespace struct {
	ManagementCluster
	namespace string
	objects   map[string]map[string]any
	denial    error
}

func (c oneNamespace) List(context.Context, string, string) ([]map[string]any, error) {
	return nil, c.denial
}

func (c oneNamespace) Get(_ context.Context, kind, namespace, name string) (map[string]any, error) {
	if namespace != c.namespace {
		return nil, c.denial
	}
	return c.objects[kind+" "+name], nil
}

// The file of a stack may name another namespace than the one in which another tool has applied the cluster.
func TestTheAbsenceOfAnObjectCountsOnlyWhereAStateHadIt(t *testing.T) {
	t.Parallel()
	denied := apierrors.NewForbidden(schema.GroupResource{Resource: "hostedclusters"}, "", errors.New("not yours"))
	busy := apierrors.NewServiceUnavailable("try again")
	demo := map[string]any{
		"metadata": map[string]any{"name": "demo", "uid": "1"},
		"spec":     map[string]any{"infraID": "x-1"},
	}
	for name, c := range map[string]struct {
		kind, infraID string
		denial        error
		place         ObjectKey
		objects       map[string]map[string]any
		uid           string
		known         bool
	}{
		"no place":            {kind: "HostedCluster", infraID: "x-1", denial: denied},
		"no place, a Cluster": {kind: "Cluster", denial: denied},
		"absent where a state had it": {
			kind:    "HostedCluster",
			infraID: "x-1",
			denial:  denied,
			place:   ObjectKey{Namespace: "own", Name: "demo"},
			known:   true,
		},
		"a place that may not be read": {
			kind:    "HostedCluster",
			infraID: "x-1",
			denial:  denied,
			place:   ObjectKey{Namespace: "other", Name: "demo"},
		},
		"a list that fails": {
			kind:    "HostedCluster",
			infraID: "x-1",
			denial:  busy,
			place:   ObjectKey{Namespace: "own", Name: "demo"},
		},
		"it is still there": {
			kind: "HostedCluster", infraID: "x-1", denial: denied, place: ObjectKey{Namespace: "own", Name: "demo"},
			objects: map[string]map[string]any{"HostedCluster demo": demo}, uid: "1", known: true,
		},
	} {
		uid, err := LivingObject(t.Context(), oneNamespace{
			namespace: "own",
			objects:   c.objects,
			denial:    c.denial,
		}, c.kind, c.infraID, "demo", c.place)
		require.Equal(t, c.uid, uid, name)
		require.Equal(t, c.known, err == nil, "%s: %v", name, err)
	}
}

func TestAKubeconfigThatMayOnlyReadIsRefusedWithWhatItNeeds(t *testing.T) {
	t.Parallel()
	api := fixedCluster{"denied create NodePool clusters": nil, "denied patch Namespace ": nil}
	needed := []Permission{
		{"create", "HostedCluster", "clusters", "a"}, {"create", "NodePool", "clusters", "a"},
		{"create", "NodePool", "clusters", "b"}, {"patch", "Namespace", "", ""},
	}
	err := CheckAccess(t.Context(), api, "capa.kubeconfig", needed)
	require.ErrorContains(t, err, "the user of capa.kubeconfig may not create objects of kind NodePool in namespace clusters, patch objects of kind Namespace")
	require.Equal(t, failure.Refused, failure.ReasonOf(err))
	require.NoError(t, CheckAccess(t.Context(), api, "capa.kubeconfig", needed[:1]))
	require.NoError(t, CheckAccess(t.Context(), api, "capa.kubeconfig", nil))
}

func TestAHostedClusterThatIsBeingDeletedIsNotChanged(t *testing.T) {
	t.Parallel()
	cluster := &HostedCluster{Name: "demo", Namespace: "clusters"}
	object := func(metadata map[string]any) fixedCluster {
		return fixedCluster{"HostedCluster demo": map[string]any{"metadata": metadata}}
	}
	require.NoError(t, CheckNotDeleted(t.Context(), object(map[string]any{}), cluster, "test"))
	require.NoError(t, CheckNotDeleted(t.Context(), fixedCluster{}, cluster, "test"))
	err := CheckNotDeleted(t.Context(), object(map[string]any{
		"deletionTimestamp": "2024-01-02T03:04:05Z",
	}), cluster, "test")
	require.ErrorContains(t, err, "has been in deletion since 2024-01-02T03:04:05Z")
	require.Equal(t, failure.Refused, failure.ReasonOf(err))
}

func TestANamespaceThatIsBeingDeletedTakesNoObjects(t *testing.T) {
	t.Parallel()
	api := fixedCluster{
		"Namespace going": {"metadata": map[string]any{"deletionTimestamp": "2026-01-02T03:04:05Z"}},
		"Namespace there": {"metadata": map[string]any{"name": "there"}},
	}
	require.NoError(t, CheckNamespace(t.Context(), api, "there", "demo"))
	require.NoError(t, CheckNamespace(t.Context(), api, "new", "demo"))
	err := CheckNamespace(t.Context(), api, "going", "demo")
	require.Equal(t, failure.Refused, failure.ReasonOf(err))
	require.ErrorContains(t, err, "the namespace going of the management cluster has been in deletion since 2026-01-02T03:04:05Z")
}

// definitionOf returns the schema of the embedded definition of a kind.
func definitionOf(t *testing.T, file string) map[string]any {
	t.Helper()
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema map[string]any }
			}
		}
	}
	text, err := os.ReadFile("../../value/hypershift/crd/" + file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &definition))
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema
}

func TestTheInstalledVersionOverrulesTheEmbeddedOne(t *testing.T) {
	t.Parallel()
	clusters, pools := definitionOf(t, "hostedclusters.json"), definitionOf(t, "nodepools.json")
	policy := []string{"properties", "spec", "properties", "controllerAvailabilityPolicy", "enum"}
	require.NoError(t, unstructured.SetNestedSlice(clusters, []any{"HighlyAvailable", "FiveReplicas"}, policy...))
	text, err := os.ReadFile("../../value/hypershift/crd/testdata/hostedcluster.json")
	require.NoError(t, err)
	cluster := func(value string) map[string]any {
		var object map[string]any
		require.NoError(t, json.Unmarshal(text, &object))
		require.NoError(t, unstructured.SetNestedField(object, value, "spec", "controllerAvailabilityPolicy"))
		return object
	}
	require.Error(t, hostedcluster.EmbeddedAPI().Validate(cluster("FiveReplicas")))

	live, err := ReadLive(t.Context(), fixedCluster{"schema NodePool": pools, "schema HostedCluster": clusters}, "clusters",
		"acme")
	require.NoError(t, err)
	require.NoError(t, live.API.Validate(cluster("FiveReplicas")))
	require.ErrorContains(t, live.API.Validate(cluster("SingleReplica")), "is refused by the management cluster's API")
	named := cluster("FiveReplicas")
	require.NoError(t, unstructured.SetNestedField(named, "No", "metadata", "name"))
	require.ErrorContains(t, live.API.Validate(named), "RFC 1123")
	moved := cluster("FiveReplicas")
	require.NoError(t, unstructured.SetNestedField(moved, "other", "spec", "infraID"))
	require.ErrorContains(t, live.API.ValidateUpdate(moved, cluster("FiveReplicas")), "spec.infraID")

	live, err = ReadLive(t.Context(), fixedCluster{"schema NodePool": nil, "schema HostedCluster": clusters}, "clusters",
		"acme")
	require.NoError(t, err)
	require.Nil(t, live.API, "the embedded API judges where a schema is not published")
}

func TestAValueThatTheInstalledVersionRefusesIsRefusedWithItsKey(t *testing.T) {
	t.Parallel()
	published := definitionOf(t, "hostedclusters.json")
	blocks, _, _ := unstructured.NestedMap(published, "properties", "spec", "properties", "networking", "properties",
		"apiServer", "properties", "allowedCIDRBlocks")
	require.NotEmpty(t, blocks)
	blocks["maxItems"] = 2.0 // as an earlier version has it
	require.NoError(t, unstructured.SetNestedMap(published, blocks, "properties", "spec", "properties", "networking",
		"properties", "apiServer", "properties", "allowedCIDRBlocks"))
	server, err := ReadServer(t.Context(), fixedCluster{"schema NodePool": nil, "schema HostedCluster": published}, "")
	require.NoError(t, err)
	text, err := os.ReadFile("../../value/hypershift/crd/testdata/hostedcluster.json")
	require.NoError(t, err)
	cluster := func(infraID string, cidrs ...any) map[string]any {
		var object map[string]any
		require.NoError(t, json.Unmarshal(text, &object))
		require.NoError(t, unstructured.SetNestedField(object, infraID, "spec", "infraID"))
		require.NoError(t, unstructured.SetNestedSlice(object, cidrs, "spec", "networking", "apiServer", "allowedCIDRBlocks"))
		return object
	}
	key := func(path string) string { return "the key of " + path }
	three := []any{"192.0.2.1/32", "192.0.2.2/32", "192.0.2.3/32"}
	require.NoError(t, server.CheckValues(cluster("x", three[:2]...), nil, "", key))
	err = server.CheckValues(cluster("x", three...), nil, "", key)
	require.ErrorContains(t, err, "allowedCIDRBlocks: \"3\" is refused by the management cluster's API: too many")
	require.ErrorContains(t, err, "correct the key of spec.networking.apiServer.allowedCIDRBlocks")
	require.NoError(t, server.CheckValues(cluster("x", append(three, "not known")...), nil, "not known", key))
	require.NoError(t, server.CheckValues(cluster("x", three...), cluster("x", three...), "", key),
		"it was accepted before")
	require.ErrorContains(t, server.CheckValues(cluster("-x", three[:2]...), nil, "", key), "infraID must consist of")
	require.NoError(t, server.CheckValues(cluster("-x not known", three[:2]...), nil, "not known", key))
}

// secretless is a cluster whose user may not get Secrets.
type secretless struct{ fixedCluster }

func (c secretless) Get(ctx context.Context, kind, namespace, name string) (map[string]any, error) {
	if kind == "Secret" {
		return nil, apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, name, errors.New("RBAC"))
	}
	return c.fixedCluster.Get(ctx, kind, namespace, name)
}

func TestAUserWhoMayNotReadTheKubeconfigIsToldWhatToGrant(t *testing.T) {
	t.Parallel()
	_, err := ReadAccess(t.Context(), secretless{fixedCluster{"HostedCluster demo": {
		"status": map[string]any{"kubeconfig": map[string]any{"name": "demo-admin-kubeconfig"}},
	}}}, &HostedCluster{Name: "demo", Namespace: "clusters"}, "dev", "cluster.hostedCluster.kubeconfig")
	require.EqualError(t, err, "the user of cluster.hostedCluster.kubeconfig may not get Secret clusters/demo-admin-kubeconfig "+
		"in the management cluster\n  grant it a role with the verb get for this Secret there, or use another kubeconfig or context")
}
