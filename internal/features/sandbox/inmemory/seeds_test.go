package inmemory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestWhatAFileRefersToIsInTheAccountOfItsOwner(t *testing.T) {
	t.Parallel()
	role := func(account string) map[string]any {
		return map[string]any{"assumeRole": map[string]any{"roleArn": "arn:aws:iam::" + account + ":role/deploy"}}
	}
	const own, other, third = "222222222222", "111111111111", "333333333333"
	providers := map[string]map[string]any{"": role(own), config.ManagementAccountProvider: role(other)}
	for name, test := range map[string]struct {
		of        config.Existing
		providers map[string]map[string]any
		want      []string
	}{
		"the stack's own": {config.Existing{
			Kind: config.ExistingElasticIP,
			Name: "eipalloc-1",
		}, providers, []string{own}},
		"of another provider": {config.Existing{
			Kind:     config.ExistingPublicZone,
			Name:     "example.org",
			Provider: config.ManagementAccountProvider,
		}, providers, []string{other}},
		"a policy of its account": {config.Existing{
			Kind: config.ExistingPolicy,
			Name: "arn:aws:iam::111111111111:policy/p",
		}, providers, []string{other}},
		"a policy of a third": {config.Existing{
			Kind: config.ExistingPolicy,
			Name: "arn:aws:iam::333333333333:policy/p",
		}, providers, []string{third}},
		"a key of another account": {config.Existing{
			Kind: config.ExistingKMSKey,
			Name: "arn:aws:kms:us-east-1:111111111111:key/k",
		}, providers, []string{other}},
		"an account without an ID": {config.Existing{
			Kind: config.ExistingPolicy,
			Name: "arn:aws:iam::333333333333:policy/p",
		}, map[string]map[string]any{"": {}}, []string{"123456789012"}},
		"a VPC that is shared": {config.Existing{
			Kind:  config.ExistingVPC,
			Name:  "vpc-1",
			Owner: third,
		}, providers, []string{own, third}},
		"a zone of the VPC's owner": {config.Existing{
			Kind:  config.ExistingPrivateZone,
			Name:  "Z1",
			Owner: third,
		}, providers, []string{third}},
		"a zone of the own account": {config.Existing{
			Kind:  config.ExistingPrivateZone,
			Name:  "Z1",
			Owner: own,
		}, providers, []string{own}},
		"accounts that nobody names": {config.Existing{
			Kind: config.ExistingElasticIP,
			Name: "eipalloc-1",
		}, nil, []string{""}},
	} {
		var accounts []string
		for _, seed := range seedsOf(test.of, test.providers) {
			accounts = append(accounts, seed.Account)
			if seed.Owner != "" {
				require.Equal(t, own, seed.Account, "only the other account is told the owner")
			}
		}
		require.Equal(t, test.want, accounts, name)
	}
}
