package stacks

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
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

// providerMocks records the providers that are registered.
type providerMocks struct{ inputs map[string]map[string]any }

func (m *providerMocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	m.inputs[args.Name] = args.Inputs.Mappable()
	return args.Name, args.Inputs, nil
}

func (m *providerMocks) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return resource.PropertyMap{}, nil
}

func TestAFurtherAccountIsLedToByTheKeysOfTheAWSProvider(t *testing.T) {
	t.Parallel()
	file, err := load(t, withAccounts)
	require.NoError(t, err)
	mocks := &providerMocks{inputs: map[string]map[string]any{}}
	require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		made, err := file.Cluster.Accounts.providers(ctx, "us-east-1")
		require.NotNil(t, made.management)
		require.NotNil(t, made.vpcOwner)
		return err
	}, pulumi.WithMocks("hypershift-aws", "dev", mocks)))

	management := mocks.inputs["management-account"]
	require.Equal(t, "us-east-1", management["region"], "the stack's own, unless another is given")
	require.Equal(t, "management", management["profile"])
	role, _ := management["assumeRole"].(map[string]any)
	require.Equal(t, "arn:aws:iam::111111111111:role/x", role["roleArn"])
	require.Equal(t, "e", role["externalId"])
	require.Equal(t, "s", role["sessionName"])
	require.Equal(t, "1h", role["duration"])
	require.Equal(t, []any{"111111111111"}, management["allowedAccountIds"])
	endpoints, _ := management["endpoints"].([]any)
	require.Len(t, endpoints, 1)
	require.Equal(t, "http://127.0.0.1:4566", endpoints[0].(map[string]any)["ec2"])
	require.EqualValues(t, 3, management["maxRetries"])
	require.Equal(t, true, management["skipMetadataApiCheck"])
	require.Equal(t, []any{"/etc/aws"}, management["sharedConfigFiles"])
	require.Equal(t, map[string]any{"tags": map[string]any{"cost": "42"}}, management["defaultTags"])
	require.Equal(t, "us-east-2", mocks.inputs["vpc-owner-account"]["region"])
}

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
		{"profile: management", "profil: management", ":10: hypershift-aws:cluster.accounts.management.profil is no key of the config; did you mean profile?"},
		{"maxRetries: 3", "maxRetries: many", `:14: hypershift-aws:cluster.accounts.management.maxRetries: "many" is a text; give a whole number`},
		{"maxRetries: 3", "secretKey: x", ":14: hypershift-aws:cluster.accounts.management.secretKey is a credential, and the file is no place for one; give profile or assumeRole"},
		{"{region: us-east-2, profile: owner}", "{}", ":18: hypershift-aws:cluster.accounts.vpcOwner says nothing; give profile, assumeRole or another key"},
		{"vpcOwner:", "owner:", ":18: hypershift-aws:cluster.accounts.owner is no key of the config; the keys here are management, vpcOwner"},
	} {
		t.Run(test.with, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, withAccounts, test.replace)
			_, err := load(t, strings.Replace(withAccounts, test.replace, test.with, 1))
			require.ErrorContains(t, err, test.want)
		})
	}
}
