package stacks

import (
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// providerMocks records the providers that are registered.
type providerMocks struct {
	mu     sync.Mutex
	inputs map[string]map[string]any
}

func (m *providerMocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inputs[args.Name] = args.Inputs.Mappable()
	return args.Name, args.Inputs, nil
}

func (m *providerMocks) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return resource.PropertyMap{}, nil
}

func TestAFurtherAccountIsConfiguredByTheKeysOfTheAWSProvider(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, err := os.ReadFile("config/testdata/accounts.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName("dev")), text, 0o600))
	file, err := LoadFile(dir, "dev")
	require.NoError(t, err)
	mocks := &providerMocks{inputs: map[string]map[string]any{}}
	require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		made, err := registerAccounts(ctx, config.As[*config.Cluster](file).Accounts, "us-east-1")
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
	require.Equal(t, "session", role["sessionName"])
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
	account := reflect.New(reflect.TypeFor[config.Account]()).Elem()
	setAll(account)
	args := reflect.ValueOf(providerArgs(account.Addr().Interface().(*config.Account), "us-east-1")).Elem()
	for i := range args.NumField() {
		require.False(t, args.Field(i).IsZero(), args.Type().Field(i).Name)
	}
}

// setAll sets every field of a value.
func setAll(value reflect.Value) {
	switch value.Kind() { //nolint:exhaustive // an account has no other kinds
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		setAll(value.Elem())
	case reflect.Struct:
		for i := range value.NumField() {
			setAll(value.Field(i))
		}
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		setAll(value.Index(0))
	case reflect.Map:
		value.Set(reflect.ValueOf(map[string]string{"k": "v"}))
	case reflect.String:
		value.SetString("text")
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int:
		value.SetInt(1)
	}
}
