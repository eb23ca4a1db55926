package kubeapi

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestAClusterIsIdentifiedByANamespaceThatTheCallerMayBeForbidden(t *testing.T) {
	t.Parallel()
	path := serve(t)
	uid, err := ClusterUID(t.Context(), config.Kubeconfig{File: path, Context: "management"})
	require.NoError(t, err)
	require.Equal(t, "3f1c", uid)
	uid, err = ClusterUID(t.Context(), config.Kubeconfig{File: path, Context: "stranger"})
	require.NoError(t, err, "forbidden")
	require.Empty(t, uid)
	_, err = ClusterUID(t.Context(), config.Kubeconfig{File: filepath.Join(t.TempDir(), "missing")})
	require.Error(t, err)
}
