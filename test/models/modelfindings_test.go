package models

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/program"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// sweepTestsAlone are gates whose decisions package sweep tests: `make test` has sequences for the others.
var sweepTestsAlone = map[inventory.SweepGate]bool{
	inventory.GateTag: true, inventory.GateTwoClusters: true, inventory.GateInUse: true, inventory.GateRegion: true,
	inventory.GateAge:  true,
	inventory.GateKeep: true, inventory.GateData: true,
}

// alsoTested are sequences that several gates refuse, and another test of `make test` that has the refusal.
var alsoTested = map[string]string{
	"sweep of a cluster without nodes, exchanged contexts, the management cluster is said to be gone": "assertedgone.txtar",
	"sweep of a stopped cluster, exchanged contexts, with --running":                                  "TestEachGateRefusesItsResources",
	"sweep of a cluster without nodes, exchanged contexts":                                            "TestEachGateRefusesItsResources",
	"sweep, the management cluster is said to be gone":                                                "TestEachGateRefusesItsResources",
	"sweep of a cluster without nodes, the management cluster is said to be gone":                     "TestEachGateRefusesItsResources",
	"a new capa stack with a management cluster that does not answer":                                 "identity-kinds.txtar",
	"a new management stack with a management cluster that does not answer":                           "identity-kinds.txtar",
	"destroy that is killed at its first call":                                                        "destroy-interrupted.txtar",
	"a KMS key for a cluster that has none":                                                           "TestNoUpdateChangesTheKeyOrDowngradesTheReleaseOfAnExistingCluster",
	"no KMS key for a cluster that has one":                                                           "TestNoUpdateChangesTheKeyOrDowngradesTheReleaseOfAnExistingCluster",
	"an older release":                                                                                "TestNoUpdateChangesTheKeyOrDowngradesTheReleaseOfAnExistingCluster",
	"a management stack with another domain":                                                          "TestWhatAManagementStackGainsChangesOrLosesIsForNewClusters",
	"a management stack with another bucket of issuers":                                               "TestWhatAManagementStackGainsChangesOrLosesIsForNewClusters",
	"other zones": "TestTheProgramRefusesToReplaceOrDeleteWhatAClusterDependsOn",
}

// prepared returns a model in which the sequence can be played.
func (s sequence) prepared(t *testing.T, dir string) *model {
	t.Helper()
	m := newModel(t, dir)
	if s.prepare != nil {
		s.prepare(m)
	}
	return m
}

// play runs the sequence without a gate, "" for none left out, and returns what the command said and how it ended.
func (s sequence) play(m *model, without string) (stderr string, code int, mayDie map[string]bool) {
	m.t.Helper()
	if s.run != nil {
		err := s.run(m, without)
		return fmt.Sprint(err), map[automation.Reason]int{automation.Refused: 2}[automation.ReasonOf(err)], nil
	}
	deletes := s.deletes
	if without != "" {
		deletes = nil
	}
	stderr, code, mayDie = m.call(deletes, append(slices.Clone(s.env), program.WithoutGates+"="+without), s.args...)
	return m.stdout + stderr, code, mayDie
}

func TestNoCommandHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	tried := map[string]bool{}
	for _, s := range sequences() {
		elsewhere := alsoTested[s.name] != "" || s.otherwise != "" || sweepTestsAlone[inventory.SweepGate(s.gate)]
		if !sizes.All() && (elsewhere || s.gate != "" && tried[s.gate]) {
			continue // one sequence shows that the gate is asked
		}
		tried[s.gate] = true
		t.Run(strings.ReplaceAll(s.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			m := s.prepared(t, dir)
			before := harness.MadeIDs(t, m.offlineDir())
			stderr, code, mayDie := s.play(m, "")
			m.look(mayDie)
			require.Contains(t, s.codes, code, stderr)
			require.Contains(t, stderr, s.says)
			require.NotContains(t, strings.ToLower(stderr), "delete it")
			if slices.Contains(s.codes, 0) {
				return
			}
			for id := range harness.MadeIDs(t, m.offlineDir()) {
				require.True(t, before[id], "%s was created", id)
			}
		})
	}
}

// gateNames returns the names of all gates, of operations and of sweeps: first those of operations that alone keep
// living clusters from harm.
func gateNames(all []sequence) (names []string, alone int) {
	var others []string
	for _, g := range automation.Gates() {
		if slices.ContainsFunc(all, func(s sequence) bool { return s.gate == g.Name && s.otherwise == "" }) {
			names = append(names, g.Name)
		} else {
			others = append(others, g.Name)
		}
	}
	alone = len(names)
	for _, g := range sweep.Gates() {
		others = append(others, string(g))
	}
	return append(names, others...), alone
}

func TestEachGateHasASequenceThatNeedsIt(t *testing.T) {
	t.Parallel()
	all := sequences()
	names, _ := gateNames(all)
	for _, name := range names {
		require.True(t, slices.ContainsFunc(all, func(s sequence) bool {
			return s.gate == name
		}), "no sequence needs gate %s", name)
	}
}

// For each gate, a sequence that harms a living cluster as soon as the gate refuses nothing, or that ends in another
// way, where something else keeps the clusters from harm.
func TestWithoutAGateASequenceHarmsALivingCluster(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	all := sequences()
	names, alone := gateNames(all)
	for _, name := range sizes.First(alone, names) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range all {
				if s.gate != name {
					continue
				}
				m := s.prepared(t, dir)
				stderr, code, mayDie := s.play(m, name)
				harm := m.harm(mayDie)
				if s.otherwise != "" {
					require.Empty(t, harm, "%s does not hold", s.otherwise)
				}
				if len(harm) == 0 && (s.otherwise == "" || slices.Contains(s.codes, code) && strings.Contains(stderr, s.says)) {
					t.Logf("%s: the same without gate %s: %s", s.name, name, stderr)
					continue
				}
				t.Logf("without gate %s: %s: %d %s", name, s.name, code, stderr)
				require.NotContains(t, stderr, "panic")
				return
			}
			require.Fail(t, "no sequence needs gate "+name)
		})
	}
}
