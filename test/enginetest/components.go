package enginetest

import (
	"fmt"
	"net"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/programguard"
	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
)

// serveComponents serves the plugin with the components until the test ends, and returns how PULUMI_DEBUG_PROVIDERS
// names it. One engine at a time may use it.
func serveComponents(t *testing.T) string {
	t.Helper()
	plugin, err := componentplugin.New(nil, programguard.Component)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	pulumirpc.RegisterResourceProviderServer(server, plugin)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return fmt.Sprintf("%s:%d", componentplugin.Package, listener.Addr().(*net.TCPAddr).Port)
}
