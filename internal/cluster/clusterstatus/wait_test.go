package clusterstatus_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// available is a HostedCluster that is available.
const available = `{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
	"metadata": {"name": "demo", "namespace": "clusters"},
	"status": {"conditions": [{"type": "Available", "status": "True", "reason": "AsExpected", "message": ""}]}}`

// waited waits for a cluster without node pools at an API server, and returns what was said.
func waited(t *testing.T, server string, within time.Duration) ([]string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, []byte(fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: x,
		clusters: [{name: c, cluster: {server: "%s"}}], contexts: [{name: x, context: {cluster: c, user: u}}], users: [{name: u, user: {}}]}`,
		server)), 0o600))
	api, err := kubeapi.Open(path, "")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	var said []string
	err = clusterstatus.Wait(ctx, &clusterstatus.HostedCluster{
		Name:      "demo",
		Namespace: "clusters",
	}, clusterstatus.WaitOptions{
		Open:  func(context.Context) (clusterstatus.ManagementCluster, error) { return api, nil },
		Stack: "dev", Interval: 5 * time.Millisecond, Report: func(e report.Event) { said = append(said, e.(*event.Note).Message) },
		Within: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return kubeapi.Within(ctx, 300*time.Millisecond)
		},
	})
	return said, err
}

func TestAWaitSurvivesWhatEndsByItself(t *testing.T) {
	t.Parallel()
	status := func(code int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(code) }
	}
	for name, trouble := range map[string]func(http.ResponseWriter){
		"429": status(429), "500": status(500), "502": status(502), "503": status(503), "504": status(504),
		"a reset":        func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"half a body":    func(w http.ResponseWriter) { w.Header().Set("Content-Length", "99"); _, _ = w.Write([]byte("{")) },
		"a slow request": func(http.ResponseWriter) { time.Sleep(2 * time.Second) },
		"etcd's leader is lost": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "etcdserver: leader changed", "code": 500}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if requests.Add(1) <= 2 {
					trouble(w)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(available))
			}))
			t.Cleanup(server.Close)
			said, err := waited(t, server.URL, time.Minute)
			require.NoError(t, err)
			text := strings.Join(said, "\n")
			require.Equal(t, 1, strings.Count(text, "does not answer, which is waited for"), text)
		})
	}
}

// A kube-apiserver that has just started answers requests of users with roles with 403 until it has read the roles, and
// a balancer in front of it may have no backend.
func TestAWaitBelievesOneRefusalOfAStartingAPIServerAsLittleAsItsSilence(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound} {
		var requests atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.URL.Path, "/hostedclusters/") { // what the server serves is asked for after a 404
				w.WriteHeader(code)
				return
			}
			switch n := requests.Add(1); {
			case n == 1:
				panic(http.ErrAbortHandler)
			case n <= 4 && n != 2:
				w.WriteHeader(code)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(strings.Replace(available, `"True"`, map[bool]string{true: `"False"`, false: `"True"`}[requests.Load() < 5], 1)))
		}))
		t.Cleanup(server.Close)
		_, err := waited(t, server.URL, time.Minute)
		require.NoError(t, err, code)
		require.EqualValues(t, 5, requests.Load(), code)
	}
}

func TestAWaitSurvivesARestartOfTheAPIServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(available))
	}))
	address := server.Listener.Addr().String()
	require.NoError(t, server.Listener.Close())
	restarted := make(chan error, 1)
	go func() {
		time.Sleep(200 * time.Millisecond)
		listener, err := net.Listen("tcp", address)
		if err == nil {
			server.Listener = listener
			server.Start()
		}
		restarted <- err
	}()
	said, err := waited(t, "http://"+address, time.Minute)
	require.NoError(t, <-restarted)
	t.Cleanup(server.Close)
	require.NoError(t, err)
	require.Contains(t, said[0], "connection refused")
}

func TestAWaitEndsWithAnAnswerThatStaysAndWithItsTime(t *testing.T) {
	t.Parallel()
	for code, text := range map[int]string{
		401: "nauthorized",
		403: "orbidden",
		404: "not in the management cluster",
		503: "was not ready in time",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "refused as %[1]s", "reason": "%[1]s", "code": %[2]d}`,
				strings.ReplaceAll(http.StatusText(code), " ", ""), code)
		}))
		t.Cleanup(server.Close)
		within := time.Minute
		if code == 503 {
			within = 100 * time.Millisecond
		}
		_, err := waited(t, server.URL, within)
		require.ErrorContains(t, err, text)
	}
}

// What an object of the same name reports that others created, or one that others delete, is not what is waited for.
func TestAWaitEndsIfOthersDeleteTheObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ metadata, problem string }{
		"another object": {`"uid": "u2"`, "was deleted and created again by others: its UID was u1, and is u2"},
		"in deletion": {`"uid": "u1", "deletionTimestamp": "2026-11-29T06:00:00Z"`,
			"has been in deletion since 2026-11-29T06:00:00Z"},
	} {
		var requests atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			text := strings.Replace(available, `"True"`, `"False"`, 1)
			metadata := `"uid": "u1"`
			if requests.Add(1) > 2 { // it was not available before
				text, metadata = available, c.metadata
			}
			_, _ = w.Write([]byte(strings.Replace(text, `"name": "demo"`, `"name": "demo", `+metadata, 1)))
		}))
		t.Cleanup(server.Close)
		_, err := waited(t, server.URL, time.Minute)
		require.ErrorContains(t, err, "HostedCluster clusters/demo "+c.problem, name)
	}
}
