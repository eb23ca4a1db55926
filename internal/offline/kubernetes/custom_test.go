package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/require"

	schemas "github.com/hypershift-aws/hypershift-aws/internal/value/crd"
)

func TestTheScopeOfACustomKindIsThatOfItsDefinition(t *testing.T) {
	t.Parallel()
	for _, k := range customKinds() {
		namespaced, err := k.schemas.Namespaced(schemas.Kind{APIVersion: k.apiVersion, Kind: k.kind})
		require.NoError(t, err, k.kind)
		require.Equal(t, namespaced, k.namespaced, k.kind)
	}
}
