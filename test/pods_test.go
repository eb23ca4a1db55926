package test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pko"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pulumishim"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// A journal beside the state is enough: each pod begins without a file of the former one.
func TestAKilledPodIsRecoveredByTheNext(t *testing.T) {
	t.Parallel()
	undisturbed := newPodStack(t, "", func(*podStack) {})
	require.True(t, undisturbed.finish())
	undisturbed.requireTrue()
	require.Empty(t, undisturbed.marks())
	want := undisturbed.graph()

	recoversAfterKills(t, podSeeds(3, 50), want, newPodStack)
}

// The journal is found beside a state in a bucket as well.
func TestAKilledPodWithItsStateInABucketIsRecoveredByTheNextThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud := newCloudState(t)
	undisturbed := newCloudPodStack(t, cloud, "undisturbed", "", func(*podStack) {})
	require.True(t, undisturbed.finish())
	require.Empty(t, undisturbed.marks())
	undisturbed.requireTrue()

	recoversAfterKills(t, podSeeds(4, 25), undisturbed.graph(), func(t *testing.T, rehearsal string, kill func(*podStack)) *podStack {
		t.Helper()
		return newCloudPodStack(t, cloud, path.Base(t.Name()), rehearsal, kill)
	})
}

// podSeeds returns the seeds from small to small+all, in which are all victims, or small alone. `make test` kills a pod whose state is in a folder, and
// an engine whose state is in a bucket.
func podSeeds(small, all uint64) []uint64 {
	seeds := []uint64{small}
	for seed := small + 1; seed < sizes.Pick(small, small+all); seed++ {
		seeds = append(seeds, seed)
	}
	return seeds
}

// recoversAfterKills kills during a call of each stack's update, and requires that the next pod ends it as one that was not disturbed, or at candidates.
func recoversAfterKills(t *testing.T, seeds []uint64, want map[string]string, start func(*testing.T, string, func(*podStack)) *podStack) {
	t.Helper()
	var stopped atomic.Int32
	t.Cleanup(func() { t.Logf("%d seeds, of which %d stopped at candidates", len(seeds), stopped.Load()) })
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // not for secrets
		victim := []string{"engine", "front", "agent", "pod"}[seed%4]
		call, when, moved := 1+r.IntN(len(want)), []string{"before", "after"}[r.IntN(2)], r.IntN(2) == 0
		t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("again: %s: the %s is killed %s call %d; on another machine: %t", sizes.Again(t), victim, when, call, moved)
			rehearsal := fmt.Sprintf("{scale: 0.0005, faults: [{call: %d, kill: engine, when: %s}]}", call, when)
			var killed atomic.Bool
			s := start(t, rehearsal, func(s *podStack) {
				killed.Store(true)
				s.kill(victim)
			})
			stderr, code := s.update()
			require.True(t, killed.Load(), "the update has no such call")
			require.NotZero(t, code, stderr)
			t.Logf("the killed update: code %d %s", code, strings.TrimSpace(stderr))
			if victim == "pod" {
				s.newPod()
				if moved {
					s.elsewhere()
				}
			}
			if !s.finish() {
				stopped.Add(1)
				return
			}
			require.Empty(t, s.marks())
			require.Empty(t, differences(want, s.graph()), "the end state")
			s.requireTrue()
		})
	}
}

func TestADestroyInAPodAsksTheGatesAndDeletesTheClusterFirst(t *testing.T) {
	t.Parallel()
	s := newPodStack(t, "", func(*podStack) {})
	text := withHostedCluster(t, "").String()
	s.configure(text)
	s.run("--offline", "up", "--yes")
	before := s.state()

	s.newPod()
	stderr, code := s.operate("destroy")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "destroy of stack test deletes the cluster demo")
	require.Contains(t, stderr, "set `unprotected: true`")
	require.Equal(t, before, s.state(), "nothing was deleted")
	require.Empty(t, s.marks())

	s.configure(unprotected(text))
	s.newPod()
	stderr, code = s.operate("destroy one")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "deletes stack test as a whole, its cluster first")
	require.Equal(t, before, s.state(), "the cluster lives")

	stderr, code = s.operate("destroy")
	require.Zero(t, code, stderr)
	require.Empty(t, s.state())
	require.Empty(t, madeIn(t, s.offlineDir()), "what its operators created is swept")
	require.Empty(t, s.marks())
}

// The operator configures the secrets provider in the pod that creates a stack. The objects have later pods read it from the state.
func TestALaterPodEncryptsTheStateAsTheFirstOne(t *testing.T) {
	t.Parallel()
	files, err := pko.Render([]pko.Stack{{Name: "test", Text: []byte("config: {}")}}, pko.Options{
		Image: "image", RoleARN: "role", Backend: "s3://states", SecretsProvider: transit.Provider,
	})
	require.NoError(t, err)
	template := files[1].Objects[0]["spec"].(map[string]any)["workspaceTemplate"].(map[string]any)["spec"].(map[string]any)
	s := newPodStack(t, "", func(*podStack) {})
	for _, variable := range template["env"].([]any) {
		v := variable.(map[string]any)
		s.env = append(s.env, v["name"].(string)+"="+v["value"].(string))
	}
	provider := func() string {
		text, err := os.ReadFile(filepath.Join(s.offlineDir(), "state", ".pulumi", "stacks", "hypershift-aws", "test.json"))
		require.NoError(t, err)
		var file struct {
			Checkpoint struct {
				Latest struct {
					Secrets struct{ State map[string]any } `json:"secrets_providers"`
				}
			}
		}
		require.NoError(t, json.Unmarshal(text, &file))
		url, _ := file.Checkpoint.Latest.Secrets.State["url"].(string)
		return url
	}
	require.True(t, s.finish())
	require.Equal(t, transit.Provider, provider())
	s.change()
	s.newPod()
	stderr, code := s.update()
	require.Zero(t, code, stderr)
	require.Equal(t, transit.Provider, provider())
}

func TestARefusedUpdateInAPodIsAllowedByTheStacksFile(t *testing.T) {
	t.Parallel()
	s := newPodStack(t, "", func(*podStack) {})
	text := func(zones int) string {
		return clusterConfig{access: hypershift.Public, nat: network.PerZone, zones: zoneNames(zones)}.String()
	}
	s.configure(text(2))
	s.newPod()
	require.True(t, s.finish())
	before := s.state()

	s.configure(text(1))
	s.newPod()
	stderr, code := s.update()
	require.Equal(t, 1, code, stderr)
	require.Equal(t, before, s.state())
	_, allow, found := strings.Cut(stderr, "valid while the stack has resources with these IDs:\n\n")
	require.True(t, found, stderr)
	lines := regexp.MustCompile(`(?m)^  (hypershift-aws:allow:|  - \{name: .*\})\n`).FindAllString(allow, -1)
	require.Greater(t, len(lines), 1, stderr)

	s.configure(text(1) + strings.Join(lines, ""))
	s.newPod()
	stderr, code = s.update()
	require.Zero(t, code, stderr)
	require.NotEqual(t, before, s.state())
}

func TestAnUpdateInAPodComparesQuotasUnlessThatIsSkipped(t *testing.T) {
	t.Parallel()
	s := newPodStack(t, "", func(*podStack) {})
	s.env = append(s.env, "HYPERSHIFT_AWS_OFFLINE_FAULTS={quotas: {vpcs: 0}}") // for what the program in front reads, not for the engine's account
	stderr, code := s.update()
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "VPCs per region")
	require.Empty(t, madeIn(t, s.offlineDir()))
	require.Empty(t, s.marks())

	s.env = append(s.env, pulumishim.SkipPreflight+"=true")
	s.newPod()
	stderr, code = s.update()
	require.Zero(t, code, stderr)
	require.NotEmpty(t, madeIn(t, s.offlineDir()))
}

func TestAPreviewInAPodFailsWithAllThatWouldRefuseTheUpdate(t *testing.T) {
	t.Parallel()
	s := newPodStack(t, "", func(*podStack) {})
	text := func(zones int) string {
		return clusterConfig{access: hypershift.Public, nat: network.PerZone, zones: zoneNames(zones)}.String()
	}
	s.configure(text(2))
	s.newPod()
	require.True(t, s.finish())
	state, account := s.state(), madeIn(t, s.offlineDir())
	full := "HYPERSHIFT_AWS_OFFLINE_FAULTS={quotas: {natGatewaysPerZone: 0}}" // for what the program in front reads, not for the engine's account
	environ := s.env
	for name, c := range sizes.Only(t, map[string]struct {
		zones int
		env   []string
		says  []string
	}{
		"an ordinary change":          {3, nil, nil},
		"the program's own refusal":   {1, nil, []string{"gate guard: this plan replaces or deletes", "network-nat-us-east-1b would be deleted", "hypershift-aws:allow:"}},
		"a refusal of another gate":   {3, []string{full}, []string{"gate quotas: ", "NAT gateways per zone"}},
		"the same, which is left out": {3, []string{full, pulumishim.SkipPreflight + "=true"}, nil},
	}, "the program's own refusal", "a refusal of another gate", "the same, which is left out") {
		s.configure(text(c.zones))
		s.env = slices.Concat(environ, c.env)
		s.newPod()
		output, code := s.operate("preview")
		if len(c.says) == 0 {
			require.Zero(t, code, "%s: %s", name, output)
			require.Contains(t, output, "network-nat-us-east-1c", "%s: the engine's preview", name)
			require.Contains(t, output, "hypershift-aws: fixed cost: ", name)
		} else {
			require.Equal(t, 1, code, "%s: %s", name, output)
			require.Contains(t, output, "an update of stack test would be refused", name)
		}
		for _, part := range c.says {
			require.Contains(t, output, part, name)
		}
		require.Equal(t, state, s.state(), name)
		require.Equal(t, account, madeIn(t, s.offlineDir()), name)
		require.Empty(t, s.marks(), name)
	}
}

func TestTheEnvironmentOfAPodDecidesBetweenCandidates(t *testing.T) {
	t.Parallel()
	s := newPodStack(t, `{faults: [{creates: "aws:ec2/vpc:Vpc", kill: engine, when: after}]}`, func(s *podStack) { s.kill("pod") })
	s.env = append(s.env, "PULUMI_PARALLEL=1")
	_, code := s.update()
	require.NotZero(t, code)
	for _, path := range s.marks() {
		if filepath.Base(path) == "under-way.jsonl" {
			require.NoError(t, os.Remove(path)) // without the journal nothing proves that the VPC is the stack's
		}
	}
	account := madeIn(t, s.offlineDir())
	refused := func() string {
		t.Helper()
		s.newPod()
		stderr, code := s.update()
		require.Equal(t, 1, code, stderr)
		require.Contains(t, stderr, "for a run in a pod, set "+pulumishim.Take+"=ID in its environment")
		require.Equal(t, account, madeIn(t, s.offlineDir()))
		return stderr
	}
	candidate := regexp.MustCompile("VPC network-vpc: (vpc-[0-9a-f]+)").FindStringSubmatch(refused())
	require.Len(t, candidate, 2)
	if s.env = append(s.env, pulumishim.Take+"=vpc-0"); sizes.All() {
		refused()
	}

	s.env = append(s.env, pulumishim.Take+"=vpc-0,"+candidate[1])
	s.newPod()
	stderr, code := s.update()
	require.Zero(t, code, stderr)
	require.Equal(t, candidate[1], s.idOf("Vpc", "network-vpc"))
	s.requireTrue()
	s.newPod()
	stderr, code = s.update()
	require.Zero(t, code, "IDs that are no candidates any more: %s", stderr)
}
