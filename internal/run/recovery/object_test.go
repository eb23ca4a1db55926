package recovery

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// cluster is a stack whose management cluster has these objects, by kind and name. The engine reads the targets.
type cluster struct {
	Stack
	objects  map[string]map[string]any
	imported *state.Deployment
	read     []string
}

func (c *cluster) Object(_ context.Context, kind, namespace, name string) (map[string]any, error) {
	return c.objects[kind+" "+namespace+"/"+name], nil
}

func (c *cluster) Import(_ context.Context, d *state.Deployment) error {
	c.imported = d
	return nil
}

func (c *cluster) Read(_ context.Context, urns []string) error {
	c.read = append(c.read, urns...)
	return nil
}

func (c *cluster) State(context.Context) (*state.Deployment, error) { return c.imported, nil }

func objectInputs(kind, name string, more map[string]any) map[string]any {
	inputs := map[string]any{"kind": kind, "apiVersion": "v1",
		"metadata": map[string]any{"name": name, "namespace": "clusters",
			"annotations": map[string]any{"hypershift-aws/infra-id": "demo-x1"}}}
	for key, value := range more {
		inputs[key] = value
	}
	return inputs
}

// recoverObject recovers a creation of an object, of which the journal has an event, and returns the messages.
func recoverObject(
	t *testing.T,
	token string,
	inputs map[string]any,
	objects map[string]map[string]any,
) (*cluster, string) {
	t.Helper()
	urn := "urn:pulumi:dev::hypershift-aws::" + token + "::it"
	journal := NewJournal(t.TempDir())
	require.NoError(t, journal.Began(meta(apitype.OpCreate, urn, token, inputs)))
	stack := &cluster{objects: objects}
	said := ""
	_, err := Recover(t.Context(), stack, &state.Deployment{}, journal, Options{Report: func(e report.Event) {
		said += e.(*event.Note).Message
	}})
	require.NoError(t, err)
	return stack, said
}

const hostedClusterToken = "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster"

func TestAnInterruptedHostedClusterIsRecoveredByItsInfraID(t *testing.T) {
	t.Parallel()
	spec := func(infraID string) map[string]any { return map[string]any{"spec": map[string]any{"infraID": infraID}} }
	inputs := objectInputs("HostedCluster", "demo", spec("demo-x1"))
	stack, said := recoverObject(t, hostedClusterToken, inputs, map[string]map[string]any{
		"HostedCluster clusters/demo": inputs,
	})
	require.Contains(t, said, "found it as clusters/demo, and added it to the state")
	require.Len(t, stack.imported.Resources, 1)
	require.Equal(t, "clusters/demo", string(stack.imported.Resources[0].ID))

	stack, said = recoverObject(t, hostedClusterToken, inputs, map[string]map[string]any{
		"HostedCluster clusters/demo": objectInputs("HostedCluster", "demo", spec("other")),
	})
	require.Contains(t, said, "clusters/demo exists, but does not belong to this stack: it was not changed")
	require.Nil(t, stack.imported)

	_, said = recoverObject(t, hostedClusterToken, inputs, nil)
	require.Contains(t, said, "it was not created")
}

func TestASecretIsRecoveredWithItsContentAndOnlyByItsAnnotation(t *testing.T) {
	t.Parallel()
	const token = "kubernetes:core/v1:Secret"
	told := objectInputs("Secret", "demo-etcd-encryption-key", map[string]any{"data": map[string]any{"key": "[secret]"}})
	living := objectInputs("Secret", "demo-etcd-encryption-key", map[string]any{"data": map[string]any{"key": "bGl2aW5n"}})
	stack, _ := recoverObject(t, token, told, map[string]map[string]any{
		"Secret clusters/demo-etcd-encryption-key": living,
	})
	require.Len(t, stack.imported.Resources, 1)
	text, err := json.Marshal(stack.imported.Resources[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "{\"key\":\"bGl2aW5n\"}"}`,
		dataOf(t, text))

	for _, mark := range []any{"other", nil} {
		foreign := objectInputs("Secret", "demo-etcd-encryption-key", map[string]any{
			"data": map[string]any{"key": "Zm9yZWlnbg=="},
		})
		foreign["metadata"].(map[string]any)["annotations"] = map[string]any{"hypershift-aws/infra-id": mark}
		stack, said := recoverObject(t, token, told, map[string]map[string]any{
			"Secret clusters/demo-etcd-encryption-key": foreign,
		})
		require.Contains(t, said, "does not belong to this stack")
		require.Nil(t, stack.imported)
	}
}

// A management stack's objects have the stack's name: an object with another name, or none, is not recovered.
func TestAManagementStacksObjectIsRecoveredByTheStacksName(t *testing.T) {
	t.Parallel()
	of := func(stack any) map[string]any {
		return map[string]any{"kind": "Namespace", "apiVersion": "v1",
			"metadata": map[string]any{"name": "hypershift", "annotations": map[string]any{"hypershift-aws/stack": stack}}}
	}
	const token = "kubernetes:core/v1:Namespace"
	stack, said := recoverObject(t, token, of("fleet/dev/oidc"), map[string]map[string]any{
		"Namespace /hypershift": of("fleet/dev/oidc"),
	})
	require.Contains(t, said, "found it as hypershift, and added it to the state")
	require.Equal(t, "hypershift", string(stack.imported.Resources[0].ID))
	for _, other := range []any{"fleet/other/oidc", nil} {
		stack, said := recoverObject(t, token, of("fleet/dev/oidc"), map[string]map[string]any{
			"Namespace /hypershift": of(other),
		})
		require.Contains(t, said, "hypershift exists, but does not belong to this stack: it was not changed")
		require.Nil(t, stack.imported)
	}
}

func dataOf(t *testing.T, resource []byte) string {
	t.Helper()
	var r struct {
		Inputs struct {
			Data json.RawMessage `json:"data"`
		} `json:"inputs"`
	}
	require.NoError(t, json.Unmarshal(resource, &r))
	return string(r.Inputs.Data)
}
