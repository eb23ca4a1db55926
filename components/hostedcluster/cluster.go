package hostedcluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// hostedCluster returns the HostedCluster for a site. Source of the dependencies between fields: HyperShift's
// cmd/cluster/aws/create.go and cmd/cluster/core/create.go.
func (o objectBuilder) hostedCluster() (map[string]any, error) {
	networking, err := o.networking()
	if err != nil {
		return nil, err
	}
	etcdSize, err := resource.ParseQuantity(cmp.Or(o.EtcdStorageSize, defaultEtcdStorageSize))
	if err != nil {
		return nil, fmt.Errorf("reading the size of etcd's volumes, %q: %w", o.EtcdStorageSize, err)
	}
	cluster := &hyperv1.HostedCluster{
		TypeMeta: metav1.TypeMeta{APIVersion: hyperv1.GroupVersion.String(), Kind: "HostedCluster"},
		ObjectMeta: metav1.ObjectMeta{
			Name: o.Cluster.Name, Namespace: o.NamespaceOrDefault(), Annotations: o.annotations(), Labels: o.Labels,
		},
		Spec: hyperv1.HostedClusterSpec{
			Release:                          hyperv1.Release{Image: o.Release},
			InfraID:                          o.Cluster.InfraID,
			IssuerURL:                        o.site.IssuerURL,
			Platform:                         hyperv1.PlatformSpec{Type: hyperv1.AWSPlatform, AWS: o.platform()},
			DNS:                              o.dns(),
			Networking:                       networking,
			Services:                         o.services(),
			ControllerAvailabilityPolicy:     hyperv1.AvailabilityPolicy(cmp.Or(o.ControllerAvailability, HighlyAvailable)),
			InfrastructureAvailabilityPolicy: hyperv1.AvailabilityPolicy(o.InfrastructureAvailability),
			OLMCatalogPlacement:              hyperv1.ManagementOLMCatalogPlacement,
			FIPS:                             o.FIPS,
			PullSecret:                       corev1.LocalObjectReference{Name: o.pullSecretName()},
			SecretEncryption:                 o.secretEncryption(),
			Configuration:                    o.configuration(),
			Etcd: hyperv1.EtcdSpec{
				ManagementType: hyperv1.Managed,
				Managed: &hyperv1.ManagedEtcdSpec{Storage: hyperv1.ManagedEtcdStorageSpec{
					Type: hyperv1.PersistentVolumeEtcdStorage,
					PersistentVolume: &hyperv1.PersistentVolumeEtcdStorageSpec{
						Size: &etcdSize, StorageClassName: ptr.To(cmp.Or(o.EtcdStorageClass, defaultEtcdStorageClass)),
					},
				}},
			},
		},
	}
	if o.AdditionalTrustBundle != "" {
		cluster.Spec.AdditionalTrustBundle = &corev1.LocalObjectReference{Name: o.AdditionalTrustBundle}
	}
	if o.SigningKey {
		cluster.Spec.ServiceAccountSigningKey = &corev1.LocalObjectReference{Name: o.signingKeyName()}
	} else if o.ServiceAccountSigningKey != "" {
		cluster.Spec.ServiceAccountSigningKey = &corev1.LocalObjectReference{Name: o.ServiceAccountSigningKey}
	}
	if o.SSHKey || o.GenerateSSHKey {
		cluster.Spec.SSHKey.Name = o.sshKeyName()
	}
	if o.AutoNode {
		cluster.Spec.AutoNode = autoNode(o.site.Roles[iam.RoleKarpenter])
	}
	object, err := untyped(cluster)
	if err != nil {
		return nil, err
	}
	o.addUnmodelled(object)
	if err := merge(object, o.Spec); err != nil {
		return nil, err
	}
	addOwnerTag(object)
	canonicalCluster(object)
	return object, nil
}

// addOwnerTag appends the owner's tag to the list of resource tags, unless it is there. HyperShift's operator would
// append it, and would then own the list.
// Source: reconcileAWSResourceTags in hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go.
func addOwnerTag(object map[string]any) {
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
	// spec.platform.aws is a map, as the list could be read
	_ = unstructured.SetNestedSlice(object, list, resourceTags()...)
}

// resourceTags returns the path of the tags of the operators' AWS resources in a HostedCluster.
func resourceTags() []string { return []string{"spec", "platform", "aws", "resourceTags"} }

// addUnmodelled sets fields that HyperShift's published Go types lack or cannot omit.
func (o objectBuilder) addUnmodelled(object map[string]any) {
	if o.site.InterruptionQueueURL != "" {
		_ = unstructured.SetNestedField(object, o.site.InterruptionQueueURL, "spec", "platform", "aws",
			"terminationHandlerQueueURL")
	}
	if _, given, _ := unstructured.NestedFieldNoCopy(object, "spec", "sshKey"); !given {
		// Earlier versions of the CRD require the reference, even if it is empty. The API server completes it with an empty
		// name, and its fields have one owner: without the name, applying it to a cluster that another client created would
		// be a conflict.
		_ = unstructured.SetNestedMap(object, map[string]any{"name": ""}, "spec", "sshKey")
	}
	if o.Capabilities == nil {
		return
	}
	for key, list := range map[string][]string{"enabled": o.Capabilities.Enabled, "disabled": o.Capabilities.Disabled} {
		if len(list) > 0 {
			_ = unstructured.SetNestedStringSlice(object, list, "spec", "capabilities", key)
		}
	}
}

// annotations returns the given annotations over the required ones. Without the first of the latter, the operators
// leave load balancers, security groups and records behind when the cluster is deleted, and these block the deletion of
// the VPC. HyperShift's CLI sets the annotation when it destroys a cluster.
func (o objectBuilder) annotations() map[string]string {
	annotations := map[string]string{hyperv1.CleanupCloudResourcesAnnotation: "true"}
	if o.NodePublicIPs {
		annotations[hyperv1.AWSMachinePublicIPs] = "true"
	}
	maps.Copy(annotations, o.Annotations)
	return annotations
}

func (o objectBuilder) platform() *hyperv1.AWSPlatformSpec {
	platform := &hyperv1.AWSPlatformSpec{
		Region:                      o.Region,
		EndpointAccess:              hyperv1.AWSEndpointAccessType(o.EndpointAccess.OrDefault()),
		ResourceTags:                o.tags(),
		AdditionalAllowedPrincipals: input.Texts(o.AdditionalAllowedPrincipals),
		RolesRef: hyperv1.AWSRolesRef{
			IngressARN:              o.site.Roles[iam.RoleIngress],
			ImageRegistryARN:        o.site.Roles[iam.RoleImageRegistry],
			StorageARN:              o.site.Roles[iam.RoleStorage],
			NetworkARN:              o.site.Roles[iam.RoleNetwork],
			KubeCloudControllerARN:  o.site.Roles[iam.RoleKubeCloudController],
			NodePoolManagementARN:   o.site.Roles[iam.RoleNodePoolManagement],
			ControlPlaneOperatorARN: o.site.Roles[iam.RoleControlPlaneOperator],
		},
		CloudProviderConfig: &hyperv1.AWSCloudProviderConfig{VPC: o.site.VPCID},
	}
	if len(o.site.Zones) > 0 {
		platform.CloudProviderConfig.Zone = o.site.Zones[0].Name
		platform.CloudProviderConfig.Subnet = &hyperv1.AWSResourceReference{ID: ptr.To(o.site.Zones[0].SubnetID)}
	}
	if shared := o.site.SharedVPC; shared != nil {
		platform.SharedVPC = &hyperv1.AWSSharedVPC{
			RolesRef:    hyperv1.AWSSharedVPCRolesRef{IngressARN: shared.IngressARN, ControlPlaneARN: shared.ControlPlaneARN},
			LocalZoneID: shared.LocalZoneID,
		}
		// The endpoint is then in the VPC owner's account.
		platform.AdditionalAllowedPrincipals = append([]string{shared.ControlPlaneARN},
			platform.AdditionalAllowedPrincipals...)
	}
	return platform
}

func (o objectBuilder) dns() hyperv1.DNSSpec {
	dns := hyperv1.DNSSpec{
		BaseDomain:    o.BaseDomain,
		PublicZoneID:  o.site.PublicZoneID,
		PrivateZoneID: o.site.PrivateZoneID,
	}
	switch o.BaseDomainPrefix {
	case "":
	case hypershift.NoPrefix:
		dns.BaseDomainPrefix = ptr.To("")
	default:
		dns.BaseDomainPrefix = ptr.To(o.BaseDomainPrefix)
	}
	return dns
}

func (o objectBuilder) networking() (hyperv1.ClusterNetworking, error) {
	networking := hyperv1.ClusterNetworking{NetworkType: hyperv1.OVNKubernetes}
	if len(o.APIAccess.CIDRs) > 0 {
		networking.APIServer = &hyperv1.APIServerNetworking{}
		for _, cidr := range o.APIAccess.CIDRs {
			networking.APIServer.AllowedCIDRBlocks = append(networking.APIServer.AllowedCIDRBlocks, hyperv1.CIDRBlock(cidr))
		}
	}
	for _, networks := range []struct {
		what  string
		cidrs []string
		add   func(ipnet.IPNet)
	}{
		{"machine", o.site.MachineCIDRs, func(n ipnet.IPNet) {
			networking.MachineNetwork = append(networking.MachineNetwork, hyperv1.MachineNetworkEntry{CIDR: n})
		}},
		{"cluster", o.clusterCIDRs(), func(n ipnet.IPNet) {
			networking.ClusterNetwork = append(networking.ClusterNetwork, hyperv1.ClusterNetworkEntry{CIDR: n})
		}},
		{"service", o.serviceCIDRs(), func(n ipnet.IPNet) {
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

func (o objectBuilder) secretEncryption() *hyperv1.SecretEncryptionSpec {
	if o.site.Roles[iam.RoleKMSProvider] == "" {
		return &hyperv1.SecretEncryptionSpec{
			Type:   hyperv1.AESCBC,
			AESCBC: &hyperv1.AESCBCSpec{ActiveKey: corev1.LocalObjectReference{Name: o.etcdKeyName()}},
		}
	}
	return &hyperv1.SecretEncryptionSpec{
		Type: hyperv1.KMS,
		KMS: &hyperv1.KMSSpec{Provider: hyperv1.AWS, AWS: &hyperv1.AWSKMSSpec{
			Region:    o.Region,
			ActiveKey: hyperv1.AWSKMSKeyEntry{ARN: o.site.KMSKeyARN},
			Auth:      hyperv1.AWSKMSAuthSpec{AWSKMSRoleARN: o.site.Roles[iam.RoleKMSProvider]},
		}},
	}
}

// configuration contains only the proxy; nil without one.
func (o objectBuilder) configuration() *hyperv1.ClusterConfiguration {
	if o.site.ProxyAddress == "" && o.site.HTTPSProxyAddress == "" {
		return nil
	}
	proxy := &configv1.ProxySpec{
		HTTPProxy: o.site.ProxyAddress, HTTPSProxy: cmp.Or(o.site.HTTPSProxyAddress, o.site.ProxyAddress),
		NoProxy: strings.Join(o.NoProxy, ","),
	}
	if input.IsSet(o.TrustedCA) {
		proxy.TrustedCA.Name = o.proxyCAName()
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
