package network

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/input"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

// GuestNetworkArgs are the inputs of a GuestNetwork, and the keys of cluster.network in a stack's file.
type GuestNetworkArgs struct {
	// Cluster names and tags the resources. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// BaseDomain is the domain of the cluster's DNS names. Its public hosted zone must be in the cluster's account unless
	// endpointAccess is Private. Required.
	BaseDomain string `yaml:"-" pulumi:"baseDomain"`
	// BaseDomainPrefix is put before baseDomain in the name of the private hosted zone; "none" for no prefix. Default: the
	// cluster's name.
	BaseDomainPrefix string `yaml:"-" pulumi:"baseDomainPrefix,optional"`
	// EndpointAccess decides which parts the network has. Default Public.
	EndpointAccess hypershift.EndpointAccess `yaml:"-" pulumi:"endpointAccess,optional"`
	// VPCCIDR is the IPv4 CIDR of the VPC, from /16 to /20. Default 10.0.0.0/16. Changing it replaces the VPC.
	VPCCIDR string `yaml:"vpcCIDR" pulumi:"vpcCIDR,optional"`
	// SecondaryCIDR is a second IPv4 CIDR of the VPC, from /16 to /20, with a second node subnet in every zone. Default
	// none. Changing it replaces the second subnets.
	SecondaryCIDR string `yaml:"secondaryCIDR" pulumi:"secondaryCIDR,optional"`
	// Zones are the availability zones of the nodes, one to eight, each a name, an ID, or a mapping with name and slot.
	// With existing, the zones are those of its subnets. Default: the region's first zone (a Go program must give at least
	// one).
	Zones []Zone `yaml:"zones" pulumi:"zones,optional"`
	// DHCPDomainName is the domain name in the VPC's DHCP options, in lower case; the host names of nodes end in it.
	// Default: AWS's for the region, ec2.internal in us-east-1 and <region>.compute.internal elsewhere. Changing it
	// replaces the DHCP options, which instances adopt when they renew their lease.
	DHCPDomainName pulumi.StringInput `yaml:"dhcpDomainName" pulumi:"dhcpDomainName,optional"`
	// KeepDefaultSecurityGroup leaves the VPC's default security group as it is, with its rules and without tags. It is for an adopted VPC
	// in which something uses these rules. Default false: the group has no rules.
	KeepDefaultSecurityGroup bool `yaml:"keepDefaultSecurityGroup" pulumi:"keepDefaultSecurityGroup,optional"`
	// NAT is how nodes reach the internet: through one NAT gateway per zone (PerZone), through one for all zones (Single),
	// or not at all (None). Default PerZone; None with existing, proxy or publicOnly.
	NAT NATStrategy `yaml:"nat" pulumi:"nat,optional"`
	// ElasticIPs maps the name of a zone to the allocation ID, "eipalloc-…", of an elastic IP for its NAT gateway. The
	// address must not be in use, and is not changed. Default: one is allocated for each NAT gateway.
	ElasticIPs map[string]pulumi.StringInput `yaml:"elasticIPs" pulumi:"elasticIPs,optional"`
	// PublicOnly puts nodes into the public subnets, with public IPv4 addresses, and creates no private subnets. Default
	// false.
	PublicOnly bool `yaml:"publicOnly" pulumi:"publicOnly,optional"`
	// InterfaceEndpoints are the AWS services that get an interface endpoint in the VPC, named as in
	// "com.amazonaws.<region>.<service>"; "nodes" means all services that nodes need, which nat None requires. An
	// endpoint has an interface in each zone of the network that offers its service. Default none.
	InterfaceEndpoints []string `yaml:"interfaceEndpoints" pulumi:"interfaceEndpoints,optional"`
	// Existing is an existing VPC to use. Default: a VPC is created.
	Existing *ExistingVPC `yaml:"existing" pulumi:"existing,optional"`
	// SecurityGroups are the IDs of security groups in the existing VPC, "sg-…", for the nodes. They are checked, and not
	// changed. Default none.
	SecurityGroups []pulumi.StringInput `yaml:"securityGroups" pulumi:"securityGroups,optional"`
	// Proxy is the HTTP proxy through which nodes reach addresses outside the VPC. Default none.
	Proxy *Proxy `yaml:"proxy" pulumi:"proxy,optional"`
	// FlowLogs records the VPC's traffic in flow logs. Default: no flow logs.
	FlowLogs *FlowLogs `yaml:"flowLogs" pulumi:"flowLogs,optional"`
	// Bastion adds a bastion host to the VPC. Default none.
	Bastion *Bastion `yaml:"bastion" pulumi:"bastion,optional"`
	// RolePath is the IAM path of the roles for flow logs and the bastion, "/…/". Default "/".
	RolePath string `yaml:"-" pulumi:"rolePath,optional"`
	// PermissionsBoundary is the ARN of a policy that limits the roles for flow logs and the bastion; in a shared VPC,
	// shared.permissionsBoundary does. Default none.
	PermissionsBoundary pulumi.StringInput `yaml:"-" pulumi:"permissionsBoundary,optional"`
	// Shared creates the VPC in another account, which shares its subnets with the cluster's account. Default: the VPC is
	// in the cluster's account.
	Shared *SharedVPC `yaml:"shared" pulumi:"shared,optional"`
}

// WithDefaults returns args with the defaults of a VPC that is created.
func (args GuestNetworkArgs) WithDefaults() GuestNetworkArgs {
	if args.Existing != nil {
		return args
	}
	if args.NAT == "" && !args.PublicOnly && args.Proxy == nil {
		args.NAT = PerZone
	}
	if args.VPCCIDR == "" {
		args.VPCCIDR = layout.DefaultVPCCIDR
	}
	return args
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *GuestNetworkArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	if args.BaseDomain == "" {
		faults.Add("baseDomain", nil, "is missing", "set the domain of the cluster's DNS names")
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
	faults.Join("keepDefaultSecurityGroup", args.validateDefaultSecurityGroup())
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

func (args *GuestNetworkArgs) validateDefaultSecurityGroup() error {
	if !args.KeepDefaultSecurityGroup || args.Existing == nil {
		return nil
	}
	return &fault.Fault{Value: true, Problem: "applies to a VPC of the stack, but existing is set", Remedy: "leave it out: an existing VPC is not changed"}
}

func (args *GuestNetworkArgs) validateDHCPDomainName() error {
	switch {
	case !input.IsSet(args.DHCPDomainName):
		return nil
	case args.Existing != nil:
		return &fault.Fault{Value: input.Value(args.DHCPDomainName), Problem: "applies to a VPC that is created, but existing is set", Remedy: "set only one of the two"}
	}
	return input.IfPlain(args.DHCPDomainName, hypershift.ValidateDomain)
}

// validateOwn returns the faults in the layout of a VPC that is created.
func (args *GuestNetworkArgs) validateOwn() error {
	var faults fault.Faults
	first, err := layout.New(args.VPCCIDR, layout.HostedReserved())
	faults.Join("vpcCIDR", err)
	if err == nil && args.SecondaryCIDR != "" {
		_, err = layout.NewSecondary(args.SecondaryCIDR, first, layout.HostedReserved())
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
			Value: prefix, Problem: "cannot be put before a domain name",
			Remedy: `use lower-case labels, "none" for no prefix, or leave it out for the cluster's name`,
		}
	}
	return nil
}

// zones returns the zones of the nodes, in a new or an existing VPC.
func (args *GuestNetworkArgs) zones() []Zone {
	if args.Existing != nil {
		return args.Existing.Zones()
	}
	return args.Zones
}

// validatePublicOnly returns a fault if there are no public subnets for the nodes, or if an option needs private subnets.
func (args *GuestNetworkArgs) validatePublicOnly() error {
	var faults fault.Faults
	if !args.PublicOnly {
		return nil
	}
	if !args.EndpointAccess.HasPublic() {
		faults.Add("", true, "puts nodes into public subnets, but endpointAccess Private has none",
			"use endpointAccess Public or PublicAndPrivate, or leave it out")
	}
	if args.SecondaryCIDR != "" {
		faults.Add("", true, "creates no private subnets, but secondaryCIDR adds some", "leave one of them out")
	}
	return faults.Err()
}
