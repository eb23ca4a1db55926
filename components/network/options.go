package network

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// Options are what can be chosen for the network of any kind of cluster: the keys that cluster.network and capa.network
// share.
type Options struct {
	// VPCCIDR is the IPv4 CIDR of the VPC, from /16 to /24. Default 10.0.0.0/16, or one of the pool in ipam. Changing it
	// replaces the VPC.
	VPCCIDR string `yaml:"vpcCIDR" pulumi:"vpcCIDR,optional"`
	// IPAM is the IPAM pool that the VPC's CIDR comes from: vpcCIDR if that is set, else the pool's next free CIDR when
	// the stack is created. Default none.
	IPAM *IPAM `yaml:"ipam" pulumi:"ipam,optional"`
	// Zones are the availability zones of the machines, one to eight, each a name, an ID, or a mapping with name and slot.
	// With existing, the zones are those of its subnets. Default: the region's first zone, only in a stack of a
	// hosted cluster; otherwise at least one is required.
	Zones []Zone `yaml:"zones" pulumi:"zones,optional"`
	// NAT is how machines in private subnets reach the internet: through one NAT gateway per zone (PerZone), through one
	// for all zones (Single), or not at all (None). Default PerZone; None with existing, with a proxy, with a transit
	// gateway or a firewall that routes 0.0.0.0/0, and where machines are in public subnets.
	NAT NATStrategy `yaml:"nat" pulumi:"nat,optional"`
	// TransitGateway attaches the VPC to an existing transit gateway, through which private subnets reach networks outside
	// the VPC, or the internet. Default none.
	TransitGateway *TransitGateway `yaml:"transitGateway" pulumi:"transitGateway,optional"`
	// FirewallEndpoint routes private subnets to the firewalls behind a Gateway Load Balancer of another VPC, through
	// which they reach networks outside the VPC, or the internet. Default none.
	FirewallEndpoint *FirewallEndpoint `yaml:"firewallEndpoint" pulumi:"firewallEndpoint,optional"`
	// ElasticIPs maps the name of a zone to the allocation ID, "eipalloc-…", of an elastic IP for its NAT gateway. The
	// address must not be in use, and is not changed. Default: one is allocated for each NAT gateway.
	ElasticIPs map[string]pulumi.StringInput `yaml:"elasticIPs" pulumi:"elasticIPs,optional"`
	// NATAddressCount is how many elastic IPs each NAT gateway has, from 1 to 8. Each allows 55,000 connections at a time
	// to a destination. AWS allows two unless the account's quota of addresses per NAT gateway was raised. With
	// elasticIPs, the first is the zone's. Default 1. Changing it replaces nothing.
	NATAddressCount int `yaml:"natAddressCount" pulumi:"natAddressCount,optional"`
	// PublicIPv4Pool is the pool with the addresses of NAT gateways that are not in elasticIPs: "ipv4pool-ec2-…" of
	// addresses that the VPC's account has brought to AWS, or a public IPAM pool, "ipam-pool-…". Default: Amazon's
	// addresses. Changing it replaces the addresses and the NAT gateways.
	PublicIPv4Pool pulumi.StringInput `yaml:"publicIPv4Pool" pulumi:"publicIPv4Pool,optional"`
	// InterfaceEndpoints are the AWS services that get an interface endpoint in the VPC, named as in
	// "com.amazonaws.<region>.<service>"; "nodes" means all services that machines need, which nat None requires. An
	// endpoint has an interface in each zone of the network that offers its service. Default none.
	InterfaceEndpoints []string `yaml:"interfaceEndpoints" pulumi:"interfaceEndpoints,optional"`
	// GatewayEndpoints are the AWS services that get a gateway endpoint in the VPC besides S3, which always has one:
	// dynamodb, the only other service with such endpoints. Default none.
	GatewayEndpoints []string `yaml:"gatewayEndpoints" pulumi:"gatewayEndpoints,optional"`
	// EndpointPolicies maps a service of interfaceEndpoints or gatewayEndpoints, or s3, to the policy of its endpoint, as
	// JSON: which callers may call what through it. Default: everything.
	EndpointPolicies map[string]pulumi.StringInput `yaml:"endpointPolicies" pulumi:"endpointPolicies,optional"`
	// EndpointSecurityGroups are the IDs of security groups in the VPC, "sg-…", that interface endpoints have besides the
	// one that admits the VPC. They are not changed. Default none.
	EndpointSecurityGroups []pulumi.StringInput `yaml:"endpointSecurityGroups" pulumi:"endpointSecurityGroups,optional"`
	// FlowLogs records the VPC's traffic in flow logs. Default: no flow logs.
	FlowLogs *FlowLogs `yaml:"flowLogs" pulumi:"flowLogs,optional"`
	// Bastion adds a bastion host to the VPC. A cluster of Cluster API with topology Public has none. Default none.
	Bastion *Bastion `yaml:"bastion" pulumi:"bastion,optional"`
}

// validateOptions returns the faults of the options that all networks check alike. The checks of a new VPC, and of
// access to the internet, depend on the kind of cluster.
func (args *BaseNetworkArgs) validateOptions() error {
	var faults fault.Faults
	if args.Existing != nil {
		faults.Join("", args.Existing.validate(args))
	}
	faults.Join("ipam", args.IPAM.validate(args))
	faults.Join("nat", args.NAT.Validate())
	faults.Join("interfaceEndpoints", validateInterfaceEndpoints(args.InterfaceEndpoints, args.Services))
	faults.Join("gatewayEndpoints", args.validateGatewayEndpoints())
	faults.Join("endpointPolicies", args.validateEndpointPolicies())
	faults.Join("endpointSecurityGroups", args.validateEndpointGroups())
	faults.Join("transitGateway", args.TransitGateway.validate(args))
	faults.Join("firewallEndpoint", args.FirewallEndpoint.validate(args))
	faults.Join("elasticIPs", args.validateElasticIPs())
	faults.Join("natAddressCount", args.validateNATAddressCount())
	faults.Join("publicIPv4Pool", args.validatePublicIPv4Pool())
	faults.Join("flowLogs", args.FlowLogs.validate())
	faults.Join("bastion", args.Bastion.validate(args))
	return faults.Err()
}
