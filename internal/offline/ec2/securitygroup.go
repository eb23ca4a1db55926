package ec2

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

func securityGroupKinds() []*aws.Kind {
	groupMissing := awserr.Template{Code: "InvalidGroup.NotFound", Text: "The security group '%s' does not exist"}
	return []*aws.Kind{
		{
			Token: awstype.SecurityGroup, Args: ec2.SecurityGroupArgs{}, State: ec2.SecurityGroupState{},
			Service: "EC2", Noun: "Security Group", Calls: aws.Calls{Update: "AuthorizeSecurityGroupIngress"},
			AutoName:     "name",
			Constants:    props.Map{"egress": []any{}, "ingress": []any{}},
			ValidateFunc: map[string]func(string) string{"name": groupNameFault},
			UniqueBy:     []string{"name", "vpcId"},
			References:   []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.BlocksDeletion}},
			NotFound:     groupMissing,
			InUse:        awserr.Template{Code: "DependencyViolation", Text: "resource %s has a dependent object"},
			Rules:        []aws.Rule{groupNeedsVPC, groupNameFree},
			ID:           aws.EC2ID("sg"),
			OnCreate:     allowEgress,
			OnRead:       viewDefaultEgress,
		},
		{
			Token: awstype.DefaultSecurityGroup, Args: ec2.DefaultSecurityGroupArgs{},
			State:   ec2.DefaultSecurityGroupState{},
			Service: "EC2", Noun: "Default Security Group",
			Calls: aws.Calls{
				Create: "DescribeSecurityGroups",
				Update: "AuthorizeSecurityGroupIngress",
				Remove: "DescribeSecurityGroups",
			},
			Constants:  props.Map{"egress": []any{}, "ingress": []any{}},
			References: []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.DeletedWith}},
			NotFound:   groupMissing,
			Rules:      []aws.Rule{groupNeedsVPC},
			ID: func(c *aws.Call) string {
				return c.Find(awstype.VPC, c.State().String("vpcId")).State.String("defaultSecurityGroupId")
			},
			OnCreate: adoptDefaultGroup,
			OnUpdate: setDefaultRules,
			OnRead:   viewDefaultRules,
			// Nothing is undone: the VPC keeps the group with its current rules.
		},
		groupRule(awstype.SecurityGroupIngressRule, "Ingress", vpc.SecurityGroupIngressRuleArgs{},
			vpc.SecurityGroupIngressRuleState{}),
		groupRule(awstype.SecurityGroupEgressRule, "Egress", vpc.SecurityGroupEgressRuleArgs{},
			vpc.SecurityGroupEgressRuleState{}),
	}
}

func groupRule(token, direction string, args, state pulumi.Input) *aws.Kind {
	return &aws.Kind{
		Token: token, Args: args, State: state,
		Service: "EC2", Noun: "VPC Security Group " + direction + " Rule",
		Calls: aws.Calls{Create: "AuthorizeSecurityGroup" + direction, Update: "ModifySecurityGroupRules",
			Remove: "RevokeSecurityGroup" + direction},
		ExactlyOneOf: [][]string{{"cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId"}},
		ValidateFunc: map[string]func(string) string{"cidrIpv4": networkFault},
		References: []aws.Reference{{Input: "securityGroupId", Type: awstype.SecurityGroup, Dependency: aws.DeletedWith},
			{Input: "referencedSecurityGroupId", Type: awstype.SecurityGroup, Dependency: aws.BlocksDeletion}},
		NotFound: awserr.Template{
			Code: "InvalidSecurityGroupRuleId.NotFound",
			Text: "The security group rule ID '%s' does not exist",
		},
		Rules: []aws.Rule{portRange, groupRuleIsNew},
		ID:    aws.EC2ID("sgr"),
		OnCreate: func(c *aws.Call) error {
			c.Resource.State["securityGroupRuleId"] = c.Resource.ID
			return nil
		},
	}
}

// allowEgress adds the rules that AWS creates a group with, if the provider is killed before it removes them.
// https://docs.aws.amazon.com/vpc/latest/userguide/creating-security-groups.html
func allowEgress(c *aws.Call) error {
	if !slices.Contains(c.Unset, "egress") {
		return nil
	}
	everywhere := map[string]string{"cidrIpv4": "0.0.0.0/0"}
	if c.Find(awstype.VPC, c.State().String("vpcId")).State.String("ipv6CidrBlock") != "" {
		everywhere["cidrIpv6"] = "::/0"
	}
	for name, cidr := range everywhere {
		id := ids.EC2("sgr")
		if err := c.Add(awstype.SecurityGroupEgressRule, id, props.Map{
			"securityGroupId": c.Resource.ID, "securityGroupRuleId": id, "ipProtocol": "-1", name: cidr,
			"tagsAll": map[string]any{},
		}); err != nil {
			return err
		}
	}
	return nil
}

// viewDefaultEgress returns the rules that AWS created the group with.
func viewDefaultEgress(c *aws.Call, out props.Map) {
	rules, _ := untyped.Clone(out["egress"]).([]any)
	for _, rule := range c.Where(awstype.SecurityGroupEgressRule, "securityGroupId", c.Resource.ID) {
		if rule.Origin == store.ByAWS {
			rules = append(rules, shownRule(rule))
		}
	}
	out["egress"] = rules
}

// defaultGroup returns the security group that AWS creates with a VPC: it allows all traffic among its members, and all
// outbound traffic.
func defaultGroup(vpcID string) props.Map {
	everything := map[string]any{"protocol": "-1", "fromPort": 0.0, "toPort": 0.0}
	in := untyped.Clone(everything).(map[string]any)
	in["self"] = true
	out := untyped.Clone(everything).(map[string]any)
	out["cidrBlocks"] = props.List("0.0.0.0/0")
	return props.Map{"name": "default", "description": "default VPC security group", "vpcId": vpcID,
		"tagsAll": map[string]any{},
		"ingress": []any{in}, "egress": []any{out}}
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
func groupNeedsVPC(c *aws.Call) error {
	if !c.State().Has("vpcId") {
		return awserr.Errorf("VPCIdNotSpecified",
			"No default VPC for this user. GroupName is only supported for EC2-Classic "+
				"and default VPC.")
	}
	return nil
}

// groupNameFree: a group's name is unique per VPC.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
func groupNameFree(c *aws.Call) error {
	if len(c.Others("vpcId", "name")) > 0 {
		return awserr.Errorf("InvalidGroup.Duplicate", "The security group '%s' already exists for VPC '%s'",
			c.State().String("name"), c.State().String("vpcId"))
	}
	return nil
}

// adoptDefaultGroup takes over the VPC's default group and replaces its rules.
func adoptDefaultGroup(c *aws.Call) error {
	if err := setDefaultRules(c); err != nil {
		return err
	}
	group := c.Find(awstype.SecurityGroup, c.Resource.ID)
	c.Resource.State["description"], c.Resource.State["name"] = group.State["description"], group.State["name"]
	return nil
}

// setDefaultRules replaces all rules of the group, and its tags.
func setDefaultRules(c *aws.Call) error {
	group := c.Edit(awstype.SecurityGroup, c.Resource.ID)
	if group == nil {
		return c.Kind.NotFound.For(c.Resource.ID)
	}
	for _, way := range []string{"ingress", "egress"} {
		if slices.Contains(c.Unset, way) {
			c.Resource.State[way] = untyped.Clone(group.State[way])
		} else {
			group.State[way] = c.State()[way]
		}
	}
	group.State["tagsAll"] = untyped.Clone(c.State()["tagsAll"])
	for _, token := range []string{awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule} {
		for _, rule := range c.Where(token, "securityGroupId", c.Resource.ID) {
			c.Delete(rule)
		}
	}
	return nil
}

// viewDefaultRules returns the rules of the group, including those that are separate resources.
func viewDefaultRules(c *aws.Call, out props.Map) {
	for way, token := range map[string]string{
		"ingress": awstype.SecurityGroupIngressRule,
		"egress":  awstype.SecurityGroupEgressRule,
	} {
		rules, _ := untyped.Clone(c.State()[way]).([]any)
		for _, rule := range c.Where(token, "securityGroupId", c.Resource.ID) {
			rules = append(rules, shownRule(rule))
		}
		out[way] = rules
	}
}

// shownRule returns a rule as an element of its group's lists.
func shownRule(rule *store.Entry) map[string]any {
	shown := map[string]any{
		"protocol": rule.State.String("ipProtocol"),
		"fromPort": rule.State.Number("fromPort"),
		"toPort":   rule.State.Number("toPort"),
	}
	for input, list := range map[string]string{"cidrIpv4": "cidrBlocks", "cidrIpv6": "ipv6CidrBlocks"} {
		if cidr := rule.State.String(input); cidr != "" {
			shown[list] = props.List(cidr)
		}
	}
	return shown
}

// portRange: a rule for TCP or UDP has a port range, lower port first.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html
func portRange(c *aws.Call) error {
	protocol := c.State().String("ipProtocol")
	if protocol != "tcp" && protocol != "udp" {
		return nil
	}
	from, to := c.State().Number("fromPort"), c.State().Number("toPort")
	if !c.State().Has("fromPort") || !c.State().Has("toPort") {
		return awserr.Errorf("InvalidParameterValue", "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.")
	}
	if from < 0 || to > 65535 || from > to {
		return awserr.Errorf("InvalidParameterValue", "Invalid value '%v-%v' for portRange.", from, to)
	}
	return nil
}

// groupRuleIsNew: a group has each rule at most once.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AuthorizeSecurityGroupIngress.html
func groupRuleIsNew(c *aws.Call) error {
	for _, other := range c.All(c.Kind.Token) {
		if other.ID != c.Resource.ID && groupRuleText(other.State) == groupRuleText(c.State()) {
			return awserr.Errorf("InvalidPermission.Duplicate", "the specified rule %q already exists", groupRuleText(c.State()))
		}
	}
	return nil
}

func groupRuleText(p props.Map) string {
	peer := p.String("cidrIpv4") + p.String("cidrIpv6") + p.String("prefixListId") + p.String("referencedSecurityGroupId")
	return fmt.Sprintf("group: %s, peer: %s, %s, from port: %v, to port: %v, ALLOW", p.String("securityGroupId"), peer,
		strings.ToUpper(p.String("ipProtocol")), p.Number("fromPort"), p.Number("toPort"))
}
