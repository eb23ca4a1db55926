package test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/sweep"
)

// sequence is a directed sequence of commands, which a gate refuses. Each command is run after the model has been prepared.
type sequence struct {
	name string
	// gate is the gate, of an operation or of a sweep, without which the sequence harms a living cluster, "" if several refuse it.
	gate    string
	prepare func(*model)
	env     []string
	deletes []string
	args    []string
	// codes are the exit codes that the command may have.
	codes []int
	// says is in what the command prints, "" for any text.
	says string
}

func sequences() []sequence {
	sweepOf := func(infraID string, more ...string) []string {
		return append([]string{"sweep", "--infra-id", infraID, "--delete", "--yes", "--min-age", "0s"}, more...)
	}
	exchange := func(m *model) { m.exchange() }
	gone := func(m *model) { m.operators("blue", offline.Operators{Unreachable: true}) }
	return []sequence{
		{name: "destroy, the context selects a management cluster with an equal name", prepare: exchange,
			deletes: []string{"prod"}, args: []string{"-s", "prod", "destroy", "--yes", "--cluster", "demo"}, codes: []int{2}},
		{name: "fleet destroy, exchanged contexts", prepare: exchange,
			deletes: []string{"prod", "staging", "self"}, args: []string{"fleet", "destroy", "--yes", "--hosted-clusters"}, codes: []int{1, 2}},
		{name: "refresh, the context selects another management cluster", gate: "identity", prepare: exchange,
			args: []string{"-s", "self", "refresh", "--yes"}, codes: []int{2}},
		{name: "destroy of the network of a cluster that another tool applies", gate: "life",
			args: []string{"-s", "gitops", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy of the network of a cluster that another tool applies, with --cluster", gate: "life",
			args: []string{"-s", "gitops", "destroy", "--yes", "--cluster", "web"}, codes: []int{2}},
		{name: "destroy of the network of a stopped cluster", gate: "life", prepare: func(m *model) { m.stop(modelClusterOf("gitops")) },
			args: []string{"-s", "gitops", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy of the network of a cluster without nodes", gate: "life", prepare: func(m *model) { m.scaleToZero(modelClusterOf("gitops")) },
			args: []string{"-s", "gitops", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy where AWS denies a list", gate: "life", env: []string{`HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{lists: "aws:ec2/instance:Instance", code: UnauthorizedOperation}]}`},
			args: []string{"-s", "gitops", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy, the management cluster is said to be gone", gate: "life", prepare: gone,
			deletes: []string{}, args: []string{"-s", "prod", "destroy", "--yes", "--cluster", "demo", "--management-cluster-gone"}, codes: []int{2}},
		{name: "destroy of machines, the management cluster is said to be gone", gate: "life", prepare: gone,
			args: []string{"-s", "self", "destroy", "--yes", "--cluster", "mars", "--management-cluster-gone"}, codes: []int{2}},
		{name: "destroy without the cluster's name", gate: "consent", args: []string{"-s", "prod", "destroy", "--yes"}, codes: []int{2}},
		{name: "destroy without the Cluster's name", gate: "consent", args: []string{"-s", "self", "destroy", "--yes"}, codes: []int{2}},
		{name: "sweep of a cluster that is not in a state, exchanged contexts", prepare: exchange, args: sweepOf("gitops-x1"), codes: []int{0, 1}},
		{name: "sweep of a cluster made by another tool, without its management cluster", prepare: func(m *model) {
			m.scaleToZero(modelClusterOf("byhand"))
			for _, stack := range []string{"prod", "gitops", "self", "byhand"} {
				require.NoError(m.t, os.Remove(m.path("Pulumi."+stack+".yaml")))
			}
		}, args: sweepOf("byhand-x1"), codes: []int{0, 1}},
		{name: "sweep of a stopped cluster, exchanged contexts, with --running", prepare: func(m *model) {
			m.stop(modelClusterOf("prod"))
			m.onlyBlue()
			m.exchange()
		}, args: append([]string{"-s", "prod"}, sweepOf("prod-x1", "--running")...), codes: []int{0, 1, 2}},
		{name: "sweep of a cluster without nodes, exchanged contexts", prepare: func(m *model) {
			m.scaleToZero(modelClusterOf("prod"))
			m.onlyBlue()
			m.exchange()
		}, args: sweepOf("prod-x1"), codes: []int{0, 1, 2}},
		{name: "sweep, the management cluster is said to be gone", args: sweepOf("prod-x1", "--management-cluster-gone"), codes: []int{0, 1}},
		{name: "sweep of a cluster without nodes, the management cluster is said to be gone", prepare: func(m *model) { m.scaleToZero(modelClusterOf("staging")) },
			args: sweepOf("staging-x1", "--management-cluster-gone"), codes: []int{0, 1}},
		{name: "sweep of a cluster without nodes that another tool made", gate: "alive",
			prepare: func(m *model) { m.scaleToZero(modelClusterOf("byhand")) }, args: sweepOf("byhand-x1"), codes: []int{0, 1}},
		{name: "sweep of a cluster without nodes whose management cluster does not answer", gate: "unknown", prepare: func(m *model) {
			m.scaleToZero(modelClusterOf("byhand"))
			gone(m)
		}, args: sweepOf("byhand-x1"), codes: []int{0, 1}},
		{name: "sweep of a running cluster whose management cluster does not answer, with consent", gate: "running", prepare: gone,
			args: sweepOf("byhand-x1", "--destroy-under-living-cluster", "byhand-x1"), codes: []int{0, 1}},
		{name: "sweep of a cluster without nodes whose management cluster does not answer, with consent, while a stack has its network", gate: "stack",
			prepare: func(m *model) {
				m.scaleToZero(modelClusterOf("gitops"))
				gone(m)
				m.onlyInState("gitops")
			}, args: sweepOf("gitops-x1", "--destroy-under-living-cluster", "gitops-x1"), codes: []int{0, 1}},
		{name: "release, then destroy", prepare: func(m *model) { m.do(nil, nil, "-s", "prod", "release", "--yes") },
			deletes: []string{"prod"}, args: []string{"-s", "prod", "destroy", "--yes", "--cluster", "demo"}, codes: []int{0, 1, 2}},
		{name: "a state that was lost, and up", args: []string{"-s", "byhand", "up", "--yes"}, codes: []int{1, 2}, says: "adopt"},
		{name: "capa with a management cluster that does not answer", prepare: gone, args: []string{"-s", "self", "up", "--yes"}, codes: []int{1, 2}},
		{name: "a new capa stack with a management cluster that does not answer", prepare: func(m *model) {
			gone(m)
			m.write("venus", strings.ReplaceAll(modelFile(modelClusterOf("self"), ""), "mars", "venus"))
		}, args: []string{"-s", "venus", "up", "--yes"}, codes: []int{1, 2}},
		{name: "a new management stack with a management cluster that does not answer", prepare: func(m *model) {
			gone(m)
			m.write("other", strings.NewReplacer("model", "other", "hcp.", "other.").Replace(modelManagement))
		}, args: []string{"-s", "other", "up", "--yes"}, codes: []int{1, 2}},
		{name: "destroy of machines, the management cluster is said to be gone, and AWS denies a list", gate: "life", prepare: gone,
			env:  []string{`HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{lists: "aws:ec2/instance:Instance", code: UnauthorizedOperation}]}`},
			args: []string{"-s", "self", "destroy", "--yes", "--cluster", "mars", "--management-cluster-gone"}, codes: []int{2}},
		{name: "destroy that is killed at its first call", env: []string{`HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{call: 1, kill: cli, signal: KILL}]}`},
			args: []string{"-s", "prod", "destroy", "--yes"}, codes: []int{2}},
		{name: "another key of etcd", prepare: func(m *model) { m.writeEtcdKey("another key of thirty-two bytes!") },
			args: []string{"-s", "staging", "up", "--yes"}, codes: []int{1, 2}, says: "hypershift-aws:cluster.hostedCluster.etcdKey"},
		{name: "a KMS key for a cluster that has none", prepare: func(m *model) {
			m.edit("staging", "kmsKeyARN: none", "kmsKeyARN: "+kmsKeyARN)
			m.edit("staging", "      etcdKey: etcd.key\n", "")
		},
			args: []string{"-s", "staging", "up", "--yes"}, codes: []int{1, 2}, says: "hypershift-aws:cluster.kmsKeyARN"},
		{name: "no KMS key for a cluster that has one", prepare: func(m *model) { m.edit("prod", "    management:", "    kmsKeyARN: none\n    management:") },
			args: []string{"-s", "prod", "up", "--yes"}, codes: []int{1, 2}, says: "hypershift-aws:cluster.kmsKeyARN"},
		{name: "an older release", prepare: func(m *model) { m.edit("prod", "4.19.0", "4.18.0") },
			args: []string{"-s", "prod", "up", "--yes"}, codes: []int{1, 2}, says: "hypershift-aws:cluster.hostedCluster.release"},
		{name: "a management stack without the key of a cluster", gate: "inherited", prepare: func(m *model) { m.edit(inheritedStack, "    etcdKey: {alias: model}\n", "") },
			args: []string{"-s", inheritedStack, "up", "--yes"}, codes: []int{1, 2}, says: "prod"},
		{name: "a management stack with another domain", prepare: func(m *model) { m.edit(inheritedStack, "hcp.example.com", "example.com") },
			args: []string{"-s", inheritedStack, "up", "--yes"}, codes: []int{1, 2}, says: "prod"},
		{name: "a management stack with another bucket of issuers", prepare: func(m *model) { m.edit(inheritedStack, "model-oidc", "other-oidc") },
			args: []string{"-s", inheritedStack, "up", "--yes"}, codes: []int{1, 2}, says: "prod"},
		{name: "destroy of a management stack", args: []string{"-s", inheritedStack, "destroy", "--yes"}, codes: []int{2}, says: "prod"},
		{name: "destroy of a management stack, without the file of the cluster", prepare: func(m *model) {
			require.NoError(m.t, os.Remove(m.path("Pulumi.prod.yaml")))
		}, args: []string{"-s", inheritedStack, "destroy", "--yes"}, codes: []int{2}, says: "prod"},
		{name: "destroy of a management stack that no stack names, with other clusters in its management cluster", gate: "life", prepare: func(m *model) {
			require.NoError(m.t, os.Remove(m.path("Pulumi.prod.yaml")))
			require.NoError(m.t, os.Remove(m.stateFile("prod")))
			delete(m.objects, "prod") // its state is lost on purpose
		}, args: []string{"-s", inheritedStack, "destroy", "--yes"}, codes: []int{2}, says: "HostedCluster"},
		{name: "destroy of a management stack, after the release of the cluster", gate: "life", prepare: func(m *model) { m.do(nil, nil, "-s", "prod", "release", "--yes") },
			args: []string{"-s", inheritedStack, "destroy", "--yes"}, codes: []int{2}, says: "prod"},
		{name: "other zones for a cluster that another tool applies", gate: "guard", prepare: func(m *model) { m.edit("gitops", "[us-east-1a]", "[{name: us-east-1b, slot: 1}]") },
			args: []string{"-s", "gitops", "up", "--yes"}, codes: []int{1, 2}, says: "--allow"},
		{name: "other zones", prepare: func(m *model) { m.edit("prod", "us-east-1a", "us-east-1b") },
			args: []string{"-s", "prod", "up", "--yes"}, codes: []int{1, 2}, says: "--allow"},
	}
}

// edit replaces a text in a stack's file.
func (m *model) edit(stack, before, after string) {
	m.t.Helper()
	path := m.path("Pulumi." + stack + ".yaml")
	text, err := os.ReadFile(path)
	require.NoError(m.t, err)
	require.Contains(m.t, string(text), before)
	m.write(stack, strings.Replace(string(text), before, after, 1))
	m.log = append(m.log, fmt.Sprintf("the file of %s: %q becomes %q", stack, before, after))
}

// onlyInState leaves a living cluster what its stack's state has: consent to a sweep covers the rest.
func (m *model) onlyInState(stack string) {
	m.t.Helper()
	ids, _ := m.inState(stack)
	maps.DeleteFunc(m.holds[stack], func(key string, _ any) bool { return !ids[key] })
	require.Greater(m.t, len(m.holds[stack]), 30)
}

// onlyBlue removes the files of the stacks whose management cluster is green.
func (m *model) onlyBlue() {
	m.t.Helper()
	require.NoError(m.t, os.Remove(m.path("Pulumi.staging.yaml")))
}

func TestNoCommandHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	for _, s := range sequences() {
		t.Run(strings.ReplaceAll(s.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			m := newModel(t, dir)
			if s.prepare != nil {
				s.prepare(m)
			}
			before := madeIDs(t, m.offlineDir())
			stderr, code := m.do(s.deletes, s.env, s.args...)
			require.Contains(t, s.codes, code, stderr)
			require.Contains(t, stderr, s.says)
			require.NotContains(t, strings.ToLower(stderr), "delete it")
			if slices.Contains(s.codes, 0) {
				return
			}
			for id := range madeIDs(t, m.offlineDir()) {
				require.True(t, before[id], "%s was created", id)
			}
		})
	}
}

// protecting are the gates without which a command harms a living cluster. The others refuse what would fail, what was not reviewed, or what
// another gate refuses while a cluster is alive.
var protecting = []string{"identity", "life", "consent", "inherited", "guard"}

// protectingInSweep are those of a sweep. Its other gates hold what belongs to others, or what the options leave out.
var protectingInSweep = []sweep.Gate{sweep.GateAlive, sweep.GateUnknown, sweep.GateRunning, sweep.GateStack}

// For each protecting gate, a sequence that harms a living cluster as soon as the gate refuses nothing.
func TestWithoutAGateASequenceHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	var names []string
	for _, g := range gate.All() {
		if slices.Contains(protecting, g.Name) {
			names = append(names, g.Name)
		}
	}
	require.Len(t, names, len(protecting))
	for _, g := range protectingInSweep {
		names = append(names, string(g))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range sequences() {
				if s.gate != name {
					continue
				}
				m := newModel(t, dir)
				if s.prepare != nil {
					s.prepare(m)
				}
				stderr, _, mayDie := m.call(nil, append(slices.Clone(s.env), withoutGates+"="+name), s.args...)
				if len(m.harm(mayDie)) == 0 {
					t.Logf("%s: no harm without gate %s: %s", s.name, name, stderr)
					continue
				}
				t.Logf("without gate %s: %s", name, s.name)
				require.NotContains(t, stderr, "panic")
				return
			}
			require.Fail(t, "no sequence needs gate "+name)
		})
	}
}
