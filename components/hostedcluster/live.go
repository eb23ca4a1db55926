package hostedcluster

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// Live is the status of an existing cluster in its management cluster. If a change takes several updates, its stage
// follows from this status alone. So each update continues the change, and an interrupted one loses nothing.
type Live struct {
	// HostedCluster is the cluster's object, and ControlPlane its HostedControlPlane; nil if they do not exist.
	HostedCluster, ControlPlane map[string]any
	// APIServer is the Deployment of the control plane's API server, nil if it was not read.
	APIServer map[string]any
	// NodePools are the objects of the cluster's node pools, by name.
	NodePools map[string]map[string]any
	// SupportedVersions are the minor versions that the installed operator supports, "4.20"; nil if it does not publish
	// them.
	SupportedVersions []string
	// Versions are the versions of release images by digest, as far as their registries say them.
	Versions map[string]string
	// API judges objects by the schemas that the management cluster publishes, nil if it was not read or publishes none.
	API API
}

// Exists reports whether the cluster was read, and exists.
func (l *Live) Exists() bool { return l != nil && l.HostedCluster != nil }

// completed reports whether the control plane has completely rolled out a release.
func (l *Live) completed(image string) bool {
	history := l.history()
	desired := textAt(l.HostedCluster, "status", "version", "desired", "image")
	return releaseIn(l.HostedCluster) == image && len(history) > 0 && textAt(history[0], "state") == "Completed" &&
		(textAt(history[0], "image") == image ||
			desired == image && textAt(history[0],
				"version") == textAt(l.HostedCluster, "status", "version", "desired", "version"))
}

// Pending returns what the cluster does before the next stage of a change can begin, "" if nothing.
func (l *Live) Pending() string {
	if image := releaseIn(l.HostedCluster); l.Exists() && !l.completed(image) {
		return "the control plane is rolling out release " + image
	}
	if k := l.etcdKeys(); k.confirmed != "" && (k.rotating() || k.backup != "" && !k.rotated()) {
		return "HyperShift encrypts all data of etcd with the new key"
	}
	return ""
}

// lastCompleted returns the newest release that the control plane has completely rolled out, "" if there is none.
func (l *Live) lastCompleted() string {
	for _, entry := range l.history() {
		if textAt(entry, "state") == "Completed" {
			return textAt(entry, "image")
		}
	}
	return ""
}

func (l *Live) history() []any {
	history, _, _ := unstructured.NestedSlice(l.HostedCluster, "status", "version", "history")
	return history
}

// poolRelease returns the release that a node pool may have now. That is the wanted release, unless it is newer than
// what the control plane has completely rolled out. Then the pool keeps its release, and a new pool begins with the
// control plane's. Source: HyperShift refuses a NodePool whose version is higher than the last completed version of its
// HostedCluster (support/supportedversion, ValidateVersionSkew).
func (l *Live) poolRelease(pool, wanted, controlPlane string) string {
	if !l.Exists() || l.completed(controlPlane) {
		return wanted
	}
	last, now := l.lastCompleted(), releaseIn(l.NodePools[pool])
	_, known := l.version(wanted)
	_, lastKnown := l.version(last)
	switch {
	case known && lastKnown && !l.isOlder(last, wanted):
		return wanted
	case now != "":
		return now
	case last != "":
		return last
	}
	return wanted
}

// stageReleases gives the node pools the releases that they may have now, and returns the open stage in words, "" if
// there is none.
func (l *Live) stageReleases(objects *Objects) string {
	controlPlane := releaseIn(objects.HostedCluster)
	var follow []string
	for _, pool := range objects.NodePools {
		name, wanted := textAt(pool, "metadata", "name"), releaseIn(pool)
		if now := l.poolRelease(name, wanted, controlPlane); now != wanted {
			// spec.release is a map: the schema accepted it
			_ = unstructured.SetNestedField(pool, now, "spec", "release", "image")
			follow = append(follow, name)
		}
	}
	if len(follow) == 0 {
		return ""
	}
	slices.Sort(follow)
	return fmt.Sprintf("release %s: stage 1 of 2, the control plane; node pools %s keep their release until it is complete, and follow in stage 2",
		controlPlane, strings.Join(follow, ", "))
}

// unsupported returns that the installed operator does not support a release, with the versions that it supports; "" if
// it does, or if that is not known.
func (l *Live) unsupported(image string) string {
	version, known := l.version(image)
	if !known || len(l.SupportedVersions) == 0 ||
		slices.Contains(l.SupportedVersions, fmt.Sprintf("%d.%d", version.Major, version.Minor)) {
		return ""
	}
	return "is not supported by the installed operator, whose versions are " + strings.Join(l.SupportedVersions, ", ")
}

// JudgeOperator returns a fault if the installed operator does not support the release of the existing cluster, so that
// the operator would not act on it; nil if it does, or if that is not known.
func (l *Live) JudgeOperator() error {
	image := releaseIn(l.HostedCluster)
	if problem := l.unsupported(image); problem != "" {
		return &fault.Fault{
			Path:    "spec.release.image",
			Value:   image,
			Problem: problem,
			Remedy:  "install a version of HyperShift's operator that supports it",
		}
	}
	return nil
}

// judgeReleases returns a fault for a release that the installed operator does not support, for an upgrade that the
// cluster does not allow, and for a node pool whose version the control plane would not support. The paths of the
// faults are paths in Settings.
func (l *Live) judgeReleases(objects *Objects) error {
	var faults fault.Faults
	l.judgeStreams(&faults, objects)
	if l == nil {
		return faults.Err()
	}
	image := releaseIn(objects.HostedCluster)
	now := releaseIn(l.HostedCluster)
	if l.isOlder(image, now) {
		return faults.Err() // the update of the object is refused
	}
	version, known := l.version(image)
	if problem := l.unsupported(image); problem != "" && image != now {
		faults.Add("release", image, problem, "use a release of one of them, or upgrade HyperShift's operator in the management cluster first")
	}
	if why := l.notUpgradeable(); l.Exists() && l.isOlderMinor(now, image) && why != "" &&
		textAt(objects.HostedCluster, "metadata", "annotations", forceUpgrade) != image {
		faults.Add("release", image, "is a newer minor version than "+now+
			", but the cluster is not upgradeable (ClusterVersionUpgradeable is False): "+why,
			"correct that in the cluster first, or set hostedCluster.annotations: {"+forceUpgrade+": "+image+"}")
	}
	for _, pool := range objects.NodePools {
		name, wanted := textAt(pool, "metadata", "name"), releaseIn(pool)
		path := "nodePools[" + name + "].release"
		poolVersion, poolKnown := l.version(wanted)
		if !known || !poolKnown || image == now && wanted == releaseIn(l.NodePools[name]) {
			continue
		}
		switch behind := ordinal(version) - ordinal(poolVersion); {
		case l.isOlder(image, wanted):
			faults.Add(path, wanted, "is newer than "+image+", the release of the control plane",
				"use at most the release of the cluster")
		case behind > maxSkew:
			faults.Add(path, wanted, fmt.Sprintf("is %d minor versions older than %s, the release of the control plane: HyperShift supports %d", behind, image, maxSkew),
				"upgrade the node pool first: set its release to a newer version, at most the control plane's present one")
		}
	}
	return faults.Err()
}

// judgeStreams adds a fault for each node pool whose operating system its release does not have. Source: GetRHELStream
// in HyperShift's hypershift-operator/controllers/nodepool/stream.go.
func (l *Live) judgeStreams(faults *fault.Faults, objects *Objects) {
	for _, pool := range objects.NodePools {
		version, known := l.version(releaseIn(pool))
		if stream := textAt(pool, "spec", "osImageStream", "name"); stream == "rhel-10" && known && version.Major < 5 {
			faults.Add("nodePools["+textAt(pool, "metadata", "name")+"].osImageStream", stream,
				"needs release 5.0 or later, and the pool's is "+version.String(), "use rhel-9, or a later release")
		}
	}
}

// forceUpgrade is the annotation that lets HyperShift upgrade a cluster that is not upgradeable. Source:
// ForceUpgradeToAnnotation.
const forceUpgrade = "hypershift.openshift.io/force-upgrade-to"

// maxSkew is how many minor versions the nodes may be behind the control plane. Source: HyperShift's
// support/supportedversion.
const maxSkew = 3

// ordinal numbers minor versions: 5.0 is 4.23. Source: HyperShift's support/supportedversion, normalizeToV4.
func ordinal(v semver.Version) int {
	if v.Major == 5 {
		return 23 + int(v.Minor)
	}
	return int(v.Minor)
}

// notUpgradeable returns why the cluster cannot be upgraded to another minor version, "" if it can.
func (l *Live) notUpgradeable() string {
	conditions, _, _ := unstructured.NestedSlice(l.HostedCluster, "status", "conditions")
	for _, c := range conditions {
		if textAt(c, "type") == "ClusterVersionUpgradeable" && textAt(c, "status") == "False" {
			return textAt(c, "message") + " (" + textAt(c, "reason") + ")"
		}
	}
	return ""
}

// architecture matches the end of a release image's tag that names the architecture of the image.
var architecture = regexp.MustCompile(`-(x86_64|aarch64|amd64|arm64|ppc64le|s390x|multi)+$`)

// ReleaseVersion returns the version in the tag of a release image, such as 4.20.1 in
// "quay.io/…/ocp-release:4.20.1-x86_64", and false for a digest and for any other tag.
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

// releaseArch returns the architecture of the images of a release, as the end of its tag says it; "" for a release with
// images of several, for a digest, and for a tag that does not say it.
func releaseArch(image string) Arch {
	_, tag, tagged := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	if !tagged || strings.Contains(image, "@") {
		return ""
	}
	switch name := tag[strings.LastIndex(tag, "-")+1:]; name {
	case "x86_64", "amd64":
		return AMD64
	case "aarch64", "arm64":
		return ARM64
	case "ppc64le", "s390x":
		return Arch(name)
	}
	return ""
}

// pullSpec matches the pull spec of an image: a registry with a dot or a port in its name, a repository, and a tag or a
// digest. Source of the grammar: the package reference of github.com/distribution.
var pullSpec = regexp.MustCompile(`^(localhost|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+|[A-Za-z0-9-]+:[0-9]+)(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$`)

// validatePullSpec returns a fault unless the text is the pull spec of a release image. HyperShift's API accepts any
// word, and its operator then does not find the image.
func validatePullSpec(image string) error {
	if name := image[strings.LastIndex(image, "/")+1:]; pullSpec.MatchString(image) && strings.ContainsAny(name, ":@") {
		return nil
	}
	return &fault.Fault{
		Value: image, Problem: "is not the pull spec of an image",
		Remedy: "use a registry, a repository and a tag or digest, such as " +
			"quay.io/openshift-release-dev/ocp-release:4.20.1-x86_64",
	}
}

// version returns the version of a release image: that of its tag or, for a digest, the one that the cluster had it
// with, or that its registry says. It returns false if none does.
func (l *Live) version(image string) (semver.Version, bool) {
	if version, known := ReleaseVersion(image); known || image == "" || l == nil {
		return version, known
	}
	desired, _, _ := unstructured.NestedMap(l.HostedCluster, "status", "version", "desired")
	for _, entry := range append(l.history(), any(desired)) {
		if textAt(entry, "image") == image {
			if version, err := semver.Parse(textAt(entry, "version")); err == nil {
				return version, true
			}
		}
	}
	version, err := semver.Parse(l.Versions[image])
	return version, err == nil
}

// KnowsVersion reports whether the version of a release image is known without its registry.
func (l *Live) KnowsVersion(image string) bool {
	_, known := l.version(image)
	return known
}

// unchecked returns, for each new release image whose version is not known, which checks are not made.
func (l *Live) unchecked(objects *Objects) []string {
	if l == nil {
		return nil
	}
	image, now := releaseIn(objects.HostedCluster), releaseIn(l.HostedCluster)
	off := map[string][]string{}
	if _, known := l.version(image); !known && image != now {
		if len(l.SupportedVersions) > 0 {
			off[image] = append(off[image], "whether HyperShift's operator supports it")
		}
		if l.Exists() {
			off[image] = append(off[image], "whether it is older than that of the cluster",
				"whether the cluster allows a newer minor version")
		}
	} else if _, has := l.version(now); !has && image != now && l.Exists() {
		off[now] = append(off[now], "whether "+image+" is older, or more than one minor version newer")
	}
	for _, pool := range objects.NodePools {
		name, wanted := textAt(pool, "metadata", "name"), releaseIn(pool)
		was := releaseIn(l.NodePools[name])
		if wanted == image && (was == "" || was == wanted) || wanted == was && image == now {
			continue
		}
		for _, unknown := range []string{wanted, image} {
			if _, known := l.version(unknown); !known {
				off[unknown] = append(off[unknown], "whether node pool "+name+" is newer than the control plane, too old for it, "+
					"or older than before")
				break
			}
		}
	}
	var sentences []string
	for _, unknown := range slices.Sorted(maps.Keys(off)) {
		sentences = append(sentences, fmt.Sprintf("the version of release %s is neither in its tag nor in the cluster's history, and was not read from the image; not checked: %s",
			unknown, strings.Join(off[unknown], "; ")))
	}
	return sentences
}

// warnings returns what is not checked of new release images, and what HyperShift does not refuse of an upgrade and
// OpenShift does not support.
func (l *Live) warnings(objects *Objects) []string {
	sentences := l.unchecked(objects)
	if l == nil {
		return sentences
	}
	image, now := releaseIn(objects.HostedCluster), releaseIn(l.HostedCluster)
	version, known := l.version(image)
	before, had := l.version(now)
	if ahead := ordinal(version) - ordinal(before); known && had && ahead > 1 {
		sentences = append(sentences, fmt.Sprintf("release %s is %d minor versions newer than %s, the release of the cluster: OpenShift supports "+
			"upgrades by one minor version at a time, and HyperShift does not refuse others", image, ahead, now))
	}
	return sentences
}

// isOlder reports whether one release image has a lower version than another. Versions of nightly and CI builds are
// compared without the part that tells such builds apart. Images whose version is not known are not older.
func (l *Live) isOlder(image, than string) bool {
	version, known := l.version(image)
	other, otherKnown := l.version(than)
	if !known || !otherKnown {
		return false
	}
	if isBuild(version) || isBuild(other) {
		version.Pre, other.Pre = nil, nil
	}
	return version.LT(other)
}

// isOlderMinor reports whether one release image has a lower minor version than another.
func (l *Live) isOlderMinor(image, than string) bool {
	version, known := l.version(image)
	other, otherKnown := l.version(than)
	return known && otherKnown && (version.Major < other.Major ||
		version.Major == other.Major && version.Minor < other.Minor)
}

// isBuild reports whether a version is of a nightly or CI build: "4.20.0-0.nightly-2025-09-01-000000".
func isBuild(version semver.Version) bool { return len(version.Pre) > 0 && version.Pre[0].IsNum }
