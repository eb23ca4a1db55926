// Package releaseimage reads the versions of release images from their registries, with the credentials of a pull
// secret. It reads an image's configuration, and none of its layers.
package releaseimage

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// label is the label of a release image that has its version. Source: `oc adm release new`.
const label = "io.openshift.release"

// within limits the time for the answer of a registry.
const within = 10 * time.Second

// Versions returns the versions of release images, as far as a mirror or the registry says them.
func Versions(ctx context.Context, releases config.Releases) map[string]string {
	var wait sync.WaitGroup
	var mu sync.Mutex
	versions := map[string]string{}
	for _, image := range releases.Images {
		wait.Go(func() {
			for _, place := range places(image, releases.Mirrors) {
				if version, err := versionOf(ctx, place, releases.PullSecret); err == nil && version != "" {
					mu.Lock()
					versions[image] = version
					mu.Unlock()
					return
				}
			}
		})
	}
	wait.Wait()
	return versions
}

// places returns where an image may be read, mirrors first, as the nodes do.
func places(image string, mirrors map[string][]string) []string {
	var list []string
	end := strings.IndexAny(image[strings.LastIndex(image, "/")+1:], "@:")
	if end < 0 {
		return []string{image}
	}
	end += strings.LastIndex(image, "/") + 1
	for source, of := range mirrors {
		rest, is := strings.CutPrefix(image[:end], source)
		if is && (rest == "" || rest[0] == '/') {
			for _, mirror := range of {
				list = append(list, mirror+rest+image[end:])
			}
		}
	}
	return append(list, image)
}

func versionOf(ctx context.Context, image, pullSecret string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	reference, err := name.ParseReference(image)
	if err != nil {
		return "", err
	}
	credentials, err := Credentials(reference.Context(), pullSecret)
	if err != nil {
		return "", err
	}
	found, err := remote.Image(reference, remote.WithContext(ctx), remote.WithAuth(credentials),
		remote.WithRetryBackoff(remote.Backoff{Steps: 1}), remote.WithUserAgent("hypershift-aws"))
	if err != nil {
		return "", err
	}
	configuration, err := found.ConfigFile()
	if err != nil {
		return "", err
	}
	return configuration.Config.Labels[label], nil
}

// Credentials returns a repository's credentials from a pull secret. The longest matching name has precedence:
// "quay.io/team/release", "quay.io/team", "quay.io". Without a match, access is anonymous.
func Credentials(repository name.Repository, pullSecret string) (authn.Authenticator, error) {
	if pullSecret == "" {
		return authn.Anonymous, nil
	}
	var secret struct {
		Auths map[string]authn.AuthConfig `json:"auths"`
	}
	if err := json.Unmarshal([]byte(pullSecret), &secret); err != nil {
		return nil, errors.New("the pull secret cannot be read: its auths are not those of a registry") // without its text
	}
	for scope := repository.Name(); ; {
		if credentials, found := secret.Auths[scope]; found {
			return authn.FromConfig(credentials), nil
		}
		i := strings.LastIndex(scope, "/")
		if i < 0 {
			return authn.Anonymous, nil
		}
		scope = scope[:i]
	}
}
