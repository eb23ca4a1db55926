package iam

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

const roleSetType = "hypershift-aws:iam:RoleSet"

// RoleSet is the roles that a hosted cluster's control plane takes in the cluster's account. Each is the
// ARN of a role, "arn:…:role/<infraID>-…", for the field of the same name in a HostedCluster's rolesRef.
type RoleSet struct {
	pulumi.ResourceState

	// IngressARN is for the ingress operator, which writes the records of the cluster's routes.
	IngressARN pulumi.StringOutput `pulumi:"ingressARN"`
	// ImageRegistryARN is for the image registry, which keeps images in a bucket.
	ImageRegistryARN pulumi.StringOutput `pulumi:"imageRegistryARN"`
	// StorageARN is for the driver that makes EBS volumes.
	StorageARN pulumi.StringOutput `pulumi:"storageARN"`
	// NetworkARN is for the controller that gives nodes addresses for egress.
	NetworkARN pulumi.StringOutput `pulumi:"networkARN"`
	// KubeCloudControllerARN is for the controller that makes load balancers.
	KubeCloudControllerARN pulumi.StringOutput `pulumi:"kubeCloudControllerARN"`
	// NodePoolManagementARN is for Cluster API, which runs the nodes' instances.
	NodePoolManagementARN pulumi.StringOutput `pulumi:"nodePoolManagementARN"`
	// ControlPlaneOperatorARN is for the operator that makes the PrivateLink endpoint and its records.
	ControlPlaneOperatorARN pulumi.StringOutput `pulumi:"controlPlaneOperatorARN"`
	// KMSProviderARN is for the encryption of etcd; "" without a KMS key.
	KMSProviderARN pulumi.StringOutput `pulumi:"kmsProviderARN"`
}

// RoleSetArgs say for which cluster the roles are, and what they may touch.
type RoleSetArgs struct {
	// Cluster names and tags the roles. Required.
	Cluster hypershift.Cluster
	// EndpointAccess decides which zones the roles may write to. Default Public.
	EndpointAccess hypershift.EndpointAccess
	// OIDCProviderARN is the provider that vouches for the cluster's service accounts. Required.
	OIDCProviderARN pulumi.StringInput
	// IssuerURL is the issuer of their tokens, "https://…". Required.
	IssuerURL pulumi.StringInput
	// WorkerRoleARN is the role of the nodes, the one role that node pool management may pass on.
	// Required.
	WorkerRoleARN pulumi.StringInput
	// PublicZoneARN is the base domain's zone. Required unless EndpointAccess is Private.
	PublicZoneARN pulumi.StringInput
	// PrivateZoneARN is the cluster's private zone. Required.
	PrivateZoneARN pulumi.StringInput
	// LocalZoneARN is the zone of the names on PrivateLink. Required unless EndpointAccess is Public.
	LocalZoneARN pulumi.StringInput
	// EndpointVPCID is the VPC, of the provider's account and region, that the control-plane-operator may make its
	// endpoint in. Default any, as HyperShift's CLI has it.
	EndpointVPCID pulumi.StringInput
	// KMSKeyARN is a symmetric key, in the cluster's region, that encrypts etcd. Default none, and then
	// no role for it.
	KMSKeyARN string
}

// Validate returns every fault in args that can be seen without asking AWS.
func (args *RoleSetArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	faults.Join("endpointAccess", args.EndpointAccess.Validate())
	for _, required := range []struct {
		path, what string
		value      pulumi.StringInput
		needed     bool
	}{
		{"oidcProviderARN", "the ARN of the provider that vouches for the service accounts", args.OIDCProviderARN, true},
		{"issuerURL", "the issuer of the service accounts' tokens", args.IssuerURL, true},
		{"workerRoleARN", "the ARN of the nodes' role", args.WorkerRoleARN, true},
		{"privateZoneARN", "the ARN of the private zone", args.PrivateZoneARN, true},
		{"publicZoneARN", "the ARN of the base domain's zone", args.PublicZoneARN, args.EndpointAccess.HasPublic()},
		{"localZoneARN", "the ARN of the local zone", args.LocalZoneARN, args.EndpointAccess.HasPrivate()},
	} {
		if required.needed && required.value == nil {
			faults.Add(required.path, nil, "is missing", "give "+required.what)
		}
	}
	if args.KMSKeyARN != "" {
		faults.Join("kmsKeyARN", ValidateKMSKeyARN(args.KMSKeyARN, ""))
	}
	return faults.Err()
}

// NewRoleSet registers the roles. It fails with every fault in args at once, and where the KMS key does
// not exist or cannot encrypt.
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
	partition, err := aws.GetPartition(ctx, &aws.GetPartitionArgs{}, pulumi.Parent(r))
	if err != nil {
		return nil, fmt.Errorf("role set %q: asking the provider for its partition: %w", name, err)
	}
	identity, err := aws.GetCallerIdentity(ctx, &aws.GetCallerIdentityArgs{}, pulumi.Parent(r))
	if err != nil {
		return nil, fmt.Errorf("role set %q: asking AWS whose account this is: %w", name, err)
	}
	region, err := aws.GetRegion(ctx, &aws.GetRegionArgs{}, pulumi.Parent(r))
	if err != nil {
		return nil, fmt.Errorf("role set %q: asking the provider for its region: %w", name, err)
	}
	if args.KMSKeyARN != "" {
		if err := checkKMSKey(ctx, args.KMSKeyARN, pulumi.Parent(r)); err != nil {
			return nil, fmt.Errorf("role set %q: %w", name, err)
		}
	}
	specs := roleSpecs()
	if args.KMSKeyARN != "" {
		specs = append(specs, kmsProviderSpec())
	}
	arns := map[string]pulumi.StringOutput{kmsProviderRole: pulumi.String("").ToStringOutput()}
	for _, spec := range specs {
		role, err := newRole(ctx, name+"-"+spec.suffix, r, roleArgs{
			name:       args.Cluster.InfraID + "-" + spec.suffix,
			policyName: args.Cluster.InfraID + "-" + spec.suffix,
			trust:      args.trust(spec),
			policy:     args.policy(spec, partition.Partition, identity.AccountId, region.Name),
			tags:       args.Cluster.IAMTags(),
		})
		if err != nil {
			return nil, fmt.Errorf("role set %q: %w", name, err)
		}
		arns[spec.suffix] = role.Arn
	}
	r.IngressARN = arns[ingressRole]
	r.ImageRegistryARN = arns[imageRegistryRole]
	r.StorageARN = arns[storageRole]
	r.NetworkARN = arns[networkRole]
	r.KubeCloudControllerARN = arns[kubeCloudControllerRole]
	r.NodePoolManagementARN = arns[nodePoolManagementRole]
	r.ControlPlaneOperatorARN = arns[controlPlaneOperatorRole]
	r.KMSProviderARN = arns[kmsProviderRole]
	return r, ctx.RegisterResourceOutputs(r, r.outputs())
}

func (args *RoleSetArgs) trust(spec roleSpec) pulumi.StringOutput {
	return pulumi.All(args.OIDCProviderARN, args.IssuerURL).ApplyT(func(values []any) string {
		return trustPolicy(values[0].(string), values[1].(string), spec.serviceAccounts).JSON()
	}).(pulumi.StringOutput)
}

// policy writes a role's policy for what the roles may touch; account is the one that they are in.
func (args *RoleSetArgs) policy(spec roleSpec, partition, account, region string) pulumi.StringOutput {
	public, local := pulumi.StringInput(pulumi.String("")), pulumi.StringInput(pulumi.String(""))
	if args.EndpointAccess.HasPublic() {
		public = args.PublicZoneARN
	}
	if args.EndpointAccess.HasPrivate() {
		local = args.LocalZoneARN
	}
	vpc := pulumi.String("").ToStringOutput()
	if args.EndpointVPCID != nil {
		vpc = args.EndpointVPCID.ToStringOutput() // an ID of Pulumi's is no string yet
	}
	return pulumi.All(args.WorkerRoleARN, public, args.PrivateZoneARN, local, vpc).ApplyT(func(values []any) string {
		s := scope{
			partition: partition, account: account,
			workerRoleARN: values[0].(string),
			localZoneARN:  values[3].(string),
			infraID:       args.Cluster.InfraID, vpcID: values[4].(string), region: region,
			kmsKeyARN: args.KMSKeyARN,
		}
		for _, zone := range values[1:3] {
			if arn := zone.(string); arn != "" {
				s.ingressZoneARNs = append(s.ingressZoneARNs, arn)
			}
		}
		return spec.policy(s).JSON()
	}).(pulumi.StringOutput)
}

func (r *RoleSet) outputs() pulumi.Map {
	return pulumi.Map{
		"ingressARN":              r.IngressARN,
		"imageRegistryARN":        r.ImageRegistryARN,
		"storageARN":              r.StorageARN,
		"networkARN":              r.NetworkARN,
		"kubeCloudControllerARN":  r.KubeCloudControllerARN,
		"nodePoolManagementARN":   r.NodePoolManagementARN,
		"controlPlaneOperatorARN": r.ControlPlaneOperatorARN,
		"kmsProviderARN":          r.KMSProviderARN,
	}
}
