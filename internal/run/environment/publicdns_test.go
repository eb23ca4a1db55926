package environment

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDocumentsOfAnIssuerBehindCloudFrontAreFound(t *testing.T) {
	t.Parallel()
	var host string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/demo-x1/.well-known/openid-configuration":
			_, _ = fmt.Fprintf(w, `{"issuer": "https://%s/demo-x1", "jwks_uri": "https://%s/demo-x1/openid/v1/jwks"}`, host, host)
		case "/page/.well-known/openid-configuration":
			_, _ = w.Write([]byte("<html>a page for every path</html>"))
		case "/other/.well-known/openid-configuration":
			_, _ = w.Write([]byte(`{"issuer": "https://example.com/other"}`))
		default: // CloudFront's answer if the policy of the bucket does not allow it to list
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer server.Close()
	host = strings.TrimPrefix(server.URL, "https://")
	for infraID, want := range map[string]bool{"demo-x1": true, "page": false, "other": false, "new-x1": false} {
		served, err := serves(t.Context(), server.Client(), host+"/"+infraID)
		require.NoError(t, err, infraID)
		require.Equal(t, want, served, infraID)
	}
	server.Close()
	_, err := serves(t.Context(), server.Client(), host+"/demo-x1")
	require.Error(t, err, "an issuer that does not answer is not checked")
}
