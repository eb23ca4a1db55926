package config

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
)

// An account has exactly the provider's keys, in the provider's types.
func TestAnAccountHasTheKeysOfTheAWSProvider(t *testing.T) {
	t.Parallel()
	requireSameKeys(t, reflect.TypeFor[Account](), aws.ProviderArgs{}.ElementType())
}

func requireSameKeys(t *testing.T, ours, theirs reflect.Type) {
	t.Helper()
	for ours.Kind() == reflect.Pointer {
		ours = ours.Elem()
	}
	for theirs.Kind() == reflect.Pointer {
		theirs = theirs.Elem()
	}
	require.Equal(t, theirs.Kind(), ours.Kind(), "%s", ours)
	if ours == theirs || ours.Kind() != reflect.Struct {
		return
	}
	require.ElementsMatch(t, configfield.Keys(theirs), configfield.Keys(ours))
	for _, field := range configfield.All(ours) {
		for _, their := range configfield.All(theirs) {
			if field.Key == their.Key {
				requireSameKeys(t, field.Type, their.Type)
			}
		}
	}
}

func TestABadAccountIsRefused(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/accounts.yaml")
	require.NoError(t, err)
	withAccounts := string(text)
	for _, test := range []struct{ replace, with, want string }{
		{"profile: management", "profil: management", ":10: hypershift-aws:cluster.accounts.management.profil is not a key of the config; did you mean profile?"},
		{"maxRetries: 3", "maxRetries: many", `:14: hypershift-aws:cluster.accounts.management.maxRetries: "many" is a string; expected an integer`},
		{"maxRetries: 3", "secretKey: x", ":14: hypershift-aws:cluster.accounts.management.secretKey is a credential, which a stack does not take; use profile or assumeRole"},
		{"{region: us-east-2, profile: owner}", "{}", ":18: hypershift-aws:cluster.accounts.vpcOwner is empty; use profile, assumeRole or another key"},
		{"us-east-2", "us-esat-2", `:18: hypershift-aws:cluster.accounts.vpcOwner.region: "us-esat-2" is not a known region of AWS; use us-east-2; ` +
			`if AWS opened the region after this version of hypershift-aws, set skipRegionValidation: true`},
		{"us-east-2", "Ohio", `:18: hypershift-aws:cluster.accounts.vpcOwner.region: "Ohio" is not a region; use one such as us-east-1`},
		{"us-east-2", "eusc-de-east-1", `:18: hypershift-aws:cluster.accounts.vpcOwner.region: "eusc-de-east-1" is not in the partition of us-east-1; use a region of partition aws`},
		{"us-east-2", "cn-north-1", `:18: hypershift-aws:cluster.accounts.vpcOwner.region: "cn-north-1" is not in the partition of us-east-1; use a region of partition aws`},
		{"vpcOwner:", "owner:", ":18: hypershift-aws:cluster.accounts.owner is not a key of the config; privateLink has this key; the keys here are further, management, parentZone, vpcOwner"},
	} {
		t.Run(test.with, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, withAccounts, test.replace)
			_, err := load(t, strings.Replace(withAccounts, test.replace, test.with, 1))
			require.ErrorContains(t, err, test.want)
		})
	}
}
