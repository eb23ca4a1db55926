package pods_test

import (
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// inOwnNetwork in the environment marks a process with its own network namespace, which has a loopback interface and
// nothing else. Its value is networkAsUser where the process is root in a user namespace only.
const (
	inOwnNetwork  = "HYPERSHIFT_AWS_TEST_IN_OWN_NETWORK"
	networkAsRoot = "root"
	networkAsUser = "user"
)

// runInOwnNetwork runs the test that calls it again in a process with its own network namespace, and reports whether it
// has: the caller then returns. In that process, and where the kernel refuses a namespace, it reports false.
func runInOwnNetwork(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inOwnNetwork) == "" {
		return startInOwnNetwork(t)
	}
	raiseLoopback(t)
	interfaces, err := net.Interfaces()
	require.NoError(t, err)
	for _, i := range interfaces {
		up := i.Flags&net.FlagUp != 0
		require.True(t, !up || i.Flags&net.FlagLoopback != 0, "%s is up", i.Name)
	}
	_, err = net.DialTimeout("tcp", "192.0.2.1:443", time.Second)
	require.ErrorContains(t, err, "network is unreachable")
	return false
}
