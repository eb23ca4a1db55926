package preflight

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// maxGroups is how many security groups a network interface may have, AWS's default. HyperShift adds one more.
const maxGroups = 5

// groupVPC judges the VPC of a security group.
func (p part) groupVPC(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.SecurityGroup, p.Name)
	if err != nil || found == nil {
		return absent(), err
	}
	return judged(network.CheckGroup(p.Name, found.Text("vpcId"), p.vpcID()))
}

// group compares a security group of a hosted cluster: the cloud controller must be able to tell the cluster's own
// group from it.
func (p part) group(ctx context.Context) ([]difference, error) {
	found, err := p.read(ctx, awstype.SecurityGroup, p.Name)
	if err != nil || found == nil {
		return nil, err
	}
	if p.given.Cluster.InfraID == "" {
		return p.compareRules(ctx) // Cluster API has four groups with tags of their own, which the program checks
	}
	var list []difference
	if key := hypershift.ClusterTagPrefix + p.given.Cluster.InfraID; found.Tags[key] != "" {
		list = append(list, difference{is: "has the tag " + key,
			breaks: "HyperShift's own group has it too, and Kubernetes' cloud controller fails with \"Multiple tagged security groups found\" for each load balancer",
			remedy: "use a security group without the tag, or remove the tag from this one", fails: true})
	}
	groups := slices.DeleteFunc(slices.Clone(p.given.Parts), func(e config.Existing) bool {
		return e.Kind != config.ExistingSecurityGroup
	})
	if len(groups) >= maxGroups && groups[0].Name == p.Name {
		list = append(list, difference{is: fmt.Sprintf("is one of %d groups, to which HyperShift adds its own", len(groups)),
			breaks: fmt.Sprintf("AWS allows %d per network interface unless the quota vpc/L-2AFB9258 was raised, and machines are not started", maxGroups),
			remedy: fmt.Sprintf("use at most %d", maxGroups-1)})
	}
	return list, nil
}

// compareRules compares the rules of a group with what machines need from each other. A machine is in several groups:
// the rule may be in any of them, and may name any group of the machines that send the traffic, or the VPC's network.
func (p part) compareRules(ctx context.Context) ([]difference, error) {
	if len(p.Rules) == 0 || p.vpcID() == "" {
		return nil, nil
	}
	vpc, err := p.read(ctx, awstype.VPC, p.VPC)
	if err != nil || vpc == nil {
		return nil, err
	}
	open := map[string][]props.Map{}
	var list []difference
	for _, needed := range p.Rules {
		for _, group := range needed.Groups {
			if _, known := open[group]; known {
				continue
			}
			found, err := p.ingress(ctx, []string{group})
			if err != nil {
				return nil, err
			}
			open[group] = found
		}
		accepts := func(group string) bool {
			return slices.ContainsFunc(open[group], func(rule props.Map) bool {
				return p.accepts(ctx, rule, needed, vpc.Text("cidrBlock"))
			})
		}
		if !slices.ContainsFunc(needed.Groups, accepts) {
			ports := "protocol " + needed.Protocol
			if needed.FromPort != 0 {
				ports = fmt.Sprintf("%s %d", needed.Protocol, needed.FromPort)
			}
			if needed.ToPort != needed.FromPort {
				ports += fmt.Sprintf(" to %d", needed.ToPort)
			}
			list = append(list, difference{is: fmt.Sprintf("does not accept %s (%s) of %s", needed.Description, ports,
				needed.Sources[0]),
				breaks: needed.Without, fails: needed.Vital,
				remedy: fmt.Sprintf("ask its owner to add an ingress rule with the source %s", needed.Sources[0])})
		}
	}
	return list, nil
}

// accepts reports whether an ingress rule accepts the traffic that a group needs.
func (p part) accepts(ctx context.Context, rule props.Map, needed config.GroupRule, vpc string) bool {
	if protocol := rule.String("ipProtocol"); protocol != "-1" &&
		protocolNumber(protocol) != protocolNumber(needed.Protocol) {
		return false
	}
	if from, to := rule.Number("fromPort"), rule.Number("toPort"); rule.String("ipProtocol") != "-1" &&
		needed.FromPort != 0 && from != -1 &&
		(float64(needed.FromPort) < from || to < float64(needed.ToPort)) {
		return false
	}
	if slices.Contains(needed.Sources, rule.String("referencedSecurityGroupId")) {
		return true
	}
	cidrs := []string{rule.String("cidrIpv4")}
	if id := rule.String("prefixListId"); id != "" {
		if list, err := p.read(ctx, awstype.PrefixList, id); err == nil && list != nil {
			cidrs = account.Texts(*list, "entries")
		}
	}
	prefix, err := netip.ParsePrefix(vpc)
	return err == nil && slices.ContainsFunc(cidrs, func(text string) bool {
		cidr, err := netip.ParsePrefix(text)
		return err == nil && cidr.Bits() <= prefix.Bits() && cidr.Contains(prefix.Addr())
	})
}

// protocolNumber returns the number of a protocol, which AWS shows by name if it has one.
func protocolNumber(protocol string) string {
	if number, named := map[string]string{"icmp": "1", "tcp": "6", "udp": "17", "icmpv6": "58"}[protocol]; named {
		return number
	}
	return protocol
}
