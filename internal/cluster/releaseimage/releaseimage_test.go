package releaseimage

import (
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestTheVersionOfADigestIsReadFromTheImageOrItsMirror(t *testing.T) {
	t.Parallel()
	images := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "u" || password != "p" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		images.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	image, err := mutate.Config(empty.Image, v1.Config{Labels: map[string]string{"io.openshift.release": "4.20.1"}})
	require.NoError(t, err)
	tag, err := name.ParseReference(host + "/mirror/ocp-release:x")
	require.NoError(t, err)
	require.NoError(t, remote.Write(tag, image, remote.WithAuth(&authn.Basic{Username: "u", Password: "p"})))
	digest, err := image.Digest()
	require.NoError(t, err)
	own := host + "/mirror/ocp-release@" + digest.String()
	mirrored := "registry.invalid/openshift-release-dev/ocp-release@" + digest.String()
	missing := host + "/mirror/ocp-release@sha256:" + strings.Repeat("0", 64)
	secret := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, base64.StdEncoding.EncodeToString([]byte("u:p")))
	releases := config.Releases{
		Images: []string{own, mirrored, missing}, PullSecret: secret,
		Mirrors: map[string][]string{"registry.invalid/openshift-release-dev": {host + "/none", host + "/mirror"}},
	}
	require.Equal(t, map[string]string{own: "4.20.1", mirrored: "4.20.1"}, Versions(t.Context(), releases))
	releases.PullSecret = ""
	require.Empty(t, Versions(t.Context(), releases))
}
