package management

import (
	"fmt"

	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// audience is the audience of the tokens of HyperShift's own service accounts. Source: HyperShift,
// cmd/install/assets/hypershift_operator.go.
const audience = "openshift"

// findProvider looks up the OIDC provider of the management cluster, if the identity needs one.
func (i *identities) findProvider() error {
	args := i.args.Operator
	if !args.keeps(WebIdentity) {
		return nil
	}
	if issuer, plain := input.Plain(args.IssuerURL); plain {
		arn, err := i.lookUpProvider(issuer)
		i.providerARN = pulumi.String(arn)
		return err
	}
	i.providerARN = args.IssuerURL.ToStringOutput().ApplyT(func(issuer string) (string, error) {
		arn, err := "", hypershift.ValidateIssuer(issuer)
		if err == nil {
			arn, err = i.lookUpProvider(issuer)
		}
		var faults fault.Faults
		faults.Join("operator.issuerURL", err)
		return arn, faults.Err()
	}).(pulumi.StringOutput)
	return nil
}

// lookUpProvider returns the ARN of the OIDC provider of an issuer.
func (i *identities) lookUpProvider(issuer string) (string, error) {
	provider, err := awsiam.LookupOpenIdConnectProvider(i.ctx, &awsiam.LookupOpenIdConnectProviderArgs{Url: &issuer},
		i.parent())
	if err != nil {
		return "", &fault.Fault{Value: issuer,
			Problem: fmt.Sprintf("has no OIDC provider that can be looked up: %s", awsprovider.Cause(err)),
			Remedy: awsprovider.Remedy(err, fmt.Sprintf("create one in this account with client ID %q, or use identity InstanceRole or AccessKeys",
				audience))}
	}
	return provider.Arn, iam.CheckClientIDs(issuer, provider.Arn, provider.ClientIdLists, i.args.ClientIDs())
}

// checkInstanceRole checks the role of the management cluster's nodes, if the identity needs one.
func (i *identities) checkInstanceRole() error {
	if !i.args.Operator.keeps(InstanceRole) {
		return nil
	}
	var err error
	i.instanceRoleARN, err = input.Check("operator.instanceRoleARN", i.args.Operator.InstanceRoleARN, validateInstanceRole)
	return err
}

// trust returns the trust policy for service accounts of a namespace, whose tokens are issued for an audience.
func (i *identities) trust(audience, namespace string, serviceAccounts ...string) pulumi.StringOutput {
	args := i.args.Operator
	if args.keeps(InstanceRole) {
		return i.instanceRoleARN.ToStringOutput().ApplyT(func(arn string) string {
			return instanceRoleTrust(arn).JSON()
		}).(pulumi.StringOutput)
	}
	return pulumi.All(i.providerARN, args.IssuerURL).ApplyT(func(values []any) string {
		return webIdentityTrust(values[0].(string), values[1].(string), audience, namespace, serviceAccounts...).JSON()
	}).(pulumi.StringOutput)
}

// webIdentityTrust allows service accounts of a namespace to assume a role with their tokens.
func webIdentityTrust(providerARN, issuerURL, audience, namespace string, serviceAccounts ...string) policy.Document {
	var subjects []string
	for _, account := range serviceAccounts {
		subjects = append(subjects, "system:serviceaccount:"+namespace+":"+account)
	}
	return policy.WebIdentity(providerARN, issuerURL, []string{audience}, subjects)
}

// instanceRoleTrust allows a role to assume another one.
func instanceRoleTrust(roleARN string) policy.Document {
	return policy.New(policy.Statement{
		Effect:    policy.Allow,
		Principal: &policy.Principal{AWS: policy.Names{roleARN}},
		Action:    []string{"sts:AssumeRole"},
	})
}
