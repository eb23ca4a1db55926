package network

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

const guestNetworkType = "hypershift-aws:network:GuestNetwork"

// GuestNetwork is the VPC that a hosted cluster's nodes live in, laid out for its EndpointAccess: names,
// tags and CIDRs are those that HyperShift and its operators look for.
type GuestNetwork struct {
	pulumi.ResourceState

	// Zones are the names of the zones for nodes, in the order of their slots.
	Zones []string

	// VPCID is the VPC's ID, "vpc-…".
	VPCID pulumi.StringOutput `pulumi:"vpcID"`
	// MachineCIDR is the VPC's IPv4 CIDR.
	MachineCIDR pulumi.StringOutput `pulumi:"machineCIDR"`
	// DHCPOptionsID is the ID of the VPC's DHCP options, "dopt-…".
	DHCPOptionsID pulumi.StringOutput `pulumi:"dhcpOptionsID"`
	// DefaultSecurityGroupID is the ID of the VPC's default security group, "sg-…", which has no rules.
	DefaultSecurityGroupID pulumi.StringOutput `pulumi:"defaultSecurityGroupID"`
	// InternetGatewayID is the internet gateway's ID, "igw-…"; "" where nothing reaches the internet.
	InternetGatewayID pulumi.StringOutput `pulumi:"internetGatewayID"`
	// PrivateSubnetIDs maps a zone's name to its node subnet, "subnet-…".
	PrivateSubnetIDs pulumi.StringMapOutput `pulumi:"privateSubnetIDs"`
	// PublicSubnetIDs maps a zone's name to its subnet for load balancers on the internet; empty in
	// mode Private.
	PublicSubnetIDs pulumi.StringMapOutput `pulumi:"publicSubnetIDs"`
	// EgressSubnetIDs maps the name of a zone with a NAT gateway to that gateway's subnet.
	EgressSubnetIDs pulumi.StringMapOutput `pulumi:"egressSubnetIDs"`
	// NATGatewayIDs maps the name of a zone to its NAT gateway, "nat-…".
	NATGatewayIDs pulumi.StringMapOutput `pulumi:"natGatewayIDs"`
	// NATAddresses maps the name of a zone to the public IPv4 address that its NAT gateway sends from.
	NATAddresses pulumi.StringMapOutput `pulumi:"natAddresses"`
	// PrivateRouteTableIDs maps a zone's name to the route table of its node subnet, "rtb-…".
	PrivateRouteTableIDs pulumi.StringMapOutput `pulumi:"privateRouteTableIDs"`
	// PublicRouteTableID is the route table of the public and egress subnets; "" where there is none.
	PublicRouteTableID pulumi.StringOutput `pulumi:"publicRouteTableID"`
	// S3EndpointID is the ID of the gateway endpoint for S3, "vpce-…".
	S3EndpointID pulumi.StringOutput `pulumi:"s3EndpointID"`
	// InterfaceEndpointIDs maps a service's name, such as "ecr.api", to its interface endpoint.
	InterfaceEndpointIDs pulumi.StringMapOutput `pulumi:"interfaceEndpointIDs"`
	// PrivateZone is the zone <prefix>.<baseDomain>, which the VPC alone sees.
	PrivateZone HostedZone
	// LocalZone is the zone <name>.hypershift.local; empty in mode Public.
	LocalZone HostedZone
	// PublicZone is the base domain's zone, which exists already; empty in mode Private.
	PublicZone HostedZone
}

// GuestNetworkArgs say what network a hosted cluster needs.
type GuestNetworkArgs struct {
	// Cluster names and tags the network's resources. Required.
	Cluster hypershift.Cluster
	// BaseDomain is the domain under which the cluster's names lie. Required. Its public zone must be in
	// the account unless EndpointAccess is Private.
	BaseDomain string
	// BaseDomainPrefix stands before BaseDomain in the private zone's name. "" for the cluster's name,
	// "none" for no prefix.
	BaseDomainPrefix string
	// EndpointAccess decides which parts the network has. Default Public.
	EndpointAccess hypershift.EndpointAccess
	// VPCCIDR is the VPC's IPv4 CIDR, from /16 to /20. Default 10.0.0.0/16.
	VPCCIDR string
	// Zones are the availability zones for nodes, one to eight of the provider's region. Required.
	Zones []Zone
	// NAT says how nodes reach the internet. Default PerZone.
	NAT NATStrategy
	// InterfaceEndpoints are the AWS services, named as in "com.amazonaws.<region>.<name>", that nodes
	// reach inside the VPC. Default none; NATStrategy None needs NodeServices.
	InterfaceEndpoints []string
}

// Validate returns every fault in args that can be seen without asking AWS.
func (args *GuestNetworkArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	if args.BaseDomain == "" {
		faults.Add("baseDomain", nil, "is missing", "give the domain under which the cluster's names lie")
	} else {
		faults.Join("baseDomain", hypershift.ValidateDomain(args.BaseDomain))
		faults.Join("baseDomainPrefix", validatePrefix(args.BaseDomainPrefix, args.BaseDomain))
	}
	faults.Join("endpointAccess", args.EndpointAccess.Validate())
	_, err := NewLayout(args.VPCCIDR)
	faults.Join("vpcCIDR", err)
	faults.Join("zones", ValidateZones(args.Zones))
	faults.Join("nat", args.NAT.Validate())
	faults.Join("", validateEgress(args.NAT, args.EndpointAccess, args.InterfaceEndpoints))
	faults.Join("interfaceEndpoints", validateInterfaceEndpoints(args.InterfaceEndpoints))
	return faults.Err()
}

func validatePrefix(prefix, baseDomain string) error {
	if prefix == "" || prefix == hypershift.NoPrefix {
		return nil
	}
	if hypershift.ValidateDomain(prefix+"."+baseDomain) != nil {
		return &fault.Fault{
			Value: prefix, Problem: "is not the beginning of a domain name",
			Remedy: `give lower-case labels, "none" for no prefix, or leave it out for the cluster's name`,
		}
	}
	return nil
}

// NewGuestNetwork registers the network's resources. It fails with every fault in args at once, with a
// fault for every zone that is not of the provider's region, and where the base domain has no public
// zone in the account.
func NewGuestNetwork(ctx *pulumi.Context, name string, args *GuestNetworkArgs, opts ...pulumi.ResourceOption) (*GuestNetwork, error) {
	if args == nil {
		args = &GuestNetworkArgs{}
	}
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("guest network %q: %w", name, err)
	}
	n := &GuestNetwork{}
	if err := ctx.RegisterComponentResource(guestNetworkType, name, n, opts...); err != nil {
		return nil, fmt.Errorf("registering guest network %q: %w", name, err)
	}
	region, err := aws.GetRegion(ctx, &aws.GetRegionArgs{}, pulumi.Parent(n))
	if err != nil {
		return nil, fmt.Errorf("guest network %q: asking the provider for its region: %w", name, err)
	}
	var faults fault.Faults
	faults.Join("zones", ValidateZonesIn(region.Name, args.Zones))
	if err := faults.Err(); err != nil {
		return nil, fmt.Errorf("guest network %q: %w", name, err)
	}
	zones, err := byName(ctx, args.Zones, pulumi.Parent(n))
	faults.Join("zones", err)
	if err := faults.Err(); err != nil {
		return nil, fmt.Errorf("guest network %q: %w", name, err)
	}
	layout, err := NewLayout(args.VPCCIDR)
	if err != nil {
		return nil, fmt.Errorf("guest network %q: %w", name, err)
	}
	b := &builder{
		ctx: ctx, name: name, args: args, network: n,
		region: region.Name, layout: layout, zones: place(zones),
	}
	for _, zone := range b.zones {
		n.Zones = append(n.Zones, zone.name)
	}
	if err := b.build(); err != nil {
		return nil, fmt.Errorf("guest network %q: %w", name, err)
	}
	return n, ctx.RegisterResourceOutputs(n, n.outputs())
}

// builder is what the parts of one network share while they are registered.
type builder struct {
	ctx     *pulumi.Context
	name    string
	args    *GuestNetworkArgs
	network *GuestNetwork
	region  string
	layout  Layout
	// zones are sorted by slot.
	zones []placedZone
}

func (b *builder) build() error {
	vpc, err := b.vpc()
	if err != nil {
		return err
	}
	gateway, err := b.internetGateway(vpc)
	if err != nil {
		return err
	}
	public, err := b.publicSide(vpc, gateway)
	if err != nil {
		return err
	}
	gateways, err := b.natGateways(gateway, public)
	if err != nil {
		return err
	}
	private, err := b.privateSide(vpc, gateways)
	if err != nil {
		return err
	}
	if err := b.s3Endpoint(vpc, private, public); err != nil {
		return err
	}
	if err := b.interfaceEndpoints(vpc, private); err != nil {
		return err
	}
	return b.hostedZones(vpc)
}

// child names a part of the network after the network.
func (b *builder) child(part string) string { return b.name + "-" + part }

// tags are the tags of a part with the given Name, "" for none.
func (b *builder) tags(name string) pulumi.StringMap {
	return pulumi.ToStringMap(b.args.Cluster.EC2Tags(name))
}

// parent makes a resource a child of the network, with the network's provider.
func (b *builder) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(b.network) }

func (n *GuestNetwork) outputs() pulumi.Map {
	return pulumi.Map{
		"vpcID":                  n.VPCID,
		"machineCIDR":            n.MachineCIDR,
		"dhcpOptionsID":          n.DHCPOptionsID,
		"defaultSecurityGroupID": n.DefaultSecurityGroupID,
		"internetGatewayID":      n.InternetGatewayID,
		"privateSubnetIDs":       n.PrivateSubnetIDs,
		"publicSubnetIDs":        n.PublicSubnetIDs,
		"egressSubnetIDs":        n.EgressSubnetIDs,
		"natGatewayIDs":          n.NATGatewayIDs,
		"natAddresses":           n.NATAddresses,
		"privateRouteTableIDs":   n.PrivateRouteTableIDs,
		"publicRouteTableID":     n.PublicRouteTableID,
		"s3EndpointID":           n.S3EndpointID,
		"interfaceEndpointIDs":   n.InterfaceEndpointIDs,
		"privateZone":            n.PrivateZone.outputs(),
		"localZone":              n.LocalZone.outputs(),
		"publicZone":             n.PublicZone.outputs(),
	}
}
