package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/types"
)

func TestTheDefaultGroupIsAdoptedAndEmptied(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	_, out, _ := e.read(types.VPC, vpc, nil)
	group := out["defaultSecurityGroupId"].(string)
	_, before, _ := e.read(types.SecurityGroup, group, nil)
	require.NotEmpty(t, before["egress"])

	id, adopted := e.create(types.DefaultSecurityGroup, props.Map{"vpcId": vpc})
	require.Equal(t, group, id)
	require.Equal(t, "default", adopted["name"])
	_, emptied, _ := e.read(types.SecurityGroup, group, nil)
	require.Empty(t, emptied["ingress"])
	require.Empty(t, emptied["egress"])

	require.NoError(t, e.delete(types.DefaultSecurityGroup, id))
	found, after, _ := e.read(types.SecurityGroup, group, nil)
	require.Equal(t, group, found, "the group stays the VPC's")
	require.Empty(t, after["egress"], "with the rules that it has by then")
}

func TestSecurityGroupsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	group := e.id(types.SecurityGroup, props.Map{"vpcId": vpc, "name": "nodes"})
	rule := props.Map{"securityGroupId": group, "ipProtocol": "tcp", "fromPort": 443.0, "toPort": 443.0, "cidrIpv4": "10.0.0.0/16"}
	e.id(types.IngressRule, rule)
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		code        string
	}{
		{"a name twice in a VPC", types.SecurityGroup, props.Map{"vpcId": vpc, "name": "nodes"}, "InvalidGroup.Duplicate"},
		{"no VPC", types.SecurityGroup, props.Map{"name": "other"}, "VPCIdNotSpecified"},
		{"a rule twice", types.IngressRule, rule, "InvalidPermission.Duplicate"},
		{"TCP without ports", types.IngressRule, props.Map{"securityGroupId": group, "ipProtocol": "tcp", "cidrIpv4": "10.0.0.0/16"}, "InvalidParameterValue"},
		{"ports upside down", types.EgressRule, props.Map{"securityGroupId": group, "ipProtocol": "udp", "fromPort": 9.0, "toPort": 8.0,
			"cidrIpv4": "10.0.0.0/16"}, "InvalidParameterValue"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	e.id(types.EgressRule, rule)
	e.id(types.SecurityGroup, props.Map{"vpcId": e.vpc(), "name": "nodes"})
}

func TestAGroupStaysWhileRulesOfOthersNameIt(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	one, two := e.id(types.SecurityGroup, props.Map{"vpcId": vpc, "name": "1"}), e.id(types.SecurityGroup, props.Map{"vpcId": vpc, "name": "2"})
	rule := e.id(types.IngressRule, props.Map{"securityGroupId": two, "ipProtocol": "-1", "referencedSecurityGroupId": one})
	err := e.delete(types.SecurityGroup, one)
	refused(t, err, "DependencyViolation")
	require.ErrorContains(t, err, "has a dependent object")
	require.NoError(t, e.delete(types.SecurityGroup, two))
	found, _, _ := e.read(types.IngressRule, rule, nil)
	require.Empty(t, found, "a group's rules go with it")
	require.NoError(t, e.delete(types.SecurityGroup, one))
}

func TestRulesThatOthersAddToTheDefaultGroupShowAndGoWithTheNextChange(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := props.Map{"vpcId": e.vpc(), "ingress": []any{}, "egress": []any{}, "tags": props.Map{"a": "b"}}
	group, _ := e.create(types.DefaultSecurityGroup, inputs)
	rule := e.id(types.IngressRule, props.Map{"securityGroupId": group, "ipProtocol": "tcp", "fromPort": 22.0, "toPort": 22.0, "cidrIpv4": "0.0.0.0/0"})
	_, out, refreshed := e.read(types.DefaultSecurityGroup, group, inputs)
	require.Len(t, out["ingress"], 1)
	require.Len(t, refreshed["ingress"], 1)

	_, err := e.update(types.DefaultSecurityGroup, group, refreshed, inputs)
	require.NoError(t, err)
	found, _, _ := e.read(types.IngressRule, rule, nil)
	require.Empty(t, found)
	_, out, _ = e.read(types.DefaultSecurityGroup, group, inputs)
	require.Empty(t, out["ingress"])
}
