package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// allowing is a guard that decides by its error.
type allowing struct {
	stacks.Guard
	refusal error
}

func (allowing) AddPrior(string, map[string]any) {}
func (allowing) AddResource(stacks.Registered)   {}
func (a allowing) Refusal(string) error          { return a.refusal }

// Somebody has paused the cluster with kubectl; an update changes the release.
func TestAnUpdateKeepsWhatOthersHaveSetWithKubectl(t *testing.T) {
	t.Parallel()
	const token = "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster"
	const resource = "urn:pulumi:dev::hypershift-aws::hypershift-aws:hostedcluster:HostedCluster$" + token + "::demo"
	var patches []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
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
			"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster", "metadata": map[string]any{"name": "demo", "namespace": "clusters"},
			"spec": map[string]any{"release": release},
		}
	}
	run := func(refusal error) (said []string, err error) {
		guard := newForeignGuard(allowing{refusal: refusal}, *kubeconfigFor(t, server.URL), func(text string) { said = append(said, text) })
		guard.AddPrior(resource, map[string]any{"__inputs": object("1")})
		guard.AddResource(stacks.Registered{Token: token, Name: "demo", Inputs: object("2")})
		guard.AddResource(stacks.Registered{Token: token, Name: "new", Inputs: object("1")})
		image := map[string]any{"apiVersion": "image.openshift.io/v1", "kind": "ImageStream", "metadata": map[string]any{"name": "operator"}}
		guard.AddPrior("urn:pulumi:dev::hypershift-aws::kubernetes:image.openshift.io/v1:ImageStream::operator", map[string]any{"__inputs": image})
		guard.AddResource(stacks.Registered{Token: "kubernetes:image.openshift.io/v1:ImageStream", Name: "operator", Inputs: image})
		err = guard.Refusal("dev")
		return said, err
	}

	_, err := run(errors.New("refused"))
	require.EqualError(t, err, "refused")
	require.Empty(t, patches, "a refused update changes nothing")

	said, err := run(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"HostedCluster demo keeps what was set with kubectl and is not in the stack's file: spec.pausedUntil"}, said)
	require.Len(t, patches, 1)
	var patch []struct {
		Path  string
		Value json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(patches[0]), &patch))
	require.Equal(t, "/metadata/managedFields", patch[1].Path, "only the managers change")
	require.Contains(t, string(patch[1].Value), `{"f:spec":{"f:pausedUntil":{}}}`)

	server.Close()
	_, err = run(nil)
	require.ErrorContains(t, err, "nothing was changed")
}
