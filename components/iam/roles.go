package iam

// roleSpec is one of the roles that a hosted cluster's components take.
type roleSpec struct {
	// suffix follows the infra ID in the names of the role and of its inline policy.
	suffix string
	// serviceAccounts may take the role, "<namespace>:<name>".
	serviceAccounts []string
	policy          func(scope) Document
}

// scope is what a role's policy is limited to.
type scope struct {
	// partition and account are where the roles are.
	partition, account string
	// infraID is the cluster's; vpcID and region are where its PrivateLink endpoint is to be, "" for anywhere.
	infraID, vpcID, region string
	// workerRoleARN is the role of the cluster's nodes.
	workerRoleARN string
	// ingressZoneARNs are the zones that get the records of the cluster's routes.
	ingressZoneARNs []string
	// localZoneARN is the zone of the names on PrivateLink, "" without.
	localZoneARN string
	// kmsKeyARN encrypts etcd, "" without.
	kmsKeyARN string
}

// The suffixes of the roles' names, as HyperShift's CLI has them.
const (
	ingressRole              = "openshift-ingress"
	imageRegistryRole        = "openshift-image-registry"
	storageRole              = "aws-ebs-csi-driver-controller"
	kubeCloudControllerRole  = "cloud-controller"
	nodePoolManagementRole   = "node-pool"
	controlPlaneOperatorRole = "control-plane-operator"
	networkRole              = "cloud-network-config-controller"
	kmsProviderRole          = "kms-provider"
)

// roleSpecs are the seven roles that every hosted cluster needs. Source: HyperShift, cmd/infra/aws/iam.go.
func roleSpecs() []roleSpec {
	return []roleSpec{
		{ingressRole, []string{"openshift-ingress-operator:ingress-operator"}, ingressPolicy},
		{imageRegistryRole, []string{
			"openshift-image-registry:cluster-image-registry-operator",
			"openshift-image-registry:registry",
		}, imageRegistryPolicy},
		{storageRole, []string{"openshift-cluster-csi-drivers:aws-ebs-csi-driver-controller-sa"}, storagePolicy},
		{kubeCloudControllerRole, []string{"kube-system:kube-controller-manager"}, kubeCloudControllerPolicy},
		{nodePoolManagementRole, []string{"kube-system:capa-controller-manager"}, nodePoolManagementPolicy},
		{controlPlaneOperatorRole, []string{"kube-system:control-plane-operator"}, controlPlaneOperatorPolicy},
		{networkRole, []string{"openshift-cloud-network-config-controller:cloud-network-config-controller"}, networkPolicy},
	}
}

// kmsProviderSpec is the role that encrypts etcd with a KMS key.
func kmsProviderSpec() roleSpec {
	return roleSpec{kmsProviderRole, []string{"kube-system:kms-provider"}, kmsProviderPolicy}
}
