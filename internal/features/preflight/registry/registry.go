// Package registry asks image registries whether they have an image, with the credentials of a pull secret. It
// downloads nothing.
package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/releaseimage"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
)

// Remote asks the registries themselves, through the proxies of the environment.
type Remote struct {
	// Within limits the time of a question. Default: ten seconds.
	Within time.Duration
}

var _ preflight.Registry = Remote{}

// HasImage asks for the manifest of an image.
func (r Remote) HasImage(ctx context.Context, image, pullSecret string) (bool, error) {
	within := r.Within
	if within == 0 {
		within = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	reference, err := name.ParseReference(image)
	if err != nil {
		return false, fmt.Errorf("reading the image's name: %w", err)
	}
	credentials, err := releaseimage.Credentials(reference.Context(), pullSecret)
	if err != nil {
		return false, err
	}
	host := reference.Context().RegistryStr()
	once := remote.Backoff{Steps: 1} // the time-out is for one answer
	_, err = remote.Head(reference, remote.WithContext(ctx), remote.WithAuth(credentials), remote.WithRetryBackoff(once),
		remote.WithUserAgent("hypershift-aws"))
	var answer *transport.Error
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound:
		return false, nil
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized ||
		answer.StatusCode == http.StatusForbidden):
		return false, fmt.Errorf("%w: %s answers %d", preflight.ErrImageDenied, host, answer.StatusCode)
	case errors.As(err, &answer):
		return false, fmt.Errorf("%s answers %d", host, answer.StatusCode)
	case errors.Is(err, context.DeadlineExceeded):
		return false, fmt.Errorf("%s does not answer within %s", host, within)
	}
	reason := err.Error() // a list of the addresses and protocols that were tried
	return false, fmt.Errorf("%s cannot be reached: %s", host, reason[strings.LastIndex(reason, ": ")+2:])
}
