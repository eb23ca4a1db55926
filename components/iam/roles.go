package iam

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
)

// RoleName is the name of a hosted cluster's role: the field of HyperShift's documents that contains its ARN, without
// "ARN": "ingress" for ingressARN.
type RoleName string

// The roles of a hosted cluster. RoleSet documents their purposes.
const (
	RoleIngress              RoleName = "ingress"
	RoleImageRegistry        RoleName = "imageRegistry"
	RoleStorage              RoleName = "storage"
	RoleNetwork              RoleName = "network"
	RoleKubeCloudController  RoleName = "kubeCloudController"
	RoleNodePoolManagement   RoleName = "nodePoolManagement"
	RoleControlPlaneOperator RoleName = "controlPlaneOperator"
	RoleKMSProvider          RoleName = "kmsProvider"
	RoleKarpenter            RoleName = "karpenter"
)

// RoleWorker is the role of the nodes, in RoleOptions.ExtraPolicies. It belongs to the instance profile and is not in
// RoleNames.
const RoleWorker RoleName = "worker"

// RoleNames lists the roles.
func RoleNames() []RoleName {
	return roleNames(func(roleSpec) bool { return true })
}

// ControlPlaneRoleNames lists the roles that every hosted cluster has: those of a HostedCluster's rolesRef.
func ControlPlaneRoleNames() []RoleName {
	return roleNames(func(spec roleSpec) bool { return spec.when == nil })
}

func roleNames(accept func(roleSpec) bool) []RoleName {
	var names []RoleName
	for _, spec := range roleSpecs() {
		if accept(spec) {
			names = append(names, spec.name)
		}
	}
	return names
}

// Validate returns a fault for an unknown role.
func (n RoleName) Validate() error {
	return enum.OneOf(n, "is not a role of a hosted cluster", RoleNames()...)
}

// roleSpec is the fixed part of a role.
type roleSpec struct {
	name RoleName
	// arn is the output for its ARN.
	arn func(*RoleSet) *pulumi.StringOutput
	// when reports whether a cluster has the role; nil for a role that every cluster has.
	when func(*RoleSetArgs) bool
	// suffix is the suffix of the names of the role and of its inline policy.
	suffix string
	// serviceAccounts may assume the role, "<namespace>:<name>".
	serviceAccounts []string
	policy          func(scope) policy.Document
	// scoped is the policy of RoleOptions.Scoped, nil if policy names the cluster's resources anyway.
	scoped func(scope) policy.Document
	// managed is the AWS managed policy for ROSA, "" if there is none.
	managed string
	// breaks says what does not work without the role's permissions. vital is true if a cluster cannot work without the
	// role.
	breaks string
	vital  bool
	// beyondManaged are the permissions that managed lacks, nil if it lacks none.
	beyondManaged func(scope) policy.Document
}

// scope limits a role's policy.
type scope struct {
	// Location is the partition, account and region of the cluster.
	location.Location
	// infraID is the cluster's infra ID; vpcID is the VPC of its PrivateLink endpoint, "" for any.
	infraID, vpcID string
	// vpcAccount is the account that owns the VPC and its subnets, "" for account.
	vpcAccount string
	// sharedIngressARN and sharedControlPlaneARN are existing roles of the VPC's owner, "" for those of SharedVPCRoles.
	sharedIngressARN, sharedControlPlaneARN string
	// workerRoleARN is the role of the cluster's nodes.
	workerRoleARN string
	// ingressZoneARNs are the zones with the records of the cluster's routes.
	ingressZoneARNs []string
	// localZoneARN is the zone of the names for PrivateLink, "" if there is none.
	localZoneARN string
	// kmsKeyARN is the key that encrypts etcd, "" if there is none.
	kmsKeyARN string
	// queueARN is the queue of spot interruptions, "" for any.
	queueARN string
	// formerKMSKeyARNs are further keys that it may still need.
	formerKMSKeyARNs []string
}

// roleSpecs returns the roles of hosted clusters. Source: HyperShift, cmd/infra/aws/iam.go.
func roleSpecs() []roleSpec {
	return []roleSpec{
		{
			name: RoleIngress, arn: func(r *RoleSet) *pulumi.StringOutput { return &r.IngressARN }, suffix: "openshift-ingress",
			serviceAccounts: []string{"openshift-ingress-operator:ingress-operator"},
			policy:          ingressPolicy,
			breaks:          "applications get no names in DNS",
			managed:         "ROSAIngressOperatorPolicy", beyondManaged: ingressBeyondManagedPolicy,
		},
		{
			name: RoleImageRegistry, arn: func(r *RoleSet) *pulumi.StringOutput { return &r.ImageRegistryARN },
			suffix: "openshift-image-registry",
			serviceAccounts: []string{
				"openshift-image-registry:cluster-image-registry-operator",
				"openshift-image-registry:registry",
			},
			policy:  imageRegistryPolicy,
			breaks:  "the image registry has no storage",
			scoped:  scopedImageRegistryPolicy,
			managed: "ROSAImageRegistryOperatorPolicy",
		},
		{
			name: RoleStorage, arn: func(r *RoleSet) *pulumi.StringOutput { return &r.StorageARN },
			suffix:          "aws-ebs-csi-driver-controller",
			serviceAccounts: []string{"openshift-cluster-csi-drivers:aws-ebs-csi-driver-controller-sa"},
			policy:          storagePolicy,
			breaks:          "volumes cannot be created, attached, resized, or deleted",
			scoped:          scopedStoragePolicy,
			managed:         "ROSAAmazonEBSCSIDriverOperatorPolicy",
		},
		{
			name: RoleKubeCloudController, arn: func(r *RoleSet) *pulumi.StringOutput { return &r.KubeCloudControllerARN },
			suffix:          "cloud-controller",
			serviceAccounts: []string{"kube-system:kube-controller-manager"},
			policy:          kubeCloudControllerPolicy,
			breaks:          "nodes stay uninitialized, and Services get no load balancers", vital: true,
			scoped:  scopedCloudControllerPolicy,
			managed: "ROSAKubeControllerPolicy", beyondManaged: kubeCloudControllerBeyondManagedPolicy,
		},
		{
			name: RoleNodePoolManagement, arn: func(r *RoleSet) *pulumi.StringOutput { return &r.NodePoolManagementARN },
			suffix:          "node-pool",
			serviceAccounts: []string{"kube-system:capa-controller-manager"},
			policy:          nodePoolManagementPolicy,
			breaks:          "machines cannot be started or stopped", vital: true,
			scoped:  scopedNodePoolPolicy,
			managed: "ROSANodePoolManagementPolicy",
		},
		{
			name: RoleControlPlaneOperator, arn: func(r *RoleSet) *pulumi.StringOutput { return &r.ControlPlaneOperatorARN },
			suffix:          "control-plane-operator",
			serviceAccounts: []string{"kube-system:control-plane-operator"},
			policy:          controlPlaneOperatorPolicy,
			breaks:          "the nodes' security group, the endpoint of the control plane and its records are not made or not deleted", vital: true,
			scoped:  scopedControlPlaneOperatorPolicy,
			managed: "ROSAControlPlaneOperatorPolicy",
		},
		{
			name: RoleNetwork, arn: func(r *RoleSet) *pulumi.StringOutput { return &r.NetworkARN },
			suffix:          "cloud-network-config-controller",
			serviceAccounts: []string{"openshift-cloud-network-config-controller:cloud-network-config-controller"},
			policy:          networkPolicy,
			breaks:          "egress addresses are not assigned to nodes",
			scoped:          scopedNetworkPolicy,
			managed:         "ROSACloudNetworkConfigOperatorPolicy",
		},
		{ // encrypts etcd with a KMS key
			name: RoleKMSProvider, arn: func(r *RoleSet) *pulumi.StringOutput { return &r.KMSProviderARN },
			suffix:          "kms-provider",
			when:            func(args *RoleSetArgs) bool { return args.KMSKeyARN != nil },
			serviceAccounts: []string{"kube-system:kms-provider"},
			policy:          kmsProviderPolicy,
			breaks:          "Secrets in etcd cannot be encrypted or read, and the API server does not start", vital: true,
			managed: "ROSAKMSProviderPolicy",
		},
		{ // creates nodes if HyperShift's AutoNode is on
			name: RoleKarpenter, arn: func(r *RoleSet) *pulumi.StringOutput { return &r.KarpenterARN }, suffix: "karpenter",
			when:            func(args *RoleSetArgs) bool { return args.options().Karpenter },
			serviceAccounts: []string{"kube-system:karpenter"},
			policy:          karpenterPolicy,
			breaks:          "AutoNode starts no machines",
		},
	}
}

// Suffix returns the suffix of the name of a created role, "<infraID>-<suffix>"; "" for an unknown role.
func (n RoleName) Suffix() string {
	if n == RoleWorker {
		return workerRoleSuffix
	}
	for _, spec := range roleSpecs() {
		if spec.name == n {
			return spec.suffix
		}
	}
	return ""
}

// workerRoleSuffix ends the name of the nodes' role.
const workerRoleSuffix = "worker-role"

// SharedRoleSuffix ends the name of the role that RoleOptions.SharedRole creates: "<infraID>-shared-role".
const SharedRoleSuffix = "shared-role"
