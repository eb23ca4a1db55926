package conformance

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

// servedCluster is a management cluster with a real API server and Kubernetes' own controllers. It has no nodes: pods
// are ready at once.
type servedCluster struct {
	*apiserver.Server
	// kubeconfig leads to the API server by the context management.
	kubeconfig string
	// elsewhere is a server with a certificate of its own that answers each request with a page.
	elsewhere *httptest.Server
}

// serveManagementCluster starts an API server and its controllers, and installs definitions of custom resources.
func serveManagementCluster(t *testing.T, installs []string) *servedCluster {
	t.Helper()
	real := startRealCluster(t)
	c := &servedCluster{Server: real.Server, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	c.elsewhere = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><body>Sign in</body></html>")) // the client may be gone
	}))
	t.Cleanup(c.elsewhere.Close)
	c.fail(t, "")
	apiserver.Run(t, exec.Command(filepath.Join(*apiserver.Folder, "controllers"), c.kubeconfig))
	for _, file := range installs {
		real.define(definitionFrom(t, file))
	}
	// OpenShift has these before HyperShift's operator is installed.
	anything := map[string]any{
		"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	}
	for _, kind := range []string{"ServiceMonitor", "PodMonitor", "PrometheusRule"} {
		plural := strings.ToLower(kind) + "s"
		real.define(object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", plural+".monitoring.coreos.com",
			map[string]any{"spec": map[string]any{
				"group": "monitoring.coreos.com", "scope": "Namespaced", "names": map[string]any{"kind": kind, "plural": plural},
				"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": anything}},
			}}))
	}
	real.send(http.MethodPost, "/api/v1/namespaces", object("v1", "Namespace", "", "openshift-config-managed", nil))
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(500 * time.Millisecond):
				c.makePodsReady()
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
	return c
}

// makePodsReady does the kubelet's part for pods that no node runs. A failed request is made again by the next round.
func (c *servedCluster) makePodsReady() {
	_, text, err := c.Try(http.MethodGet, "/api/v1/pods", "", nil)
	var pods props.Map
	if err != nil || json.Unmarshal(text, &pods) != nil {
		return
	}
	for _, pod := range pods.Objects("items") {
		metadata := pod.Object("metadata")
		path := fmt.Sprintf("/api/v1/namespaces/%s/pods/%s", metadata.String("namespace"), metadata.String("name"))
		if metadata.Has("deletionTimestamp") {
			_, _, _ = c.Try(http.MethodDelete, path, "application/json", map[string]any{"gracePeriodSeconds": 0})
			continue
		}
		if pod.Object("status").String("phase") == "Running" {
			continue
		}
		now := time.Now().UTC().Format(time.RFC3339)
		var conditions []any
		for _, condition := range []string{"PodScheduled", "Initialized", "ContainersReady", "Ready"} {
			conditions = append(conditions, map[string]any{"type": condition, "status": "True", "lastTransitionTime": now})
		}
		_, _, _ = c.Try(http.MethodPatch, path+"/status", "application/merge-patch+json",
			map[string]any{"status": map[string]any{
				"phase": "Running", "podIP": "192.0.2.10", "podIPs": []any{map[string]any{"ip": "192.0.2.10"}},
				"conditions": conditions,
			}})
	}
}

// definitionFrom reads a definition of a custom resource from a file of the components, without a webhook that converts
// it.
func definitionFrom(t *testing.T, file string) map[string]any {
	t.Helper()
	definition := readDefinition(t, file)
	delete(props.Map(definition).Object("spec"), "conversion")
	return definition
}

// apis are the groups and versions of kinds, as in Pulumi's types.
var apis = map[string]string{
	"HostedCluster": "hypershift.openshift.io/v1beta1", "NodePool": "hypershift.openshift.io/v1beta1", "Secret": "core/v1",
	"Namespace": "core/v1",
}

// objectPath returns where an API server has an object.
func objectPath(kind, namespace, name string) string {
	return pathOf("kubernetes:"+apis[kind]+":"+kind, strings.TrimPrefix(namespace+"/"+name, "/"))
}

func (c *servedCluster) get(kind, namespace, name string) (props.Map, error) {
	code, text, err := c.Try(http.MethodGet, objectPath(kind, namespace, name), "", nil)
	if err != nil || code == http.StatusNotFound {
		return nil, err
	}
	var found props.Map
	return found, json.Unmarshal(text, &found)
}

// live reads a HostedCluster as the program does outside of tests.
func (c *servedCluster) live(
	ctx context.Context,
	k config.Kubeconfig,
	namespace, name string,
) (*hostedcluster.Live, error) {
	api, err := kubeapi.Open(c.kubeconfig, k.Context)
	if err != nil {
		return nil, err
	}
	return clusterstatus.ReadLive(ctx, api, namespace, name)
}

func (c *servedCluster) change(edit objectEdit) error {
	found, err := c.get(edit.kind, edit.namespace, edit.name)
	if err != nil {
		return err
	}
	edit.change(found)
	code, text, err := c.Try(http.MethodPut,
		objectPath(edit.kind, edit.namespace, edit.name)+"?fieldManager="+edit.manager, "application/json", found)
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("%d: %s", code, text)
	}
	return err
}

// fail writes the kubeconfig that leads to how the API server fails. The provider reads it whenever it starts.
func (c *servedCluster) fail(t *testing.T, how string) {
	t.Helper()
	address, ca := c.Address, c.CA()
	switch how {
	case "":
	case refusesConnections:
		address = "https://" + apiserver.FreeAddress(t)
	case "page":
		address, ca = c.elsewhere.URL, filepath.Join(filepath.Dir(c.kubeconfig), "elsewhere.crt")
		require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{
			Type:  "CERTIFICATE",
			Bytes: c.elsewhere.Certificate().Raw,
		}), 0o600))
	case "certificate":
		address = c.elsewhere.URL
	default:
		require.Fail(t, "no such failure: "+how)
	}
	require.NoError(t, os.WriteFile(c.kubeconfig, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: management
clusters: [{name: c, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: c, user: {token: conformance}}]
contexts: [{name: management, context: {cluster: c, user: c}}]
`, address, ca), 0o600))
}

// editOnceDeleted makes an edit once its object is being deleted, unless the deletion of the stack ends before.
func editOnceDeleted(t *testing.T, cluster objectCluster, edit objectEdit, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			assert.Fail(t, "the deletion did not wait for "+edit.kind+" "+edit.name)
			return
		case <-time.After(200 * time.Millisecond):
		}
		found, err := cluster.get(edit.kind, edit.namespace, edit.name)
		if err == nil && found != nil && found.Object("metadata").Has("deletionTimestamp") {
			if assert.NoError(t, cluster.change(edit)) {
				return
			}
		}
	}
}
