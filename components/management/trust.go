package management

import (
	"fmt"
	"slices"
	"strings"

	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// audience is the one for which HyperShift has the tokens of its own service accounts minted. Source:
// HyperShift, cmd/install/assets/hypershift_operator.go.
const audience = "openshift"

// trust returns the trust policy for a service account of the operator's namespace, looking up the OIDC
// provider where there must be one.
func (b *builder) trust() (func(serviceAccount string) iam.Document, error) {
	args := b.args.Operator
	if args.Identity.OrDefault() == InstanceRole {
		return func(string) iam.Document { return instanceRoleTrust(args.InstanceRoleARN) }, nil
	}
	provider, err := awsiam.LookupOpenIdConnectProvider(b.ctx,
		&awsiam.LookupOpenIdConnectProviderArgs{Url: &args.IssuerURL}, b.parent())
	if err != nil {
		return nil, fmt.Errorf("looking up the OIDC provider of operator.issuerURL %q: %w; "+
			"make one in this account with client ID %q, or give identity InstanceRole or AccessKeys",
			args.IssuerURL, err, audience)
	}
	if !slices.Contains(provider.ClientIdLists, audience) {
		return nil, fmt.Errorf("provider %s does not admit the client ID %q, for which the operator's tokens are minted, only %q; add it",
			provider.Arn, audience, provider.ClientIdLists)
	}
	return func(serviceAccount string) iam.Document {
		return webIdentityTrust(provider.Arn, args.IssuerURL, args.namespace(), serviceAccount)
	}, nil
}

// webIdentityTrust lets one service account take a role with its tokens.
func webIdentityTrust(providerARN, issuerURL, namespace, serviceAccount string) iam.Document {
	issuer := strings.TrimPrefix(issuerURL, "https://")
	return iam.NewDocument(iam.Statement{
		Effect:    iam.Allow,
		Principal: &iam.Principal{Federated: providerARN},
		Action:    []string{"sts:AssumeRoleWithWebIdentity"},
		Condition: iam.Condition{"StringEquals": {
			issuer + ":sub": {"system:serviceaccount:" + namespace + ":" + serviceAccount},
			issuer + ":aud": {audience},
		}},
	})
}

// instanceRoleTrust lets whatever runs with a role take another.
func instanceRoleTrust(roleARN string) iam.Document {
	return iam.NewDocument(iam.Statement{
		Effect:    iam.Allow,
		Principal: &iam.Principal{AWS: roleARN},
		Action:    []string{"sts:AssumeRole"},
	})
}
