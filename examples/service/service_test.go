package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// client calls a service.
type client struct {
	t   *testing.T
	url string
}

// start serves the clusters of a folder, offline.
func start(t *testing.T, dir string, variables ...string) client {
	t.Helper()
	home := filepath.Join(dir, "home")
	require.NoError(t, engine.HomeWithoutLogs(home))
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	project, err := automation.Open(automation.ProjectOptions{
		Dir: dir, Offline: true, EngineDirs: []string{root},
		Environ: slices.Concat(os.Environ(), variables, []string{"PULUMI_HOME=" + home, "PULUMI_SKIP_UPDATE_CHECK=true"}),
	})
	require.NoError(t, err)
	server := httptest.NewServer(service{project}.handler())
	t.Cleanup(func() {
		server.Close()
		project.Close()
	})
	return client{t, server.URL}
}

// call returns the status of a response and the lines of its body, until one of them is the last that is wanted: then
// the client ends the request.
func (c client) call(method, path string, last func(line string) bool) (status int, lines []string) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, nil)
	require.NoError(c.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(c.t, err)
	defer response.Body.Close() //nolint:errcheck // it is only read
	body := bufio.NewScanner(response.Body)
	for body.Scan() {
		lines = append(lines, body.Text())
		if last != nil && last(body.Text()) {
			return response.StatusCode, lines
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
	require.Contains(t, first.answers(http.StatusOK, "DELETE", "/clusters/demo"), "event: failed")
	require.Contains(t, first.answers(http.StatusBadRequest, "PUT", "/clusters/demo?domain=example.com&zones=eu-west-1a"),
		"zones")

	// The client ends when the first resource has been created, and asks again.
	created := func(line string) bool {
		return strings.HasPrefix(line, "data: create ") && strings.HasSuffix(line, " done")
	}
	_, progress := first.call("PUT", create, created)
	require.True(t, slices.ContainsFunc(progress, created), progress)
	require.Eventually(t, func() bool {
		// refused while the first request ends
		return strings.Contains(first.answers(http.StatusOK, "PUT", create), "data: up succeeded: ")
	}, time.Minute, 100*time.Millisecond)

	second := start(t, dir)
	var outputs map[string]any
	require.NoError(t, json.Unmarshal([]byte(second.answers(http.StatusOK, "GET", "/clusters/demo")), &outputs))
	require.Equal(t, "demo-x1", outputs["infraID"])
	require.NotEmpty(t, outputs["privateSubnetIDs"])
	deleted := second.answers(http.StatusOK, "DELETE", "/clusters/demo")
	require.Contains(t, deleted, "data: destroy succeeded: 0 created, ")
	require.Contains(t, deleted, "event: done")
	second.answers(http.StatusNotFound, "GET", "/clusters/demo")
	files, err := filepath.Glob(filepath.Join(dir, "Pulumi.*"))
	require.NoError(t, err)
	require.Empty(t, files)
}
