package preflight_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	memory "github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight/registry"
)

// serve serves a registry on this machine with the image release:4.20.1, and returns its address. It asks for the
// password, "" for none.
func serve(t *testing.T, password string) string {
	t.Helper()
	images := memory.New(memory.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := r.BasicAuth(); given != password {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		images.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	reference, err := name.ParseReference(address + "/team/release:4.20.1")
	require.NoError(t, err)
	image, err := random.Image(8, 1)
	require.NoError(t, err)
	require.NoError(t, remote.Write(reference, image, remote.WithAuth(&authn.Basic{Username: "me", Password: password})))
	return address
}

func pullSecret(scope, password string) string {
	return fmt.Sprintf(`{"auths":{"example.com":{"auth":"eDp5"},%q:{"auth":%q}}}`, scope, base64.StdEncoding.EncodeToString([]byte("me:"+password)))
}

func TestARegistryAnswersWhetherItHasAnImage(t *testing.T) {
	t.Parallel()
	open, closed := serve(t, ""), serve(t, "secret")
	for name, test := range map[string]struct {
		image, pullSecret string
		found             bool
		denied            bool
	}{
		"there":                           {open + "/team/release:4.20.1", "", true, false},
		"no such tag":                     {open + "/team/release:4.20.2", "", false, false},
		"no such repository":              {open + "/other/release:4.20.1", "", false, false},
		"no such digest":                  {open + "/team/release@sha256:" + strings.Repeat("0", 64), "", false, false},
		"with the registry's credentials": {closed + "/team/release:4.20.1", pullSecret(closed, "secret"), true, false},
		"with a repository's credentials": {closed + "/team/release:4.20.1", pullSecret(closed+"/team",
			"secret"), true, false},
		"missing, with credentials":        {closed + "/team/release:4.20.2", pullSecret(closed, "secret"), false, false},
		"without credentials":              {closed + "/team/release:4.20.1", "", false, true},
		"with another host's credentials":  {closed + "/team/release:4.20.1", pullSecret("quay.io", "secret"), false, true},
		"with credentials that have ended": {closed + "/team/release:4.20.1", pullSecret(closed, "old"), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := registry.Remote{}.HasImage(t.Context(), test.image, test.pullSecret)
			require.Equal(t, test.found, found)
			if test.denied {
				require.ErrorIs(t, err, preflight.ErrImageDenied)
			} else {
				require.NoError(t, err)
			}
		})
	}
}

func TestARegistryWithoutAnAnswerIsNamed(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never answers
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	silent := listener.Addr().String()
	_, err = registry.Remote{Within: 100 * time.Millisecond}.HasImage(t.Context(), silent+"/team/release:4.20.1", "")
	require.EqualError(t, err, silent+" does not answer within 100ms")

	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	_, err = registry.Remote{}.HasImage(t.Context(), gone.Addr().String()+"/team/release:4.20.1", "")
	require.EqualError(t, err, gone.Addr().String()+" cannot be reached: connection refused")

	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(broken.Close)
	address := strings.TrimPrefix(broken.URL, "http://")
	_, err = registry.Remote{}.HasImage(t.Context(), address+"/team/release:4.20.1", "")
	require.EqualError(t, err, address+" answers 502")
}

func TestAPullSecretsTextIsNotInAnError(t *testing.T) {
	t.Parallel()
	_, err := registry.Remote{}.HasImage(t.Context(), "127.0.0.1:1/team/release:4.20.1", `{"auths":{"127.0.0.1:1":{"auth":"!secret!"}}}`)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret!")
}
