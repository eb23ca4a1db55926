package hostedcluster

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func image(version string) string {
	return "quay.io/openshift-release-dev/ocp-release:" + version + "-x86_64"
}

func withRelease(kind, name, release string) map[string]any {
	return map[string]any{
		"kind":     kind,
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"release": map[string]any{"image": release}},
	}
}

// at returns a cluster with a release and a history of "state version", the newest first, whose node pool has a
// release.
func at(release, pool string, history ...[2]string) *Live {
	cluster := withRelease("HostedCluster", "demo", image(release))
	var list []any
	for _, entry := range history {
		list = append(list, map[string]any{"state": entry[0], "image": image(entry[1]), "version": entry[1]})
	}
	cluster["status"] = map[string]any{"version": map[string]any{"history": list}}
	return &Live{
		HostedCluster: cluster,
		NodePools:     map[string]map[string]any{"pool": withRelease("NodePool", "pool", image(pool))},
	}
}

func wanting(cluster string, pools map[string]string) *Objects {
	o := &Objects{HostedCluster: withRelease("HostedCluster", "demo", image(cluster))}
	for name, release := range pools {
		o.NodePools = append(o.NodePools, withRelease("NodePool", name, image(release)))
	}
	return o
}

func TestNodePoolsFollowTheControlPlaneOnceItsReleaseIsComplete(t *testing.T) {
	t.Parallel()
	done, partial := [2]string{"Completed", "4.19.0"}, [2]string{"Partial", "4.20.1"}
	for name, c := range map[string]struct {
		live                *Live
		pool, wanted, gives string
		open                bool
	}{
		"not read":                 {nil, "pool", "4.20.1", "4.20.1", false},
		"created":                  {&Live{}, "pool", "4.20.1", "4.20.1", false},
		"before the control plane": {at("4.19.0", "4.19.0", done), "pool", "4.20.1", "4.19.0", true},
		"during":                   {at("4.20.1", "4.19.0", partial, done), "pool", "4.20.1", "4.19.0", true},
		"complete": {at("4.20.1", "4.19.0", [2]string{"Completed", "4.20.1"},
			done), "pool", "4.20.1", "4.20.1", false},
		"complete, but the previous one":   {at("4.19.0", "4.18.0", done), "pool", "4.20.1", "4.18.0", true},
		"its own release is not newer":     {at("4.19.0", "4.18.0", done), "pool", "4.19.0", "4.19.0", false},
		"a new pool":                       {at("4.20.1", "4.19.0", partial, done), "new", "4.20.1", "4.19.0", true},
		"a new pool while it is installed": {at("4.20.1", "4.19.0", partial), "new", "4.20.1", "4.20.1", false},
		"a pool that has it already":       {at("4.20.1", "4.20.1", partial, done), "pool", "4.20.1", "4.20.1", false},
		"the control plane is behind the key": {at("4.20.1", "4.19.0",
			[2]string{"Completed", "4.19.0"}), "pool", "4.20.1", "4.19.0", true},
	} {
		objects := wanting("4.20.1", map[string]string{c.pool: c.wanted})
		stage := c.live.stageReleases(objects)
		require.Equal(t, image(c.gives), releaseIn(objects.NodePools[0]), name)
		require.Equal(t, c.open, stage != "", name)
	}
}

func TestAReleaseThatCannotBeReachedIsRefusedBeforeAnythingChanges(t *testing.T) {
	t.Parallel()
	old := at("4.18.5", "4.16.1", [2]string{"Completed", "4.18.5"})
	old.SupportedVersions = []string{"4.20", "4.19", "4.18"}
	for name, c := range map[string]struct {
		live          *Live
		cluster, pool string
		path, problem string
	}{
		"a patch":        {old, "4.18.9", "4.18.9", "", ""},
		"not supported":  {old, "4.21.0", "4.21.0", "release", "whose versions are 4.20, 4.19, 4.18"},
		"skew":           {old, "4.20.0", "4.16.1", "nodePools[pool].release", "is 4 minor versions older"},
		"newer pool":     {old, "4.18.9", "4.19.0", "nodePools[pool].release", "is newer than"},
		"unchanged skew": {at("4.20.0", "4.16.1"), "4.20.0", "4.16.1", "", ""},
		"5.0 is 4.23":    {at("4.22.0", "4.20.0"), "5.0.0", "4.20.0", "", ""},
		"5.1 is one more": {at("4.22.0", "4.20.0"), "5.1.0", "4.20.0", "nodePools[pool].release",
			"is 4 minor versions older"},
		"without a ConfigMap": {at("4.18.5", "4.18.5"), "4.21.0", "4.21.0", "", ""},
	} {
		err := c.live.judgeReleases(wanting(c.cluster, map[string]string{"pool": c.pool}))
		if c.path == "" {
			require.NoError(t, err, name)
			continue
		}
		found := fault.In(err)
		require.Len(t, found, 1, name)
		require.Equal(t, c.path, found[0].Path, name)
		require.Contains(t, found[0].Problem, c.problem, name)
		require.NotEmpty(t, found[0].Remedy, name)
	}
}

// HyperShift's operator refuses RHEL 10 for releases before 5.0 once the node pool is there.
func TestAnOperatingSystemThatThePoolsReleaseLacksIsRefused(t *testing.T) {
	t.Parallel()
	for _, live := range []*Live{nil, at("4.22.0", "4.22.0")} {
		for release, refused := range map[string]bool{"4.22.1": true, "5.0.0": false, "5.1.0": false} {
			objects := wanting(release, map[string]string{"pool": release})
			require.NoError(t, unstructured.SetNestedField(objects.NodePools[0], "rhel-9", "spec", "osImageStream", "name"))
			require.NoError(t, live.judgeReleases(objects))
			require.NoError(t, unstructured.SetNestedField(objects.NodePools[0], "rhel-10", "spec", "osImageStream", "name"))
			err := live.judgeReleases(objects)
			if !refused {
				require.NoError(t, err, release)
				continue
			}
			require.ErrorContains(t, err, `nodePools[pool].osImageStream: "rhel-10" needs release 5.0 or later, and the pool's is 4.22.1; use rhel-9`)
		}
	}
}

func TestAClusterThatIsNotUpgradeableKeepsItsMinorVersion(t *testing.T) {
	t.Parallel()
	live := at("4.19.0", "4.19.0", [2]string{"Completed", "4.19.0"})
	live.HostedCluster["status"].(map[string]any)["conditions"] = []any{map[string]any{
		"type": "ClusterVersionUpgradeable", "status": "False", "reason": "AdminAckRequired",
		"message": "acknowledge the removed APIs",
	}}
	require.NoError(t, live.judgeReleases(wanting("4.19.7", nil)))
	err := live.judgeReleases(wanting("4.20.0", nil))
	require.ErrorContains(t, err, "acknowledge the removed APIs (AdminAckRequired)")
	forced := wanting("4.20.0", nil)
	forced.HostedCluster["metadata"].(map[string]any)["annotations"] = map[string]any{forceUpgrade: image("4.20.0")}
	require.NoError(t, live.judgeReleases(forced))
}

func TestAnUpgradeBySeveralMinorVersionsIsSaid(t *testing.T) {
	t.Parallel()
	live := at("4.20.3", "4.20.3", [2]string{"Completed", "4.20.3"})
	require.Empty(t, live.warnings(wanting("4.21.0", nil)))
	require.Empty(t, (&Live{}).warnings(wanting("4.22.0", nil)), "a new cluster")
	sentences := live.warnings(wanting("4.22.0", nil))
	require.Len(t, sentences, 1)
	require.Contains(t, sentences[0], "is 2 minor versions newer than "+image("4.20.3"))
	live = at("4.22.0", "4.22.0", [2]string{"Completed", "4.22.0"})
	require.Empty(t, live.warnings(wanting("5.0.0", nil)), "5.0 is 4.23")
	require.Len(t, live.warnings(wanting("5.1.0", nil)), 1)
}

// digestOf is a release image by its digest.
func digestOf(digit string) string {
	return "quay.io/openshift-release-dev/ocp-release@sha256:" + strings.Repeat(digit, 64)
}

func TestTheVersionOfADigestIsThatOfTheClustersHistory(t *testing.T) {
	t.Parallel()
	live := at("4.20.1", "4.20.1", [2]string{"Completed", "4.20.1"}, [2]string{"Completed", "4.19.0"})
	live.SupportedVersions = []string{"4.20", "4.19"}
	require.NoError(t, unstructured.SetNestedField(live.HostedCluster, digestOf("2"), "spec", "release", "image"))
	history := live.history()
	history[0].(map[string]any)["image"], history[1].(map[string]any)["image"] = digestOf("2"), digestOf("1")
	require.NoError(t, unstructured.SetNestedSlice(live.HostedCluster, history, "status", "version", "history"))
	changed := func(cluster, pool string) *Objects {
		return &Objects{HostedCluster: withRelease("HostedCluster", "demo", cluster), NodePools: []map[string]any{
			withRelease("NodePool", "pool", pool),
		}}
	}
	for older, refused := range map[string]bool{
		digestOf("1"): true, image("4.19.5"): true, image("4.20.2"): false, digestOf("3"): false,
	} {
		err := live.judgeHarm(live.HostedCluster, withRelease("HostedCluster", "demo", older), true)
		require.Equal(t, refused, err != nil, older)
	}
	require.Empty(t, live.unchecked(changed(digestOf("2"), digestOf("2"))), "what is known")
	require.Empty(t, live.unchecked(changed(image("4.20.2"), image("4.20.2"))))
	require.Empty(t, (*Live)(nil).unchecked(changed(digestOf("3"), digestOf("3"))), "nothing was read that is compared")
	sentences := live.unchecked(changed(digestOf("3"), digestOf("3")))
	require.Len(t, sentences, 1)
	for _, part := range []string{
		digestOf("3"), "operator supports it", "older than that of the cluster", "newer minor version", "node pool pool",
	} {
		require.Contains(t, sentences[0], part)
	}
	live.Versions = map[string]string{digestOf("3"): "4.19.5"}
	require.Empty(t, live.unchecked(changed(digestOf("3"), digestOf("3"))), "what its registry says")
	require.Error(t, live.judgeHarm(live.HostedCluster, withRelease("HostedCluster", "demo", digestOf("3")), true))
	live.Versions = nil
	require.NoError(t, unstructured.SetNestedField(live.HostedCluster, digestOf("4"), "spec", "release", "image"))
	sentences = live.unchecked(changed(image("4.19.5"), image("4.19.5")))
	require.NotEmpty(t, sentences, "the cluster has a digest that nothing knows")
	require.Contains(t, sentences[0], digestOf("4"))
	require.Contains(t, sentences[0], "whether "+image("4.19.5")+" is older")
	created := &Live{SupportedVersions: []string{"4.20"}}
	sentences = created.unchecked(changed(digestOf("3"), digestOf("3")))
	require.Len(t, sentences, 1)
	require.NotContains(t, sentences[0], "older")
}
