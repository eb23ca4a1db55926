package preflight

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// answers is a registry that has the images whose error is nil, and gives the errors of others; it has no image that is
// not listed.
type answers map[string]error

func (a answers) HasImage(_ context.Context, image, _ string) (bool, error) {
	err, listed := a[image]
	return listed && err == nil, err
}

func TestAReleaseImageFailsOnlyByAnAnswerOfItsRegistry(t *testing.T) {
	t.Parallel()
	registry := answers{
		"r.io/a:there": nil, "r.io/a:denied": fmt.Errorf("%w: r.io answers 401", ErrImageDenied),
		"r.io/a:silent": errors.New("r.io does not answer"),
	}
	for _, test := range []struct {
		image, pullSecret string
		mirrored          bool
		want              finding.Severity
	}{
		{"r.io/a:there", "", false, finding.Passed},
		{"r.io/a:missing", "", false, finding.Error},
		{"r.io/a:missing", "", true, finding.Warning},
		{"r.io/a:denied", "{}", false, finding.Error},
		{"r.io/a:denied", "{}", true, finding.Warning},
		{"r.io/a:denied", "", false, finding.Warning},
		{"r.io/a:silent", "{}", false, finding.Warning},
	} {
		releases := config.Releases{
			Images:     []string{test.image, test.image},
			PullSecret: test.pullSecret,
			Mirrored:   test.mirrored,
		}
		found := checkReleases(t.Context(), releases, registry)
		if assert.Len(t, found, 1, "an image is asked for once") {
			f := found[0]
			assert.Equal(t, test.want, f.Severity, "%+v", test)
			assert.Equal(t, test.image, f.Subject)
			assert.Equal(t, f.Severity == finding.Passed, f.Remedy == "", "%+v", f)
		}
	}
	assert.Empty(t, checkReleases(t.Context(), config.Releases{
		Images: []string{"r.io/a:missing"},
	}, nil), "offline there is no registry")
}
