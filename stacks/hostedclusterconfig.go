package stacks

import (
	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// HostedClusterConfig is hypershift-aws:cluster.hostedCluster: the cluster itself, as objects in its management cluster.
type HostedClusterConfig struct {
	// Kubeconfig leads to the management cluster. Default none, and then the objects are only rendered.
	Kubeconfig *KubeconfigConfig `yaml:"kubeconfig"`
	// Namespace is where the objects are. Default clusters.
	Namespace string `yaml:"namespace"`
	// Release is the release image. Required.
	Release string `yaml:"release"`
	// PullSecret is what the release is pulled by. Required.
	PullSecret *SecretSourceConfig `yaml:"pullSecret"`
	// SSHKey is a public key for the nodes. Default none.
	SSHKey *SecretSourceConfig `yaml:"sshKey"`
	// EtcdKey is 32 bytes in base 64 that encrypt etcd where no KMS key does. Default: one is made.
	EtcdKey *SecretSourceConfig `yaml:"etcdKey"`
	// ControllerAvailability is HighlyAvailable (default) or SingleReplica.
	ControllerAvailability hostedcluster.Availability `yaml:"controllerAvailability"`
	// InfrastructureAvailability is SingleReplica (default) or HighlyAvailable.
	InfrastructureAvailability hostedcluster.Availability `yaml:"infrastructureAvailability"`
	// ClusterCIDRs are the networks of pods. Default 10.132.0.0/14.
	ClusterCIDRs []string `yaml:"clusterCIDRs"`
	// ServiceCIDRs are the networks of services. Default 172.31.0.0/16.
	ServiceCIDRs []string `yaml:"serviceCIDRs"`
	// FIPS runs validated cryptography. Default false.
	FIPS bool `yaml:"fips"`
	// EtcdStorageClass and EtcdStorageSize are those of etcd's volumes. Default gp3-csi and 8Gi.
	EtcdStorageClass string `yaml:"etcdStorageClass"`
	EtcdStorageSize  string `yaml:"etcdStorageSize"`
	// ExternalDNSDomain is the domain of the control plane's public names, or "none". Default: the management stack's
	// zone, else none.
	ExternalDNSDomain string `yaml:"externalDNSDomain"`
	// ResourceTags are for what the cluster's operators make, beside tags. Default none.
	ResourceTags map[string]string `yaml:"resourceTags"`
	// AdditionalAllowedPrincipals are ARNs that may connect to the endpoint service. Default none.
	AdditionalAllowedPrincipals []string `yaml:"additionalAllowedPrincipals"`
	// AutoNode has Karpenter run nodes. Default false.
	AutoNode bool `yaml:"autoNode"`
	// Capabilities are parts of OpenShift. Default HyperShift's.
	Capabilities CapabilitiesConfig `yaml:"capabilities"`
	// Annotations and Labels are the HostedCluster's. Default none.
	Annotations map[string]string `yaml:"annotations"`
	Labels      map[string]string `yaml:"labels"`
	// NodePools are the nodes. Default: a pool a zone.
	NodePools []NodePoolConfig `yaml:"nodePools"`
	// Unprotected lets the HostedCluster be deleted by the bare engine. Default false.
	Unprotected bool `yaml:"unprotected"`
	// Spec is merged over the HostedCluster's, last. Default none.
	Spec PatchConfig `yaml:"spec"`

	// dir is what the secrets' files are relative to.
	dir string
}

// CapabilitiesConfig is hypershift-aws:cluster.hostedCluster.capabilities.
type CapabilitiesConfig struct {
	// Enabled are on.
	Enabled []string `yaml:"enabled"`
	// Disabled are off.
	Disabled []string `yaml:"disabled"`
}

// NoExternalDNS is the externalDNSDomain that stands for none, whatever zone the management stack has.
const NoExternalDNS = "none"

// hostedClusterKeys are the keys of HostedClusterConfig that the component's faults are of, and the fields of the
// objects that no key is for.
func hostedClusterKeys() []string {
	return []string{"namespace", "release", "controllerAvailability", "infrastructureAvailability", "clusterCIDRs", "serviceCIDRs",
		"etcdStorageClass", "etcdStorageSize", "externalDNSDomain", "resourceTags", "additionalAllowedPrincipals", "autoNode",
		"capabilities", "annotations", "labels", "nodePools", "spec", "metadata"}
}

// validateHostedCluster returns the faults in the config of the objects. AWS's values stand in.
func (c *ClusterConfig) validateHostedCluster(region string) error {
	h := c.HostedCluster
	if h == nil {
		return nil
	}
	var faults fault.Faults
	faults.Join("kubeconfig", h.Kubeconfig.validate())
	if h.PullSecret == nil {
		faults.Add("pullSecret", nil, "is missing", "give the file or the environment variable that has it")
	}
	faults.Join("pullSecret", h.PullSecret.validate())
	faults.Join("sshKey", h.SSHKey.validate())
	faults.Join("etcdKey", h.EtcdKey.validate())
	if h.EtcdKey != nil && c.KMSKeyARN != "" && c.KMSKeyARN != NoKMSKey {
		faults.Add("etcdKey", nil, "is of no use, since kmsKeyARN encrypts etcd", "leave one of them out")
	}
	if h.AutoNode && !c.IAM.Karpenter {
		faults.Add("autoNode", nil, "needs a role for Karpenter", "set iam.karpenter")
	}
	if region == "" {
		region = "us-east-1"
	}
	settings, site := c.hostedClusterSettings(region), c.siteArgs(standIns(c.poolZones(), c.machineCIDRs()))
	if c.Management != "" && settings.ExternalDNSDomain == "" {
		settings.ExternalDNSDomain = "management.invalid"
	}
	faults = append(faults, under("", fault.In(settings.Validate(&site)), hostedClusterKeys()...)...)
	return faults.Err()
}

// machineCIDRs are the networks of the nodes that the config tells of; those of an existing VPC are AWS's to tell, and
// what stands for them is a network that no VPC has, since it is for documentation.
func (c *ClusterConfig) machineCIDRs() []string {
	switch n := c.Network; {
	case n.Existing != nil:
		return []string{"192.0.2.0/24"}
	case n.SecondaryCIDR != "":
		return []string{n.VPCCIDR, n.SecondaryCIDR}
	default:
		return []string{n.VPCCIDR}
	}
}

// poolZones are the config's zones or, where AWS decides which there are, those that the pools name.
func (c *ClusterConfig) poolZones() []string {
	var names []string
	for _, zone := range append(c.zones(), c.Network.Existing.zones()...) {
		names = append(names, zone.Name)
	}
	if len(names) > 0 {
		return names
	}
	for _, pool := range c.HostedCluster.NodePools {
		if pool.Zone != "" {
			names = append(names, pool.Zone)
		}
	}
	if len(names) > 0 {
		return names
	}
	return []string{c.zonesOrAny()[0].Name}
}

// hostedClusterSettings are the component's of the config.
func (c *ClusterConfig) hostedClusterSettings(region string) *hostedcluster.Settings {
	h := c.HostedCluster
	settings := &hostedcluster.Settings{
		Cluster:                     c.cluster(),
		Region:                      region,
		BaseDomain:                  c.BaseDomain,
		BaseDomainPrefix:            c.BaseDomainPrefix,
		EndpointAccess:              c.EndpointAccess,
		Namespace:                   h.Namespace,
		Release:                     h.Release,
		SSHKey:                      h.SSHKey != nil,
		ControllerAvailability:      h.ControllerAvailability,
		InfrastructureAvailability:  h.InfrastructureAvailability,
		ClusterCIDRs:                h.ClusterCIDRs,
		ServiceCIDRs:                h.ServiceCIDRs,
		FIPS:                        h.FIPS,
		EtcdStorageClass:            h.EtcdStorageClass,
		EtcdStorageSize:             h.EtcdStorageSize,
		ResourceTags:                h.ResourceTags,
		AdditionalAllowedPrincipals: h.AdditionalAllowedPrincipals,
		AutoNode:                    h.AutoNode,
		Capabilities:                hostedcluster.Capabilities(h.Capabilities),
		Annotations:                 h.Annotations,
		Labels:                      h.Labels,
		TrustedCA:                   c.Network.proxyCA(),
		NodePublicIPs:               c.Network.PublicOnly,
		Spec:                        h.Spec.values,
	}
	if h.ExternalDNSDomain != NoExternalDNS {
		settings.ExternalDNSDomain = h.ExternalDNSDomain
	}
	if h.NodePools != nil {
		settings.NodePools = make([]hostedcluster.NodePool, len(h.NodePools))
	}
	for i, pool := range h.NodePools {
		settings.NodePools[i] = pool.nodePool()
	}
	return settings
}
