package config

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func TestTheHostedClusterNamesThePrincipalsOfTheStacksEndpointService(t *testing.T) {
	t.Parallel()
	const account = "arn:aws:iam::123456789012:root"
	for name, c := range map[string]struct {
		link *PrivateLink
		want []string
	}{
		"without PrivateLink":    {nil, nil},
		"the operator's service": {&PrivateLink{}, nil},
		"the stack's service":    {&PrivateLink{Owner: OwnerStack}, []string{account}},
		"with principals":        {&PrivateLink{Owner: OwnerStack, EndpointServiceArgs: privatelink.EndpointServiceArgs{AllowedPrincipals: input.Strings("other")}}, []string{"other"}},
	} {
		cluster := &Cluster{PrivateLink: c.link}
		settings := hostedcluster.Settings{
			AdditionalAllowedPrincipals: []pulumi.StringInput{pulumi.String("own"), pulumi.String(account)},
		}
		settings.AllowPrincipals(cluster.EndpointPrincipals(account))
		require.Equal(t, c.want, input.Texts(cluster.EndpointPrincipals(account)), name)
		require.Subset(t, input.Texts(settings.AdditionalAllowedPrincipals), c.want, name)
		if name != "with principals" {
			require.Len(t, settings.AdditionalAllowedPrincipals, 2, "%s: none is added twice", name)
		}
	}
}
