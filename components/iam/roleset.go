package iam

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/input"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/components/outputs"
)

const roleSetType = "hypershift-aws:iam:RoleSet"

// RoleSet is the roles that a hosted cluster's control plane assumes in the cluster's account. Each output is the ARN of a role,
// "arn:…:role/<infraID>-…", for the field of the same name in a HostedCluster's rolesRef.
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
	// SpotServiceLinkedRoleARN is the account's service-linked role for spot instances; "" unless spotServiceLinkedRole is set.
	SpotServiceLinkedRoleARN pulumi.StringOutput `pulumi:"spotServiceLinkedRoleARN"`
}

// RoleSetArgs are the inputs of a RoleSet.
type RoleSetArgs struct {
	// Cluster names and tags the roles. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// EndpointAccess decides which zones the roles may write to. Default Public.
	EndpointAccess hypershift.EndpointAccess `yaml:"-" pulumi:"endpointAccess,optional"`
	// OIDCProviderARN is the ARN of the cluster's OIDC provider. Required.
	OIDCProviderARN pulumi.StringInput `yaml:"-" pulumi:"oidcProviderARN"`
	// IssuerURL is the URL of the cluster's OIDC issuer, "https://…". Required.
	IssuerURL pulumi.StringInput `yaml:"-" pulumi:"issuerURL"`
	// WorkerRoleARN is the ARN of the nodes' role, the only role that node pool management may pass to EC2. Required.
	WorkerRoleARN pulumi.StringInput `yaml:"-" pulumi:"workerRoleARN"`
	// PublicZoneARN is the ARN of the base domain's public hosted zone. Required unless EndpointAccess is Private.
	PublicZoneARN pulumi.StringInput `yaml:"-" pulumi:"publicZoneARN,optional"`
	// PrivateZoneARN is the ARN of the cluster's private hosted zone. Required.
	PrivateZoneARN pulumi.StringInput `yaml:"-" pulumi:"privateZoneARN"`
	// LocalZoneARN is the ARN of the hosted zone <name>.hypershift.local. Required unless EndpointAccess is Public.
	LocalZoneARN pulumi.StringInput `yaml:"-" pulumi:"localZoneARN,optional"`
	// EndpointVPCID is the ID of the VPC in which the control plane operator may create its endpoint: in the provider's
	// region, and in its account unless SharedVPC names the owner's. Default: any VPC, as with HyperShift's CLI.
	EndpointVPCID pulumi.StringInput `yaml:"-" pulumi:"endpointVPCID,optional"`
	// KMSKeyARN is the ARN of a symmetric KMS key, in the cluster's region, that encrypts etcd. A key that exists already is
	// checked; an output is not. Default none: there is no role for it.
	KMSKeyARN pulumi.StringInput `yaml:"-" pulumi:"kmsKeyARN,optional"`
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
	for _, required := range []struct {
		path, what string
		value      pulumi.StringInput
		needed     bool
	}{
		{"oidcProviderARN", "the ARN of the cluster's OIDC provider", args.OIDCProviderARN, true},
		{"issuerURL", "the issuer of the service accounts' tokens", args.IssuerURL, true},
		{"workerRoleARN", "the ARN of the nodes' role", args.WorkerRoleARN, true},
		{"privateZoneARN", "the ARN of the private zone", args.PrivateZoneARN, true},
		{"publicZoneARN", "the ARN of the base domain's zone", args.PublicZoneARN, args.EndpointAccess.HasPublic()},
		{"localZoneARN", "the ARN of the local zone", args.LocalZoneARN, args.EndpointAccess.HasPrivate()},
	} {
		if required.needed && required.value == nil {
			faults.Add(required.path, nil, "is missing", "set "+required.what)
		}
	}
	if args.KMSKeyARN != nil {
		faults.Join("kmsKeyARN", input.IfPlain(args.KMSKeyARN, validateAnyKMSKeyARN))
	}
	if shared := args.SharedVPC; shared != nil {
		faults.Join("sharedVPC.vpcOwnerAccountID", input.IfPlain(shared.VPCOwnerAccountID, validateAccount))
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
			faults.Add(path, nil, "would change an existing role", "attach the policies to it yourself, or leave the role out of existing.roles")
		case !slices.ContainsFunc(args.specs(), func(spec roleSpec) bool { return spec.name == name }):
			faults.Add(path, nil, "are for a role that the cluster does not have", "leave them out, or set kmsKeyARN or karpenter")
		}
		for i, arn := range args.options().ExtraPolicies[name] {
			faults.Join(fmt.Sprintf("%s[%d]", path, i), ValidatePolicyARN(arn, ""))
		}
	}
	return faults.Err()
}

// specs returns the roles of the cluster, created or existing.
func (args *RoleSetArgs) specs() []roleSpec {
	specs := roleSpecs()
	if args.KMSKeyARN != nil {
		specs = append(specs, kmsProviderSpec())
	}
	if args.options().Karpenter {
		specs = append(specs, karpenterSpec())
	}
	return specs
}

// NewRoleSet registers the roles. It fails with every fault in args at once, and then with every fault that a lookup shows: a KMS
// key, a policy or an existing role that does not exist or cannot be used.
func NewRoleSet(ctx *pulumi.Context, name string, args *RoleSetArgs, opts ...pulumi.ResourceOption) (*RoleSet, error) {
	if args == nil {
		args = &RoleSetArgs{}
	}
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("role set %q: %w", name, err)
	}
	r := &RoleSet{}
	if err := ctx.RegisterComponentResource(roleSetType, name, r, opts...); err != nil {
		return nil, fmt.Errorf("registering role set %q: %w", name, err)
	}
	b := &roleSetBuilder{ctx: ctx, name: name, args: args, set: r}
	if err := b.build(); err != nil {
		return nil, fmt.Errorf("role set %q: %w", name, err)
	}
	return r, ctx.RegisterResourceOutputs(r, outputs.Of(r))
}

// take sets the ARNs of the roles, "" for those that the cluster does not have.
func (r *RoleSet) take(arns map[RoleName]pulumi.StringOutput) {
	for name, field := range r.fields() {
		*field = pulumi.String("").ToStringOutput()
		if arn, ok := arns[name]; ok {
			*field = arn
		}
	}
}

// ARN returns the ARN of a role; "" for one that the cluster does not have.
func (r *RoleSet) ARN(name RoleName) pulumi.StringOutput { return *r.fields()[name] }

// fields returns the output for the ARN of each role.
func (r *RoleSet) fields() map[RoleName]*pulumi.StringOutput {
	return map[RoleName]*pulumi.StringOutput{
		RoleIngress:              &r.IngressARN,
		RoleImageRegistry:        &r.ImageRegistryARN,
		RoleStorage:              &r.StorageARN,
		RoleNetwork:              &r.NetworkARN,
		RoleKubeCloudController:  &r.KubeCloudControllerARN,
		RoleNodePoolManagement:   &r.NodePoolManagementARN,
		RoleControlPlaneOperator: &r.ControlPlaneOperatorARN,
		RoleKMSProvider:          &r.KMSProviderARN,
		RoleKarpenter:            &r.KarpenterARN,
	}
}
