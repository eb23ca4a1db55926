package stacks

import (
	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// NetworkConfig is hypershift-aws:cluster.network.
type NetworkConfig struct {
	// VPCCIDR is the VPC's CIDR, from /16 to /20. Default 10.0.0.0/16.
	VPCCIDR string `yaml:"vpcCIDR"`
	// SecondaryCIDR is a second CIDR with a second node subnet in each zone. Default none.
	SecondaryCIDR string `yaml:"secondaryCIDR"`
	// Zones are the zones for nodes. Default: the region's first zone.
	Zones []ZoneConfig `yaml:"zones"`
	// NAT is PerZone (default), Single or None.
	NAT network.NATStrategy `yaml:"nat"`
	// ElasticIPs are own addresses of NAT gateways, by zone. Default: they are allocated.
	ElasticIPs map[string]string `yaml:"elasticIPs"`
	// PublicOnly puts nodes into public subnets. Default false.
	PublicOnly bool `yaml:"publicOnly"`
	// InterfaceEndpoints are the services with an endpoint in the VPC, such as sts; "nodes" stands for all
	// that nodes need. Default none.
	InterfaceEndpoints []string `yaml:"interfaceEndpoints"`
	// Existing is a VPC that is there. Default: one is made.
	Existing *ExistingVPCConfig `yaml:"existing"`
	// SecurityGroups are the existing VPC's groups for node pools. Default none.
	SecurityGroups []string `yaml:"securityGroups"`
	// Proxy is the nodes' way out. Default none.
	Proxy *ProxyConfig `yaml:"proxy"`
	// FlowLogs records the VPC's traffic. Default not.
	FlowLogs *FlowLogsConfig `yaml:"flowLogs"`
	// Bastion is a host for people. Default none.
	Bastion *BastionConfig `yaml:"bastion"`
	// Shared puts the VPC into the account of accounts.vpcOwner. Default: it is in the stack's own.
	Shared *SharedVPCConfig `yaml:"shared"`
}

// ZoneConfig is a zone with its slot, in short its name alone.
type ZoneConfig struct {
	// Name is the zone's name, such as us-east-1a, or its ID, such as use1-az4.
	Name string `yaml:"name"`
	// Slot is the zone's place in the VPC, 0 to 7. Default: its place in the list.
	Slot *int `yaml:"slot"`
}

var _ shorthand = (*ZoneConfig)(nil)

func (z *ZoneConfig) fromText(text string) { z.Name = text }

// ExistingVPCConfig is hypershift-aws:cluster.network.existing.
type ExistingVPCConfig struct {
	// VPCID is the VPC. Required.
	VPCID string `yaml:"vpcID"`
	// Subnets are the zones with their subnets. Required.
	Subnets []ExistingSubnetsConfig `yaml:"subnets"`
	// PrivateZoneID is the zone of the cluster's private names. Default: it is made.
	PrivateZoneID string `yaml:"privateZoneID"`
	// LocalZoneID is the zone of the names on PrivateLink. Default: it is made.
	LocalZoneID string `yaml:"localZoneID"`
}

// ExistingSubnetsConfig is a zone of an existing VPC.
type ExistingSubnetsConfig struct {
	// Zone is the zone's name or ID.
	Zone string `yaml:"zone"`
	// Private is the subnet for nodes.
	Private string `yaml:"private"`
	// Public is the subnet for load balancers on the internet.
	Public string `yaml:"public"`
}

// ProxyConfig is hypershift-aws:cluster.network.proxy.
type ProxyConfig struct {
	// HTTPAddress is the proxy's URL.
	HTTPAddress string `yaml:"httpAddress"`
	// HTTPSAddress is its URL for HTTPS. Default: httpAddress.
	HTTPSAddress string `yaml:"httpsAddress"`
	// CA is the PEM text of the certificates that sign the proxy's. Default none.
	CA string `yaml:"ca"`
	// CAFile is a file with that text, in its place.
	CAFile string `yaml:"caFile"`
	// EndpointService is the service that offers the proxy, in place of httpAddress.
	EndpointService string `yaml:"endpointService"`
}

// FlowLogsConfig is hypershift-aws:cluster.network.flowLogs.
type FlowLogsConfig struct {
	// Destination is CloudWatch (default) or S3.
	Destination network.FlowLogDestination `yaml:"destination"`
	// BucketARN is the bucket for S3.
	BucketARN string `yaml:"bucketARN"`
	// RetentionDays is how long CloudWatch keeps records. Default 30.
	RetentionDays int `yaml:"retentionDays"`
	// Traffic is ALL (default), ACCEPT or REJECT.
	Traffic network.FlowLogTraffic `yaml:"traffic"`
}

// BastionConfig is hypershift-aws:cluster.network.bastion.
type BastionConfig struct {
	// SSHCIDRs are the networks that SSH is let in from. Default none.
	SSHCIDRs []string `yaml:"sshCIDRs"`
	// SSHKey is a public key. Default none.
	SSHKey string `yaml:"sshKey"`
	// SSHKeyFile is a file with that key, in its place.
	SSHKeyFile string `yaml:"sshKeyFile"`
}

// complete fills in the defaults that need no AWS, for a VPC that is made.
func (c *NetworkConfig) complete() {
	if c.Existing != nil {
		return
	}
	if c.NAT == "" && !c.PublicOnly && c.Proxy == nil {
		c.NAT = network.PerZone
	}
	if c.VPCCIDR == "" {
		c.VPCCIDR = network.DefaultVPCCIDR
	}
}

// networkKeys are the keys of NetworkConfig.
func networkKeys() []string {
	return []string{"vpcCIDR", "secondaryCIDR", "zones", "nat", "elasticIPs", "publicOnly", "interfaceEndpoints", "existing",
		"securityGroups", "proxy", "flowLogs", "bastion", "shared"}
}

// validateNetwork returns the faults in the network. region is "" where only AWS's SDK knows it.
func (c *ClusterConfig) validateNetwork(region string) error {
	var faults fault.Faults
	faults = append(faults, under("", fault.In(c.guestNetworkArgs(c.zonesOrAny(), accounts{}).Validate()), networkKeys()...)...)
	if region != "" {
		faults.Join("zones", network.ValidateZonesIn(region, c.zones()))
		faults.Join("existing.subnets", network.ValidateZonesIn(region, c.Network.Existing.zones()))
	}
	if s := c.Network.Shared; s != nil && region != "" && iam.ValidatePolicyARN(s.PermissionsBoundary, "") == nil {
		faults.Join("shared.permissionsBoundary", iam.ValidatePolicyARN(s.PermissionsBoundary, hypershift.Partition(region)))
	}
	if c.Network.Shared != nil && c.Accounts.VPCOwner == nil {
		faults.Add("shared", nil, "does not say who owns the VPC", "give accounts.vpcOwner")
	}
	return faults.Err()
}

func (c *ClusterConfig) zones() []network.Zone {
	zones := make([]network.Zone, len(c.Network.Zones))
	for i, zone := range c.Network.Zones {
		zones[i] = network.Zone{Name: zone.Name, Slot: zone.Slot}
	}
	return zones
}

// zonesOrAny are the config's zones or, where the default is AWS's to give, any one.
func (c *ClusterConfig) zonesOrAny() []network.Zone {
	if zones := c.zones(); len(zones) > 0 || c.Network.Existing != nil {
		return zones
	}
	return []network.Zone{{Name: "us-east-1a"}}
}

func (c *ExistingVPCConfig) zones() []network.Zone {
	if c == nil {
		return nil
	}
	zones := make([]network.Zone, len(c.Subnets))
	for i, subnets := range c.Subnets {
		zones[i].Name = subnets.Zone
	}
	return zones
}

// zonesKey is the key that names the zones.
func (c *NetworkConfig) zonesKey() string {
	if c.Existing != nil {
		return "network.existing.subnets"
	}
	return "network.zones"
}

func (c *ClusterConfig) guestNetworkArgs(zones []network.Zone, others accounts) *network.GuestNetworkArgs {
	n := c.Network
	args := &network.GuestNetworkArgs{
		Cluster:             c.cluster(),
		BaseDomain:          c.BaseDomain,
		BaseDomainPrefix:    c.BaseDomainPrefix,
		EndpointAccess:      c.EndpointAccess,
		VPCCIDR:             n.VPCCIDR,
		SecondaryCIDR:       n.SecondaryCIDR,
		Zones:               zones,
		NAT:                 n.NAT,
		ElasticIPs:          n.ElasticIPs,
		PublicOnly:          n.PublicOnly,
		InterfaceEndpoints:  n.InterfaceEndpoints,
		SecurityGroups:      n.SecurityGroups,
		RolePath:            c.IAM.Path,
		PermissionsBoundary: c.IAM.PermissionsBoundary,
	}
	if e := n.Existing; e != nil {
		args.Existing = &network.ExistingVPC{VPCID: e.VPCID, PrivateZoneID: e.PrivateZoneID, LocalZoneID: e.LocalZoneID}
		for _, subnets := range e.Subnets {
			args.Existing.Subnets = append(args.Existing.Subnets, network.ExistingSubnets(subnets))
		}
	}
	if p := n.Proxy; p != nil {
		args.Proxy = &network.Proxy{HTTPAddress: p.HTTPAddress, HTTPSAddress: p.HTTPSAddress, CA: p.CA, EndpointService: p.EndpointService}
	}
	if f := n.FlowLogs; f != nil {
		args.FlowLogs = (*network.FlowLogs)(f)
	}
	if b := n.Bastion; b != nil {
		args.Bastion = &network.Bastion{SSHCIDRs: b.SSHCIDRs, SSHKey: b.SSHKey}
	}
	if s := n.Shared; s != nil {
		args.Shared = &network.SharedVPC{
			VPCOwner: others.vpcOwner, PrivateZonesIn: s.PrivateZonesIn, PermissionsBoundary: s.PermissionsBoundary,
		}
	}
	return args
}

// proxyCA is the PEM text that nodes are to trust, "" without.
func (c *NetworkConfig) proxyCA() string {
	if c.Proxy == nil {
		return ""
	}
	return c.Proxy.CA
}
