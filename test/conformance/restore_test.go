package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/automationtest"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// realCluster is a management cluster with a real API server. The test plays HyperShift's operator and Velero.
type realCluster struct {
	*apiserver.Server
	t          *testing.T
	kubeconfig string
}

// startRealCluster starts an API server, with more flags.
func startRealCluster(t *testing.T, flags ...string) *realCluster {
	t.Helper()
	c := &realCluster{Server: apiserver.Start(t, *apiserver.Folder, flags...), t: t}
	var err error
	c.kubeconfig, err = c.Kubeconfig()
	require.NoError(t, err)
	return c
}

// send sends a request that must succeed, and returns the object of the answer.
func (c *realCluster) send(method, path string, object any) props.Map {
	c.t.Helper()
	contentType := "application/json"
	if method == http.MethodPatch {
		contentType = "application/merge-patch+json"
	}
	code, text, err := c.Try(method, path, contentType, object)
	require.NoError(c.t, err)
	require.Less(c.t, code, 300, "%s %s: %s", method, path, text)
	var answer props.Map
	require.NoError(c.t, json.Unmarshal(text, &answer))
	return answer
}

func object(apiVersion, kind, namespace, name string, fields map[string]any) map[string]any {
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	whole := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	maps.Copy(whole, fields)
	return whole
}

// define adds custom resource definitions, and waits until they are served.
func (c *realCluster) define(definitions ...map[string]any) {
	c.t.Helper()
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	for _, definition := range definitions {
		c.send(http.MethodPost, path, definition)
		name := props.Map(definition).Object("metadata").String("name")
		require.Eventually(c.t, func() bool {
			return slices.ContainsFunc(c.send(http.MethodGet, path+"/"+name, nil).Object("status").Objects("conditions"),
				func(condition props.Map) bool {
					return condition.String("type") == "Established" && condition.String("status") == "True"
				})
		}, time.Minute, 100*time.Millisecond)
	}
}

func definitionIn(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(repo.Path("internal", "value", "hypershift", "crd", file))
	require.NoError(t, err)
	var definition map[string]any
	require.NoError(t, json.Unmarshal(text, &definition))
	return definition
}

// install installs HyperShift with the releases that its operator supports, and OADP.
func (c *realCluster) install(versions string) {
	c.t.Helper()
	anything := map[string]any{
		"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	}
	location := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "backupstoragelocations.velero.io",
		map[string]any{"spec": map[string]any{
			"group": "velero.io", "scope": "Namespaced",
			"names":    map[string]any{"kind": crd.BackupStorageLocation, "plural": "backupstoragelocations"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": anything}},
		}})
	c.define(definitionIn(c.t, "hostedclusters.json"), definitionIn(c.t, "nodepools.json"),
		definitionIn(c.t, "backups.json"), location)
	for _, namespace := range []string{"hypershift", hypershift.BackupNamespace} {
		c.send(http.MethodPost, "/api/v1/namespaces", object("v1", "Namespace", "", namespace, nil))
	}
	c.send(http.MethodPost, "/api/v1/namespaces/hypershift/configmaps",
		object("v1", "ConfigMap", "hypershift", "supported-versions",
			map[string]any{"data": map[string]any{"supported-versions": `{"versions":[` + versions + `]}`}}))
	labels := map[string]any{"app": "operator"}
	const deployments = "/apis/apps/v1/namespaces/hypershift/deployments"
	c.send(http.MethodPost, deployments, object("apps/v1", "Deployment", "hypershift", "operator",
		map[string]any{"spec": map[string]any{
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "o", "image": "o"}}},
			},
		}}))
	c.send(http.MethodPatch, deployments+"/operator/status", map[string]any{
		"status": map[string]any{"replicas": 1, "readyReplicas": 1, "availableReplicas": 1},
	})
	c.send(http.MethodPost, "/apis/velero.io/v1/namespaces/openshift-adp/backupstoragelocations",
		object(crd.VeleroAPIVersion, crd.BackupStorageLocation, hypershift.BackupNamespace, crd.BackupDefaultLocation,
			map[string]any{"status": map[string]any{"phase": "Available"}}))
}

// backedUp returns the paths of the lists that the test's Velero copies, in the order in which it restores them.
func backedUp() []string {
	return []string{"/api/v1/%s/secrets", "/api/v1/%s/configmaps",
		"/apis/hypershift.openshift.io/v1beta1/%s/hostedclusters", "/apis/hypershift.openshift.io/v1beta1/%s/nodepools"}
}

// runVelero completes the Backups of the cluster until the test ends: it copies the objects in the namespaces of each
// into the returned bucket, by the paths of their lists.
func (c *realCluster) runVelero() (bucket func() map[string][]map[string]any) {
	c.t.Helper()
	var mu sync.Mutex
	content := map[string][]map[string]any{}
	done, ended := make(chan struct{}), make(chan struct{})
	c.t.Cleanup(func() { close(done); <-ended })
	list := func(path string) []props.Map {
		_, text, err := c.Try(http.MethodGet, path, "", nil)
		var found props.Map
		if err != nil || json.Unmarshal(text, &found) != nil {
			return nil
		}
		return found.Objects("items")
	}
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Millisecond):
			}
			for _, backup := range list("/apis/velero.io/v1/namespaces/openshift-adp/backups") {
				if backup.Object("status").String("phase") != "" {
					continue
				}
				mu.Lock()
				for _, namespace := range backup.Object("spec").Strings("includedNamespaces") {
					for _, kind := range backedUp() {
						path := fmt.Sprintf(kind, "namespaces/"+namespace)
						for _, one := range list(path) {
							content[path] = append(content[path], one)
						}
					}
				}
				mu.Unlock()
				_, _, _ = c.Try(http.MethodPatch, "/apis/velero.io/v1/namespaces/openshift-adp/backups/"+backup.Object("metadata").
					String("name"),
					"application/merge-patch+json", map[string]any{"status": map[string]any{"phase": "Completed"}})
			}
		}
	}()
	return func() map[string][]map[string]any { mu.Lock(); defer mu.Unlock(); return maps.Clone(content) }
}

// restore creates the objects of a bucket as Velero does: with new UIDs and without status, as field manager
// velero-server; it writes the managed fields last, since version 1.11.
func (c *realCluster) restore(bucket map[string][]map[string]any, change func(kind string, object props.Map) bool) {
	c.t.Helper()
	for _, kind := range backedUp() {
		for path, objects := range bucket {
			if !strings.HasSuffix(path, kind[strings.LastIndex(kind, "/"):]) {
				continue
			}
			for _, one := range objects {
				written, err := json.Marshal(one)
				require.NoError(c.t, err)
				var restored props.Map
				require.NoError(c.t, json.Unmarshal(written, &restored))
				metadata := restored.Object("metadata")
				fields := metadata["managedFields"]
				maps.DeleteFunc(metadata, func(key string, _ any) bool {
					return !slices.Contains([]string{"name", "namespace", "labels", "annotations", "finalizers"}, key)
				})
				delete(restored, "status")
				if change != nil && !change(restored.String("kind"), restored) {
					continue
				}
				code, text, err := c.Try(http.MethodPost, "/api/v1/namespaces", "application/json",
					object("v1", "Namespace", "", metadata.String("namespace"), nil))
				require.NoError(c.t, err)
				require.Contains(c.t, []int{http.StatusCreated, http.StatusConflict}, code, "%s", text)
				code, text, err = c.Try(http.MethodPost, path+"?fieldManager=velero-server", "application/json", restored)
				require.NoError(c.t, err)
				require.Contains(c.t, []int{http.StatusCreated, http.StatusConflict}, code, "%s", text)
				if code == http.StatusCreated {
					c.send(http.MethodPatch, path+"/"+metadata.String("name"), map[string]any{
						"metadata": map[string]any{"managedFields": fields},
					})
				}
			}
		}
	}
}

// forget deletes the restored objects.
func (c *realCluster) forget(bucket map[string][]map[string]any) {
	c.t.Helper()
	for path := range bucket {
		c.send(http.MethodDelete, path, nil)
	}
}

const restoredPath = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/demo"

// TestAStackContinuesWithARestoredClusterOnAnotherRealAPIServer loses a management cluster whose API server is real,
// restores its backup on another one, and lets the stack continue there. Each bad backup is refused first, and changes
// nothing.
func TestAStackContinuesWithARestoredClusterOnAnotherRealAPIServer(t *testing.T) {
	t.Parallel()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the restore of a cluster on another API server, which make conformance builds and starts")
	}
	first, second := startRealCluster(t), startRealCluster(t)
	first.install(`"4.20","4.19"`)
	bucketOf := first.runVelero()

	dir := t.TempDir()
	configure := func(c *realCluster, change ...string) {
		t.Helper()
		text := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1),
			More: stackfile.HostedCluster(t, "      nodePools: [{name: a, replicas: 1, zone: us-east-1a}]\n")}.String()
		text = strings.NewReplacer(append(change, "{context: management}",
			fmt.Sprintf("{file: %s, context: admin}", c.kubeconfig))...).Replace(text)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.test.yaml"), []byte(text), 0o600))
	}
	configure(first)
	files, err := projects.Open(dir)
	require.NoError(t, err)
	memory, err := sandbox.InMemory(environment.Options{Project: files, Environ: os.Environ()})
	require.NoError(t, err)
	provider := serveObjects(t, map[string]*apiserver.Server{
		first.kubeconfig:  first.Server,
		second.kubeconfig: second.Server,
	})
	p, err := automation.Open(automationtest.WithEnvironment(automation.ProjectOptions{
		Dir: dir, Offline: true, EngineDirs: []string{filepath.Dir(filepath.Dir(enginetest.EnginePath(t)))},
	}, realClusters{memory, provider}))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	stack := p.Stack("test")
	up := func() *automation.UpResult {
		t.Helper()
		done, err := stack.Up(t.Context(), automation.UpOptions{Decide: func(
			context.Context,
			automation.Question,
		) (bool, error) {
			return true, nil
		}})
		require.NoError(t, err)
		return done
	}
	unchanged := func() {
		t.Helper()
		_, err := stack.Preview(t.Context(), automation.PreviewOptions{ExpectNoChanges: true})
		require.NoError(t, err)
	}
	// refused requires that a restore is refused in these words, and that the state stays.
	refused := func(o automation.RelocateOptions, says ...string) {
		t.Helper()
		path := filepath.Join(dir, ".hypershift-aws", "offline", "state", ".pulumi", "stacks", "hypershift-aws", "test.json")
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		o.Cluster = "demo"
		_, err = stack.Relocate(t.Context(), o)
		var refusal *failure.Error
		require.True(t, errors.As(err, &refusal), "%v", err)
		require.Equal(t, failure.Refused, refusal.Reason, "%v", err)
		for _, text := range says {
			require.Contains(t, refusal.Problem+" "+refusal.Remedy, text)
		}
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
	}
	up()
	unchanged()
	_, err = stack.Backup(t.Context(), automation.BackupOptions{Wait: time.Minute})
	require.NoError(t, err)
	bucket := bucketOf()
	require.Len(t, bucket, 3, "Secrets, the HostedCluster and the NodePool")
	formerUID := first.send(http.MethodGet, restoredPath, nil).Object("metadata").String("uid")

	configure(second)
	refused(automation.RelocateOptions{}, "HostedCluster of hypershift.openshift.io/v1beta1", "install HyperShift")
	second.install(`"4.20","4.19"`)
	refused(automation.RelocateOptions{}, "has no HostedCluster clusters/demo")

	// The backup of another cluster, incomplete ones, and one whose etcd is encrypted with a key in another account.
	spec := func(object props.Map, path ...string) props.Map {
		for _, key := range path {
			object = object.Object(key)
		}
		return object
	}
	for _, bad := range []struct {
		name   string
		change func(kind string, object props.Map) bool
		says   []string
	}{
		{"another infra ID", func(kind string, object props.Map) bool {
			if kind == crd.HostedCluster {
				object.Object("spec")["infraID"] = "other-x2"
			}
			return true
		}, []string{"is another cluster: its spec.infraID"}},
		{"other roles", func(kind string, object props.Map) bool {
			if kind == crd.HostedCluster {
				spec(object, "spec", "platform", "aws", "rolesRef")["ingressARN"] = "arn:aws:iam::123456789012:role/other"
			}
			return true
		}, []string{"is another cluster: its spec.platform.aws.rolesRef"}},
		{"no NodePool", func(kind string, _ props.Map) bool { return kind != crd.NodePool }, []string{"restored incompletely", "no NodePool clusters/a"}},
		{"no HostedCluster", func(kind string, _ props.Map) bool { return kind != crd.HostedCluster }, []string{"has no HostedCluster clusters/demo"}},
		{"a key in another account", func(kind string, object props.Map) bool {
			if kind == crd.HostedCluster {
				spec(object, "spec", "secretEncryption", "kms", "aws",
					"activeKey")["arn"] = strings.Replace(stackfile.KMSKeyARN, "123456789012", "210987654321", 1)
			}
			return true
		}, []string{"account 210987654321", "123456789012"}},
		{"a release that the operator does not support", func(kind string, object props.Map) bool {
			if kind == crd.HostedCluster {
				spec(object, "spec", "release")["image"] = strings.Replace(stackfile.Release, "4.19", "4.17", 1)
			}
			return true
		}, []string{"4.17", "4.20, 4.19"}},
	} {
		second.restore(bucket, bad.change)
		t.Log(bad.name)
		refused(automation.RelocateOptions{ManagementClusterGone: true}, bad.says...)
		second.forget(bucket)
	}

	// Both management clusters have it; the former one is paused, and then does not answer.
	second.restore(bucket, nil)
	refused(automation.RelocateOptions{ManagementClusterGone: true},
		"still runs HostedCluster clusters/demo, NodePool clusters/a", "spec.pausedUntil")
	for _, path := range []string{restoredPath, "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools/a"} {
		first.send(http.MethodPatch, path, map[string]any{"spec": map[string]any{"pausedUntil": "true"}})
	}
	first.Kill(t)
	refused(automation.RelocateOptions{}, "is unknown", "--management-cluster-gone")

	restored, err := stack.Relocate(t.Context(), automation.RelocateOptions{Cluster: "demo", ManagementClusterGone: true})
	require.NoError(t, err)
	require.NotEqual(t, restored.From, restored.To)
	require.Contains(t, restored.Taken, "HostedCluster clusters/demo")
	require.Empty(t, restored.Created)
	now := second.send(http.MethodGet, restoredPath, nil)
	require.NotEqual(t, formerUID, now.Object("metadata").String("uid"))
	unchanged()

	// The stack goes on there: an update changes what Velero has restored, and creates what was not.
	configure(second, "replicas: 1", "replicas: 3")
	second.send(http.MethodDelete, "/api/v1/namespaces/clusters/secrets/demo-pull-secret", nil)
	up()
	unchanged()
	pool := second.send(http.MethodGet, "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools/a", nil)
	require.EqualValues(t, 3, pool.Object("spec")["replicas"])
	require.Equal(t, now.Object("metadata").String("uid"),
		second.send(http.MethodGet, restoredPath, nil).Object("metadata").String("uid"))
}
