package plan

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
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

// AWS lists with a zone the VPCs with which other resources have associated it: those of the stack are no drift.
func TestAVPCThatTheStackAssociatesWithAZoneIsNoDrift(t *testing.T) {
	t.Parallel()
	known := []apitype.ResourceV3{{
		URN: "read", Type: "aws:route53/zone:Zone", External: true,
	}, {
		Type: "aws:route53/zoneAssociation:ZoneAssociation", Inputs: map[string]any{"zoneId": "Z1", "vpcId": "vpc-hub"},
	}}
	vpcs := func(ids ...string) map[string]any {
		var list []any
		for _, id := range ids {
			list = append(list, map[string]any{"vpcId": id})
		}
		return map[string]any{"vpcs": list, "comment": "c"}
	}
	for name, test := range map[string]struct {
		id          string
		state, aws  map[string]any
		more        string
		change      changes.Change
		wantNoDrift bool
	}{
		"the stack's":         {"Z1", vpcs("vpc-own"), vpcs("vpc-own", "vpc-hub"), "", changes.Update, true},
		"another's":           {"Z1", vpcs("vpc-own"), vpcs("vpc-own", "vpc-other"), "", changes.Update, false},
		"both":                {"Z1", vpcs("vpc-own"), vpcs("vpc-own", "vpc-hub", "vpc-other"), "", changes.Update, false},
		"another zone":        {"Z2", vpcs("vpc-own"), vpcs("vpc-own", "vpc-hub"), "", changes.Update, false},
		"a VPC less":          {"Z1", vpcs("vpc-own"), vpcs("vpc-hub"), "", changes.Update, false},
		"one that left":       {"Z1", vpcs("vpc-own", "vpc-hub"), vpcs("vpc-own"), "", changes.Update, false},
		"a comment too":       {"Z1", vpcs("vpc-own"), vpcs("vpc-own", "vpc-hub"), "comment", changes.Update, false},
		"the zone is deleted": {"Z1", vpcs("vpc-own"), nil, "", changes.Delete, false},
	} {
		step := &changes.Step{URN: "u", Type: "aws:route53/zone:Zone", ID: test.id, Change: test.change,
			Diffs: []string{"vpcs[1].vpcId"}, OldOutputs: test.state, NewOutputs: test.aws}
		if test.more != "" {
			step.Diffs, test.aws[test.more] = append(step.Diffs, test.more), "other"
		}
		require.Equal(t, test.wantNoDrift, Own(step, known), name)
	}
}
