package management

import (
	"fmt"
	"regexp"

	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
)

// OperatorRoles are the roles that the operator assumes, in the form of HyperShift's flag --aws-operator-roles-file.
// Source: CreateOperatorRolesOutput in HyperShift's cmd/infra/aws/create_operator_roles.go.
type OperatorRoles struct {
	// EC2RoleARN is for the endpoint services of PrivateLink.
	EC2RoleARN pulumi.StringOutput `pulumi:"operatorEC2RoleARN"`
	// OIDCS3RoleARN is for the OIDC documents.
	OIDCS3RoleARN pulumi.StringOutput `pulumi:"operatorOIDCS3RoleARN"`
	// ExternalDNSRoleARN is for the records of public names; "" without a zone.
	ExternalDNSRoleARN pulumi.StringOutput `pulumi:"externalDNSRoleARN"`
}

// Outputs returns the roles by HyperShift's keys.
func (r OperatorRoles) Outputs() pulumi.Map { return outputs.Collect(r) }

// identity is one of the three AWS identities of the operator and external-dns.
type identity struct {
	// suffix is the suffix of the names of the role or user and of its inline policy.
	suffix string
	// serviceAccount assumes the role, in the operator's namespace.
	serviceAccount string
	// secret is the Secret with the user's access key. Source: HyperShift, cmd/install/assets/hypershift_operator.go.
	secret string
	policy pulumi.StringInput
}

// IdentityOptions configure the roles and users of the management account: those of the operator, of external-dns and
// of backups.
type IdentityOptions struct {
	// Path is the IAM path of the roles and users, "/…/". Default "/". Changing it replaces them.
	Path string `yaml:"path" pulumi:"path,optional"`
	// PermissionsBoundary is the ARN of a policy that limits the roles and users. The policy must exist. Default none.
	PermissionsBoundary pulumi.StringInput `yaml:"permissionsBoundary" pulumi:"permissionsBoundary,optional"`
}

// policyARN is the pattern of the ARN of a managed policy.
var policyARN = regexp.MustCompile(`^arn:aws(-[a-z]+)*:iam::(aws|\d{12}):policy/.+$`)

// Validate returns every fault in the options.
func (o IdentityOptions) Validate() error {
	var faults fault.Faults
	if o.Path != "" && !awsid.IsPath(o.Path) {
		faults.Add("path", o.Path, "is not an IAM path", "use one that begins and ends with a slash, such as /hypershift/")
	}
	if arn, plain := input.Plain(o.PermissionsBoundary); plain && arn != "" && !policyARN.MatchString(arn) {
		faults.Add("permissionsBoundary", arn, "is not the ARN of a policy",
			"use one such as arn:aws:iam::123456789012:policy/NAME")
	}
	return faults.Err()
}

// The suffixes of the identities' names, as in HyperShift's CLI.
const (
	ec2Suffix         = "operator-ec2"
	oidcS3Suffix      = "operator-oidc-s3"
	externalDNSSuffix = "external-dns"
)

// SecretNames returns the Secrets in the operator's namespace whose contents are in Credentials: none unless the
// identity is AccessKeys. Those of a former identity stay as they are until `hypershift install` gives them other
// contents; a stack that installs the operator does that itself.
func (args *PrerequisitesArgs) SecretNames() []string {
	switch {
	case !args.Operator.keeps(AccessKeys), args.Operator.FormerIdentity == AccessKeys && args.Operator.Install != nil:
		return nil
	case args.Zone == nil:
		return []string{EC2Secret, OIDCS3Secret}
	}
	return []string{EC2Secret, OIDCS3Secret, ExternalDNSSecret}
}

// The Secrets in the operator's namespace with the credentials files of the identities, under the key "credentials".
const (
	EC2Secret         = "hypershift-operator-aws-credentials"
	OIDCS3Secret      = "hypershift-operator-oidc-provider-s3-credentials"
	ExternalDNSSecret = "external-dns-credentials"
)

// identities are those of the management cluster's operators.
type identities struct {
	*builder
	// providerARN is the ARN of the management cluster's OIDC provider, and instanceRoleARN the ARN of its nodes' role.
	providerARN, instanceRoleARN pulumi.StringInput
}

// list returns the identities of the prerequisites: external-dns only with a zone.
func (i *identities) list() []identity {
	identities := []identity{
		{ec2Suffix, "operator", EC2Secret,
			pulumi.String(endpointServicesPolicy(i.place, i.args.Operator.InfraID).JSON())},
		{oidcS3Suffix, "operator", OIDCS3Secret,
			pulumi.String(documentsPolicy(i.place, i.args.OIDCBucket.Name).JSON())},
	}
	if i.args.Zone == nil {
		return identities
	}
	return append(identities, identity{externalDNSSuffix, "external-dns", ExternalDNSSecret,
		i.made.Zone.ARN.ApplyT(func(arn string) string {
			return recordsPolicy(i.place, arn).JSON()
		}).(pulumi.StringOutput)})
}

// create creates the identities, as roles or as users; as both if one of them is the former identity.
func (i *identities) create() error {
	i.made.Credentials = pulumi.ToSecret(pulumi.StringMap{}).(pulumi.StringMapOutput)
	args := i.args.Operator
	if args.keeps(AccessKeys) {
		if err := i.users(); err != nil {
			return err
		}
	}
	if args.keeps(WebIdentity) || args.keeps(InstanceRole) {
		return i.roles()
	}
	return nil
}

func (i *identities) roles() error {
	roles := &i.made.OperatorRoles
	arns := map[string]*pulumi.StringOutput{
		ec2Suffix: &roles.EC2RoleARN, oidcS3Suffix: &roles.OIDCS3RoleARN, externalDNSSuffix: &roles.ExternalDNSRoleARN,
	}
	for _, identity := range i.list() {
		child, name := i.child(identity.suffix), i.args.Operator.namePrefix()+"-"+identity.suffix
		role, err := iamrole.New(i.ctx, child, &iamrole.Args{
			Name: name, Trust: i.trust(audience, i.args.Operator.NamespaceOrDefault(), identity.serviceAccount), Tags: i.tags(),
			Path: i.args.IAM.Path, PermissionsBoundary: i.args.IAM.PermissionsBoundary,
			Inline: []iamrole.InlinePolicy{{Name: name, Document: identity.policy}},
		}, i.parent())
		if err != nil {
			return err
		}
		*arns[identity.suffix] = role.Arn
	}
	return nil
}

func (i *identities) users() error {
	credentials := pulumi.StringMap{}
	for _, identity := range i.list() {
		child, name := i.child(identity.suffix), i.args.Operator.namePrefix()+"-"+identity.suffix
		// The provider would rename a user in place, but keep the old name as its ID in the state.
		user, err := awsiam.NewUser(i.ctx, child, &awsiam.UserArgs{
			Name: pulumi.String(name), Path: input.Optional(pulumi.String(i.args.IAM.Path)),
			PermissionsBoundary: input.Optional(i.args.IAM.PermissionsBoundary),
			Tags:                pulumi.ToStringMap(i.tags()),
		}, i.parent(),
			pulumi.ReplaceOnChanges([]string{"name"}))
		if err != nil {
			return err
		}
		if _, err := awsiam.NewUserPolicy(i.ctx, child, &awsiam.UserPolicyArgs{
			Name:   pulumi.String(name),
			User:   user.Name,
			Policy: identity.policy,
		}, i.parent()); err != nil {
			return err
		}
		key, err := awsiam.NewAccessKey(i.ctx, child, &awsiam.AccessKeyArgs{User: user.Name}, i.parent())
		if err != nil {
			return err
		}
		credentials[identity.secret] = pulumi.All(key.ID(), key.Secret).ApplyT(func(parts []any) string {
			return credentialsFile(string(parts[0].(pulumi.ID)), parts[1].(string))
		}).(pulumi.StringOutput)
	}
	i.made.Credentials = pulumi.ToSecret(credentials).(pulumi.StringMapOutput)
	return nil
}

// credentialsFile returns an access key in the format of the AWS SDKs' credentials file.
func credentialsFile(id, secret string) string {
	return fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", id, secret)
}

// The policies are those that HyperShift's CLI attaches, action for action except s3:DeleteObjects, which does not
// exist in IAM, and narrower where AWS allows it. Source: HyperShift, cmd/infra/aws/create_operator_roles.go.

// everything is the resource of actions that cannot be limited further.
const everything = "*"

// endpointServicesPolicy allows the operator to create endpoint services for hosted control planes. With an infra ID,
// it may only change endpoint services with that cluster's tag.
func endpointServicesPolicy(in location.Location, infraID string) policy.Document {
	services := in.ARN("ec2", "vpc-endpoint-service/*")
	read := policy.Allows([]string{
		"ec2:DescribeVpcEndpointServiceConfigurations",
		"ec2:DescribeVpcEndpointServicePermissions",
		"ec2:DescribeVpcEndpointConnections",
		"ec2:DescribeInstanceTypes",
		"elasticloadbalancing:DescribeLoadBalancers",
	}, everything)
	create := policy.Allows([]string{"ec2:CreateVpcEndpointServiceConfiguration"}, services)
	change := policy.Allows([]string{
		"ec2:DeleteVpcEndpointServiceConfigurations",
		"ec2:ModifyVpcEndpointServicePermissions",
		"ec2:RejectVpcEndpointConnections",
	}, services)
	// Tags can only be set when a service is created: otherwise the operator could take over any service.
	tag := policy.Allows([]string{"ec2:CreateTags"}, services)
	tag.Condition = policy.Condition{"StringEquals": {"ec2:CreateAction": {"CreateVpcEndpointServiceConfiguration"}}}
	if infraID != "" {
		owner := "/kubernetes.io/cluster/" + infraID
		create.Condition = policy.Condition{"StringEquals": {"aws:RequestTag" + owner: {"owned"}}}
		change.Condition = policy.Condition{"StringEquals": {"aws:ResourceTag" + owner: {"owned"}}}
	}
	return policy.New(read, create, change, tag)
}

// documentsPolicy allows the operator to write and delete hosted clusters' OIDC documents.
func documentsPolicy(in location.Location, bucket string) policy.Document {
	return policy.New(policy.Allows([]string{"s3:PutObject", "s3:DeleteObject"}, bucketARN(in, bucket)+"/*"))
}

// recordsPolicy allows external-dns to write the records of hosted clusters' public names.
func recordsPolicy(in location.Location, zoneARN string) policy.Document {
	return policy.New(
		policy.Allows([]string{"route53:ListHostedZones"}, everything),
		policy.Allows([]string{"route53:GetChange"}, in.PartitionARN("route53", "change/*")),
		policy.Allows([]string{
			"route53:GetHostedZone",
			"route53:ChangeResourceRecordSets",
			"route53:ListResourceRecordSets",
		}, zoneARN),
	)
}
