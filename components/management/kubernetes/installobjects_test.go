package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func TestEverythingMissingIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	err := (&InstallObjectsArgs{Secrets: []string{"x"}}).Validate()
	require.Len(t, fault.In(err), 4)
	for _, f := range fault.In(err) {
		require.NotEmpty(t, f.Remedy, f.Path)
	}
}
