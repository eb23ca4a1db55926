package selfcheck

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// allowing is a guard that allows every update.
type allowing struct{ stacks.Guard }

func (allowing) AddPrior(string, map[string]any) {}
func (allowing) AddResource(stacks.Registered)   {}
func (allowing) Refusal(string) error            { return nil }
func (allowing) Prepare(string) error            { return nil }

// Somebody has paused the cluster with kubectl; an update changes the release.
func TestAnUpdateKeepsWhatOthersHaveSetWithKubectl(t *testing.T) {
	t.Parallel()
	const token = "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster"
	const resource = "urn:pulumi:dev::hypershift-aws::hypershift-aws:hostedcluster:HostedCluster$" + token + "::demo"
	var requests, patches []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		requests = append(requests, r.Method+" "+r.URL.Path)
		switch {
		case r.URL.Path == "/api/v1/namespaces/kube-system":
			fmt.Fprint(w, `{"kind":"Namespace","metadata":{"name":"kube-system","uid":"hub"}}`)
			return
		case strings.Contains(r.URL.Path, "imagestreams"), strings.HasSuffix(r.URL.Path, "/new"):
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
			return
		}
		if r.Method == http.MethodPatch {
			body, _ := io.ReadAll(r.Body)
			patches = append(patches, string(body))
		}
		fmt.Fprint(w, `{"apiVersion":"hypershift.openshift.io/v1beta1","kind":"HostedCluster","metadata":{"name":"demo","namespace":"clusters","uid":"1","resourceVersion":"7",
			"managedFields":[{"manager":"kubectl-edit","operation":"Update","apiVersion":"hypershift.openshift.io/v1beta1","fieldsType":"FieldsV1",
			"fieldsV1":{"f:spec":{"f:pausedUntil":{},"f:release":{}}}}]},"spec":{"pausedUntil":"true","release":"1"}}`)
	}))
	t.Cleanup(server.Close)
	object := func(release string) map[string]any {
		return map[string]any{
			"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
			"metadata": map[string]any{"name": "demo", "namespace": "clusters"},
			"spec":     map[string]any{"release": release},
		}
	}
	uid := "hub"
	image := func(version string) map[string]any { // a kind that only a render of the operator has
		return map[string]any{
			"apiVersion": "image.openshift.io/v1",
			"kind":       "ImageStream",
			"metadata":   map[string]any{"name": "operator", "namespace": "hypershift"},
			"spec":       version,
		}
	}
	run := func(kubeconfig config.Kubeconfig, created ...string) (said []string, err error) {
		guard := &foreignGuard{
			Guard: allowing{}, reader: &reader{open: OpenSelected, uid: uid}, kubeconfig: kubeconfig,
			key: "cluster.hostedCluster.kubeconfig",
			say: func(text string) { said = append(said, text) }, former: map[string]props.Map{},
			applied: map[string]props.Map{},
		}
		guard.AddPrior(resource, map[string]any{"__inputs": object("1")})
		guard.AddResource(stacks.Registered{Token: token, Name: "demo", Inputs: object("2")})
		guard.AddResource(stacks.Registered{Token: token, Name: "renamed", Inputs: object("2")}) // by an alias
		for _, name := range created {
			guard.AddResource(stacks.Registered{Token: token, Name: name, Inputs: map[string]any{
				"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
				"metadata": map[string]any{"name": name, "namespace": "clusters"},
			}})
		}
		for name, version := range map[string]string{"operator": "2", "same": "1"} {
			guard.AddPrior("urn:pulumi:dev::hypershift-aws::kubernetes:image.openshift.io/v1:ImageStream::"+name,
				map[string]any{"__inputs": image("1")})
			guard.AddResource(stacks.Registered{
				Token:  "kubernetes:image.openshift.io/v1:ImageStream",
				Name:   name,
				Inputs: image(version),
			})
		}
		require.NoError(t, guard.Refusal("dev"))
		require.Empty(t, requests, "the question asks and changes nothing")
		return said, guard.Prepare("dev")
	}

	said, err := run(*kubeconfigFor(t, server.URL), "new")
	require.NoError(t, err)
	require.Equal(t, []string{"HostedCluster demo keeps what was set with kubectl and is not in the stack's file: spec.pausedUntil"}, said)
	require.Equal(t, []string{
		"GET /api/v1/namespaces/kube-system",
		"GET /apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/new",
		"GET /apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/demo",
		"PATCH /apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/demo",
		"GET /apis/image.openshift.io/v1/namespaces/hypershift/imagestreams/operator",
	}, requests, "an object that the update does not change is not read")
	var patch []struct {
		Path  string
		Value json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(patches[0]), &patch))
	require.Equal(t, "/metadata/managedFields", patch[1].Path, "only the managers change")
	require.Contains(t, string(patch[1].Value), `{"f:spec":{"f:pausedUntil":{}}}`)

	requests, patches = nil, nil
	_, err = run(*kubeconfigFor(t, server.URL), "new", "lost")
	require.EqualError(t, err, "the management cluster already has objects that stack dev would create and does not have in "+
		"its state: HostedCluster clusters/lost\n  if they are this stack's, adopt them: `hypershift-aws adopt -s dev --preview`; "+
		"otherwise set another name or namespace in the stack's file, or correct its kubeconfig if it selects another cluster")
	require.Empty(t, patches)

	requests, uid = nil, "other"
	_, err = run(*kubeconfigFor(t, server.URL))
	require.ErrorContains(t, err, `the UID of its namespace kube-system is "hub", not "other"`)
	require.Equal(t, []string{"GET /api/v1/namespaces/kube-system"}, requests, "the context was switched")

	requests, uid = nil, "hub"
	server.Close()
	_, err = run(*kubeconfigFor(t, server.URL))
	require.ErrorContains(t, err, "check that the user of cluster.hostedCluster.kubeconfig may get and patch the object")
}
