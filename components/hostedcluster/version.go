package hostedcluster

import (
	"regexp"
	"strings"

	"github.com/blang/semver"
)

// architecture matches the end of a release image's tag that names the architecture of the image.
var architecture = regexp.MustCompile(`-(x86_64|aarch64|amd64|arm64|ppc64le|s390x|multi)+$`)

// ReleaseVersion returns the version in the tag of a release image, such as 4.20.1 in "quay.io/…/ocp-release:4.20.1-x86_64", and false for
// a digest and for any other tag.
func ReleaseVersion(image string) (semver.Version, bool) {
	if strings.Contains(image, "@") {
		return semver.Version{}, false
	}
	name := image[strings.LastIndex(image, "/")+1:]
	_, tag, tagged := strings.Cut(name, ":")
	if !tagged {
		return semver.Version{}, false
	}
	for architecture.MatchString(tag) {
		tag = architecture.ReplaceAllString(tag, "")
	}
	version, err := semver.Parse(tag)
	return version, err == nil
}

// isOlder reports whether one release image has a lower version than another. Versions of nightly and CI builds are compared without the part
// that tells such builds apart. Images whose version is not in their tag are not older.
func isOlder(image, than string) bool {
	version, known := ReleaseVersion(image)
	other, otherKnown := ReleaseVersion(than)
	if !known || !otherKnown {
		return false
	}
	if isBuild(version) || isBuild(other) {
		version.Pre, other.Pre = nil, nil
	}
	return version.LT(other)
}

// isOlderMinor reports whether one release image has a lower minor version than another.
func isOlderMinor(image, than string) bool {
	version, known := ReleaseVersion(image)
	other, otherKnown := ReleaseVersion(than)
	return known && otherKnown && (version.Major < other.Major || version.Major == other.Major && version.Minor < other.Minor)
}

// isBuild reports whether a version is of a nightly or CI build: "4.20.0-0.nightly-2025-09-01-000000".
func isBuild(version semver.Version) bool { return len(version.Pre) > 0 && version.Pre[0].IsNum }
