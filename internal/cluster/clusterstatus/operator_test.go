package clusterstatus

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// operatorIn is a management cluster whose operator was installed for a region; "" has none.
type operatorIn struct {
	ManagementCluster

	region string
	err    error
}

func (o operatorIn) Get(context.Context, string, string, string) (map[string]any, error) {
	if o.region == "" {
		return nil, o.err
	}
	return map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{
		map[string]any{"name": "operator", "env": []any{map[string]any{"name": "AWS_REGION", "value": o.region}}},
	}}}}}, o.err
}

func TestAPrivateClusterIsInTheRegionOfTheOperator(t *testing.T) {
	t.Parallel()
	cluster := func(access string) map[string]any {
		return map[string]any{"spec": map[string]any{"platform": map[string]any{"aws": map[string]any{
			"region": "us-west-2", "endpointAccess": access,
		}}}}
	}
	check := func(o operatorIn, access string) error { return CheckOperatorRegion(t.Context(), o, cluster(access)) }
	require.ErrorContains(t, check(operatorIn{region: "us-east-1"}, "Private"), "HyperShift's operator was installed for us-east-1")
	require.ErrorContains(t, check(operatorIn{region: "us-east-1"}, "PublicAndPrivate"), "--aws-private-region=us-west-2")
	require.NoError(t, check(operatorIn{region: "us-east-1"}, "Public"))
	require.NoError(t, check(operatorIn{region: "us-west-2"}, "Private"))
	require.NoError(t, check(operatorIn{}, "Private"), "it is not installed there")
	require.NoError(t, check(operatorIn{err: errors.New("forbidden")}, "Private"), "it may not be read")
}
