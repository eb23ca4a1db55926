package iam

import (
	"cmp"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const sharedVPCRolesType = "hypershift-aws:iam:SharedVPCRoles"

// The suffixes of the two roles' names, as in HyperShift's CLI.
const (
	sharedRoute53Suffix  = "shared-vpc-route53"
	sharedEndpointSuffix = "shared-vpc-endpoint"
)

// SharedVPCRoles are the roles that a hosted cluster's operators assume from their own roles, to work in the accounts
// of a shared VPC and its zones. Source: HyperShift, "Shared VPC" in its how-to pages for AWS.
type SharedVPCRoles struct {
	pulumi.ResourceState

	// Route53ARN is for the records in the private zones: the ingress operator and the control plane operator assume it.
	// It is spec.platform.aws.sharedVPC.rolesRef.ingressARN of a HostedCluster.
	Route53ARN pulumi.StringOutput `pulumi:"route53ARN"`
	// EndpointARN is for the VPC endpoint to the control plane: the control plane operator assumes it. It is
	// spec.platform.aws.sharedVPC.rolesRef.controlPlaneARN.
	EndpointARN pulumi.StringOutput `pulumi:"endpointARN"`
}

// SharedVPCRolesArgs are the inputs of SharedVPCRoles.
type SharedVPCRolesArgs struct {
	// Cluster names and tags the roles. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// Options are the options of the cluster's other roles. Prefix and path apply to these roles too, and the permissions
	// boundary to a role in the cluster's account. Default: the zero value.
	Options *RoleOptions `yaml:"-" pulumi:"options,optional"`
	// OwnersPermissionsBoundary is the ARN of a policy in the VPC owner's account that limits the roles in that account.
	// The policy must exist. Default none.
	OwnersPermissionsBoundary pulumi.StringInput `yaml:"-" pulumi:"ownersPermissionsBoundary,optional"`
	// VPCOwner is the provider of the account that owns the VPC. Required.
	VPCOwner *aws.Provider `yaml:"-" pulumi:"vpcOwner" set:"the provider of the account that owns the VPC"`
	// ZonesInCluster is true if the private hosted zones, and with them the role for their records, are in the cluster's
	// account. Default false: they are in the VPC owner's account.
	ZonesInCluster bool `yaml:"-" pulumi:"zonesInCluster,optional"`
	// IngressRoleARN is the ARN of the ingress operator's role, which may assume the role for records. Required.
	IngressRoleARN pulumi.StringInput `yaml:"-" pulumi:"ingressRoleARN" set:"the output of the component that has it"`
	// ControlPlaneOperatorRoleARN is the ARN of the control plane operator's role, which may assume both roles. Required.
	ControlPlaneOperatorRoleARN pulumi.StringInput `yaml:"-" pulumi:"controlPlaneOperatorRoleARN" set:"the output of the component that has it"`
	// PrivateZoneARN is the ARN of the private hosted zone. Required.
	PrivateZoneARN pulumi.StringInput `yaml:"-" pulumi:"privateZoneARN" set:"the output of the component that has it"`
	// LocalZoneARN is the ARN of the local hosted zone, "" with endpointAccess Public. Required.
	LocalZoneARN pulumi.StringInput `yaml:"-" pulumi:"localZoneARN"`
	// VPCID is the ID of the shared VPC, "vpc-…". Required.
	VPCID pulumi.StringInput `yaml:"-" pulumi:"vpcID" set:"the output of the component that has it"`
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *SharedVPCRolesArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	faults.Join("", optionsOf(args.Options).validateFor(args.Cluster))
	if boundary := args.OwnersPermissionsBoundary; input.IsSet(boundary) {
		faults.Join("ownersPermissionsBoundary", input.IfPlain(boundary, ValidateAnyPolicyARN))
	}
	faults.Join("", input.Required(args))
	if args.LocalZoneARN == nil {
		faults.Add("localZoneARN", nil, "is missing", "set the output of the component that has it")
	}
	return faults.Err()
}

// NewSharedVPCRoles registers the roles. The error lists every fault in args.
func NewSharedVPCRoles(
	ctx *pulumi.Context,
	name string,
	args *SharedVPCRolesArgs,
	opts ...pulumi.ResourceOption,
) (*SharedVPCRoles, error) {
	return component.New(ctx, sharedVPCRolesType, "shared VPC roles", name, args, opts,
		func(r *SharedVPCRoles, args *SharedVPCRolesArgs) error {
			return r.build(ctx, name, args)
		})
}

// inOwnersAccount is the part of the roles that is in the account of the VPC's owner.
type inOwnersAccount struct{ pulumi.ResourceState }

func (r *SharedVPCRoles) build(ctx *pulumi.Context, name string, args *SharedVPCRolesArgs) error {
	owner := &inOwnersAccount{}
	if err := ctx.RegisterComponentResource("hypershift-aws:iam:VPCOwner", name+"-vpc-owner", owner,
		pulumi.Parent(r), pulumi.Provider(args.VPCOwner)); err != nil {
		return fmt.Errorf("registering the resources of the VPC owner's account: %w", err)
	}
	in, err := location.Lookup(ctx, pulumi.Parent(owner))
	if err != nil {
		return err
	}
	if arn := input.Text(args.OwnersPermissionsBoundary); arn != "" {
		if err := checkPolicies(ctx, []givenPolicy{{"ownersPermissionsBoundary", arn}}, pulumi.Parent(owner)); err != nil {
			return err
		}
	}
	boundary := checkedBoundary(ctx, "ownersPermissionsBoundary", args.OwnersPermissionsBoundary, pulumi.Parent(owner))
	zones, zonesBoundary := pulumi.Resource(owner), boundary
	if args.ZonesInCluster {
		zones, zonesBoundary = r, checkedBoundary(ctx, "options.permissionsBoundary",
			optionsOf(args.Options).PermissionsBoundary, pulumi.Parent(r))
	}
	route53, err := iamrole.New(ctx, name+"-route53", args.role(sharedRoute53Suffix, zonesBoundary,
		args.records(), args.IngressRoleARN, args.ControlPlaneOperatorRoleARN), pulumi.Parent(zones))
	if err != nil {
		return err
	}
	endpoint, err := iamrole.New(ctx, name+"-endpoint", args.role(sharedEndpointSuffix, boundary,
		args.endpoint(scope{Location: in}), args.ControlPlaneOperatorRoleARN), pulumi.Parent(owner))
	if err != nil {
		return err
	}
	r.Route53ARN, r.EndpointARN = route53.Arn, endpoint.Arn
	return ctx.RegisterResourceOutputs(owner, pulumi.Map{})
}

// role describes one of the roles, and which principals may assume it.
func (args *SharedVPCRolesArgs) role(
	suffix string,
	boundary pulumi.StringInput,
	document pulumi.StringOutput,
	takers ...pulumi.StringInput,
) *iamrole.Args {
	name := optionsOf(args.Options).name(args.Cluster, suffix)
	var inputs []any
	for _, taker := range takers {
		inputs = append(inputs, taker)
	}
	trust := pulumi.All(inputs...).ApplyT(func(arns []any) string {
		var statements []policy.Statement
		seen := map[any]bool{}
		for _, arn := range arns {
			if !seen[arn] { // both are equal if the cluster has one shared role
				statements = append(statements, policy.Statement{
					Effect: policy.Allow, Principal: &policy.Principal{AWS: policy.Names{arn.(string)}},
					Action: []string{"sts:AssumeRole"},
				})
			}
			seen[arn] = true
		}
		return policy.New(statements...).JSON()
	}).(pulumi.StringOutput)
	return &iamrole.Args{
		Name: name, Path: optionsOf(args.Options).Path, PermissionsBoundary: boundary, Tags: args.Cluster.IAMTags(),
		Trust: trust, Inline: []iamrole.InlinePolicy{{Name: name, Document: document}},
	}
}

// records returns the policy for the records in the private zones: HyperShift's, limited to the zones and without the
// actions that change the zones themselves.
func (args *SharedVPCRolesArgs) records() pulumi.StringOutput {
	return pulumi.All(args.PrivateZoneARN, args.LocalZoneARN).ApplyT(func(values []any) string {
		var zones []string
		for _, zone := range values {
			if arn := zone.(string); arn != "" {
				zones = append(zones, arn)
			}
		}
		return sharedRoute53Policy(zones).JSON()
	}).(pulumi.StringOutput)
}

// endpoint returns the policy for the endpoint to the control plane.
func (args *SharedVPCRolesArgs) endpoint(where scope) pulumi.StringOutput {
	return args.VPCID.ToStringOutput().ApplyT(func(vpc string) string {
		return sharedEndpointPolicy(where, vpc).JSON()
	}).(pulumi.StringOutput)
}

// SharedVPC selects the roles of a shared VPC's owner that the operators assume.
type SharedVPC struct {
	// VPCOwnerAccountID is the ID of the account that owns the VPC, 12 digits. Required.
	VPCOwnerAccountID pulumi.StringInput `yaml:"-" pulumi:"vpcOwnerAccountID"`
	// ZonesInCluster is true if the role for the records of the private hosted zones is in the cluster's account. Default
	// false: it is in the VPC owner's account.
	ZonesInCluster bool `yaml:"-" pulumi:"zonesInCluster,optional"`
	// IngressRoleARN and ControlPlaneRoleARN are existing roles of the owner. Default: those of SharedVPCRoles, by their
	// names.
	IngressRoleARN      pulumi.StringInput `yaml:"-" pulumi:"ingressRoleARN,optional"`
	ControlPlaneRoleARN pulumi.StringInput `yaml:"-" pulumi:"controlPlaneRoleARN,optional"`
}

// assumesRoles reports whether a component assumes roles of the shared VPC.
func (b *roleSetBuilder) assumesRoles(name RoleName) bool {
	return b.args.SharedVPC != nil && (name == RoleIngress || name == RoleControlPlaneOperator)
}

// assumeRoles returns the policy that lets a component assume the shared VPC's roles. The ARNs are composed, because
// the roles on both sides refer to each other.
func (b *roleSetBuilder) assumeRoles(name RoleName) func(scope) policy.Document {
	return func(s scope) policy.Document {
		arn := func(account, suffix string) string {
			path := b.args.options().Path
			if path == "" {
				path = "/"
			}
			return b.location.In(account).GlobalARN("iam", "role"+path+b.args.options().name(b.args.Cluster, suffix))
		}
		zonesIn := s.vpcAccount
		if b.args.SharedVPC.ZonesInCluster {
			zonesIn = b.location.Account
		}
		arns := []string{cmp.Or(s.sharedIngressARN, arn(zonesIn, sharedRoute53Suffix))}
		if name == RoleControlPlaneOperator {
			arns = append(arns, cmp.Or(s.sharedControlPlaneARN, arn(s.vpcAccount, sharedEndpointSuffix)))
		}
		return assumeRolesPolicy(arns)
	}
}

// sharedRoute53Policy returns the policy for the records in the private zones of a shared VPC.
func sharedRoute53Policy(zoneARNs []string) policy.Document {
	return policy.New(
		policy.Allows([]string{
			"route53:GetAccountLimit",
			"route53:GetChange",
			"route53:ListHostedZones",
			"route53:ListHostedZonesByName",
			"tag:GetResources",
		}, everything),
		policy.Allows([]string{
			"route53:ChangeResourceRecordSets",
			"route53:GetHostedZone",
			"route53:ListResourceRecordSets",
			"route53:ListTagsForResource",
		}, zoneARNs...),
	)
}

// sharedEndpointPolicy returns the policy for the endpoint to the control plane in a shared VPC, with its security
// group.
func sharedEndpointPolicy(s scope, vpcID string) policy.Document {
	in := func(resource string) string {
		return s.ARN("ec2", resource)
	}
	return policy.New(
		policy.Allows([]string{
			"ec2:DescribeSecurityGroups",
			"ec2:DescribeSubnets",
			"ec2:DescribeVpcEndpoints",
			"ec2:DescribeVpcs",
		}, everything),
		policy.Allows([]string{
			"ec2:AuthorizeSecurityGroupEgress",
			"ec2:AuthorizeSecurityGroupIngress",
			"ec2:CreateSecurityGroup",
			"ec2:CreateTags",
			"ec2:CreateVpcEndpoint",
			"ec2:DeleteSecurityGroup",
			"ec2:DeleteVpcEndpoints",
			"ec2:ModifyVpcEndpoint",
			"ec2:RevokeSecurityGroupEgress",
			"ec2:RevokeSecurityGroupIngress",
		}, in("vpc/"+vpcID), in("subnet/*"), in("security-group/*"), in("security-group-rule/*"), in("vpc-endpoint/*")),
	)
}

// assumeRolesPolicy allows components to assume further roles.
func assumeRolesPolicy(arns []string) policy.Document {
	return policy.New(policy.Allows([]string{"sts:AssumeRole"}, arns...))
}
