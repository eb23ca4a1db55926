package inmemory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// The lookup says in different words that there is none: of a name that AWS refuses, and of one that nothing matches.
func TestAMissingEndpointServiceIsNoErrorOfPreflight(t *testing.T) {
	t.Parallel()
	server, err := offline.Serve(offline.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	account := NewAccount(server, map[string]any{"region": "us-east-1"})
	for service, want := range map[string]bool{
		"com.amazonaws.us-east-1.sts":                             true,
		"com.amazonaws.eu-west-1.sts":                             false,
		"com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0": false,
	} {
		_, exists, err := account.ServiceZones(t.Context(), service)
		require.NoError(t, err, service)
		require.Equal(t, want, exists, service)
	}
}
