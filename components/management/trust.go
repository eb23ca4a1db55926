package management

import (
	"fmt"
	"slices"
	"strings"

	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

// audience is the audience of the tokens of HyperShift's own service accounts. Source: HyperShift,
// cmd/install/assets/hypershift_operator.go.
const audience = "openshift"

// lookUpProvider looks up the OIDC provider of the management cluster, if the identity needs one.
func (b *builder) lookUpProvider() error {
	args := b.args.Operator
	if args.Identity.OrDefault() != WebIdentity {
		return nil
	}
	provider, err := awsiam.LookupOpenIdConnectProvider(b.ctx,
		&awsiam.LookupOpenIdConnectProviderArgs{Url: &args.IssuerURL}, b.parent())
	if err != nil {
		return &fault.Fault{Value: args.IssuerURL, Problem: fmt.Sprintf("has no OIDC provider that can be looked up: %v", err),
			Remedy: fmt.Sprintf("create one in this account with client ID %q, or use identity InstanceRole or AccessKeys", audience)}
	}
	if !slices.Contains(provider.ClientIdLists, audience) {
		return &fault.Fault{Value: args.IssuerURL, Remedy: "add it",
			Problem: fmt.Sprintf("has the provider %s without the client ID %q, which the operator's tokens are issued for; its client IDs are %q",
				provider.Arn, audience, provider.ClientIdLists)}
	}
	b.found.providerARN = provider.Arn
	return nil
}

// trust returns the trust policy for a service account of the operator's namespace.
func (b *builder) trust(serviceAccount string) policy.Document {
	args := b.args.Operator
	if args.Identity.OrDefault() == InstanceRole {
		return instanceRoleTrust(args.InstanceRoleARN)
	}
	return webIdentityTrust(b.found.providerARN, args.IssuerURL, args.NamespaceOrDefault(), serviceAccount)
}

// webIdentityTrust allows a service account to assume a role with its tokens.
func webIdentityTrust(providerARN, issuerURL, namespace, serviceAccount string) policy.Document {
	issuer := strings.TrimPrefix(issuerURL, "https://")
	return policy.New(policy.Statement{
		Effect:    policy.Allow,
		Principal: &policy.Principal{Federated: policy.Names{providerARN}},
		Action:    []string{"sts:AssumeRoleWithWebIdentity"},
		Condition: policy.Condition{"StringEquals": {
			issuer + ":sub": {"system:serviceaccount:" + namespace + ":" + serviceAccount},
			issuer + ":aud": {audience},
		}},
	})
}

// instanceRoleTrust allows a role to assume another one.
func instanceRoleTrust(roleARN string) policy.Document {
	return policy.New(policy.Statement{
		Effect:    policy.Allow,
		Principal: &policy.Principal{AWS: policy.Names{roleARN}},
		Action:    []string{"sts:AssumeRole"},
	})
}
