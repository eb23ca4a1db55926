package network

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// GuestNetworkArgs are the inputs of a GuestNetwork, and the keys of cluster.network in a stack's file.
type GuestNetworkArgs struct {
	Options `yaml:",inline" pulumi:"options"`
	// Cluster names and tags the resources. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// BaseDomain is the domain of the cluster's DNS names. Its public hosted zone must be in the cluster's account unless
	// endpointAccess is Private or publicZone creates it. Required.
	BaseDomain string `yaml:"-" pulumi:"baseDomain"`
	// BaseDomainPrefix is the label before baseDomain in the name of the private hosted zone, or "none" for no prefix.
	// Default: the cluster's name.
	BaseDomainPrefix string `yaml:"-" pulumi:"baseDomainPrefix,optional"`
	// EndpointAccess decides which parts the network has. Default Public.
	EndpointAccess hypershift.EndpointAccess `yaml:"-" pulumi:"endpointAccess,optional"`
	// PublicZoneID is the ID, "Z…", of the base domain's public zone, for a domain that has several in the account.
	// Default: the only one.
	PublicZoneID string `yaml:"publicZoneID" pulumi:"publicZoneID,optional"`
	// PublicZone creates the base domain's public hosted zone, in the cluster's account, and delegates it. Default: the
	// zone exists. Leaving it out later deletes the zone, which AWS refuses while the zone has records.
	PublicZone *PublicZone `yaml:"publicZone" pulumi:"publicZone,optional"`
	// SecondaryCIDR is a second IPv4 CIDR of the VPC, from /16 to /24, with a second node subnet in every zone. Default
	// none. Changing it replaces the second subnets.
	SecondaryCIDR string `yaml:"secondaryCIDR" pulumi:"secondaryCIDR,optional"`
	// DHCPDomainName is the domain name in the VPC's DHCP options, in lower case; the host names of nodes end in it.
	// Default: AWS's for the region, ec2.internal in us-east-1 and <region>.compute.internal elsewhere. Changing it
	// replaces the DHCP options, which instances adopt when they renew their lease.
	DHCPDomainName pulumi.StringInput `yaml:"dhcpDomainName" pulumi:"dhcpDomainName,optional"`
	// KeepDefaultSecurityGroup leaves the VPC's default security group as it is, with its rules and without tags. It is
	// for an adopted VPC in which something uses these rules. Default false: the group has no rules.
	KeepDefaultSecurityGroup bool `yaml:"keepDefaultSecurityGroup" pulumi:"keepDefaultSecurityGroup,optional"`
	// PublicOnly puts nodes into the public subnets, with public IPv4 addresses, and creates no private subnets. Default
	// false.
	PublicOnly bool `yaml:"publicOnly" pulumi:"publicOnly,optional"`
	// Karpenter is true if the cluster has AutoNode, whose Karpenter finds existing subnets by a tag. Default false.
	Karpenter bool `yaml:"-" pulumi:"karpenter,optional"`
	// Clusters are the infra IDs of further clusters with nodes in the same subnets, which get the tag
	// kubernetes.io/cluster/<infraID> with the value shared for each. Their hosted zones are not part of the network.
	// Default none.
	Clusters []string `yaml:"-" pulumi:"clusters,optional"`
	// ClusterNetworks are the networks inside the cluster, which the VPC must not overlap. Default: HyperShift's.
	ClusterNetworks layout.ClusterNetworks `yaml:"-" pulumi:"clusterNetworks,optional"`
	// Existing is an existing VPC to use. Default: a VPC is created.
	Existing *ExistingVPC `yaml:"existing" pulumi:"existing,optional"`
	// SecurityGroups are the IDs of security groups in the existing VPC, "sg-…", for the nodes. They are checked, and not
	// changed. Default none.
	SecurityGroups []pulumi.StringInput `yaml:"securityGroups" pulumi:"securityGroups,optional"`
	// Proxy is the HTTP proxy through which nodes reach addresses outside the VPC. Default none.
	Proxy *Proxy `yaml:"proxy" pulumi:"proxy,optional"`
	// RolePath is the IAM path of the roles for flow logs and the bastion, "/…/". Default "/".
	RolePath string `yaml:"-" pulumi:"rolePath,optional"`
	// PermissionsBoundary is the ARN of a policy that limits the roles for flow logs and the bastion; in a shared VPC,
	// shared.permissionsBoundary does. Default none.
	PermissionsBoundary pulumi.StringInput `yaml:"-" pulumi:"permissionsBoundary,optional"`
	// Shared creates the VPC in another account, which shares its subnets with the cluster's account. Default: the VPC is
	// in the cluster's account.
	Shared *SharedVPC `yaml:"shared" pulumi:"shared,optional"`
}

// Base returns the args of the network without those that only hosted clusters have: DNS, a proxy, security groups of
// nodes, another owner.
func (args *GuestNetworkArgs) Base() *BaseNetworkArgs {
	return &BaseNetworkArgs{
		Options: args.Options, Prefix: args.Cluster.InfraID, Tagging: args.tagging(),
		Reserved: args.ClusterNetworks.Reserved(), Possible: args.ClusterNetworks.Possible(),
		Services: NodeServices(), RequiredServices: RequiredNodeServices(), PublicSubnets: args.EndpointAccess.HasPublic(),
		PublicOptional: true, WithoutPublic: "endpointAccess Private",
		PublicMachines: args.PublicOnly,
		SecondaryCIDR:  args.SecondaryCIDR, DHCPDomainName: args.DHCPDomainName,
		KeepDefaultSecurityGroup: args.KeepDefaultSecurityGroup,
		Existing:                 args.Existing, OneMachineCIDR: true, Karpenter: args.Karpenter,
		ProxiedEgress: args.Proxy != nil,
		RolePath:      args.RolePath, PermissionsBoundary: args.PermissionsBoundary,
	}
}

func (args *GuestNetworkArgs) tagging() hostedTagging {
	return hostedTagging{cluster: args.Cluster, clusters: args.Clusters}
}

// WithDefaults returns args with the defaults of a VPC that is created.
func (args GuestNetworkArgs) WithDefaults() GuestNetworkArgs {
	if args.Existing != nil {
		return args
	}
	if args.NAT == "" && !args.PublicOnly && args.Proxy == nil && !args.RoutesInternet() {
		args.NAT = PerZone
	}
	if args.VPCCIDR == "" && args.IPAM == nil {
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
	faults.Join("", args.validatePublicZone())
	faults.Join("clusters", args.validateClusters())
	faults.Join("clusterNetworks", args.ClusterNetworks.Validate())
	if args.Existing == nil {
		faults.Join("", args.validateCreated())
	} else {
		faults.Join("", args.validateNotCreated())
	}
	faults.Join("", args.Base().validateOptions())
	faults.Join("", args.validateEgress())
	faults.Join("publicOnly", args.validatePublicOnly())
	faults.Join("securityGroups", args.validateSecurityGroups())
	faults.Join("proxy", args.validateProxy())
	faults.Join("shared", args.validateShared())
	return faults.Err()
}

// Doubts returns a fault for each CIDR of the VPC to create that may be wrong: it has addresses of hosts on the
// internet, or that of the API server in a cluster that is not known.
func (args *GuestNetworkArgs) Doubts() error {
	var faults fault.Faults
	for _, of := range []struct{ key, cidr string }{{"vpcCIDR", args.VPCCIDR}, {"secondaryCIDR", args.SecondaryCIDR}} {
		for _, doubt := range args.Base().cidrDoubts(of.cidr) {
			faults.Add(of.key, of.cidr, doubt.Is+": "+doubt.Effect, doubt.Remedy)
		}
	}
	return faults.Err()
}

// validateCreated returns the faults in the layout of a VPC that is created.
func (args *GuestNetworkArgs) validateCreated() error {
	var faults fault.Faults
	if allocated := args.IPAM != nil && args.VPCCIDR == ""; !allocated { // otherwise it is checked when it is known
		first, err := layout.New(args.VPCCIDR, args.ClusterNetworks.Reserved())
		faults.Join("vpcCIDR", err)
		if err == nil && args.SecondaryCIDR != "" {
			_, err = layout.NewSecondary(args.SecondaryCIDR, first, args.ClusterNetworks.Reserved())
			faults.Join("secondaryCIDR", err)
		}
	}
	faults.Join("zones", validateZones(args.Zones))
	if input.IsSet(args.DHCPDomainName) {
		faults.Join("dhcpDomainName", input.IfPlain(args.DHCPDomainName, hypershift.ValidateDomain))
	}
	return faults.Err()
}

// validateNotCreated returns a fault for each option that an existing VPC does not have.
func (args *GuestNetworkArgs) validateNotCreated() error {
	var faults fault.Faults
	refuseWithExisting(&faults, "secondaryCIDR", args.SecondaryCIDR != "", nil)
	if args.Shared != nil && args.Existing.TagSubnets {
		faults.Add("existing.tagSubnets", true, "cannot be used with shared, because the cluster's account has tags of its own for shared subnets", "leave it out")
	}
	refuseWithExisting(&faults, "dhcpDomainName", input.IsSet(args.DHCPDomainName), input.Value(args.DHCPDomainName))
	if args.KeepDefaultSecurityGroup {
		faults.Add("keepDefaultSecurityGroup", true, "is only for a VPC that the stack creates; network.existing is set",
			"leave it out: an existing VPC is not changed")
	}
	if zone := args.Existing.LocalZoneID; input.IsSet(zone) && !args.EndpointAccess.HasPrivate() {
		faults.Add("existing.localZoneID", input.Value(zone),
			"is not used with endpointAccess Public, which has no local zone", "leave it out")
	}
	return faults.Err()
}

// validateClusters returns the faults in the infra IDs of further clusters, and one if there are more than a subnet can
// have tags.
func (args *GuestNetworkArgs) validateClusters() error {
	var faults fault.Faults
	seen := map[string]string{args.Cluster.InfraID: "the network's own, infraID"}
	for i, id := range args.Clusters {
		path := fmt.Sprintf("[%d]", i)
		faults.Join(path, hypershift.ValidateInfraID(id))
		if first, twice := seen[id]; twice {
			faults.Add(path, id, "is already listed: "+first, "list each further cluster once")
			continue
		}
		seen[id] = "clusters" + path
	}
	tags := len(args.tagging().PublicSubnet("name", true))
	if len(args.Clusters) > 0 && tags > maxTags && tags-len(args.Clusters) <= maxTags {
		faults.Add("", len(args.Clusters), fmt.Sprintf("are more clusters than subnets can have tags: AWS allows %d, and %d are others", maxTags,
			tags-len(args.Clusters)), fmt.Sprintf("use at most %d, or fewer tags", maxTags-tags+len(args.Clusters)))
	}
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

// validatePublicOnly returns a fault if there are no public subnets for the nodes, or if an option needs private
// subnets.
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
