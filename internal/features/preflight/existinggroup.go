package preflight

import (
	"context"
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/grouprules"
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
		var rules []props.Map
		for _, group := range needed.Groups {
			rules = append(rules, open[group]...)
		}
		if !p.admit(ctx, rules, needed, vpc.Text("cidrBlock")) {
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

// admit reports whether ingress rules together admit the traffic that a group needs, from a network or from its
// sources.
func (p part) admit(ctx context.Context, rules []props.Map, needed config.GroupRule, cidr string) bool {
	traffic := grouprules.Traffic{Protocol: needed.Protocol, FromPort: needed.FromPort, ToPort: needed.ToPort}
	return grouprules.Admit(rules, traffic, func(id string) []string {
		if list, err := p.read(ctx, awstype.PrefixList, id); err == nil && list != nil {
			return account.Texts(*list, "entries")
		}
		return nil
	}, cidr, needed.Sources)
}
