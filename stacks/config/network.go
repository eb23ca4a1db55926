package config

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/input"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// network returns the args of the network with their defaults and with the values of the cluster's other keys.
func (c Cluster) network() network.GuestNetworkArgs {
	args := c.Network.WithDefaults()
	args.Cluster = c.Cluster
	args.BaseDomain, args.BaseDomainPrefix, args.EndpointAccess = c.BaseDomain, c.BaseDomainPrefix, c.EndpointAccess
	if c.HostedCluster != nil {
		args.ClusterNetworks = c.HostedCluster.Networks()
	}
	args.Karpenter = c.IAM.Karpenter
	args.RolePath, args.PermissionsBoundary = c.IAM.Path, c.IAM.PermissionsBoundary
	return args
}

// validateNetwork returns the faults in the network. region is "" if only AWS's SDK can determine it.
func (c *Cluster) validateNetwork(region string) fault.Faults {
	args := c.Network
	args.Zones = c.zonesOrPlaceholder()
	var faults fault.Faults
	faults.Join("", args.Validate())
	if region != "" {
		faults.Join("zones", network.ValidateZonesIn(region, c.Network.Zones))
		faults.Join("existing.subnets", network.ValidateZonesIn(region, c.Network.Existing.Zones()))
	}
	if shared := c.Network.Shared; shared != nil {
		if boundary := input.Text(shared.PermissionsBoundary); region != "" && iam.ValidateAnyPolicyARN(boundary) == nil {
			faults.Join("shared.permissionsBoundary", iam.ValidatePolicyARN(boundary, hypershift.Partition(region)))
		}
		if c.Accounts.VPCOwner == nil {
			faults.Add("shared", nil, "requires the account that owns the VPC", "set accounts.vpcOwner")
		}
	}
	return claim("network", faults.Err())
}

// zonesOrPlaceholder returns the config's zones or, if AWS determines the default, a placeholder.
func (c *Cluster) zonesOrPlaceholder() []network.Zone {
	if len(c.Network.Zones) > 0 || c.Network.Existing != nil {
		return c.Network.Zones
	}
	return []network.Zone{{Name: placeholderZone}}
}

// ZonesKey returns the key that names the network's zones.
func (c *Cluster) ZonesKey() string {
	if c.Network.Existing != nil {
		return "network.existing.subnets"
	}
	return "network.zones"
}

// ProxyCA returns the CA certificates of the nodes' proxy in PEM, or nil without one.
func (c *Cluster) ProxyCA() pulumi.StringInput {
	if c.Network.Proxy == nil {
		return nil
	}
	return c.Network.Proxy.CA
}
