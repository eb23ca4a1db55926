package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// closedEndpoints compares the security groups of a VPC's interface endpoints with the subnets of its machines. With
// private DNS names, an endpoint takes all connections to its service from the VPC, also where there is a route to the
// internet: machines that no group admits cannot reach the service at all.
// https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html
func (p part) closedEndpoints(ctx context.Context, endpoints []inventory.Resource) ([]difference, error) {
	services := append(slices.Clone(p.given.Network.Services), "s3")
	endpoints = slices.DeleteFunc(slices.Clone(endpoints), func(e inventory.Resource) bool {
		return e.Text("vpcId") != p.Name || e.Text("vpcEndpointType") != "Interface" || !awstype.NamedInVPC(e.Properties) ||
			e.State != "" && e.State != "available" || !slices.ContainsFunc(services, func(service string) bool {
			return strings.HasSuffix(e.Text("serviceName"), "."+p.given.Place.Region+"."+service)
		})
	})
	if len(endpoints) == 0 {
		return nil, nil
	}
	machines, err := p.machineCIDRs(ctx)
	if err != nil {
		return nil, err
	}
	needed := config.GroupRule{GroupRule: capa.GroupRule{Protocol: "tcp", FromPort: 443, ToPort: 443}}
	for _, part := range p.given.Parts {
		if part.Kind == config.ExistingSecurityGroup {
			needed.Sources = append(needed.Sources, part.Name)
		}
	}
	var list []difference
	for _, endpoint := range endpoints {
		groups := account.Texts(endpoint, "securityGroupIds")
		if len(groups) == 0 {
			continue // AWS gives each interface endpoint one at least: they are not known
		}
		rules, err := p.ingress(ctx, groups)
		if err != nil {
			return nil, err
		}
		shut := slices.DeleteFunc(slices.Clone(machines), func(cidr string) bool {
			return p.admit(ctx, rules, needed, cidr)
		})
		if len(shut) == 0 {
			continue
		}
		service := endpoint.Text("serviceName")
		service = service[strings.LastIndex(service, "."+p.given.Place.Region+".")+len(p.given.Place.Region)+2:]
		list = append(list, difference{
			is: fmt.Sprintf("has the endpoint %s for %s, whose security groups do not admit tcp/443 from %s", endpoint.ID,
				service, strings.Join(shut, ", ")),
			breaks: "machines resolve the service's name to the endpoint, and cannot connect to it",
			remedy: "ask its owner to add ingress rules for the subnets of the nodes to one of " +
				strings.Join(groups, ", "),
			fails: service == "s3" || slices.Contains(p.given.Network.RequiredServices, service),
		})
	}
	return list, nil
}

// machineCIDRs returns the CIDRs of the existing subnets of machines.
func (p part) machineCIDRs(ctx context.Context) ([]string, error) {
	kind := config.ExistingPrivateSubnet
	if p.given.Network.PublicMachines {
		kind = config.ExistingPublicSubnet
	}
	var cidrs []string
	for _, part := range p.given.Parts {
		if part.Kind != kind || part.Name == "" {
			continue
		}
		subnet, err := p.read(ctx, awstype.Subnet, part.Name)
		if err != nil {
			return nil, err
		}
		if subnet != nil && subnet.Text("cidrBlock") != "" {
			cidrs = append(cidrs, subnet.Text("cidrBlock"))
		}
	}
	return unique(cidrs), nil
}

// ingress returns the ingress rules of security groups.
func (p part) ingress(ctx context.Context, groups []string) ([]props.Map, error) {
	var rules []props.Map
	for _, group := range groups {
		found, err := p.in.List(ctx, account.Query{
			Type:   awstype.SecurityGroupIngressRule,
			Inputs: map[string]any{"securityGroupId": group},
		})
		if err != nil {
			return nil, err
		}
		for _, rule := range found {
			if rule.Text("securityGroupId") == group {
				rules = append(rules, rule.Properties)
			}
		}
	}
	return rules, nil
}
