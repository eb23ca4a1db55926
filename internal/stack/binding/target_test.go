package binding

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// stateWith returns a state with the outputs, nil for none, and with resources.
func stateWith(outputs map[string]any, resources ...apitype.ResourceV3) *state.Deployment {
	all := append([]apitype.ResourceV3{{
		Type:    "pulumi:pulumi:Stack",
		URN:     "urn:pulumi:s::p::pulumi:pulumi:Stack::s",
		Outputs: outputs,
	}}, resources...)
	d := &state.Deployment{}
	for _, r := range all {
		d.Resources = append(d.Resources, &state.Resource{ResourceV3: r})
	}
	return d
}

func custom(token string, inputs map[string]any) apitype.ResourceV3 {
	return apitype.ResourceV3{
		Type:   tokens.Type(token),
		URN:    resource.URN("urn:pulumi:s::p::" + token + "::x"),
		Custom: true,
		ID:     "x",
		Inputs: inputs,
	}
}

// interrupted is the state of a first update that was killed after it had created a HostedCluster in the network of
// another stack.
func interrupted() *state.Deployment {
	return stateWith(nil, custom("kubernetes:hypershift.openshift.io/v1beta1:HostedCluster", map[string]any{
		"metadata": map[string]any{"name": "demo", "namespace": "clusters"}, "spec": map[string]any{"infraID": "demo-x1"},
	}))
}

func fileOf(t *testing.T, text string) *config.File {
	t.Helper()
	file, err := stacks.Kinds().ParseFile("Pulumi.dev.yaml", "dev", []byte("config:\n  aws:region: us-east-1\n"+text))
	require.NoError(t, err)
	return file
}

func clusterFile(t *testing.T, name, infraID string) *config.File {
	t.Helper()
	return fileOf(t, "  hypershift-aws:kind: cluster\n  hypershift-aws:cluster: {name: "+name+", infraID: "+infraID+
		", baseDomain: example.com, oidc: {bucketName: demo-oidc}}\n")
}

func TestADestroyIsRefusedIfTheFileDescribesAnotherClusterThanTheState(t *testing.T) {
	t.Parallel()
	updated := map[string]any{"kind": "cluster", "name": "demo", "infraID": "demo-x1"}
	tagged := custom(awstype.Subnet, map[string]any{"tags": map[string]any{"kubernetes.io/cluster/demo-x1": "owned"}})
	machines := "  hypershift-aws:kind: capa\n  hypershift-aws:capa: {name: demo, kubernetesVersion: v1.33.4, topology: Public, network: {zones: [us-east-1a]}}\n"
	for name, c := range map[string]struct {
		file  *config.File
		state *state.Deployment
		// values are those of the file and of the state, none if the destroy may begin.
		values []string
	}{
		"the same cluster": {clusterFile(t, "demo", "demo-x1"), stateWith(updated), nil},
		"another infra ID": {clusterFile(t, "demo",
			"other-x1"), stateWith(updated), []string{"hypershift-aws:cluster.infraID other-x1", "demo-x1"}},
		"another name": {clusterFile(t, "other",
			"demo-x1"), stateWith(updated), []string{"hypershift-aws:cluster.name other", "demo"}},
		"another kind": {fileOf(t, machines), stateWith(updated), []string{"hypershift-aws:kind capa", "cluster"}},
		"another infra ID, by the HostedCluster": {clusterFile(t, "demo",
			"other-x1"), interrupted(), []string{"other-x1", "demo-x1"}},
		"another name, by the HostedCluster": {clusterFile(t, "other",
			"demo-x1"), interrupted(), []string{"other", "demo"}},
		"another infra ID, by tags": {clusterFile(t, "demo",
			"other-x1"), stateWith(nil, tagged), []string{"other-x1", "demo-x1"}},
		"the same cluster, by tags":     {clusterFile(t, "demo", "demo-x1"), stateWith(nil, tagged), nil},
		"a state that shows no cluster": {clusterFile(t, "demo", "other-x1"), stateWith(nil), nil},
		"an empty state":                {clusterFile(t, "demo", "other-x1"), &state.Deployment{}, nil},
		"no file":                       {nil, stateWith(updated), nil},
		"machines, whose name tags their resources": {fileOf(t, machines), stateWith(map[string]any{
			"kind": "capa",
			"name": "demo",
		}), nil},
	} {
		err := Compare(c.file, c.state)
		if c.values == nil {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, failure.Refused, failure.ReasonOf(err), name)
		for _, value := range c.values {
			require.ErrorContains(t, err, value, name)
		}
	}
}

func TestADestroySweepsTheClusterOfTheStateAfterAnInterruptedFirstUpdate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file  *config.File
		state *state.Deployment
		want  Swept
	}{
		"the HostedCluster has the infra ID": {clusterFile(t, "demo", "demo-x1"), interrupted(), Swept{
			Name:    "demo",
			InfraID: "demo-x1",
		}},
		"only the file has it": {clusterFile(t, "demo", "demo-x1"), stateWith(nil), Swept{
			Name:    "demo",
			InfraID: "demo-x1",
			NotOwn:  true,
		}},
		"the outputs have it": {nil, stateWith(map[string]any{
			"kind":    "cluster",
			"name":    "demo",
			"infraID": "demo-x1",
		}), Swept{Name: "demo", InfraID: "demo-x1"}},
		"a stack without resources": {clusterFile(t, "demo", "demo-x1"), &state.Deployment{}, Swept{}},
		"the network of a cluster": {nil, stateWith(map[string]any{
			"kind":    "network",
			"name":    "demo",
			"infraID": "demo-x1",
		}), Swept{}},
		"what a cluster of machines stands on": {nil, stateWith(map[string]any{"kind": "capa", "name": "demo"}), Swept{}},
	} {
		s := &workspace.Stack{Name: "dev", File: c.file, State: c.state, StateRead: true}
		got, err := FindSwept(t.Context(), s)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}
