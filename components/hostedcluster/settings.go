package hostedcluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
)

// Settings are the user's settings of a hosted cluster. Its AWS resources are in its Site. The tag object of a field,
// here, in NodePool and in SiteArgs, has the paths in the object that the field sets, by which a refusal of the object
// names the field.
type Settings struct {
	// Cluster names the HostedCluster, and tags the AWS resources of its operators. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// Region is the AWS region. Required.
	Region string `yaml:"-" pulumi:"region" object:"spec.platform.aws.region,spec.secretEncryption.kms.aws.region"`
	// BaseDomain is the domain of the cluster's DNS names. Required.
	BaseDomain string `yaml:"-" pulumi:"baseDomain" object:"spec.dns.baseDomain"`
	// BaseDomainPrefix is the label before BaseDomain, or "none" for no prefix. Default: the cluster's name.
	BaseDomainPrefix string `yaml:"-" pulumi:"baseDomainPrefix,optional" object:"spec.dns.baseDomainPrefix"`
	// EndpointAccess is where the endpoints of the control plane can be reached from. Default Public.
	EndpointAccess hypershift.EndpointAccess `yaml:"-" pulumi:"endpointAccess,optional" object:"spec.platform.aws.endpointAccess"`

	// Namespace is the namespace of the objects in the management cluster. Default "clusters".
	Namespace string `yaml:"namespace" pulumi:"namespace,optional" object:"metadata.namespace"`
	// Release is the release image of control plane and nodes, a pull spec. It cannot be changed to an older version.
	// Required.
	Release string `yaml:"release" pulumi:"release" object:"spec.release.image"`
	// AdditionalTrustBundle is the name of a ConfigMap with the CA certificates, in its key ca-bundle.crt, that control
	// plane and nodes trust in addition. Default none.
	AdditionalTrustBundle string `yaml:"additionalTrustBundle" pulumi:"additionalTrustBundle,optional" object:"spec.additionalTrustBundle.name"`
	// ServiceAccountSigningKey is the name of a Secret with the RSA key, in its key "key", that signs the tokens of
	// service accounts. Default: a key that HyperShift generates.
	ServiceAccountSigningKey string `yaml:"serviceAccountSigningKey" pulumi:"serviceAccountSigningKey,optional" object:"spec.serviceAccountSigningKey.name"`
	// SigningKey is true if the key that signs the tokens of service accounts is among the Secrets, and not
	// ServiceAccountSigningKey. Default false.
	SigningKey bool `yaml:"-" pulumi:"signingKey,optional"`
	// Referred are ConfigMaps and Secrets to create, which the HostedCluster or its NodePools refer to. Default none.
	Referred []Referred `yaml:"-" pulumi:"objects,optional"`
	// GenerateSSHKey generates an SSH key pair for the user core on the nodes once, and keeps it in the stack's state. The
	// Secret <name>-ssh-key has the private key in id_rsa. A cluster that has an SSH key already keeps it. Default false.
	GenerateSSHKey bool `yaml:"generateSSHKey" pulumi:"generateSSHKey,optional"`
	// SSHKey is true if there is an SSH key for the user core on the nodes. Default false.
	SSHKey bool `yaml:"-" pulumi:"sshKey,optional" object:"spec.sshKey"`
	// ControllerAvailability is how many replicas the control plane has: three (HighlyAvailable) or one (SingleReplica).
	// Default HighlyAvailable.
	ControllerAvailability Availability `yaml:"controllerAvailability" pulumi:"controllerAvailability,optional" object:"spec.controllerAvailabilityPolicy"`
	// InfrastructureAvailability is how many replicas the infrastructure workloads on the nodes have, such as the router.
	// Default SingleReplica.
	InfrastructureAvailability Availability `yaml:"infrastructureAvailability" pulumi:"infrastructureAvailability,optional" object:"spec.infrastructureAvailabilityPolicy"`
	// ClusterCIDRs are the CIDRs of the pod network. Default 10.132.0.0/14.
	ClusterCIDRs []string `yaml:"clusterCIDRs" pulumi:"clusterCIDRs,optional" object:"spec.networking.clusterNetwork,spec.networking"`
	// ServiceCIDRs are the CIDRs of the service network. Default 172.31.0.0/16.
	ServiceCIDRs []string `yaml:"serviceCIDRs" pulumi:"serviceCIDRs,optional" object:"spec.networking.serviceNetwork"`
	// FIPS turns on FIPS mode. Default false.
	FIPS bool `yaml:"fips" pulumi:"fips,optional" object:"spec.fips"`
	// EtcdStorageClass is the storage class of etcd's volumes in the management cluster. Default "gp3-csi".
	EtcdStorageClass string `yaml:"etcdStorageClass" pulumi:"etcdStorageClass,optional" object:"spec.etcd.managed.storage.persistentVolume.storageClassName"`
	// EtcdStorageSize is the size of each of etcd's volumes, a Kubernetes quantity. Default "8Gi".
	EtcdStorageSize string `yaml:"etcdStorageSize" pulumi:"etcdStorageSize,optional" object:"spec.etcd.managed.storage.persistentVolume.size"`
	// ExternalDNSDomain is the domain of the control plane's public DNS names, which external-dns writes; the services are
	// then published by routes instead of load balancers. "none" for none. It cannot be changed. Without a domain, the API
	// server of a new Private cluster is behind the private router from release 5.0.0 on, and the cluster cannot become
	// PublicAndPrivate later. Default: the zone that the management stack has at the cluster's first up, if it has one
	// then.
	ExternalDNSDomain string `yaml:"externalDNSDomain" pulumi:"externalDNSDomain,optional" object:"spec.services"`
	// APIServerRoute publishes the API server of a Private cluster without ExternalDNSDomain behind the private
	// router, as its other services, from release 5.0.0 on. It cannot be changed. Default false: the API server has a load
	// balancer and a PrivateLink endpoint of its own.
	APIServerRoute bool `yaml:"-" pulumi:"apiServerRoute,optional"`
	// APIAccess limits who may connect to the control plane over the internet. Default: everybody.
	APIAccess APIAccess `yaml:"-" pulumi:"apiAccess,optional"`
	// ResourceTags are tags for the AWS resources that HyperShift's operators create, in addition to the cluster's tags
	// and to kubernetes.io/cluster/<infraID>=owned, which is always among them. At most 24 together, because HyperShift
	// allows
	// 25. Default none.
	ResourceTags map[string]string `yaml:"resourceTags" pulumi:"resourceTags,optional" object:"spec.platform.aws.resourceTags"`
	// AdditionalAllowedPrincipals are the ARNs of further principals that may connect to the control plane's endpoint
	// service. Default none.
	AdditionalAllowedPrincipals []pulumi.StringInput `yaml:"additionalAllowedPrincipals" pulumi:"additionalAllowedPrincipals,optional" placeholder:"arn:aws:iam::000000000000:role/*" object:"spec.platform.aws.additionalAllowedPrincipals"`
	// AutoNode turns on AutoNode: Karpenter creates nodes as pods need them. It requires iam.karpenter. Default false.
	AutoNode bool `yaml:"autoNode" pulumi:"autoNode,optional" object:"spec.autoNode"`
	// Capabilities enables or disables optional capabilities of OpenShift. Default: HyperShift's.
	Capabilities *Capabilities `yaml:"capabilities" pulumi:"capabilities,optional" object:"spec.capabilities"`
	// Annotations are additional annotations of the HostedCluster. Default none.
	Annotations map[string]string `yaml:"annotations" pulumi:"annotations,optional" object:"metadata.annotations"`
	// Labels are the labels of the HostedCluster. Default none.
	Labels map[string]string `yaml:"labels" pulumi:"labels,optional" object:"metadata.labels"`
	// TrustedCA is the CA certificates of the Site's proxy, in PEM. Default none.
	TrustedCA pulumi.StringInput `yaml:"-" pulumi:"trustedCA,optional"`
	// NoProxy are what nodes reach without the Site's proxy: names, domains, addresses, and CIDRs. Default none.
	NoProxy []string `yaml:"-" pulumi:"noProxy,optional" object:"spec.configuration.proxy.noProxy"`
	// NodePublicIPs gives nodes public addresses. Default false.
	NodePublicIPs bool `yaml:"-" pulumi:"nodePublicIPs,optional"`
	// NodePools are the cluster's node pools. Default: one pool per zone.
	NodePools []NodePool `yaml:"nodePools" pulumi:"nodePools,optional"`
	// NodesPausedSince is the time since which the node pools have no nodes, such as 2026-11-28T20:00:00Z. Their replicas
	// and autoScaling stay as they are here, and take effect again without this key. `hypershift-aws pause` and resume set
	// it. Unlike spec.pausedUntil, it stops no operator. Default: the node pools have their nodes.
	NodesPausedSince string `yaml:"nodesPausedSince" pulumi:"nodesPausedSince,optional"`
	// Spec is merged into the HostedCluster's spec as the last step, for fields that have no key here. Maps are merged key
	// by key, other values are replaced, and null removes a field. The result is validated. A field that HyperShift's API
	// got later is a warning: the management cluster's version decides. Default none.
	Spec map[string]any `yaml:"spec" pulumi:"spec,optional"`
}

// Availability is a number of replicas. Source: HyperShift's type AvailabilityPolicy.
type Availability string

const (
	// HighlyAvailable is three replicas, spread over zones.
	HighlyAvailable Availability = "HighlyAvailable"
	// SingleReplica is one replica.
	SingleReplica Availability = "SingleReplica"
)

// Validate returns a fault for an unknown value; "" is a field's default.
func (a Availability) Validate() error {
	return enum.Validate(a, "is not an availability", HighlyAvailable, SingleReplica)
}

// Capabilities are optional parts of OpenShift, by HyperShift's names: "ImageRegistry", "Console".
type Capabilities struct {
	// Enabled are capabilities to enable, such as ImageRegistry. Default none.
	Enabled []string `yaml:"enabled" pulumi:"enabled,optional"`
	// Disabled are capabilities to turn off. HyperShift allows no later change. Default none.
	Disabled []string `yaml:"disabled" pulumi:"disabled,optional"`
}

const (
	defaultNamespace        = "clusters"
	defaultEtcdStorageClass = "gp3-csi"
	defaultEtcdStorageSize  = "8Gi"
	maxResourceTags         = 24
)

// NamespaceOrDefault returns the namespace of the objects.
func (s *Settings) NamespaceOrDefault() string { return cmp.Or(s.Namespace, defaultNamespace) }

// Networks returns the networks inside the cluster, as its keys and Spec have them.
func (s *Settings) Networks() layout.ClusterNetworks {
	networks := layout.ClusterNetworks{ClusterCIDRs: s.ClusterCIDRs, ServiceCIDRs: s.ServiceCIDRs}
	networking := within(s.Spec, "networking")
	for field, cidrs := range map[string]*[]string{
		"clusterNetwork": &networks.ClusterCIDRs,
		"serviceNetwork": &networks.ServiceCIDRs,
	} {
		if entries, set := networking[field].([]any); set {
			*cidrs = nil
			for _, entry := range entries {
				entry, _ := entry.(map[string]any)
				cidr, _ := entry["cidr"].(string)
				*cidrs = append(*cidrs, cidr)
			}
		}
	}
	ovn := within(s.Spec, "operatorConfiguration", "clusterNetworkOperator", "ovnKubernetesConfig", "ipv4")
	networks.JoinCIDR, _ = ovn["internalJoinSubnet"].(string)
	networks.TransitCIDR, _ = ovn["internalTransitSwitchSubnet"].(string)
	networks.AdvertiseAddress, _ = within(s.Spec, "networking", "apiServer")["advertiseAddress"].(string)
	if plugin, set := networking["networkType"].(string); set && plugin != string(hyperv1.OVNKubernetes) {
		networks.JoinCIDR, networks.TransitCIDR = layout.NoCIDR, layout.NoCIDR
	}
	return networks
}

// within returns the object at the path in a spec, nil if there is none.
func within(spec map[string]any, path ...string) map[string]any {
	spec, _ = kube.PatchValues(spec) // merge refuses what cannot be converted
	for _, key := range path {
		spec, _ = spec[key].(map[string]any)
	}
	return spec
}

// networkKey returns where clusterCIDRs or serviceCIDRs are set: in the key, or in Spec.
func (s *Settings) networkKey(key string) string {
	field := map[string]string{"clusterCIDRs": "clusterNetwork", "serviceCIDRs": "serviceNetwork"}[key]
	if within(s.Spec, "networking")[field] != nil {
		return "spec.networking." + field
	}
	return key
}

// PublicNetworks returns a fault for each network inside the cluster that has addresses of hosts on the internet, which
// pods and nodes then cannot reach.
func (s *Settings) PublicNetworks() error {
	networks := s.Networks()
	var faults fault.Faults
	for _, of := range []struct {
		key   string
		cidrs []string
	}{{"clusterCIDRs", networks.ClusterCIDRs}, {"serviceCIDRs", networks.ServiceCIDRs}} {
		for i, cidr := range of.cidrs {
			if layout.IsPublic(cidr) {
				faults.Add(fmt.Sprintf("%s[%d]", s.networkKey(of.key), i), cidr,
					"is in the public address space: pods and nodes cannot reach the hosts on the internet that have these addresses",
					"use a network in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10; HyperShift cannot change it later")
			}
		}
	}
	return faults.Err()
}

func (o objectBuilder) clusterCIDRs() []string {
	return layout.ClusterNetworks{ClusterCIDRs: o.ClusterCIDRs}.WithDefaults().ClusterCIDRs
}

func (o objectBuilder) serviceCIDRs() []string {
	return layout.ClusterNetworks{ServiceCIDRs: o.ServiceCIDRs}.WithDefaults().ServiceCIDRs
}

// tags returns the tags of the operators' AWS resources, ordered by key.
func (s *Settings) tags() []hyperv1.AWSResourceTag {
	all := maps.Clone(s.Cluster.Tags)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, s.ResourceTags)
	var tags []hyperv1.AWSResourceTag
	for _, key := range slices.Sorted(maps.Keys(all)) {
		tags = append(tags, hyperv1.AWSResourceTag{Key: key, Value: all[key]})
	}
	return tags
}

// AllowPrincipals adds principals to AdditionalAllowedPrincipals, unless they are among them.
func (s *Settings) AllowPrincipals(principals []pulumi.StringInput) {
	all := slices.Clip(s.AdditionalAllowedPrincipals)
	for _, principal := range principals {
		if !slices.Contains(all, principal) {
			all = append(all, principal)
		}
	}
	s.AdditionalAllowedPrincipals = all
}

// OverriddenPoolTags returns a fault for each tag of a node pool that has no effect: the HostedCluster, whose cluster
// has these tags, has one with the key. Its value wins, unless its overridePolicy is Allow.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/nodepool/aws.go
func (s *Settings) OverriddenPoolTags(clusterTags map[string]string) error {
	fixed := maps.Clone(clusterTags)
	if fixed == nil {
		fixed = map[string]string{}
	}
	maps.Copy(fixed, s.ResourceTags)
	listed, _ := within(s.Spec, "platform", "aws")["resourceTags"].([]any)
	for _, each := range listed {
		tag, _ := each.(map[string]any)
		key, _ := tag["key"].(string)
		if fixed[key], _ = tag["value"].(string); tag["overridePolicy"] == "Allow" {
			delete(fixed, key)
		}
	}
	var faults fault.Faults
	for i, pool := range s.NodePools {
		for _, key := range slices.Sorted(maps.Keys(pool.ResourceTags)) {
			if value, has := fixed[key]; has && value != pool.ResourceTags[key] {
				faults.Add(fmt.Sprintf("nodePools[%d].resourceTags[%s]", i, key), pool.ResourceTags[key],
					"has no effect: the cluster's tag with this key, "+value+", wins",
					"use another key, or list the cluster's tag in spec.platform.aws.resourceTags with overridePolicy Allow")
			}
		}
	}
	return faults.Err()
}

// validateTags returns a fault for tags that say whose a resource is, or if there are more tags than HyperShift allows.
func (o objectBuilder) validateTags() error {
	if err := checkOwnersTags(o.ResourceTags, o.Cluster.InfraID); err != nil {
		var faults fault.Faults
		faults.Join("resourceTags", err)
		return faults.Err()
	}
	if n := len(o.tags()); n > maxResourceTags {
		return &fault.Fault{
			Path: "resourceTags", Value: n, Problem: "is the number of tags together with the cluster's own",
			Remedy: fmt.Sprintf("use at most %d: HyperShift allows %d, and one is the owner's tag", maxResourceTags,
				maxResourceTags+1),
		}
	}
	return nil
}
