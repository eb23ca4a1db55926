package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/stretchr/testify/require"
)

const withAccounts = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    baseDomain: example.com
    management: m
    accounts:
      management:
        profile: management
        assumeRole: {roleArn: "arn:aws:iam::111111111111:role/x", externalId: e, sessionName: s, duration: 1h}
        allowedAccountIds: ["111111111111"]
        endpoints: [{ec2: "http://127.0.0.1:4566"}]
        maxRetries: 3
        skipMetadataApiCheck: true
        sharedConfigFiles: [/etc/aws]
        defaultTags: {tags: {cost: "42"}}
      vpcOwner: {region: us-east-2, profile: owner}
`

func TestEveryKeyOfAnAccountReachesTheProvider(t *testing.T) {
	t.Parallel()
	settings := aws.ProviderArgs{}.ElementType()
	for i := range settings.NumField() {
		_, found := reflect.TypeFor[aws.ProviderArgs]().FieldByName(settings.Field(i).Name)
		require.True(t, found, settings.Field(i).Name)
	}
}

func TestABadAccountIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ replace, with, want string }{
		{"profile: management", "profil: management", ":10: hypershift-aws:cluster.accounts.management.profil is not a key of the config; did you mean profile?"},
		{"maxRetries: 3", "maxRetries: many", `:14: hypershift-aws:cluster.accounts.management.maxRetries: "many" is a string; expected an integer`},
		{"maxRetries: 3", "secretKey: x", ":14: hypershift-aws:cluster.accounts.management.secretKey is a credential, which does not belong in this file; use profile or assumeRole"},
		{"{region: us-east-2, profile: owner}", "{}", ":18: hypershift-aws:cluster.accounts.vpcOwner is empty; use profile, assumeRole or another key"},
		{"vpcOwner:", "owner:", ":18: hypershift-aws:cluster.accounts.owner is not a key of the config; the keys here are management, vpcOwner"},
	} {
		t.Run(test.with, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, withAccounts, test.replace)
			_, err := load(t, strings.Replace(withAccounts, test.replace, test.with, 1))
			require.ErrorContains(t, err, test.want)
		})
	}
}
