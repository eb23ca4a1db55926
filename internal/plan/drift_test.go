package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
)

func TestDriftOfAnObjectNamesTheFieldsThatTheStackApplies(t *testing.T) {
	t.Parallel()
	object := func(replicas int, release, operators string) map[string]any {
		return map[string]any{
			"kind": "NodePool", "metadata": map[string]any{"name": "a", "resourceVersion": operators},
			"spec": map[string]any{"replicas": replicas, "release": map[string]any{"image": release}, "operators": operators},
		}
	}
	inputs := object(2, "r:1", "")
	delete(inputs["spec"].(map[string]any), "operators")
	delete(inputs["metadata"].(map[string]any), "resourceVersion")
	inputs["__fieldManager"] = "x"
	found := Drift(&changes.Plan{Steps: []*changes.Step{{
		URN: "u", Type: "kubernetes:hypershift.openshift.io/v1beta1:NodePool", Name: "a", ID: "clusters/a", Custom: true,
		Change: changes.Update,
		Old:    inputs, OldOutputs: object(2, "r:1", "1"), NewOutputs: object(5, "r:1", "2"),
	}}}, nil, nil)
	require.Equal(t, []changes.ValueDifference{{Property: "spec.replicas", State: 2, AWS: 5}}, found[0].Values)
}

func TestDriftOfAnInputThatWasNotSetShowsWhatDiffers(t *testing.T) {
	t.Parallel()
	found := Drift(&changes.Plan{Steps: []*changes.Step{{
		URN: "u", Type: "aws:ec2/vpcEndpoint:VpcEndpoint", Name: "e", ID: "vpce-1", Custom: true, Change: changes.Update,
		Diffs: []string{"privateDnsEnabled"},
		Old:   map[string]any{"privateDnsEnabled": false}, New: map[string]any{"privateDnsEnabled": true},
		OldOutputs: map[string]any{"privateDnsEnabled": true}, NewOutputs: map[string]any{"privateDnsEnabled": true},
	}}}, nil, nil)
	require.Equal(t, []changes.ValueDifference{{Property: "privateDnsEnabled", State: false, AWS: true}}, found[0].Values)
}
