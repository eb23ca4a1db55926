package config

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func TestAStackIsReferredToByItsNameOrItsFullName(t *testing.T) {
	t.Parallel()
	for name, means := range map[string]bool{
		"m": true, "organization/hypershift-aws/m": true, "acme/hypershift-aws/m": true,
		"other": false, "acme/other/m": false, "hypershift-aws/x-m": false, "": false,
	} {
		require.Equal(t, means, Refers(name, "hypershift-aws", "m"), name)
		require.Equal(t, means, RefersFrom("hypershift-aws", name, "hypershift-aws", "m"), name)
		require.Equal(t, means && name != "m", RefersFrom("other", name, "hypershift-aws", "m"), name)
	}
}

func TestAClustersOwnIssuerTakesPrecedenceOverItsManagementStacks(t *testing.T) {
	t.Parallel()
	m := ManagementOutputs{IssuerBaseURL: "https://d1.cloudfront.net"}
	issuer := func(oidc iam.OIDCProviderArgs) string {
		c := Cluster{
			Cluster:    hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
			Management: "m",
			OIDC:       OIDC{OIDCProviderArgs: oidc},
		}
		c.Resolve(Source{Stack: "dev", Region: "us-east-1"})
		return input.Text(c.OIDCProvider(m).Issuer())
	}
	require.Equal(t, "https://d1.cloudfront.net/demo-x1", issuer(iam.OIDCProviderArgs{}))
	require.Equal(t, "https://own.s3.us-east-1.amazonaws.com/demo-x1", issuer(iam.OIDCProviderArgs{
		BucketName: pulumi.String("own"),
	}))
	require.Equal(t, "https://x.example.com", issuer(iam.OIDCProviderArgs{
		IssuerURL: pulumi.String("https://x.example.com"),
	}))
}
