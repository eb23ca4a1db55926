package stacks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestOnlyADeployedStackOfKindManagementCanBeReferredTo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		outputs map[string]any
		want    string
	}{
		"no stack": {nil, "names a stack that does not exist"},
		"not up": {map[string]any{},
			"names a stack that has not been deployed; run `hypershift-aws up -s m` first"},
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
	require.Equal(t, &config.ManagementOutputs{
		AccountID: "111111111111", Region: "us-east-1", IssuerBaseURL: "https://x", ZoneDomain: "c.example.com",
		EtcdKeyARN: "arn", EtcdKeyAccounts: []string{"222222222222"},
	}, m)
}
