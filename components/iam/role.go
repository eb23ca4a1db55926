package iam

import (
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// roleArgs describe a role with one inline policy.
type roleArgs struct {
	name, policyName string
	trust, policy    pulumi.StringInput
	tags             map[string]string
}

// newRole registers a role and its policy as children of parent.
func newRole(ctx *pulumi.Context, name string, parent pulumi.Resource, args roleArgs) (*iam.Role, error) {
	role, err := iam.NewRole(ctx, name, &iam.RoleArgs{
		Name:             pulumi.String(args.name),
		AssumeRolePolicy: args.trust,
		Tags:             pulumi.ToStringMap(args.tags),
	}, pulumi.Parent(parent))
	if err != nil {
		return nil, err
	}
	_, err = iam.NewRolePolicy(ctx, name, &iam.RolePolicyArgs{
		Name:   pulumi.String(args.policyName),
		Role:   role.Name,
		Policy: args.policy,
	}, pulumi.Parent(parent))
	return role, err
}

// trustPolicy lets the given service accounts take a role with tokens that the OIDC provider vouches
// for and that were minted for AWS.
func trustPolicy(providerARN, issuerURL string, serviceAccounts []string) Document {
	issuer := strings.TrimPrefix(issuerURL, "https://")
	subjects := make([]string, len(serviceAccounts))
	for i, account := range serviceAccounts {
		subjects[i] = "system:serviceaccount:" + account
	}
	return NewDocument(Statement{
		Effect:    Allow,
		Principal: &Principal{Federated: providerARN},
		Action:    []string{"sts:AssumeRoleWithWebIdentity"},
		Condition: Condition{"StringEquals": {
			issuer + ":sub": subjects,
			issuer + ":aud": audiences(),
		}},
	})
}
