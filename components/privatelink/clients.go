package privatelink

import (
	"fmt"
	"net/netip"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Clients are who may connect to an endpoint in addition to the nodes. Each is a rule of the endpoint's security group.
type Clients struct {
	// AllowedCIDRs are the IPv4 CIDRs of clients that may connect to the endpoint on the service's port. A rule is named
	// after its CIDR, or after its place in the list if the CIDR is an output. Default none.
	AllowedCIDRs []pulumi.StringInput `yaml:"allowedCIDRs" pulumi:"allowedCIDRs,optional"`
	// AllowedSecurityGroups are the IDs of security groups, "sg-…", whose members may connect, of the endpoint's VPC or of
	// a peered one in the same region. Default none.
	AllowedSecurityGroups []pulumi.StringInput `yaml:"allowedSecurityGroups" pulumi:"allowedSecurityGroups,optional"`
}

// AreNone reports whether there are no clients.
func (c Clients) AreNone() bool { return len(c.AllowedCIDRs)+len(c.AllowedSecurityGroups) == 0 }

// Validate returns every fault that can be found without calling AWS.
func (c Clients) Validate() error {
	var faults fault.Faults
	_, err := parseCIDRs(c.AllowedCIDRs)
	faults.Join("allowedCIDRs", err)
	seen := map[string]int{}
	for i, group := range c.AllowedSecurityGroups {
		path := fmt.Sprintf("allowedSecurityGroups[%d]", i)
		id, plain := input.Plain(group)
		if !plain {
			continue
		}
		if first, twice := seen[id]; twice {
			faults.Add(path, id, fmt.Sprintf("duplicates [%d]", first), "list each group once")
		} else if !awsid.IsEC2("sg", id) {
			faults.Add(path, id, "is not the ID of a security group", "use one such as sg-0123456789abcdef0")
		}
		seen[id] = i
	}
	return faults.Err()
}

// source is what a rule of a security group allows to connect.
type source struct {
	// name is that of the rule, beside the component's.
	name string
	// cidr or group is given.
	cidr, group pulumi.StringInput
}

// sources returns the clients as sources of rules, whose names begin with prefix.
func (c Clients) sources(prefix string) []source {
	name := func(in pulumi.StringInput, what string, i int) string {
		if text, plain := input.Plain(in); plain {
			return prefix + text
		}
		return fmt.Sprintf("%s%s-%d", prefix, what, i)
	}
	var all []source
	for i, cidr := range c.AllowedCIDRs {
		all = append(all, source{name: name(cidr, "cidr", i), cidr: cidr})
	}
	for i, group := range c.AllowedSecurityGroups {
		all = append(all, source{name: name(group, "group", i), group: group})
	}
	return all
}

// key is the source's key in Existing.RuleIDs, "" for an output.
func (s source) key() string { return input.Text(s.cidr) + input.Text(s.group) }

// register creates the rule that allows the source to connect to a port of a group, and has the name.
func (s source) register(
	ctx *pulumi.Context,
	name string,
	group pulumi.StringInput,
	port int,
	opts ...pulumi.ResourceOption,
) error {
	_, err := vpc.NewSecurityGroupIngressRule(ctx, name, &vpc.SecurityGroupIngressRuleArgs{
		SecurityGroupId:           group,
		Description:               pulumi.String(ruleDescription),
		CidrIpv4:                  input.Optional(s.cidr),
		ReferencedSecurityGroupId: input.Optional(s.group),
		IpProtocol:                pulumi.String("tcp"),
		FromPort:                  pulumi.Int(port),
		ToPort:                    pulumi.Int(port),
	}, opts...)
	return err
}

func parseCIDRs(inputs []pulumi.StringInput) ([]netip.Prefix, error) {
	var faults fault.Faults
	var cidrs []netip.Prefix
	seen := map[string]int{}
	for i, given := range inputs {
		text, plain := input.Plain(given)
		if !plain {
			continue
		}
		path := fmt.Sprintf("[%d]", i)
		cidr, err := netip.ParsePrefix(text)
		first, twice := seen[text]
		switch {
		case err != nil || !cidr.Addr().Is4():
			faults.Add(path, text, "is not an IPv4 CIDR", "use an address and a length, such as 10.0.0.0/16")
		case cidr.Masked() != cidr:
			faults.Add(path, text, "is not a network address", "use "+cidr.Masked().String())
		case twice:
			faults.Add(path, text, fmt.Sprintf("duplicates [%d]", first), "list each CIDR once")
		default:
			cidrs = append(cidrs, cidr)
		}
		seen[text] = i
	}
	return cidrs, faults.Err()
}
