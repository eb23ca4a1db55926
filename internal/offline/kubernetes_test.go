package offline

import (
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

const (
	configMapToken = "kubernetes:core/v1:ConfigMap"
	secretToken    = "kubernetes:core/v1:Secret"
)

func inNamespace(namespace, name string, more props.Map) props.Map {
	p := props.Map{"metadata": map[string]any{"namespace": namespace, "name": name}}
	for key, value := range more {
		p[key] = value
	}
	return p
}

func TestObjectsAreCreatedReadAsCreatedAndDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := attachTo(t, serve(t, Options{Dir: dir}), "kubernetes", props.Map{})
	namespace := props.Map{"metadata": map[string]any{"name": "hypershift"}}
	id, made := e.create(kubernetes.NamespaceToken, namespace)
	require.Equal(t, "hypershift", id)
	require.Equal(t, "Namespace", made["kind"])
	require.NotEmpty(t, made.Object("metadata").String("uid"))
	require.Equal(t, "hypershift", made.Object("metadata").Object("labels").String("kubernetes.io/metadata.name"))

	secret := inNamespace("hypershift", "aws", props.Map{"stringData": map[string]any{"credentials": "[default]"}})
	id, made = e.create(secretToken, secret)
	require.Equal(t, "hypershift/aws", id)
	require.Equal(t, "W2RlZmF1bHRd", made.Object("data").String("credentials"))
	require.Equal(t, "[default]", made.Object("__inputs").Object("stringData").String("credentials"),
		"what was given is in the state of each kind")
	require.Equal(t, "v1", made.String("__initialApiVersion"))
	require.NotEmpty(t, made.String("__fieldManager"))
	e.id(configMapToken, inNamespace("kube-public", "oidc", props.Map{"data": map[string]any{"name": "demo-oidc"}}))
	for token, object := range map[string]props.Map{kubernetes.NamespaceToken: namespace, secretToken: secret} {
		inputs := e.valid(token, object)
		_, _, found := e.read(token, kubernetes.ObjectKinds()[token].ID(inputs), inputs)
		require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, e.diff(token, inputs, found).GetChanges(), token)
	}

	clusters, err := Clusters(dir)
	require.NoError(t, err)
	require.Len(t, clusters, 1)
	require.Len(t, objectsOf(t, clusters[0]), 3)
	require.NoError(t, e.delete(kubernetes.NamespaceToken, "hypershift"))
	require.Len(t, objectsOf(t, clusters[0]), 1, "the objects of a namespace are deleted with it")
	require.NoError(t, e.delete(configMapToken, "kube-public/oidc"))
	require.Empty(t, objectsOf(t, clusters[0]))
}

// The API server returns data, and the provider compares it with the text that the program gave.
// https://github.com/pulumi/pulumi-kubernetes/blob/v4.30.0/provider/pkg/clients/unstructured.go (normalizeSecret)
func TestAChangeByOthersOfASecretThatWasGivenAsTextIsADifference(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := attachTo(t, serve(t, Options{Dir: dir}), "kubernetes", props.Map{})
	inputs := e.valid(secretToken, inNamespace("default", "aws", props.Map{
		"stringData": map[string]any{"credentials": "[default]"},
	}))
	id, _ := e.create(secretToken, inputs)
	clusters, err := Clusters(dir)
	require.NoError(t, err)
	require.NoError(t, clusters[0].Edit("Secret", "default", "aws", "kubectl", func(object map[string]any) {
		object["data"] = map[string]any{"credentials": "b3RoZXI="}
	}))
	_, _, found := e.read(secretToken, id, inputs)
	require.Equal(t, pulumirpc.DiffResponse_DIFF_SOME, e.diff(secretToken, inputs, found).GetChanges())
	require.NoError(t, clusters[0].Edit("Secret", "default", "aws", "kubectl", func(object map[string]any) {
		object["data"] = map[string]any{"credentials": "W2RlZmF1bHRd", "more": "b3RoZXI="}
	}))
	_, _, found = e.read(secretToken, id, inputs)
	require.Equal(t, pulumirpc.DiffResponse_DIFF_NONE, e.diff(secretToken, inputs, found).GetChanges(),
		"a key that the program does not have is another client's")
}

func TestTheAPIServerRefuses(t *testing.T) {
	t.Parallel()
	e := attachTo(t, serve(t, Options{}), "kubernetes", props.Map{})
	e.id(configMapToken, inNamespace("default", "taken", nil))
	for _, c := range []struct {
		token  string
		object props.Map
		want   string
	}{
		{configMapToken, inNamespace("none", "x", nil), `namespaces "none" not found`},
		{configMapToken, inNamespace("default", "taken", nil), `configmaps "taken" already exists`},
		{kubernetes.NamespaceToken, props.Map{"metadata": map[string]any{"name": "kube-system"}}, `namespaces "kube-system" already exists`},
	} {
		_, _, err := e.try(c.token, c.object, false)
		require.ErrorContains(t, err, c.want)
	}
	for _, object := range []props.Map{
		inNamespace("default", "Upper", nil), inNamespace("default", "a..b", nil),
		inNamespace("default", strings.Repeat("a", 254), nil),
		inNamespace("default", "x", props.Map{"data": map[string]any{"a b": "c"}}),
		inNamespace("default", "x", props.Map{"datum": "c"}), inNamespace("default", "x", props.Map{"data": "c"}),
	} {
		_, failures := e.check(configMapToken, object)
		require.NotEmpty(t, failures, object)
	}
}

func TestOnlyIdentityAndImmutableFieldsReplaceAnObject(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	with := func(more props.Map) props.Map {
		o := inNamespace("default", "x", more)
		o["kind"], o["apiVersion"] = "Secret", "v1"
		return o
	}
	changed := with(props.Map{"stringData": map[string]any{"a": "2"}})
	before := with(props.Map{"stringData": map[string]any{"a": "1"}})
	for _, c := range []struct {
		name        string
		config      props.Map
		olds, news  props.Map
		replaces    []string
		deleteFirst bool
	}{
		{"its data", props.Map{}, before, changed, []string{"stringData"}, true},
		{"its data, where the provider may change it", props.Map{"enableSecretMutable": "true"}, before, changed, nil, false},
		{"its data, where it is immutable", props.Map{"enableSecretMutable": "true"},
			with(props.Map{"immutable": true, "stringData": map[string]any{"a": "1"}}),
			with(props.Map{"immutable": true, "stringData": map[string]any{"a": "2"}}), []string{"stringData"}, true},
		{"its type", props.Map{}, before, with(props.Map{
			"type":       "tls",
			"stringData": map[string]any{"a": "1"},
		}), []string{"type"}, true},
		{"its name", props.Map{}, before, inNamespace("default", "y", props.Map{"kind": "Secret", "apiVersion": "v1",
			"stringData": map[string]any{"a": "1"}}), []string{"metadata"}, false},
		{"its labels", props.Map{}, before, with(props.Map{"stringData": map[string]any{"a": "1"},
			"metadata": map[string]any{"namespace": "default", "name": "x", "labels": map[string]any{"a/b": "c"}}}), nil, false},
	} {
		diff := attachTo(t, server, "kubernetes", c.config).diff(secretToken, c.olds, c.news)
		require.Equal(t, pulumirpc.DiffResponse_DIFF_SOME, diff.GetChanges(), c.name)
		require.Equal(t, c.replaces, diff.GetReplaces(), c.name)
		require.Equal(t, c.deleteFirst, diff.GetDeleteBeforeReplace(), c.name)
	}
}

func TestTwoContextsAreTwoClusters(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	id := attachTo(t, server, "kubernetes",
		props.Map{"context": "one"}).id(configMapToken, inNamespace("default", "x", nil))
	found, _, _ := attachTo(t, server, "kubernetes", props.Map{"context": "two"}).read(configMapToken, id, nil)
	require.Empty(t, found)
	found, _, _ = attachTo(t, server, "kubernetes", props.Map{"context": "one"}).read(configMapToken, id, nil)
	require.Equal(t, id, found)
}

func objectsOf(t *testing.T, cluster *kubernetes.Cluster) []kubernetes.Object {
	t.Helper()
	objects, err := cluster.Objects()
	require.NoError(t, err)
	return objects
}
