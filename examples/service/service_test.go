package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// client calls a service.
type client struct {
	t       *testing.T
	service *service
	url     string
}

// start serves the clusters of a folder, offline.
func start(t *testing.T, dir string, variables ...string) client {
	t.Helper()
	home := filepath.Join(dir, "home")
	require.NoError(t, engine.HomeWithoutLogs(home))
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	s, err := open(automation.ProjectOptions{
		Dir: dir, Offline: true, EngineDirs: []string{root},
		Environ: slices.Concat(os.Environ(), variables, []string{"PULUMI_HOME=" + home, "PULUMI_SKIP_UPDATE_CHECK=true"}),
	})
	require.NoError(t, err)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return client{t, s, server.URL}
}

// call returns the status of a response and the lines of its body, until one of them is the last that is wanted.
func (c client) call(method, path string, last func(line string) bool) (status int, lines []string) {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, nil)
	require.NoError(c.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(c.t, err)
	defer response.Body.Close() //nolint:errcheck // it is only read
	body := bufio.NewScanner(response.Body)
	for body.Scan() {
		lines = append(lines, body.Text())
		if last != nil && last(body.Text()) {
			break
		}
	}
	require.NoError(c.t, body.Err())
	return response.StatusCode, lines
}

// answers requires the status of a response, and returns its body.
func (c client) answers(status int, method, path string) string {
	c.t.Helper()
	got, lines := c.call(method, path, nil)
	require.Equal(c.t, status, got, lines)
	return strings.Join(lines, "\n")
}

const create = "/clusters/demo?domain=example.com&zones=us-east-1a"

func TestAClusterLivesThroughTheServiceAndItsRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, dir, "HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: 0.01}") // NAT gateways take a second
	first.answers(http.StatusNotFound, "GET", "/clusters/demo")
	first.answers(http.StatusNotFound, "DELETE", "/clusters/demo")
	first.answers(http.StatusBadRequest, "PUT", "/clusters/Demo?domain=example.com&zones=us-east-1a")
	first.answers(http.StatusAccepted, "PUT", create)
	first.answers(http.StatusConflict, "PUT", create)
	first.answers(http.StatusConflict, "DELETE", "/clusters/demo")

	// The service ends when the first resource has been created.
	created := func(line string) bool {
		return strings.HasPrefix(line, "data: create ") && strings.HasSuffix(line, " done")
	}
	_, progress := first.call("GET", "/clusters/demo/events", created)
	require.True(t, slices.ContainsFunc(progress, created), progress)
	first.service.close()
	require.FileExists(t, first.service.intent("demo"), "the operation was interrupted")

	second := start(t, dir)
	defer second.service.close()
	require.Contains(t, second.answers(http.StatusOK, "GET", "/clusters/demo/events"), "data: up succeeded: ")
	var shown struct{ Outputs map[string]any }
	require.NoError(t, json.Unmarshal([]byte(second.answers(http.StatusOK, "GET", "/clusters/demo")), &shown))
	require.Equal(t, "demo-x1", shown.Outputs["infraID"])
	require.NotEmpty(t, shown.Outputs["privateSubnetIDs"])

	second.answers(http.StatusAccepted, "DELETE", "/clusters/demo")
	require.Contains(t, second.answers(http.StatusOK, "GET", "/clusters/demo/events"), "data: destroy succeeded: 0 created, ")
	second.answers(http.StatusNotFound, "GET", "/clusters/demo")
	require.NoFileExists(t, second.service.intent("demo"))
}
