package hostedcluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/openshift/hypershift/api/util/ipnet"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// hostedCluster returns the HostedCluster for a site. Source of the dependencies between fields: HyperShift's cmd/cluster/aws/create.go and
// cmd/cluster/core/create.go.
func (s *Settings) hostedCluster(site *Site) (map[string]any, error) {
	networking, err := s.networking(site)
	if err != nil {
		return nil, err
	}
	etcdSize, err := resource.ParseQuantity(cmp.Or(s.EtcdStorageSize, defaultEtcdStorageSize))
	if err != nil {
		return nil, fmt.Errorf("reading the size of etcd's volumes, %q: %w", s.EtcdStorageSize, err)
	}
	cluster := &hyperv1.HostedCluster{
		TypeMeta: metav1.TypeMeta{APIVersion: hyperv1.GroupVersion.String(), Kind: "HostedCluster"},
		ObjectMeta: metav1.ObjectMeta{
			Name: s.Cluster.Name, Namespace: s.NamespaceOrDefault(), Annotations: s.annotations(), Labels: s.Labels,
		},
		Spec: hyperv1.HostedClusterSpec{
			Release:                          hyperv1.Release{Image: s.Release},
			InfraID:                          s.Cluster.InfraID,
			IssuerURL:                        site.IssuerURL,
			Platform:                         hyperv1.PlatformSpec{Type: hyperv1.AWSPlatform, AWS: s.platform(site)},
			DNS:                              s.dns(site),
			Networking:                       networking,
			Services:                         s.services(),
			ControllerAvailabilityPolicy:     hyperv1.AvailabilityPolicy(cmp.Or(s.ControllerAvailability, HighlyAvailable)),
			InfrastructureAvailabilityPolicy: hyperv1.AvailabilityPolicy(s.InfrastructureAvailability),
			OLMCatalogPlacement:              hyperv1.ManagementOLMCatalogPlacement,
			FIPS:                             s.FIPS,
			PullSecret:                       corev1.LocalObjectReference{Name: s.pullSecretName()},
			SecretEncryption:                 s.secretEncryption(site),
			Configuration:                    s.configuration(site),
			Etcd: hyperv1.EtcdSpec{
				ManagementType: hyperv1.Managed,
				Managed: &hyperv1.ManagedEtcdSpec{Storage: hyperv1.ManagedEtcdStorageSpec{
					Type: hyperv1.PersistentVolumeEtcdStorage,
					PersistentVolume: &hyperv1.PersistentVolumeEtcdStorageSpec{
						Size: &etcdSize, StorageClassName: ptr.To(cmp.Or(s.EtcdStorageClass, defaultEtcdStorageClass)),
					},
				}},
			},
		},
	}
	if s.AdditionalTrustBundle != "" {
		cluster.Spec.AdditionalTrustBundle = &corev1.LocalObjectReference{Name: s.AdditionalTrustBundle}
	}
	if s.SigningKey {
		cluster.Spec.ServiceAccountSigningKey = &corev1.LocalObjectReference{Name: s.signingKeyName()}
	} else if s.ServiceAccountSigningKey != "" {
		cluster.Spec.ServiceAccountSigningKey = &corev1.LocalObjectReference{Name: s.ServiceAccountSigningKey}
	}
	if s.SSHKey || s.GenerateSSHKey {
		cluster.Spec.SSHKey.Name = s.sshKeyName()
	}
	if s.AutoNode {
		cluster.Spec.AutoNode = autoNode(site.Roles[iam.RoleKarpenter])
	}
	object, err := untyped(cluster)
	if err != nil {
		return nil, err
	}
	s.addUnmodelled(object, site)
	if err := merge(object, s.Spec); err != nil {
		return nil, err
	}
	s.addOwnerTag(object)
	canonicalCluster(object)
	return object, nil
}

// addOwnerTag appends the owner's tag to the list of resource tags, unless it is there. HyperShift's operator would append it, and would
// then own the list.
// Source: reconcileAWSResourceTags in hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go.
func (s *Settings) addOwnerTag(object map[string]any) {
	infraID, _, _ := unstructured.NestedString(object, "spec", "infraID")
	list, _, err := unstructured.NestedSlice(object, resourceTags()...)
	if infraID == "" || err != nil {
		return // the schema refuses it
	}
	for key, value := range (hypershift.Cluster{InfraID: infraID}).OwnerTag() {
		tag := map[string]any{"key": key, "value": value}
		at := slices.IndexFunc(list, func(given any) bool { return textAt(given, "key") == key })
		if at < 0 {
			list = append(list, tag)
		} else {
			list[at] = tag
		}
	}
	_ = unstructured.SetNestedSlice(object, list, resourceTags()...) // spec.platform.aws is a map, as the list could be read
}

// resourceTags returns the path of the tags of the operators' AWS resources in a HostedCluster.
func resourceTags() []string { return []string{"spec", "platform", "aws", "resourceTags"} }

// addUnmodelled sets fields that HyperShift's published Go types lack or cannot omit.
func (s *Settings) addUnmodelled(object map[string]any, site *Site) {
	if site.InterruptionQueueURL != "" {
		_ = unstructured.SetNestedField(object, site.InterruptionQueueURL, "spec", "platform", "aws", "terminationHandlerQueueURL")
	}
	if _, given, _ := unstructured.NestedFieldNoCopy(object, "spec", "sshKey"); !given {
		// Earlier versions of the CRD require the reference, even if it is empty. The API server completes it with an empty name, and its
		// fields have one owner: without the name, applying it to a cluster that another client created would be a conflict.
		_ = unstructured.SetNestedMap(object, map[string]any{"name": ""}, "spec", "sshKey")
	}
	if s.Capabilities == nil {
		return
	}
	for key, list := range map[string][]string{"enabled": s.Capabilities.Enabled, "disabled": s.Capabilities.Disabled} {
		if len(list) > 0 {
			_ = unstructured.SetNestedStringSlice(object, list, "spec", "capabilities", key)
		}
	}
}

// annotations returns the given annotations over the required ones. Without the first of the latter, the operators leave load balancers,
// security groups and records behind when the cluster is deleted, and these block the deletion of the VPC. HyperShift's CLI sets the
// annotation when it destroys a cluster.
func (s *Settings) annotations() map[string]string {
	annotations := map[string]string{hyperv1.CleanupCloudResourcesAnnotation: "true"}
	if s.NodePublicIPs {
		annotations[hyperv1.AWSMachinePublicIPs] = "true"
	}
	maps.Copy(annotations, s.Annotations)
	return annotations
}

func (s *Settings) platform(site *Site) *hyperv1.AWSPlatformSpec {
	platform := &hyperv1.AWSPlatformSpec{
		Region:                      s.Region,
		EndpointAccess:              hyperv1.AWSEndpointAccessType(s.EndpointAccess.OrDefault()),
		ResourceTags:                s.tags(),
		AdditionalAllowedPrincipals: input.Texts(s.AdditionalAllowedPrincipals),
		RolesRef: hyperv1.AWSRolesRef{
			IngressARN:              site.Roles[iam.RoleIngress],
			ImageRegistryARN:        site.Roles[iam.RoleImageRegistry],
			StorageARN:              site.Roles[iam.RoleStorage],
			NetworkARN:              site.Roles[iam.RoleNetwork],
			KubeCloudControllerARN:  site.Roles[iam.RoleKubeCloudController],
			NodePoolManagementARN:   site.Roles[iam.RoleNodePoolManagement],
			ControlPlaneOperatorARN: site.Roles[iam.RoleControlPlaneOperator],
		},
		CloudProviderConfig: &hyperv1.AWSCloudProviderConfig{VPC: site.VPCID},
	}
	if len(site.Zones) > 0 {
		platform.CloudProviderConfig.Zone = site.Zones[0].Name
		platform.CloudProviderConfig.Subnet = &hyperv1.AWSResourceReference{ID: ptr.To(site.Zones[0].SubnetID)}
	}
	if shared := site.SharedVPC; shared != nil {
		platform.SharedVPC = &hyperv1.AWSSharedVPC{
			RolesRef:    hyperv1.AWSSharedVPCRolesRef{IngressARN: shared.IngressARN, ControlPlaneARN: shared.ControlPlaneARN},
			LocalZoneID: shared.LocalZoneID,
		}
		// The endpoint is then in the VPC owner's account.
		platform.AdditionalAllowedPrincipals = append([]string{shared.ControlPlaneARN}, platform.AdditionalAllowedPrincipals...)
	}
	return platform
}

func (s *Settings) dns(site *Site) hyperv1.DNSSpec {
	dns := hyperv1.DNSSpec{BaseDomain: s.BaseDomain, PublicZoneID: site.PublicZoneID, PrivateZoneID: site.PrivateZoneID}
	switch s.BaseDomainPrefix {
	case "":
	case hypershift.NoPrefix:
		dns.BaseDomainPrefix = ptr.To("")
	default:
		dns.BaseDomainPrefix = ptr.To(s.BaseDomainPrefix)
	}
	return dns
}

func (s *Settings) networking(site *Site) (hyperv1.ClusterNetworking, error) {
	networking := hyperv1.ClusterNetworking{NetworkType: hyperv1.OVNKubernetes}
	for _, networks := range []struct {
		what  string
		cidrs []string
		add   func(ipnet.IPNet)
	}{
		{"machine", site.MachineCIDRs, func(n ipnet.IPNet) {
			networking.MachineNetwork = append(networking.MachineNetwork, hyperv1.MachineNetworkEntry{CIDR: n})
		}},
		{"cluster", s.clusterCIDRs(), func(n ipnet.IPNet) {
			networking.ClusterNetwork = append(networking.ClusterNetwork, hyperv1.ClusterNetworkEntry{CIDR: n})
		}},
		{"service", s.serviceCIDRs(), func(n ipnet.IPNet) {
			networking.ServiceNetwork = append(networking.ServiceNetwork, hyperv1.ServiceNetworkEntry{CIDR: n})
		}},
	} {
		for _, cidr := range networks.cidrs {
			parsed, err := ipnet.ParseCIDR(cidr)
			if err != nil {
				return networking, fmt.Errorf("reading the %s network %q: %w", networks.what, cidr, err)
			}
			networks.add(*parsed)
		}
	}
	return networking, nil
}

func (s *Settings) secretEncryption(site *Site) *hyperv1.SecretEncryptionSpec {
	if site.Roles[iam.RoleKMSProvider] == "" {
		return &hyperv1.SecretEncryptionSpec{
			Type:   hyperv1.AESCBC,
			AESCBC: &hyperv1.AESCBCSpec{ActiveKey: corev1.LocalObjectReference{Name: s.etcdKeyName()}},
		}
	}
	return &hyperv1.SecretEncryptionSpec{
		Type: hyperv1.KMS,
		KMS: &hyperv1.KMSSpec{Provider: hyperv1.AWS, AWS: &hyperv1.AWSKMSSpec{
			Region:    s.Region,
			ActiveKey: hyperv1.AWSKMSKeyEntry{ARN: site.KMSKeyARN},
			Auth:      hyperv1.AWSKMSAuthSpec{AWSKMSRoleARN: site.Roles[iam.RoleKMSProvider]},
		}},
	}
}

// configuration contains only the proxy; nil without one.
func (s *Settings) configuration(site *Site) *hyperv1.ClusterConfiguration {
	if site.ProxyAddress == "" && site.HTTPSProxyAddress == "" {
		return nil
	}
	proxy := &configv1.ProxySpec{
		HTTPProxy: site.ProxyAddress, HTTPSProxy: cmp.Or(site.HTTPSProxyAddress, site.ProxyAddress),
	}
	if input.IsSet(s.TrustedCA) {
		proxy.TrustedCA.Name = s.proxyCAName()
	}
	return &hyperv1.ClusterConfiguration{Proxy: proxy}
}

func autoNode(roleARN string) *hyperv1.AutoNode {
	return &hyperv1.AutoNode{Provisioner: &hyperv1.ProvisionerConfig{
		Name: hyperv1.ProvisionerKarpeneter,
		Karpenter: &hyperv1.KarpenterConfig{
			Platform: hyperv1.AWSPlatform, AWS: &hyperv1.KarpenterAWSConfig{RoleARN: roleARN},
		},
	}}
}
