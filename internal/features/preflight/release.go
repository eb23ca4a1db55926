package preflight

import (
	"context"
	"errors"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Registry asks image registries.
type Registry interface {
	// HasImage asks the image's registry for it, with the credentials of a pull secret, "" for none. It returns false if
	// the registry doesn't have the image, ErrImageDenied if the registry refuses the credentials, and another error if it
	// doesn't answer.
	HasImage(ctx context.Context, image, pullSecret string) (bool, error)
}

// ErrImageDenied is the error for a registry that refuses the credentials.
var ErrImageDenied = errors.New("access denied")

// checkReleases asks each image's registry for it. Only an answer fails: a registry may be reachable from the
// management cluster alone.
func checkReleases(ctx context.Context, releases config.Releases, registry Registry) []finding.Finding {
	if registry == nil {
		return nil
	}
	var tasks []func() []finding.Finding
	for _, image := range unique(releases.Images) {
		tasks = append(tasks, func() []finding.Finding {
			return []finding.Finding{checkRelease(ctx, image, releases, registry)}
		})
	}
	return sideBySide(tasks)
}

func checkRelease(ctx context.Context, image string, releases config.Releases, registry Registry) finding.Finding {
	f := finding.Finding{Check: ReleaseImage, Subject: image, Severity: finding.Error}
	found, err := registry.HasImage(ctx, image, releases.PullSecret)
	denied := errors.Is(err, ErrImageDenied)
	switch {
	case found:
		f.Severity, f.Problem = finding.Passed, "the registry has it"
		return f
	case denied && releases.PullSecret != "":
		f.Problem, f.Remedy = "the pull secret does not open it ("+err.Error()+")",
			"add the registry's credentials to the pull secret, or correct the image"
	case denied:
		f.Severity, f.Problem, f.Remedy = finding.Warning,
			notChecked+"the registry asks for credentials, and this stack has no pull secret", "check that the registry has the image"
	case err != nil:
		f.Severity, f.Problem, f.Remedy = finding.Warning, notChecked+err.Error(), "check that the management cluster reaches the registry, and that it has the image"
	default:
		f.Problem, f.Remedy = "the registry has no such image", "correct the image in the stack's file"
	}
	if f.Severity == finding.Error && releases.Mirrored {
		f.Severity, f.Remedy = finding.Warning, "check that a mirror of the cluster has the image"
	}
	return f
}
