package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestTheDefaultGroupIsAdoptedAndEmptied(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	_, out, _ := e.read(awstype.VPC, vpc, nil)
	group := out["defaultSecurityGroupId"].(string)
	_, before, _ := e.read(awstype.SecurityGroup, group, nil)
	require.NotEmpty(t, before["egress"])

	id, adopted := e.create(awstype.DefaultSecurityGroup, props.Map{"vpcId": vpc})
	require.Equal(t, group, id)
	require.Equal(t, "default", adopted["name"])
	_, emptied, _ := e.read(awstype.SecurityGroup, group, nil)
	require.Empty(t, emptied["ingress"])
	require.Empty(t, emptied["egress"])

	require.NoError(t, e.delete(awstype.DefaultSecurityGroup, id))
	found, after, _ := e.read(awstype.SecurityGroup, group, nil)
	require.Equal(t, group, found, "the group stays the VPC's")
	require.Empty(t, after["egress"], "with the rules that it has by then")
}

func TestSecurityGroupsRefuse(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	group := e.id(awstype.SecurityGroup, props.Map{"vpcId": vpc, "name": "nodes"})
	rule := props.Map{
		"securityGroupId": group,
		"ipProtocol":      "tcp",
		"fromPort":        443.0,
		"toPort":          443.0,
		"cidrIpv4":        "10.0.0.0/16",
	}
	e.id(awstype.SecurityGroupIngressRule, rule)
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		code        string
	}{
		{"a name twice in a VPC", awstype.SecurityGroup, props.Map{"vpcId": vpc, "name": "nodes"}, "InvalidGroup.Duplicate"},
		{"no VPC", awstype.SecurityGroup, props.Map{"name": "other"}, "VPCIdNotSpecified"},
		{"a rule twice", awstype.SecurityGroupIngressRule, rule, "InvalidPermission.Duplicate"},
		{"TCP without ports", awstype.SecurityGroupIngressRule, props.Map{
			"securityGroupId": group,
			"ipProtocol":      "tcp",
			"cidrIpv4":        "10.0.0.0/16",
		}, "InvalidParameterValue"},
		{"ports upside down", awstype.SecurityGroupEgressRule,
			props.Map{"securityGroupId": group, "ipProtocol": "udp", "fromPort": 9.0, "toPort": 8.0,
				"cidrIpv4": "10.0.0.0/16"}, "InvalidParameterValue"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	e.id(awstype.SecurityGroupEgressRule, rule)
	e.id(awstype.SecurityGroup, props.Map{"vpcId": e.vpc(), "name": "nodes"})
}

func TestAGroupStaysWhileRulesOfOthersNameIt(t *testing.T) {
	t.Parallel()
	e := start(t)
	vpc := e.vpc()
	one, two := e.id(awstype.SecurityGroup,
		props.Map{"vpcId": vpc, "name": "1"}), e.id(awstype.SecurityGroup, props.Map{"vpcId": vpc, "name": "2"})
	rule := e.id(awstype.SecurityGroupIngressRule, props.Map{
		"securityGroupId":           two,
		"ipProtocol":                "-1",
		"referencedSecurityGroupId": one,
	})
	err := e.delete(awstype.SecurityGroup, one)
	refused(t, err, "DependencyViolation")
	require.ErrorContains(t, err, "has a dependent object")
	require.NoError(t, e.delete(awstype.SecurityGroup, two))
	found, _, _ := e.read(awstype.SecurityGroupIngressRule, rule, nil)
	require.Empty(t, found, "a group's rules go with it")
	require.NoError(t, e.delete(awstype.SecurityGroup, one))
}

func TestForeignRulesOfTheDefaultGroupAreDriftThatTheNextUpdateRemoves(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := props.Map{"vpcId": e.vpc(), "ingress": []any{}, "egress": []any{}, "tags": props.Map{"a": "b"}}
	group, _ := e.create(awstype.DefaultSecurityGroup, inputs)
	rule := e.id(awstype.SecurityGroupIngressRule, props.Map{
		"securityGroupId": group,
		"ipProtocol":      "tcp",
		"fromPort":        22.0,
		"toPort":          22.0,
		"cidrIpv4":        "0.0.0.0/0",
	})
	_, out, refreshed := e.read(awstype.DefaultSecurityGroup, group, inputs)
	require.Len(t, out["ingress"], 1)
	require.Len(t, refreshed["ingress"], 1)

	_, err := e.update(awstype.DefaultSecurityGroup, group, refreshed, inputs)
	require.NoError(t, err)
	found, _, _ := e.read(awstype.SecurityGroupIngressRule, rule, nil)
	require.Empty(t, found)
	_, out, _ = e.read(awstype.DefaultSecurityGroup, group, inputs)
	require.Empty(t, out["ingress"])
}
