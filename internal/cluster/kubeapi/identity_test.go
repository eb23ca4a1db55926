package kubeapi

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAClusterIsIdentifiedByANamespaceThatTheCallerMayBeForbidden(t *testing.T) {
	t.Parallel()
	path := serve(t)
	for user, want := range map[string]string{"management": "3f1c", "stranger": ""} {
		api, err := Open(path, user)
		require.NoError(t, err)
		uid, err := api.ClusterUID(t.Context())
		require.NoError(t, err, user)
		require.Equal(t, want, uid, user)
	}
	_, err := Open(filepath.Join(t.TempDir(), "missing"), "")
	require.Error(t, err)
}
