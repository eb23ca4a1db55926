package hostedcluster

import (
	"fmt"
	"maps"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// Settings are what people decide about a hosted cluster. What AWS decides is its Site.
type Settings struct {
	// Cluster names the HostedCluster, tags what its operators make, and sets it apart. Required.
	Cluster hypershift.Cluster
	// Region is the AWS region. Required.
	Region string
	// BaseDomain is the domain under which the cluster's names lie. Required.
	BaseDomain string
	// BaseDomainPrefix stands before BaseDomain: "" for the cluster's name, "none" for no prefix.
	BaseDomainPrefix string
	// EndpointAccess is how the control plane is reached. Default Public.
	EndpointAccess hypershift.EndpointAccess

	// Namespace is where the objects are in the management cluster. Default "clusters".
	Namespace string
	// Release is the release image of control plane and nodes, a pull spec. Required.
	Release string
	// SSHKey says that there is a key for the nodes' user core. Default false.
	SSHKey bool
	// ControllerAvailability is how many replicas the control plane has. Default HighlyAvailable.
	ControllerAvailability Availability
	// InfrastructureAvailability is how many replicas what runs on the nodes has. Default SingleReplica.
	InfrastructureAvailability Availability
	// ClusterCIDRs are the networks of pods. Default 10.132.0.0/14.
	ClusterCIDRs []string
	// ServiceCIDRs are the networks of services. Default 172.31.0.0/16.
	ServiceCIDRs []string
	// FIPS runs validated cryptography. Default false.
	FIPS bool
	// EtcdStorageClass is the class of etcd's volumes in the management cluster. Default "gp3-csi".
	EtcdStorageClass string
	// EtcdStorageSize is the size of each, a Kubernetes quantity. Default "8Gi".
	EtcdStorageSize string
	// ExternalDNSDomain is the domain that external-dns keeps the control plane's names in: they are then routes, and
	// not a load balancer's own. Default none.
	ExternalDNSDomain string
	// ResourceTags are for what the cluster's operators make, beside Cluster.Tags. At most 24 together: HyperShift adds
	// one to make 25.
	ResourceTags map[string]string
	// AdditionalAllowedPrincipals are the ARNs of further principals that may connect to the control plane's endpoint
	// service. Default none.
	AdditionalAllowedPrincipals []string
	// AutoNode has Karpenter run nodes as pods need them; the Site has its role. Default false.
	AutoNode bool
	// Capabilities are parts of OpenShift that are turned on or off. Default HyperShift's.
	Capabilities Capabilities
	// Annotations and Labels are those of the HostedCluster. Default none.
	Annotations, Labels map[string]string
	// TrustedCA is the PEM text of the certificates that sign those of the Site's proxy. Default none.
	TrustedCA string
	// NodePublicIPs gives nodes public addresses. Default false.
	NodePublicIPs bool
	// NodePools are the cluster's nodes. Default: a pool a zone.
	NodePools []NodePool
	// Spec is merged over the HostedCluster's spec, last: maps key by key, all else as a whole, and null takes a field
	// away. It is for fields that are not modelled here, and is validated like the rest. Default none.
	Spec map[string]any
}

// Availability says how many replicas something has. Source: the type of that name in HyperShift's API.
type Availability string

const (
	// HighlyAvailable is three replicas, over zones.
	HighlyAvailable Availability = "HighlyAvailable"
	// SingleReplica is one.
	SingleReplica Availability = "SingleReplica"
)

// Validate returns a fault for a value that HyperShift does not know; "" is a field's default.
func (a Availability) Validate() error {
	switch a {
	case "", HighlyAvailable, SingleReplica:
		return nil
	}
	return &fault.Fault{Value: string(a), Problem: "is no availability", Remedy: "give HighlyAvailable or SingleReplica"}
}

// Capabilities are parts of OpenShift, as HyperShift names them: "ImageRegistry", "Console".
type Capabilities struct {
	// Enabled are on although they are not by default.
	Enabled []string
	// Disabled are off. HyperShift lets none of this be changed later.
	Disabled []string
}

const (
	defaultNamespace        = "clusters"
	defaultEtcdStorageClass = "gp3-csi"
	defaultEtcdStorageSize  = "8Gi"
	maxResourceTags         = 24
)

// NamespaceOrDefault is where the objects are.
func (s *Settings) NamespaceOrDefault() string { return orDefault(s.Namespace, defaultNamespace) }

// The defaults are those of HyperShift's CLI and CRD.
func (s *Settings) clusterCIDRs() []string {
	if len(s.ClusterCIDRs) == 0 {
		return []string{"10.132.0.0/14"}
	}
	return s.ClusterCIDRs
}

func (s *Settings) serviceCIDRs() []string {
	if len(s.ServiceCIDRs) == 0 {
		return []string{"172.31.0.0/16"}
	}
	return s.ServiceCIDRs
}

// tags are those of what the operators make, in the order of their keys.
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

// validateTags returns a fault where the tags are more than HyperShift takes.
func (s *Settings) validateTags() error {
	if n := len(s.tags()); n > maxResourceTags {
		return &fault.Fault{
			Path: "resourceTags", Value: n, Problem: "is how many tags there are with the cluster's own",
			Remedy: fmt.Sprintf("give at most %d: HyperShift takes %d and adds one itself", maxResourceTags, maxResourceTags+1),
		}
	}
	return nil
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
