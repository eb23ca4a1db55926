package conformance

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

const poolsPath = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools"

// pools returns the spec, the annotations and the UID of each NodePool, and the UID and the generation of the
// HostedCluster. The time of a pause is left out.
func (c *realCluster) pools() map[string]any {
	c.t.Helper()
	found := map[string]any{}
	for _, pool := range c.send(http.MethodGet, poolsPath, nil).Objects("items") {
		metadata := pool.Object("metadata")
		annotations := maps.Clone(metadata.Object("annotations"))
		if annotations["hypershift-aws/paused-since"] != nil {
			annotations["hypershift-aws/paused-since"] = "some time"
		}
		found[metadata.String("name")] = []any{pool["spec"], annotations, metadata["uid"]}
	}
	cluster := c.send(http.MethodGet, restoredPath, nil).Object("metadata")
	found["HostedCluster"] = []any{cluster["uid"], cluster["generation"]}
	return found
}

// size returns a NodePool's replicas and its autoscaling.
func (c *realCluster) size(pool string) (replicas any, scaling props.Map) {
	c.t.Helper()
	spec := c.send(http.MethodGet, poolsPath+"/"+pool, nil).Object("spec")
	return spec["replicas"], spec.Object("autoScaling")
}

// requirePaused requires that the pools have no nodes, or those of the file.
func (c *realCluster) requirePaused(paused bool) {
	c.t.Helper()
	fixed, _ := c.size("fixed")
	replicas, scaling := c.size("scaled")
	if paused {
		require.EqualValues(c.t, 0, fixed)
		require.EqualValues(c.t, 0, replicas)
		require.Empty(c.t, scaling)
		return
	}
	require.EqualValues(c.t, 3, fixed)
	require.Nil(c.t, replicas)
	require.EqualValues(c.t, 1, scaling["min"])
	require.EqualValues(c.t, 4, scaling["max"])
}

// pausable is a stack with a fixed and an autoscaled node pool on a real API server.
type pausable struct {
	*killer

	text string // the stack's file
	// before are the objects with nodes, and paused are those without.
	before, paused map[string]any
}

func newPausable(t *testing.T) *pausable {
	t.Helper()
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: pause and resume on a real API server, which make conformance builds and starts")
	}
	c := startRealCluster(t)
	c.install(`"4.20","4.19"`)
	p := &pausable{killer: newKiller(t, t.TempDir(), c)}
	p.text = strings.Replace(stackfile.Cluster{
		Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1),
		More: stackfile.HostedCluster(t, "      nodePools: # of the day\n        - {name: fixed, replicas: 3}\n"+
			"        - {name: scaled, autoScaling: {min: 1, max: 4}}\n"),
	}.String(), "{context: management}", fmt.Sprintf("{file: %s, context: admin}", c.kubeconfig), 1)
	require.NoError(t, os.WriteFile(p.file(), []byte(p.text), 0o600))
	p.run("up")
	p.before = c.pools()
	c.requirePaused(false)
	p.run("pause")
	p.paused = c.pools()
	c.requirePaused(true)
	p.run("unchanged")
	p.run("resume")
	p.requireEnd(false)
	return p
}

func (p *pausable) file() string { return filepath.Join(p.dir, "Pulumi.test.yaml") }

// requireEnd requires that objects and file are those of a pause, or of a resume, that was not disturbed.
func (p *pausable) requireEnd(paused bool) {
	p.t.Helper()
	want := p.before
	if paused {
		want = p.paused
	}
	require.Equal(p.t, want, p.cluster.pools())
	text, err := os.ReadFile(p.file())
	require.NoError(p.t, err)
	require.Equal(p.t, paused, string(text) != p.text, "%s", text)
	require.Equal(p.t, paused, strings.Contains(string(text), "nodesPausedSince"))
}

// The nodes of a cluster are paused and resumed, and each of these runs is killed at one change of an object after the
// other, before the API server has it and after. The same command, or a plain up, ends as if nothing had been killed.
func TestPauseAndResumeOnARealAPIServerSurviveKills(t *testing.T) {
	t.Parallel()
	p := newPausable(t)
	kills, victims := 0, []string{"cli", "engine", "both"}
	commands := map[bool]string{true: "pause", false: "resume"}
	for n := range sizes.Pick(1, 100) {
		killed := false
		for _, after := range []bool{false, true} {
			for _, paused := range []bool{true, false} {
				if !p.kill(commands[paused], victims[kills/2%3], n+1, after) {
					p.requireEnd(paused)
					continue
				}
				kills++
				killed = true
				again := commands[paused]
				if kills%3 == 0 { // the file says what is wanted
					again = "up"
				}
				p.run(again)
				p.requireEnd(paused)
			}
		}
		if !killed {
			break
		}
	}
	for _, paused := range []bool{true, false} { // again and again
		for n := 1; p.kill(commands[paused], victims[n%3], n, n%2 == 0); n++ {
			kills++
		}
		p.requireEnd(paused)
	}
	require.GreaterOrEqual(t, kills, 8)
	t.Logf("%d runs were killed", kills)
	p.run("unchanged")
	p.run("drift")
	p.run("pause")
	p.run("destroy")
}

// What others set while nodes are paused stays, and is named, until the numbers of the file are taken back.
func TestNumbersThatOthersSetOnPausedPoolsAreKeptOnARealAPIServer(t *testing.T) {
	t.Parallel()
	p := newPausable(t)
	held := func() {
		t.Helper()
		for _, pool := range []string{"fixed", "scaled"} {
			replicas, scaling := p.cluster.size(pool)
			require.EqualValues(t, 2, replicas, pool)
			require.Empty(t, scaling, pool)
		}
	}
	const take = " --take cluster.hostedCluster.nodePools[0].replicas,cluster.hostedCluster.nodePools[1].replicas"
	for _, end := range []func(){
		func() { p.run("resume" + take) },
		func() {
			require.Contains(t, p.run("resume"), "is held by kubectl: 2; file: 3; it is left as it is")
			held()
			p.run("up" + take)
		},
		func() {
			p.run("pause" + take)
			p.requireEnd(true)
			p.run("resume")
		},
	} {
		p.run("pause")
		for _, pool := range []string{"fixed", "scaled"} {
			p.cluster.send(http.MethodPatch, poolsPath+"/"+pool+"?fieldManager=kubectl", map[string]any{
				"spec": map[string]any{"replicas": 2},
			})
		}
		require.Contains(t, p.run("up"), "is held by kubectl: 2")
		held()
		code, said := p.exit(p.dir, "pause")
		require.Equal(t, failure.Refused.ExitCode(), code, said)
		require.Contains(t, said, "nodePools[1].replicas: 2, set by kubectl")
		held()
		end()
		p.requireEnd(false)
		p.run("unchanged")
	}
}

// A colleague has the same backend, and the file as it was before the pause.
func TestAColleaguesRunLosesNoNumbersOnARealAPIServer(t *testing.T) {
	t.Parallel()
	p := newPausable(t)
	var code int
	var said string
	p.during("pause", func() { code, said = p.exit(p.dir, "resume") })
	require.Equal(t, failure.Conflict.ExitCode(), code, said)
	p.requireEnd(true)

	paused, err := os.ReadFile(p.file())
	require.NoError(t, err)
	colleague := func() { require.NoError(t, os.WriteFile(p.file(), []byte(p.text), 0o600)) }
	colleague()
	p.run("pause") // since another time: the pools stay as they are
	p.requireEnd(true)
	colleague()
	p.run("resume") // the file says it already
	p.requireEnd(false)
	require.NoError(t, os.WriteFile(p.file(), paused, 0o600))
	p.run("pause") // the file says it already
	p.requireEnd(true)
	p.run("resume")
	p.requireEnd(false)
	p.run("unchanged")
}
