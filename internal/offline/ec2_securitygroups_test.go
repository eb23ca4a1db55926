package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDefaultGroupIsAdoptedAndEmptied(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	_, out, _ := e.read(vpcToken, vpc, nil)
	group := out["defaultSecurityGroupId"].(string)
	_, before, _ := e.read(securityGroupToken, group, nil)
	require.NotEmpty(t, before["egress"])

	id, adopted := e.create(defaultSecurityGroupToken, props{"vpcId": vpc})
	require.Equal(t, group, id)
	require.Equal(t, "default", adopted["name"])
	_, emptied, _ := e.read(securityGroupToken, group, nil)
	require.Empty(t, emptied["ingress"])
	require.Empty(t, emptied["egress"])

	require.NoError(t, e.delete(defaultSecurityGroupToken, id))
	found, after, _ := e.read(securityGroupToken, group, nil)
	require.Equal(t, group, found, "the group stays the VPC's")
	require.Empty(t, after["egress"], "with the rules that it has by then")
}

func TestSecurityGroupsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	group := e.id(securityGroupToken, props{"vpcId": vpc, "name": "nodes"})
	rule := props{"securityGroupId": group, "ipProtocol": "tcp", "fromPort": 443.0, "toPort": 443.0, "cidrIpv4": "10.0.0.0/16"}
	e.id(ingressRuleToken, rule)
	for _, c := range []struct {
		name, token string
		inputs      props
		code        string
	}{
		{"a name twice in a VPC", securityGroupToken, props{"vpcId": vpc, "name": "nodes"}, "InvalidGroup.Duplicate"},
		{"no VPC", securityGroupToken, props{"name": "other"}, "VPCIdNotSpecified"},
		{"a rule twice", ingressRuleToken, rule, "InvalidPermission.Duplicate"},
		{"TCP without ports", ingressRuleToken, props{"securityGroupId": group, "ipProtocol": "tcp", "cidrIpv4": "10.0.0.0/16"}, "InvalidParameterValue"},
		{"ports upside down", egressRuleToken, props{"securityGroupId": group, "ipProtocol": "udp", "fromPort": 9.0, "toPort": 8.0,
			"cidrIpv4": "10.0.0.0/16"}, "InvalidParameterValue"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	e.id(egressRuleToken, rule)
	e.id(securityGroupToken, props{"vpcId": e.vpc(), "name": "nodes"})
}

func TestAGroupStaysWhileRulesOfOthersNameIt(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	one, two := e.id(securityGroupToken, props{"vpcId": vpc, "name": "1"}), e.id(securityGroupToken, props{"vpcId": vpc, "name": "2"})
	rule := e.id(ingressRuleToken, props{"securityGroupId": two, "ipProtocol": "-1", "referencedSecurityGroupId": one})
	err := e.delete(securityGroupToken, one)
	refused(t, err, "DependencyViolation")
	require.ErrorContains(t, err, "has a dependent object")
	require.NoError(t, e.delete(securityGroupToken, two))
	found, _, _ := e.read(ingressRuleToken, rule, nil)
	require.Empty(t, found, "a group's rules go with it")
	require.NoError(t, e.delete(securityGroupToken, one))
}
