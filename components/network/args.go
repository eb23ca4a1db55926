package network

import (
	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// GuestNetworkArgs say what network a hosted cluster needs.
type GuestNetworkArgs struct {
	// Cluster names and tags the network's resources. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// BaseDomain is the domain under which the cluster's names lie. Required. Its public zone must be in
	// the account unless EndpointAccess is Private.
	BaseDomain string `yaml:"-" pulumi:"baseDomain"`
	// BaseDomainPrefix stands before BaseDomain in the private zone's name. "" for the cluster's name,
	// "none" for no prefix.
	BaseDomainPrefix string `yaml:"-" pulumi:"baseDomainPrefix,optional"`
	// EndpointAccess decides which parts the network has. Default Public.
	EndpointAccess hypershift.EndpointAccess `yaml:"-" pulumi:"endpointAccess,optional"`
	// VPCCIDR is the VPC's IPv4 CIDR, from /16 to /20. Default 10.0.0.0/16. Changing it replaces the
	// VPC.
	VPCCIDR string `yaml:"vpcCIDR" pulumi:"vpcCIDR,optional"`
	// SecondaryCIDR is a second IPv4 CIDR of the VPC, from /16 to /20, with a second node subnet in every
	// zone. Default none. Changing it replaces the second subnets.
	SecondaryCIDR string `yaml:"secondaryCIDR" pulumi:"secondaryCIDR,optional"`
	// Zones are the availability zones for nodes, one to eight of the provider's region. Required unless
	// Existing has them; default in a stack's file, the region's first.
	Zones []Zone `yaml:"zones" pulumi:"zones,optional"`
	// DHCPDomainName is the domain-name of the VPC's DHCP options, a lower-case domain that the names of nodes end in.
	// Default that of AWS in the region: ec2.internal in us-east-1, else <region>.compute.internal. Changing it replaces
	// the DHCP options, which instances take over when they renew their lease.
	DHCPDomainName string `yaml:"dhcpDomainName" pulumi:"dhcpDomainName,optional"`
	// NAT says how nodes reach the internet. Default PerZone; None in an existing VPC, which has routes of
	// its own, behind a proxy, and where nodes have public addresses.
	NAT NATStrategy `yaml:"nat" pulumi:"nat,optional"`
	// ElasticIPs maps the name of a zone to the elastic IP, "eipalloc-…", that its NAT gateway sends from.
	// It is checked to be free and never changed. Default: one is allocated for each NAT gateway.
	ElasticIPs map[string]string `yaml:"elasticIPs" pulumi:"elasticIPs,optional"`
	// PublicOnly puts nodes into the public subnets, with public addresses, and leaves out the private
	// ones. Default false.
	PublicOnly bool `yaml:"publicOnly" pulumi:"publicOnly,optional"`
	// InterfaceEndpoints are the AWS services, named as in "com.amazonaws.<region>.<name>", that nodes
	// reach inside the VPC; NodesPreset stands for all of NodeServices. Default none; NATStrategy None
	// needs NodeServices.
	InterfaceEndpoints []string `yaml:"interfaceEndpoints" pulumi:"interfaceEndpoints,optional"`
	// Existing is a VPC to put the cluster into. Default: one is made.
	Existing *ExistingVPC `yaml:"existing" pulumi:"existing,optional"`
	// SecurityGroups are groups of the existing VPC, "sg-…", for node pools. They are checked and never
	// changed. Default none.
	SecurityGroups []string `yaml:"securityGroups" pulumi:"securityGroups,optional"`
	// Proxy is how nodes reach what lies outside the VPC. Default none.
	Proxy *Proxy `yaml:"proxy" pulumi:"proxy,optional"`
	// FlowLogs records the VPC's traffic. Default not.
	FlowLogs *FlowLogs `yaml:"flowLogs" pulumi:"flowLogs,optional"`
	// Bastion is a host inside the VPC for people. Default none.
	Bastion *Bastion `yaml:"bastion" pulumi:"bastion,optional"`
	// RolePath is the IAM path of the roles for flow logs and the bastion, "/…/". Default "/".
	RolePath string `yaml:"-" pulumi:"rolePath,optional"`
	// PermissionsBoundary is the ARN of a policy that limits those roles, but for a shared VPC's: see SharedVPC.
	// Default none.
	PermissionsBoundary string `yaml:"-" pulumi:"permissionsBoundary,optional"`
	// Shared puts the VPC into another account and shares its subnets. Default: all is in one account.
	Shared *SharedVPC `yaml:"shared" pulumi:"shared,optional"`
}

// WithDefaults is args with the defaults of a VPC that is created written out.
func (args GuestNetworkArgs) WithDefaults() GuestNetworkArgs {
	if args.Existing != nil {
		return args
	}
	if args.NAT == "" && !args.PublicOnly && args.Proxy == nil {
		args.NAT = PerZone
	}
	if args.VPCCIDR == "" {
		args.VPCCIDR = DefaultVPCCIDR
	}
	return args
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
	if args.Existing != nil {
		faults.Join("", args.validateExisting())
	} else {
		faults.Join("", args.validateOwn())
	}
	faults.Join("dhcpDomainName", args.validateDHCPDomainName())
	faults.Join("nat", args.NAT.Validate())
	faults.Join("", args.validateEgress())
	faults.Join("publicOnly", args.validatePublicOnly())
	faults.Join("interfaceEndpoints", validateInterfaceEndpoints(args.InterfaceEndpoints))
	faults.Join("securityGroups", args.validateSecurityGroups())
	faults.Join("elasticIPs", args.validateElasticIPs())
	faults.Join("proxy", args.validateProxy())
	faults.Join("flowLogs", args.validateFlowLogs())
	faults.Join("bastion", args.validateBastion())
	faults.Join("shared", args.validateShared())
	return faults.Err()
}

func (args *GuestNetworkArgs) validateDHCPDomainName() error {
	switch {
	case args.DHCPDomainName == "":
		return nil
	case args.Existing != nil:
		return &fault.Fault{Value: args.DHCPDomainName, Problem: "is for a VPC that is created, and an existing one is not changed", Remedy: "leave it or existing out"}
	}
	return hypershift.ValidateDomain(args.DHCPDomainName)
}

// validateOwn returns the faults in the layout of a VPC that is made.
func (args *GuestNetworkArgs) validateOwn() error {
	var faults fault.Faults
	layout, err := NewLayout(args.VPCCIDR)
	faults.Join("vpcCIDR", err)
	if err == nil && args.SecondaryCIDR != "" {
		_, err = newSecondaryLayout(args.SecondaryCIDR, layout)
		faults.Join("secondaryCIDR", err)
	}
	faults.Join("zones", ValidateZones(args.Zones))
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

// zones are the zones for nodes, of the VPC that is made or of the one that is given.
func (args *GuestNetworkArgs) zones() []Zone {
	if args.Existing != nil {
		return args.Existing.Zones()
	}
	return args.Zones
}
