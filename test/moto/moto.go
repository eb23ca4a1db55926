// Package moto runs moto_server, an emulator of AWS that is not this project's, for tests of what calls AWS's SDK.
package moto

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Serve serves AWS's API on a loopback port until the test ends, and returns its address. Where moto_server is not on PATH the test is
// skipped, and the message names what was not tested.
func Serve(t *testing.T, untested string) string {
	t.Helper()
	path, err := exec.LookPath("moto_server")
	if err != nil {
		t.Skipf("NOT TESTED: %s, which needs moto_server on PATH", untested)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	require.NoError(t, listener.Close())
	server := exec.Command(path, "-H", "127.0.0.1", "-p", fmt.Sprint(port))
	server.Env = append(os.Environ(), "MOTO_IAM_LOAD_MANAGED_POLICIES=true") // roles have AWS's own policies attached
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	address := fmt.Sprintf("http://127.0.0.1:%d", port)
	require.Eventually(t, func() bool {
		answer, err := http.Get(address + "/moto-api/")
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	}, time.Minute, 100*time.Millisecond)
	return address
}

// Provider returns the config of an AWS provider in us-east-1 that finds the services at an address.
func Provider(address string, services ...string) map[string]any {
	endpoints := map[string]any{}
	for _, service := range services {
		endpoints[service] = address
	}
	return map[string]any{"region": "us-east-1", "accessKey": "test", "secretKey": "test", "endpoints": []any{endpoints}}
}
