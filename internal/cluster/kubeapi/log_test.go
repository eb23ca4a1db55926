package kubeapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
)

func TestARequestIsLoggedWithoutItsContent(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(server.Close)
	var lines bytes.Buffer
	ctx := trace.With(t.Context(), slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug})))
	client := noting{http.DefaultTransport, &notes{}, func(*http.Request) (*url.URL, error) { return nil, nil }, func() {}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/api/v1/secrets?limit=1",
		strings.NewReader("planted"))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer planted")
	answer, err := client.RoundTrip(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Contains(t, lines.String(), "request=POST")
	require.Contains(t, lines.String(), "path=/api/v1/secrets")
	require.Contains(t, lines.String(), "status=403")
	require.NotContains(t, lines.String(), "planted")
}
