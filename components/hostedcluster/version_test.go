package hostedcluster

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReleaseImagesAreComparedByTheVersionsInTheirTags(t *testing.T) {
	t.Parallel()
	const repository = "quay.io/openshift-release-dev/ocp-release"
	for _, test := range []struct {
		image, than         string
		older, olderInMinor bool
	}{
		{":4.18.0-multi", ":4.20.1-x86_64", true, true},
		{":4.20.0-x86_64", ":4.20.1-x86_64", true, false},
		{":4.9.0-x86_64", ":4.10.0-x86_64", true, true},
		{":4.20.0-rc.1-x86_64", ":4.20.0-x86_64", true, false},
		{":4.20.0-ec.2-aarch64", ":4.20.0-rc.1-aarch64", true, false},
		{":4.20.1-x86_64", ":4.20.1-multi", false, false},
		{":4.20.1-multi-x86_64", ":4.20.0-x86_64", false, false},
		{":4.22.0-x86_64", ":5.0.0-x86_64", true, true},
		{":4.20.0-0.ci-2026-01-01-000000", ":4.20.0-0.nightly-2025-01-01-000000", false, false},
		{":4.19.0-0.ci-2026-01-01-000000", ":4.20.0-0.nightly-2025-01-01-000000", true, true},
		{"@sha256:0123456789abcdef", ":4.20.1-x86_64", false, false},
		{":4.18.0-x86_64", "@sha256:0123456789abcdef", false, false},
		{":4.18.0-x86_64@sha256:0123456789abcdef", ":4.20.1-x86_64", false, false},
		{":latest", ":4.20.1-x86_64", false, false},
		{"", ":4.20.1-x86_64", false, false},
	} {
		image, than := repository+test.image, repository+test.than
		require.Equal(t, test.older, new(Live).isOlder(image, than), "%s older than %s", test.image, test.than)
		require.Equal(t, test.olderInMinor, new(Live).isOlderMinor(image, than), "%s older than %s in its minor version", test.image,
			test.than)
		if test.older {
			require.False(t, new(Live).isOlder(than, image), "%s older than %s", test.than, test.image)
		}
	}
	require.True(t, new(Live).isOlder("registry.example.com:5000/ocp:4.18.0", "registry.example.com:5000/ocp:4.20.0"),
		"a registry with a port")
	require.False(t, new(Live).isOlder("registry.example.com:5000/ocp", "registry.example.com:5000/ocp:4.20.0"),
		"a port is not a tag")
}

func TestOnlyAPullSpecIsARelease(t *testing.T) {
	t.Parallel()
	digest := "@sha256:" + strings.Repeat("0a", 32)
	for _, image := range []string{
		"quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64",
		"registry.ci.openshift.org/ocp/release:4.21.0-0.nightly-2026-01-01-000000",
		"localhost:5000/release:v1", "mirror:5000/ocp/release" + digest, "quay.io/openshift-release-dev/ocp-release" + digest,
		"quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64" + digest, "10.0.0.5:5000/ocp/release:4.20.3",
		"mirror.example.com/a__b/c--d:4.20.3",
	} {
		assert.NoError(t, validatePullSpec(image), image)
	}
	for _, image := range []string{
		"nonsense", "4.22.5", "ocp-release:4.20.3", "openshift-release-dev/ocp-release:4.20.3",
		"quay.io/openshift-release-dev/ocp-release", "quay.io:4.20.3",
		"https://quay.io/openshift-release-dev/ocp-release:4.20.3", "quay.io/Openshift/release:4.20.3",
		"quay.io/a/b:4.20.3@sha256:12", "quay.io/a/b:", "quay.io/a b:1",
	} {
		assert.Error(t, validatePullSpec(image), image)
	}
}
