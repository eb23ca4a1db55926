package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// FirewallEndpoint routes networks to the firewalls behind a Gateway Load Balancer in another VPC, by an endpoint of
// its service in each zone. The firewalls' own VPC has the way to the internet.
type FirewallEndpoint struct {
	// ServiceName is the name of the endpoint service of the Gateway Load Balancer,
	// "com.amazonaws.vpce.<region>.vpce-svc-…". It is available in the network's zones, and allows the VPC's account.
	// Required. Changing it replaces the endpoints.
	ServiceName pulumi.StringInput `yaml:"serviceName" pulumi:"serviceName"`
	// CIDRs are the IPv4 networks that machines in private subnets reach through the firewalls, outside the VPC. With
	// 0.0.0.0/0, they also reach the internet through them, and nat is None. Default [0.0.0.0/0].
	CIDRs []string `yaml:"cidrs" pulumi:"cidrs,optional"`
}

// networks returns the CIDRs that are routed to the endpoints.
func (f *FirewallEndpoint) networks() []string {
	if f == nil {
		return nil
	}
	return orAnywhere(f.CIDRs)
}

// orAnywhere returns the CIDRs, or the default route if there are none.
func orAnywhere(cidrs []string) []string {
	if len(cidrs) == 0 {
		return []string{anywhere}
	}
	return cidrs
}

// RoutesInternet reports whether a transit gateway or a firewall is the way to the internet.
func (o *Options) RoutesInternet() bool {
	return slices.Contains(o.TransitGateway.networks(), anywhere) ||
		slices.Contains(o.FirewallEndpoint.networks(), anywhere)
}

// validate returns the faults in the firewall's endpoint service, and routes that overlap others.
func (f *FirewallEndpoint) validate(args *BaseNetworkArgs) error {
	if f == nil {
		return nil
	}
	var faults fault.Faults
	switch {
	case args.Existing != nil:
		faults.Add("", nil, "creates endpoints and routes in a VPC that is created, but existing is set",
			"ask the owner of the VPC to create the endpoints and to add the routes")
	case args.publicOnly():
		faults.Add("", nil, "is for private subnets, but the network has none", "leave it out")
	case !input.IsSet(f.ServiceName):
		faults.Add("serviceName", nil, "is missing", "set the name of the firewall's endpoint service, such as com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0")
	default:
		faults.Join("serviceName", input.IfPlain(f.ServiceName, validateFirewallService))
	}
	faults.Join("cidrs", args.validateRoutedCIDRs(f.networks()))
	for i, cidr := range f.networks() {
		if slices.Contains(args.TransitGateway.networks(), cidr) {
			path := fmt.Sprintf("cidrs[%d]", i)
			if len(f.CIDRs) == 0 {
				path = "cidrs"
			}
			faults.Add(path, cidr, "is also routed to transitGateway, and a route table has one route to a network",
				"list it in one of the two only")
		}
	}
	return faults.Err()
}

// validateFirewallService returns a fault for a text that is not the name of an endpoint service. An endpoint is part
// of a VPC, so that none can exist for a VPC that is created.
func validateFirewallService(name string) error {
	switch {
	case awsid.IsEC2("vpce", name):
		return &fault.Fault{Value: name, Problem: "is an endpoint, which is part of the VPC that it was created in and the target of that VPC's routes only",
			Remedy: "use the name of its endpoint service, for which an endpoint is created in each zone, or set existing with the VPC of the endpoint"}
	case awsid.EndpointServiceRegion(name) == "":
		return &fault.Fault{Value: name, Problem: "is not the name of an endpoint service",
			Remedy: "use one such as com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"}
	}
	return nil
}

// firewallEndpoints are the endpoints of the firewall in the args.
type firewallEndpoints struct {
	*site
	// service is the name of the firewall's endpoint service, known once it has been checked.
	service pulumi.StringInput
}

// find looks up the firewall's endpoint service: it must be one of a Gateway Load Balancer, and available in every
// zone, because an endpoint passes the traffic of its zone.
func (f *firewallEndpoints) find() error {
	if f.args.FirewallEndpoint == nil {
		return nil
	}
	var err error
	f.service, err = input.Check("firewallEndpoint.serviceName", f.args.FirewallEndpoint.ServiceName,
		func(name string) error {
			if err := validateFirewallService(name); err != nil {
				return err
			}
			return f.check(name)
		})
	return err
}

func (f *firewallEndpoints) check(name string) error {
	if region := awsid.EndpointServiceRegion(name); region != f.region {
		return &fault.Fault{Value: name, Problem: "is a service in " + region, Remedy: "use a service in " + f.region}
	}
	found, err := ec2.LookupVpcEndpointService(f.ctx, &ec2.LookupVpcEndpointServiceArgs{ServiceName: &name}, f.parent())
	if err != nil {
		return lookupFault(name, err, "use a service of the region whose owner allows the VPC's account")
	}
	if found.ServiceType != "GatewayLoadBalancer" {
		return &fault.Fault{
			Value:   name,
			Problem: "is a service of type " + found.ServiceType + ", which cannot be the target of a route",
			Remedy:  "use one of a Gateway Load Balancer",
		}
	}
	var lacking []string
	for _, zone := range f.zones {
		if !slices.Contains(found.AvailabilityZones, zone.name) {
			lacking = append(lacking, zone.name)
		}
	}
	if len(lacking) > 0 {
		return &fault.Fault{Value: name, Problem: "is not available in " + strings.Join(lacking,
			", ") + " (available: " + strings.Join(found.AvailabilityZones, ", ") + ")",
			Remedy: "use other zones, or ask the owner to add the zones to its load balancer"}
	}
	if found.AcceptanceRequired && f.ctx.DryRun() {
		return f.ctx.Log.Warn(fmt.Sprintf("the owner of %s has to accept each endpoint: until then, AWS refuses the routes to it, and machines in private subnets do not reach %s; "+
			"then run `up` again", name, strings.Join(f.args.FirewallEndpoint.networks(), ", ")), nil)
	}
	return nil
}

// egressZones returns the zones that need a second subnet: for a NAT gateway, or for a firewall's endpoint, which must
// not be in the machines' subnet. Source: the guide of Gateway Load Balancers, "Getting started".
func (args *BaseNetworkArgs) egressZones(zones []placedZone) []placedZone {
	if args.PublicSubnets || args.FirewallEndpoint != nil {
		return zones
	}
	return args.natZones(zones)
}

// create creates an endpoint of the firewall's service in each zone, and routes the zone's private subnets there.
func (f *firewallEndpoints) create(vpc *ec2.Vpc, public *publicSide, private *privateSide) error {
	if f.args.FirewallEndpoint == nil {
		return nil
	}
	for _, zone := range f.zones {
		endpoint, err := ec2.NewVpcEndpoint(f.ctx, f.child("firewall-"+zone.name), &ec2.VpcEndpointArgs{
			VpcId:           vpc.ID(),
			ServiceName:     input.Optional(f.service),
			VpcEndpointType: pulumi.String("GatewayLoadBalancer"),
			SubnetIds:       pulumi.StringArray{public.subnets[zone.name].ID()},
			Tags:            f.tags(f.args.Prefix + "-firewall-" + zone.name),
		}, f.parent())
		if err != nil {
			return err
		}
		for _, cidr := range f.args.FirewallEndpoint.networks() {
			if _, err := ec2.NewRoute(f.ctx, f.child(firewallRoute(zone.name, cidr)), &ec2.RouteArgs{
				RouteTableId:         private.tables[zone.name].ID(),
				DestinationCidrBlock: pulumi.String(cidr),
				VpcEndpointId:        endpoint.ID(),
			}, f.parent(), f.sameRoute(zone.name, cidr)); err != nil {
				return err
			}
		}
	}
	return nil
}

// The names of a zone's private routes, by their targets.
func natRoute(zone string) string            { return "private-" + zone + "-nat" }
func transitRoute(zone, cidr string) string  { return "private-" + zone + "-transit-" + cidr }
func firewallRoute(zone, cidr string) string { return "private-" + zone + "-firewall-" + cidr }

// sameRoute gives a route an alias of the table's route to the same network with another target, so that it is changed
// in place. Otherwise the engine would create the new route before it deletes the old one, and AWS refuses a second
// route to the same network.
func (s *site) sameRoute(zone, cidr string) pulumi.ResourceOption {
	names := []string{transitRoute(zone, cidr), firewallRoute(zone, cidr)}
	if cidr == anywhere {
		names = append(names, natRoute(zone))
	}
	var aliases []pulumi.Alias
	for _, name := range names {
		aliases = append(aliases, pulumi.Alias{Name: pulumi.String(s.child(name))})
	}
	return pulumi.Aliases(aliases)
}
