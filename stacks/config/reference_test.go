package config

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func TestOnlyADeployedStackOfKindManagementCanBeReferredTo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		outputs map[string]any
		want    string
	}{
		"no stack":          {nil, "names a stack that does not exist"},
		"not up":            {map[string]any{}, "names a stack that has not been deployed; run `hypershift-aws up -s m` first"},
		"another kind":      {map[string]any{"kind": "cluster"}, "names a stack of kind cluster"},
		"another program's": {map[string]any{"url": "x"}, "names a stack of another program"},
		"kind is a map":     {map[string]any{"kind": map[string]any{}}, "names a stack of another program"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadManagement("m", test.outputs)
			require.ErrorContains(t, err, `hypershift-aws:cluster.management: "m" `+test.want)
			require.NotEmpty(t, fault.In(err)[0].Remedy)
		})
	}
}

func TestAManagementStacksOutputsAreReadWithTheirTypes(t *testing.T) {
	t.Parallel()
	m, err := ReadManagement("m", map[string]any{
		"kind": "management", "accountID": "111111111111", "region": "us-east-1", "issuerBaseURL": "https://x",
		"zoneDomain": "c.example.com", "etcdKeyARN": "arn", "etcdKeyAccounts": []any{"222222222222"}, "installArgs": []any{},
	})
	require.NoError(t, err)
	require.Equal(t, &ManagementOutputs{
		AccountID: "111111111111", Region: "us-east-1", IssuerBaseURL: "https://x", ZoneDomain: "c.example.com",
		EtcdKeyARN: "arn", EtcdKeyAccounts: []string{"222222222222"},
	}, m)
}

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
		c := Cluster{Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, Management: "m", OIDC: OIDC{OIDCProviderArgs: oidc}}
		c.Resolve(Source{Stack: "dev", Region: "us-east-1"})
		return input.Text(c.OIDCProvider(m).Issuer())
	}
	require.Equal(t, "https://d1.cloudfront.net/demo-x1", issuer(iam.OIDCProviderArgs{}))
	require.Equal(t, "https://own.s3.us-east-1.amazonaws.com/demo-x1", issuer(iam.OIDCProviderArgs{BucketName: pulumi.String("own")}))
	require.Equal(t, "https://x.example.com", issuer(iam.OIDCProviderArgs{IssuerURL: pulumi.String("https://x.example.com")}))
}
