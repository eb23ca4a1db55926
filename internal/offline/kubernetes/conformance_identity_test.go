package kubernetes

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	capacrd "github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

// Two real API servers have objects with equal names: each is identified by its namespace kube-system, and by the
// object alone where the namespace may not be read.
func TestARealAPIServerIsIdentified(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the identity of a real API server, which make conformance builds and starts")
	}
	own := &clusterstatus.ObjectKey{Kind: "ConfigMap", Namespace: "default", Name: "demo"}
	var identities []gate.Identity
	var paths []string
	for range 2 {
		server := startAPIServer(t, *apiserver.Folder)
		k := ObjectKinds()["kubernetes:core/v1:ConfigMap"]
		require.Eventually(t, func() bool {
			return server.get(ObjectKinds()[NamespaceToken], "", "kube-system").Code == http.StatusOK
		},
			time.Minute, 100*time.Millisecond)
		created := server.create(k, named("v1", "ConfigMap", own.Namespace, own.Name, nil))
		require.Equal(t, http.StatusCreated, created.Code, created.Message)
		path, err := server.Kubeconfig()
		require.NoError(t, err)
		uid, err := clusterUID(t, path, "admin")
		require.NoError(t, err)
		require.NotEmpty(t, uid)
		forbidden, err := clusterUID(t, path, "stranger")
		require.NoError(t, err)
		require.Empty(t, forbidden)
		identities = append(identities, gate.Identity{
			ManagementCluster: uid,
			Object:            props.Map(created.Object).Object("metadata").String("uid"),
		})
		paths = append(paths, path)
	}
	for i, path := range paths {
		api, err := kubeapi.Open(path, "admin")
		require.NoError(t, err)
		for of, identity := range identities {
			_, reading := clusterstatus.ReadIdentity(t.Context(), api, api.ClusterUID, identity, own, nil)
			require.NoError(t, reading.Err)
			require.Equal(t, i == of, identity.Proved(reading))
			require.Equal(t, i != of, identity.Other(reading) != "")
			only := gate.Identity{Object: identity.Object}
			require.Equal(t, i != of, only.Other(reading) != "", "by the object alone")
			verdict := gate.JudgeIdentity(gates.Destroy, gate.Subject{Stack: "demo"}, identity, reading)
			require.Equal(t, i != of, verdict.Refused != nil)
		}
	}
}

// unreadable returns kubeconfigs by which a server cannot be read: the server answers, but not to this caller, or it is
// not at the address.
func unreadable(t *testing.T, server *apiServer, kubeconfig string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(kubeconfig)
	require.NoError(t, err)
	other := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	ca := filepath.Join(t.TempDir(), "other.crt")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{
		Type:  "CERTIFICATE",
		Bytes: other.Certificate().Raw,
	}), 0o600))
	paths := map[string]string{}
	for name, replaced := range map[string][2]string{
		"401": {"token: conformance", "token: nobody"}, "x509": {server.CA(), ca},
		"DNS":          {server.Address, "https://server.invalid:6443"},
		"another port": {server.Address, "https://" + apiserver.FreeAddress(t)},
	} {
		require.Contains(t, string(text), replaced[0])
		paths[name] = filepath.Join(t.TempDir(), "kubeconfig")
		require.NoError(t, os.WriteFile(paths[name], []byte(strings.ReplaceAll(string(text), replaced[0], replaced[1])),
			0o600))
	}
	return paths
}

// What a real API server answers about the stack's HostedCluster or Cluster, or does not answer, decides with AWS's
// lists whether the cluster is alive: a case for each row of the table of life.
func TestARealAPIServerTellsWhetherAClusterIsAlive(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the life of a cluster by a real API server, which make conformance builds and starts")
	}
	server := startAPIServer(t, *apiserver.Folder)
	require.Eventually(t, func() bool {
		return server.get(ObjectKinds()[NamespaceToken], "", "kube-system").Code == http.StatusOK
	},
		time.Minute, 100*time.Millisecond)
	server.install("../../../internal/value/hypershift/crd/hostedclusters.json",
		"../../../internal/value/capa/crd/clusters.json.gz")
	namespace := server.create(ObjectKinds()[NamespaceToken], named("v1", "Namespace", "", "clusters", nil))
	require.Equal(t, http.StatusCreated, namespace.Code, namespace.Message)
	path, err := server.Kubeconfig()
	require.NoError(t, err)
	cluster, err := clusterUID(t, path, "admin")
	require.NoError(t, err)
	silent := unreadable(t, server, path)

	none, denied, throttled := gate.InAWS{}, gate.InAWS{
		Err: errors.New("AccessDenied"),
	}, gate.InAWS{Err: errors.New("RequestLimitExceeded")}
	instance := gate.InAWS{Signs: []string{"instance i-1"}, Instances: []string{"instance i-1"}}
	endpoint, target := gate.InAWS{Signs: []string{"VPC endpoint vpce-1"}}, gate.InAWS{Signs: []string{"target 10.0.0.7"}}
	judge := func(name string, identity gate.Identity, reading gate.Reading, inAWS gate.InAWS, want gates.Life) {
		t.Helper()
		facts := gate.FactsOf(identity, reading, false, false)
		facts.InAWS = func() gate.InAWS { return inAWS }
		life, evidence := gate.LifeOf(facts)
		require.Equal(t, want, life, "%s: %s", name, evidence)
	}
	asksAWS := func(name string, identity gate.Identity, reading gate.Reading) {
		t.Helper()
		judge(name+", instance", identity, reading, instance, gates.Alive)
		judge(name+", endpoint", identity, reading, endpoint, gates.Alive)
		judge(name+", target", identity, reading, target, gates.Alive)
		judge(name+", denied", identity, reading, denied, gates.Unknown)
		judge(name+", throttled", identity, reading, throttled, gates.Unknown)
		want := gates.Unknown
		if !identity.Known() && reading.Err == nil {
			want = gates.Gone
		}
		judge(name+", nothing", identity, reading, none, want)
	}
	asksAWS("never recorded", gate.Identity{}, gate.Reading{})
	var last gate.Identity
	var lastKey *clusterstatus.ObjectKey
	readAs := func(file, user string, identity gate.Identity, own *clusterstatus.ObjectKey) gate.Reading {
		api, err := kubeapi.Open(file, user)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), kubeapi.IdentityWithin)
		defer cancel()
		_, reading := clusterstatus.ReadIdentity(ctx, api, api.ClusterUID, identity, own, nil)
		return reading
	}
	for _, object := range []props.Map{scriptCluster(), scriptCAPACluster()} {
		kind := object.String("kind")
		own := &clusterstatus.ObjectKey{Kind: kind, Namespace: "clusters", Name: "demo"}
		k := kindOf(t, object)
		create := func() string {
			created := server.create(k, object.Clone())
			require.Equal(t, http.StatusCreated, created.Code, created.Message)
			return props.Map(created.Object).Object("metadata").String("uid")
		}
		recorded := gate.Identity{ManagementCluster: cluster, Object: create()}
		judge(kind+": recorded, with the object", recorded, readAs(path, "admin", recorded, own), none, gates.Alive)
		stranger := readAs(path, "stranger", recorded, own)
		require.Error(t, stranger.Err, "a stranger may read neither the namespace nor the object")
		asksAWS(kind+": 403", recorded, stranger)
		for how, file := range silent {
			reading := readAs(file, "admin", recorded, own)
			require.Error(t, reading.Err, how)
			asksAWS(kind+": "+how, recorded, reading)
		}

		removed := server.ask(http.MethodDelete, server.path(k, own.Namespace, own.Name), "application/json", map[string]any{
			"propagationPolicy": "Background",
		})
		require.Equal(t, http.StatusOK, removed.Code, removed.Message)
		gone := readAs(path, "admin", recorded, own)
		require.NoError(t, gone.Err)
		require.Empty(t, gone.Object)
		judge(kind+": not found, nothing in AWS", recorded, gone, none, gates.Gone)
		judge(kind+": not found, instances", recorded, gone, instance, gates.Unknown)
		judge(kind+": not found, denied", recorded, gone, denied, gates.Unknown)

		create()
		again := readAs(path, "admin", recorded, own)
		require.NotEmpty(t, recorded.Other(again), "an object with another UID")
		require.Error(t, gate.JudgeIdentity(gates.Destroy, gate.Subject{Stack: "demo"}, recorded, again).Refused)
		elsewhere := gate.Identity{ManagementCluster: "00000000-0000-0000-0000-000000000000", Object: recorded.Object}
		require.Error(t, gate.JudgeIdentity(gates.Destroy, gate.Subject{Stack: "demo"}, elsewhere,
			readAs(path, "admin", elsewhere, own)).Refused)
		last, lastKey = recorded, own
	}
	require.NoError(t, server.Signal(syscall.SIGSTOP))
	stopped := readAs(path, "admin", last, lastKey)
	require.NoError(t, server.Signal(syscall.SIGCONT))
	require.ErrorIs(t, stopped.Err, context.DeadlineExceeded)
	asksAWS("time-out", last, stopped)
	require.NoError(t, server.Signal(syscall.SIGKILL))
	require.Eventually(t, func() bool {
		_, _, err := server.Try(http.MethodGet, "/readyz", "", nil)
		return err != nil
	}, time.Minute, 100*time.Millisecond)
	ended := readAs(path, "admin", last, lastKey)
	require.Error(t, ended.Err)
	asksAWS("ended", last, ended)
}

// scriptCAPACluster returns a Cluster of Cluster API.
func scriptCAPACluster() props.Map {
	return named(capacrd.CoreVersion, "Cluster", "clusters", "demo", props.Map{"spec": map[string]any{
		"infrastructureRef": map[string]any{
			"apiGroup": "infrastructure.cluster.x-k8s.io",
			"kind":     "AWSCluster",
			"name":     "demo",
		},
	}})
}

// clusterUID reads as a user which management cluster it is.
func clusterUID(t *testing.T, path, user string) (string, error) {
	t.Helper()
	api, err := kubeapi.Open(path, user)
	require.NoError(t, err)
	return api.ClusterUID(t.Context())
}

// kindOf returns the kind of an object.
func kindOf(t *testing.T, object props.Map) *ObjectKind {
	t.Helper()
	for _, k := range ObjectKinds() {
		if k.kind == object.String("kind") && k.apiVersion == object.String("apiVersion") {
			return k
		}
	}
	require.Fail(t, "no such kind", "%v", object["kind"])
	return nil
}
