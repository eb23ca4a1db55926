package iam

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const roleSetType = "hypershift-aws:iam:RoleSet"

// RoleSet is the roles that a hosted cluster's control plane assumes in the cluster's account. Each output is the ARN
// of a role, "arn:…:role/<infraID>-…", for the field of the same name in a HostedCluster's rolesRef.
type RoleSet struct {
	pulumi.ResourceState

	// IngressARN is for the ingress operator, which writes the records of the cluster's routes.
	IngressARN pulumi.StringOutput `pulumi:"ingressARN"`
	// ImageRegistryARN is for the image registry, which stores images in a bucket.
	ImageRegistryARN pulumi.StringOutput `pulumi:"imageRegistryARN"`
	// StorageARN is for the driver that creates EBS volumes.
	StorageARN pulumi.StringOutput `pulumi:"storageARN"`
	// NetworkARN is for the controller that assigns egress addresses to nodes.
	NetworkARN pulumi.StringOutput `pulumi:"networkARN"`
	// KubeCloudControllerARN is for the controller that creates load balancers.
	KubeCloudControllerARN pulumi.StringOutput `pulumi:"kubeCloudControllerARN"`
	// NodePoolManagementARN is for Cluster API, which runs the nodes' instances.
	NodePoolManagementARN pulumi.StringOutput `pulumi:"nodePoolManagementARN"`
	// ControlPlaneOperatorARN is for the operator that creates the PrivateLink endpoint and its records.
	ControlPlaneOperatorARN pulumi.StringOutput `pulumi:"controlPlaneOperatorARN"`
	// KMSProviderARN is for the encryption of etcd; "" without a KMS key.
	KMSProviderARN pulumi.StringOutput `pulumi:"kmsProviderARN"`
	// KarpenterARN is for Karpenter, which creates nodes as pods need them; "" without it.
	KarpenterARN pulumi.StringOutput `pulumi:"karpenterARN"`
	// SpotServiceLinkedRoleARN is the account's service-linked role for spot instances; "" unless spotServiceLinkedRole is
	// set.
	SpotServiceLinkedRoleARN pulumi.StringOutput `pulumi:"spotServiceLinkedRoleARN"`
	// WorkloadRoleARNs maps a service account with a role of workloadRoles, "<namespace>/<name>", to the role's ARN: the
	// value of the service account's annotation eks.amazonaws.com/role-arn.
	WorkloadRoleARNs pulumi.StringMapOutput `pulumi:"workloadRoleARNs"`
}

// RoleSetArgs are the inputs of a RoleSet.
type RoleSetArgs struct {
	// Cluster names and tags the roles. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// EndpointAccess decides which zones the roles may write to. Default Public.
	EndpointAccess hypershift.EndpointAccess `yaml:"-" pulumi:"endpointAccess,optional"`
	// OIDCProviderARN is the ARN of the cluster's OIDC provider. Required.
	OIDCProviderARN pulumi.StringInput `yaml:"-" pulumi:"oidcProviderARN" set:"the ARN of the cluster's OIDC provider"`
	// IssuerURL is the URL of the cluster's OIDC issuer, "https://…". Required.
	IssuerURL pulumi.StringInput `yaml:"-" pulumi:"issuerURL" set:"the issuer of the service accounts' tokens"`
	// WorkerRoleARN is the ARN of the nodes' role, the only role that node pool management may pass to EC2. Required.
	WorkerRoleARN pulumi.StringInput `yaml:"-" pulumi:"workerRoleARN" set:"the ARN of the nodes' role"`
	// PublicZoneARN is the ARN of the base domain's public hosted zone. Required unless EndpointAccess is Private.
	PublicZoneARN pulumi.StringInput `yaml:"-" pulumi:"publicZoneARN,optional"`
	// PrivateZoneARN is the ARN of the cluster's private hosted zone. Required.
	PrivateZoneARN pulumi.StringInput `yaml:"-" pulumi:"privateZoneARN" set:"the ARN of the private zone"`
	// LocalZoneARN is the ARN of the hosted zone <name>.hypershift.local. Required unless EndpointAccess is Public.
	LocalZoneARN pulumi.StringInput `yaml:"-" pulumi:"localZoneARN,optional"`
	// EndpointVPCID is the ID of the VPC in which the control plane operator may create its endpoint: in the provider's
	// region, and in its account unless SharedVPC names the owner's. With Options.Scoped it is required, and limits other
	// operators too. Default: any VPC, as with HyperShift's CLI.
	EndpointVPCID pulumi.StringInput `yaml:"-" pulumi:"endpointVPCID,optional"`
	// KMSKeyARN is the ARN of a symmetric KMS key, in the cluster's region, that encrypts etcd. A key that exists already
	// is checked; an output is not. It cannot be changed, except in stages by a stack that reads the status of its
	// cluster. Default none: there is no role for it.
	KMSKeyARN pulumi.StringInput `yaml:"-" pulumi:"kmsKeyARN,optional"`
	// InterruptionQueueARN is the ARN of the SQS queue of spot interruptions, the only queue from which the roles for node
	// pools and for Karpenter may then read. Default: any queue, as with HyperShift's CLI.
	InterruptionQueueARN pulumi.StringInput `yaml:"-" pulumi:"interruptionQueueARN,optional"`
	// FormerKMSKeyARNs are keys with which data of etcd may still be encrypted while KMSKeyARN replaces them in stages;
	// the role of the KMS provider may use them too. With a list, even an empty one, KMSKeyARN can be changed. Default: it
	// cannot be changed.
	FormerKMSKeyARNs []string `yaml:"-"`
	// Options configure the roles. Default: HyperShift's names and policies.
	Options *RoleOptions `yaml:"-" pulumi:"options,optional"`
	// SharedVPC allows the ingress operator and the control plane operator to assume the roles of SharedVPCRoles, which
	// must have the same Options. Default none: the VPC is in the cluster's account.
	SharedVPC *SharedVPC `yaml:"-" pulumi:"sharedVPC,optional"`
	// Location is the location of the provider, for a program that has looked it up. Default: it is looked up.
	Location *location.Location `yaml:"-"`
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *RoleSetArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	faults.Join("endpointAccess", args.EndpointAccess.Validate())
	faults.Join("", input.Required(args))
	if args.EndpointAccess.HasPublic() && args.PublicZoneARN == nil {
		faults.Add("publicZoneARN", nil, "is missing", "set the ARN of the base domain's zone")
	}
	if args.EndpointAccess.HasPrivate() && args.LocalZoneARN == nil {
		faults.Add("localZoneARN", nil, "is missing", "set the ARN of the local zone")
	}
	if args.KMSKeyARN != nil {
		faults.Join("kmsKeyARN", input.IfPlain(args.KMSKeyARN, validateAnyKMSKeyARN))
	}
	if args.options().Scoped && args.EndpointVPCID == nil {
		faults.Add("endpointVPCID", nil, "is missing",
			"set the ID of the cluster's VPC, to which options.scoped limits the roles")
	}
	if shared := args.SharedVPC; shared != nil {
		faults.Join("sharedVPC.vpcOwnerAccountID", input.IfPlain(shared.VPCOwnerAccountID, awsid.ValidateAccount))
	}
	faults.Join("", args.options().validateFor(args.Cluster))
	faults.Join("", validateExisting(args.existing()))
	faults.Join("", args.validateExtraPolicies())
	if args.options().SharedRole && len(args.existing()) > 0 {
		faults.Add("sharedRole", true, "creates one role for all components, but existing.roles names some",
			"set only one of the two")
	}
	return faults.Err()
}

func (args *RoleSetArgs) options() RoleOptions { return optionsOf(args.Options) }

func (args *RoleSetArgs) existing() map[RoleName]pulumi.StringInput {
	return args.options().existing().Roles
}

func (args *RoleSetArgs) validateExtraPolicies() error {
	var faults fault.Faults
	for _, name := range slices.Sorted(maps.Keys(args.options().ExtraPolicies)) {
		path := fmt.Sprintf("extraPolicies[%s]", name)
		if name == RoleWorker {
			continue // it belongs to the instance profile
		}
		switch _, given := args.existing()[name]; {
		case name.Validate() != nil:
			faults.Join(path, name.Validate())
			continue
		case given:
			faults.Add(path, nil, "would change an existing role",
				"attach the policies to it yourself, or leave the role out of existing.roles")
		case !slices.ContainsFunc(args.specs(), func(spec roleSpec) bool { return spec.name == name }):
			faults.Add(path, nil, "are for a role that the cluster does not have",
				"leave them out, or set kmsKeyARN or karpenter")
		}
		for i, arn := range args.options().ExtraPolicies[name] {
			faults.Join(fmt.Sprintf("%s[%d]", path, i), ValidatePolicyARN(arn, ""))
		}
	}
	return faults.Err()
}

// specs returns the roles of the cluster, created or existing.
func (args *RoleSetArgs) specs() []roleSpec {
	return slices.DeleteFunc(roleSpecs(), func(spec roleSpec) bool { return spec.when != nil && !spec.when(args) })
}

// NewRoleSet registers the roles. The error lists every fault in args, or else every fault that a lookup shows: a KMS
// key, a policy or an existing role that does not exist or cannot be used.
func NewRoleSet(ctx *pulumi.Context, name string, args *RoleSetArgs, opts ...pulumi.ResourceOption) (*RoleSet, error) {
	return component.New(ctx, roleSetType, "role set", name, args, opts, func(r *RoleSet, args *RoleSetArgs) error {
		return (&roleSetBuilder{ctx: ctx, name: name, args: args, set: r}).build()
	})
}

// ARN returns the ARN of a role; "" for one that the cluster does not have.
func (r *RoleSet) ARN(name RoleName) pulumi.StringOutput { return *r.output(name) }

func (r *RoleSet) output(name RoleName) *pulumi.StringOutput {
	specs := roleSpecs()
	return specs[slices.IndexFunc(specs, func(spec roleSpec) bool { return spec.name == name })].arn(r)
}
