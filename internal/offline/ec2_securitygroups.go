package offline

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

const (
	securityGroupToken        = "aws:ec2/securityGroup:SecurityGroup"
	defaultSecurityGroupToken = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
	ingressRuleToken          = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
	egressRuleToken           = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
)

func securityGroupKinds() []*kind {
	groupMissing := answer{"InvalidGroup.NotFound", "The security group '%s' does not exist"}
	return []*kind{
		{
			token: securityGroupToken, args: ec2.SecurityGroupArgs{}, state: ec2.SecurityGroupState{},
			service: "EC2", noun: "Security Group", calls: calls{update: "AuthorizeSecurityGroupIngress"},
			named:    "name",
			apart:    [][]string{{"name", "namePrefix"}},
			computed: []string{"egress", "ingress", "name", "namePrefix", "vpcId"},
			defaults: props{"description": "Managed by Pulumi", "revokeRulesOnDelete": false},
			fixed:    props{"egress": []any{}, "ingress": []any{}, "namePrefix": ""},
			forms:    map[string]form{"egress": asSet, "ingress": asSet},
			valid:    map[string]func(string) string{"name": groupNameFault},
			replaces: []string{"description", "name", "namePrefix", "vpcId"},
			unique:   []string{"name", "vpcId"},
			refs:     []ref{{"vpcId", vpcToken, "", blocks}},
			missing:  groupMissing,
			inUse:    answer{"DependencyViolation", "resource %s has a dependent object"},
			rules:    []rule{groupNeedsVPC, groupNameFree},
			make: func(c *call) error {
				c.rec.ID = cmp.Or(c.given, newID("sg"))
				c.rec.State["name"] = cmp.Or(c.in().text("name"), c.in().text("namePrefix")+randomOf("0123456789", 26))
				c.owned("security-group")
				return nil
			},
		},
		{
			token: defaultSecurityGroupToken, args: ec2.DefaultSecurityGroupArgs{},
			state:   ec2.DefaultSecurityGroupState{},
			service: "EC2", noun: "Default Security Group",
			calls:    calls{"DescribeSecurityGroups", "AuthorizeSecurityGroupIngress", "DescribeSecurityGroups"},
			computed: []string{"egress", "ingress", "vpcId"},
			defaults: props{"revokeRulesOnDelete": false},
			fixed:    props{"egress": []any{}, "ingress": []any{}, "namePrefix": ""},
			forms:    map[string]form{"egress": asSet, "ingress": asSet},
			replaces: []string{"vpcId"},
			refs:     []ref{{"vpcId", vpcToken, "", part}},
			missing:  groupMissing,
			rules:    []rule{groupNeedsVPC},
			make:     adoptDefaultGroup,
			change:   setDefaultRules,
			// Nothing is undone: the group stays the VPC's, with the rules that it has by then.
		},
		groupRule(ingressRuleToken, "Ingress", vpc.SecurityGroupIngressRuleArgs{},
			vpc.SecurityGroupIngressRuleState{}),
		groupRule(egressRuleToken, "Egress", vpc.SecurityGroupEgressRuleArgs{},
			vpc.SecurityGroupEgressRuleState{}),
	}
}

func groupRule(token, direction string, args, state pulumi.Input) *kind {
	return &kind{
		token: token, args: args, state: state,
		service: "EC2", noun: "VPC Security Group " + direction + " Rule",
		calls: calls{"AuthorizeSecurityGroup" + direction, "ModifySecurityGroupRules",
			"RevokeSecurityGroup" + direction},
		oneOf:    [][]string{{"cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId"}},
		valid:    map[string]func(string) string{"cidrIpv4": networkFault},
		replaces: []string{"securityGroupId"},
		refs: []ref{{"securityGroupId", securityGroupToken, "", part},
			{"referencedSecurityGroupId", securityGroupToken, "", blocks}},
		missing: answer{"InvalidSecurityGroupRuleId.NotFound", "The security group rule ID '%s' does not exist"},
		rules:   []rule{portsMakeSense, groupRuleIsNew},
		make: func(c *call) error {
			c.rec.ID = newID("sgr")
			c.rec.State["securityGroupRuleId"] = c.rec.ID
			c.rec.State["arn"] = c.arn("ec2", "security-group-rule/"+c.rec.ID)
			return nil
		},
	}
}

// defaultGroup is the security group that AWS makes with a VPC: all traffic among its members, and out.
func defaultGroup(at site, vpcID, id string) props {
	everything := map[string]any{"protocol": "-1", "fromPort": 0.0, "toPort": 0.0}
	in := cloneValue(everything).(map[string]any)
	in["self"] = true
	out := cloneValue(everything).(map[string]any)
	out["cidrBlocks"] = list("0.0.0.0/0")
	return props{"name": "default", "description": "default VPC security group", "vpcId": vpcID,
		"ownerId": at.account, "arn": at.arn("ec2", "security-group/"+id), "tagsAll": map[string]any{},
		"namePrefix": "", "ingress": []any{in}, "egress": []any{out}}
}

func groupNameFault(name string) string {
	switch {
	case len(name) > 255:
		return "\"name\" cannot be longer than 255 characters"
	case strings.HasPrefix(name, "sg-"):
		return "invalid value for name (cannot begin with sg-)"
	default:
		return ""
	}
}

// groupNeedsVPC: without a VPC a group would go to the default one, which an offline account does not have.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
func groupNeedsVPC(c *call) error {
	if !c.in().has("vpcId") {
		return refuse("VPCIdNotSpecified", "No default VPC for this user. GroupName is only supported for EC2-Classic "+
			"and default VPC.")
	}
	return nil
}

// groupNameFree: a group's name is the only one of its VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
func groupNameFree(c *call) error {
	for _, other := range c.all(securityGroupToken) {
		if other.ID != c.rec.ID && other.State.text("vpcId") == c.in().text("vpcId") &&
			other.State.text("name") == c.in().text("name") {
			return refuse("InvalidGroup.Duplicate", "The security group '%s' already exists for VPC '%s'",
				c.in().text("name"), c.in().text("vpcId"))
		}
	}
	return nil
}

// adoptDefaultGroup takes over the group that came with the VPC and gives it these rules instead of its own.
func adoptDefaultGroup(c *call) error {
	c.rec.ID = c.find(vpcToken, c.in().text("vpcId")).State.text("defaultSecurityGroupId")
	group := c.find(securityGroupToken, c.rec.ID)
	if group == nil {
		return c.kind.missing.about(c.rec.ID)
	}
	for _, name := range []string{"arn", "description", "name", "ownerId"} {
		c.rec.State[name] = group.State[name]
	}
	return setDefaultRules(c)
}

func setDefaultRules(c *call) error {
	group := c.edit(securityGroupToken, c.rec.ID)
	if group == nil {
		return c.kind.missing.about(c.rec.ID)
	}
	group.State["ingress"], group.State["egress"] = c.in()["ingress"], c.in()["egress"]
	return nil
}

// portsMakeSense: a rule for TCP or UDP says its ports, lower one first.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html
func portsMakeSense(c *call) error {
	protocol := c.in().text("ipProtocol")
	if protocol != "tcp" && protocol != "udp" {
		return nil
	}
	from, to := c.in().number("fromPort"), c.in().number("toPort")
	if !c.in().has("fromPort") || !c.in().has("toPort") {
		return refuse("InvalidParameterValue", "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.")
	}
	if from < 0 || to > 65535 || from > to {
		return refuse("InvalidParameterValue", "Invalid value '%v-%v' for portRange.", from, to)
	}
	return nil
}

// groupRuleIsNew: a group has each rule once.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AuthorizeSecurityGroupIngress.html
func groupRuleIsNew(c *call) error {
	for _, other := range c.all(c.kind.token) {
		if other.ID != c.rec.ID && groupRuleText(other.State) == groupRuleText(c.in()) {
			return refuse("InvalidPermission.Duplicate", "the specified rule %q already exists", groupRuleText(c.in()))
		}
	}
	return nil
}

func groupRuleText(p props) string {
	peer := p.text("cidrIpv4") + p.text("cidrIpv6") + p.text("prefixListId") + p.text("referencedSecurityGroupId")
	return fmt.Sprintf("group: %s, peer: %s, %s, from port: %v, to port: %v, ALLOW", p.text("securityGroupId"), peer,
		strings.ToUpper(p.text("ipProtocol")), p.number("fromPort"), p.number("toPort"))
}
