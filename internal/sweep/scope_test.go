package sweep

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

const acrossAccounts = `config:
  aws:region: eu-west-1
  aws:profile: clusters
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    oidc: {bucketName: demo-oidc}
    accounts:
      management: {profile: management, region: us-east-1}
      vpcOwner: {assumeRole: {roleArn: "arn:aws:iam::210987654321:role/network"}}
    network:
      shared: {}
`

func TestAStacksSweepCoversItsOwnTheManagementAndTheVPCOwnersAccount(t *testing.T) {
	t.Parallel()
	file, err := config.ParseFile("Pulumi.dev.yaml", "dev", []byte(acrossAccounts))
	require.NoError(t, err)
	var asked []map[string]any
	scope := Scope{Journals: t.TempDir(), Project: fakeProject{asked: &asked, account: newFake()}}
	require.NoError(t, scope.AddStack(t.Context(), "dev", file))
	require.Equal(t, "demo-x1", scope.InfraID)
	require.Len(t, scope.Accounts, 3)
	require.Equal(t, []map[string]any{
		{"region": "eu-west-1", "profile": "clusters"},
		{"region": "us-east-1", "profile": "management"},
		{"region": "eu-west-1", "assumeRole": map[string]any{"roleArn": "arn:aws:iam::210987654321:role/network"}},
	}, asked)
}
