package kubernetes

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Two real API servers have objects with equal names: each is identified by its namespace kube-system, and by the object alone where the
// namespace may not be read.
func TestARealAPIServerIsIdentified(t *testing.T) {
	t.Parallel()
	if *conformanceBin == "" {
		t.Skip("NOT TESTED: the identity of a real API server, which make conformance builds and starts")
	}
	own := &clusterstatus.ObjectKey{Kind: "ConfigMap", Namespace: "default", Name: "demo"}
	var identities []gate.Identity
	var paths []string
	for range 2 {
		server := startAPIServer(t, *conformanceBin)
		k := ObjectKinds()["kubernetes:core/v1:ConfigMap"]
		require.Eventually(t, func() bool { return server.get(ObjectKinds()[NamespaceToken], "", "kube-system").Code == http.StatusOK },
			time.Minute, 100*time.Millisecond)
		created := server.create(k, named("v1", "ConfigMap", own.Namespace, own.Name, nil))
		require.Equal(t, http.StatusCreated, created.Code, created.Message)
		path, err := server.Kubeconfig()
		require.NoError(t, err)
		uid, err := kubeapi.ClusterUID(t.Context(), config.Kubeconfig{File: path, Context: "admin"})
		require.NoError(t, err)
		require.NotEmpty(t, uid)
		forbidden, err := kubeapi.ClusterUID(t.Context(), config.Kubeconfig{File: path, Context: "stranger"})
		require.NoError(t, err)
		require.Empty(t, forbidden)
		identities = append(identities, gate.Identity{ManagementCluster: uid, Object: props.Map(created.Object).Object("metadata").String("uid")})
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
			verdict := gate.JudgeIdentity(gate.Destroy, gate.Subject{Stack: "demo"}, identity, reading)
			require.Equal(t, i != of, verdict.Refused != nil)
		}
	}
}

// What a real API server answers about the stack's object, or does not answer, decides with AWS's lists whether the cluster is alive.
func TestARealAPIServerTellsWhetherAClusterIsAlive(t *testing.T) {
	t.Parallel()
	if *conformanceBin == "" {
		t.Skip("NOT TESTED: the life of a cluster by a real API server, which make conformance builds and starts")
	}
	server := startAPIServer(t, *conformanceBin)
	k, own := ObjectKinds()["kubernetes:core/v1:ConfigMap"], &clusterstatus.ObjectKey{Kind: "ConfigMap", Namespace: "default", Name: "demo"}
	require.Eventually(t, func() bool { return server.get(ObjectKinds()[NamespaceToken], "", "kube-system").Code == http.StatusOK },
		time.Minute, 100*time.Millisecond)
	create := func() string {
		created := server.create(k, named("v1", own.Kind, own.Namespace, own.Name, nil))
		require.Equal(t, http.StatusCreated, created.Code, created.Message)
		return props.Map(created.Object).Object("metadata").String("uid")
	}
	path, err := server.Kubeconfig()
	require.NoError(t, err)
	cluster, err := kubeapi.ClusterUID(t.Context(), config.Kubeconfig{File: path, Context: "admin"})
	require.NoError(t, err)
	recorded := gate.Identity{ManagementCluster: cluster, Object: create()}
	read := func(context string, identity gate.Identity) gate.Reading {
		api, err := kubeapi.Open(path, context)
		require.NoError(t, err)
		_, reading := clusterstatus.ReadIdentity(t.Context(), api, api.ClusterUID, identity, own, nil)
		return reading
	}
	nothing, denied := gate.InAWS{}, gate.InAWS{Err: errors.New("AccessDenied")}
	instance, endpoint := gate.InAWS{Signs: []string{"instance i-1"}, Instances: []string{"instance i-1"}}, gate.InAWS{Signs: []string{"VPC endpoint vpce-1"}}
	judge := func(name string, identity gate.Identity, reading gate.Reading, inAWS gate.InAWS, deleted bool, want gate.Life) {
		t.Helper()
		life, evidence := gate.LifeOf(gate.Facts{Identity: identity, Reading: reading, InAWS: func() gate.InAWS { return inAWS }, Deleted: deleted})
		require.Equal(t, want, life, "%s: %s", name, evidence)
	}
	judge("recorded, with the object", recorded, read("admin", recorded), nothing, false, gate.Alive)
	stranger := read("stranger", recorded)
	require.Error(t, stranger.Err, "a stranger may read neither the namespace nor the object")
	for name, row := range map[string]struct {
		inAWS gate.InAWS
		want  gate.Life
	}{"instance": {instance, gate.Alive}, "endpoint": {endpoint, gate.Alive}, "denied": {denied, gate.Unknown}, "nothing": {nothing, gate.Gone}} {
		judge("forbidden, "+name, recorded, stranger, row.inAWS, false, row.want)
		judge("never recorded, "+name, gate.Identity{}, gate.Reading{}, row.inAWS, false, row.want)
	}

	removed := server.ask(http.MethodDelete, server.path(k, own.Namespace, own.Name), "application/json", map[string]any{"propagationPolicy": "Background"})
	require.Equal(t, http.StatusOK, removed.Code, removed.Message)
	gone := read("admin", recorded)
	require.NoError(t, gone.Err)
	require.Empty(t, gone.Object)
	judge("deleted, nothing in AWS", recorded, gone, nothing, false, gate.Gone)
	judge("deleted, instances", recorded, gone, instance, false, gate.Unknown)
	judge("deleted, denied", recorded, gone, denied, false, gate.Unknown)
	judge("deleted by the stack, instances", recorded, gone, instance, true, gate.Gone)

	create()
	again := read("admin", recorded)
	require.NotEmpty(t, recorded.Other(again), "an object with another UID")
	require.Error(t, gate.JudgeIdentity(gate.Destroy, gate.Subject{Stack: "demo"}, recorded, again).Refused)
}
