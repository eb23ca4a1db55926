// Package moto runs moto_server, an emulator of AWS that is not this project's, for tests of what calls AWS's SDK.
package moto

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Serve serves AWS's API on a loopback port until the test ends, and returns its address. Where moto_server is not on
// PATH the test is skipped, and the message names what was not tested.
func Serve(t *testing.T, untested string) string {
	t.Helper()
	path, err := exec.LookPath("moto_server")
	if err != nil {
		t.Skipf("NOT TESTED: %s, which needs moto_server on PATH", untested)
	}
	// The server chooses the port itself: between two listeners on a port that the test had chosen, another server could
	// take it.
	server := exec.Command(path, "-H", "127.0.0.1", "-p", "0")
	// roles have AWS's own policies attached
	server.Env = append(os.Environ(), "PYTHONUNBUFFERED=1", "MOTO_IAM_LOAD_MANAGED_POLICIES=true")
	log, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	addresses, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if _, address, running := strings.Cut(lines.Text(), "Running on "); running {
				addresses <- strings.TrimSpace(address)
				break
			}
		}
		_, _ = io.Copy(io.Discard, log) // to the end, so that the server is never blocked
	}()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		<-ended
		_ = server.Wait()
	})
	select {
	case address := <-addresses:
		return address
	case <-ended:
		require.Fail(t, "moto_server has ended")
	case <-time.After(time.Minute):
		require.Fail(t, "moto_server does not answer")
	}
	return ""
}

// Config returns the config of an AWS provider in us-east-1 that finds the services at an address.
func Config(address string, services ...string) map[string]any {
	endpoints := map[string]any{}
	for _, service := range services {
		endpoints[service] = address
	}
	return map[string]any{"region": "us-east-1", "accessKey": "test", "secretKey": "test", "endpoints": []any{endpoints}}
}
