package location_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// silent are mocks that answer no lookup.
type silent struct{}

func (silent) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	return args.Name, args.Inputs, nil
}

func (silent) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return resource.PropertyMap{}, nil
}

func TestALookupThatMocksDoNotAnswerNamesTheTokenAndTheProperty(t *testing.T) {
	t.Parallel()
	for token, lookUp := range map[string]func(*pulumi.Context) error{
		`"name" for aws:index/getRegion:getRegion`: func(ctx *pulumi.Context) error {
			_, err := location.LookupRegion(ctx)
			return err
		},
		`"partition" for aws:index/getPartition:getPartition`: func(ctx *pulumi.Context) error {
			_, err := location.LookupPartition(ctx)
			return err
		},
		`"accountId" for aws:index/getCallerIdentity:getCallerIdentity`: func(ctx *pulumi.Context) error {
			_, err := location.LookupAccount(ctx)
			return err
		},
	} {
		require.ErrorContains(t, pulumi.RunErr(lookUp, pulumi.WithMocks("project", "stack", silent{})), token)
	}
}
