package pods_test

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
	"github.com/hypershift-aws/hypershift-aws/test/cloudstate"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/podstack"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// A journal beside the state is enough: each pod begins without a file of the former one.
func TestAKilledPodIsRecoveredByTheNext(t *testing.T) {
	t.Parallel()
	undisturbed := podstack.New(t, "", func(*podstack.Stack) {})
	require.True(t, undisturbed.Finish())
	undisturbed.RequireTrue()
	require.Empty(t, undisturbed.Marks())
	want := undisturbed.Graph()

	recoversAfterKills(t, podSeeds(3, 50), want, podstack.New)
}

// The journal is found beside a state in a bucket as well.
func TestAKilledPodWithItsStateInABucketIsRecoveredByTheNextThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	cloud := cloudstate.NewBucket(t)
	undisturbed := podstack.NewInBucket(t, cloud, "undisturbed", "", func(*podstack.Stack) {})
	require.True(t, undisturbed.Finish())
	require.Empty(t, undisturbed.Marks())
	undisturbed.RequireTrue()

	recoversAfterKills(t, podSeeds(4, 25), undisturbed.Graph(),
		func(t *testing.T, rehearsal string, kill func(*podstack.Stack)) *podstack.Stack {
			t.Helper()
			return podstack.NewInBucket(t, cloud, path.Base(t.Name()), rehearsal, kill)
		})
}

// podSeeds returns the seeds from small to small+all, in which are all victims, or small alone. `make test` kills a pod
// whose state is in a folder, and an engine whose state is in a bucket.
func podSeeds(small, all uint64) []uint64 {
	seeds := []uint64{small}
	for seed := small + 1; seed < sizes.Pick(small, small+all); seed++ {
		seeds = append(seeds, seed)
	}
	return seeds
}

// recoversAfterKills kills during a call of each stack's update, and requires that the next pod ends it as one that was
// not disturbed, or at candidates.
func recoversAfterKills(
	t *testing.T,
	seeds []uint64,
	want map[string]string,
	start func(*testing.T, string, func(*podstack.Stack)) *podstack.Stack,
) {
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
			s := start(t, rehearsal, func(s *podstack.Stack) {
				killed.Store(true)
				s.Kill(victim)
			})
			stderr, code := s.Update()
			require.True(t, killed.Load(), "the update has no such call")
			require.NotZero(t, code, stderr)
			t.Logf("the killed update: code %d %s", code, strings.TrimSpace(stderr))
			if victim == "pod" {
				s.NewPod()
				if moved {
					s.Elsewhere()
				}
			}
			if !s.Finish() {
				stopped.Add(1)
				return
			}
			require.Empty(t, s.Marks())
			require.Empty(t, harness.Differences(want, s.Graph()), "the end state")
			s.RequireTrue()
		})
	}
}

func TestADestroyInAPodAsksTheGatesAndDeletesTheClusterFirst(t *testing.T) {
	t.Parallel()
	s := podstack.New(t, "", func(*podstack.Stack) {})
	text := stackfile.WithHostedCluster(t, "").String()
	s.Configure(text)
	s.Run("--offline", "up", "--yes")
	before := s.State()

	s.NewPod()
	stderr, code := s.Operate("destroy")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "destroy of stack test deletes the cluster demo")
	require.Contains(t, stderr, "set `unprotected: true`")
	require.Equal(t, before, s.State(), "nothing was deleted")
	require.Empty(t, s.Marks())

	s.Configure(stackfile.Unprotected(text))
	s.NewPod()
	stderr, code = s.Operate("destroy one")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "deletes stack test as a whole, its cluster first")
	require.Equal(t, before, s.State(), "the cluster lives")

	stderr, code = s.Operate("destroy")
	require.Zero(t, code, stderr)
	require.Empty(t, s.State())
	require.Empty(t, harness.MadeIn(t, s.OfflineDir()), "what its operators created is swept")
	require.Empty(t, s.Marks())
}

// The operator configures the secrets provider in the pod that creates a stack. The objects have later pods read it
// from the state.
func TestALaterPodEncryptsTheStateAsTheFirstOne(t *testing.T) {
	t.Parallel()
	files, err := pko.Render([]pko.Stack{{Name: "test", Text: []byte("config: {}")}}, pko.Options{
		Image: "image", RoleARN: "role", Backend: "s3://states", SecretsProvider: transit.Provider,
	})
	require.NoError(t, err)
	template := files[1].Objects[0]["spec"].(map[string]any)["workspaceTemplate"].(map[string]any)["spec"].(map[string]any)
	s := podstack.New(t, "", func(*podstack.Stack) {})
	for _, variable := range template["env"].([]any) {
		v := variable.(map[string]any)
		s.Env = append(s.Env, v["name"].(string)+"="+v["value"].(string))
	}
	provider := func() string {
		text, err := os.ReadFile(filepath.Join(s.OfflineDir(), "state", ".pulumi", "stacks", "hypershift-aws", "test.json"))
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
	require.True(t, s.Finish())
	require.Equal(t, transit.Provider, provider())
	s.Change()
	s.NewPod()
	stderr, code := s.Update()
	require.Zero(t, code, stderr)
	require.Equal(t, transit.Provider, provider())
}

func TestARefusedUpdateInAPodIsAllowedByTheStacksFile(t *testing.T) {
	t.Parallel()
	s := podstack.New(t, "", func(*podstack.Stack) {})
	text := func(zones int) string {
		return stackfile.Cluster{Access: hypershift.Public, NAT: network.PerZone, Zones: stackfile.ZoneNames(zones)}.String()
	}
	s.Configure(text(2))
	s.NewPod()
	require.True(t, s.Finish())
	before := s.State()

	s.Configure(text(1))
	s.NewPod()
	stderr, code := s.Update()
	require.Equal(t, 1, code, stderr)
	require.Equal(t, before, s.State())
	_, allow, found := strings.Cut(stderr, "valid while the stack has resources with these IDs:\n\n")
	require.True(t, found, stderr)
	lines := regexp.MustCompile(`(?m)^  (hypershift-aws:allow:|  - \{name: .*\})\n`).FindAllString(allow, -1)
	require.Greater(t, len(lines), 1, stderr)

	s.Configure(text(1) + strings.Join(lines, ""))
	s.NewPod()
	stderr, code = s.Update()
	require.Zero(t, code, stderr)
	require.NotEqual(t, before, s.State())
}

// The engine of the operator may be told to read AWS first, by the project or by a flag. The gates are asked before
// that engine runs.
func TestAnUpdateInAPodThatReadsAWSFirstAsksTheGates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ operation, project string }{
		"flag":    {"up refresh", ""},
		"project": {"up", "options: {refresh: always}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := podstack.New(t, "", func(*podstack.Stack) {})
			refused := append(s.Env, "HYPERSHIFT_AWS_OFFLINE_FAULTS={quotas: {vpcs: 0}}") //nolint:gocritic // a second environment
			allowed := s.Env
			s.Env = refused
			s.WriteFile("Pulumi.yaml", "name: hypershift-aws\nruntime: hypershift-aws\n"+c.project)
			stderr, code := s.Operate(c.operation)
			require.Equal(t, 1, code, stderr)
			require.Contains(t, stderr, "VPCs per region")
			require.Empty(t, harness.MadeIn(t, s.OfflineDir()))

			s.Env = allowed
			stderr, code = s.Operate(c.operation)
			require.Zero(t, code, stderr)
			made := harness.MadeIn(t, s.OfflineDir())
			require.NotEmpty(t, made)
			stderr, code = s.Operate(c.operation)
			require.Zero(t, code, stderr)
			require.Equal(t, made, harness.MadeIn(t, s.OfflineDir()))
		})
	}
}

// The engine of the operator is limited to the plan that the gates have judged.
func TestTheEngineOfAPodDoesWhatTheGatesJudgedAndNothingElse(t *testing.T) {
	t.Parallel()
	s := podstack.New(t, "", func(*podstack.Stack) {})
	stderr, code := s.Update()
	require.Zero(t, code, stderr)
	before := s.State()

	stderr, code = s.Operate("up replace")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "--replace and --target-replace are for others; nothing was changed")
	require.Equal(t, before, s.State())

	text, err := os.ReadFile(filepath.Join(s.Dir, "Pulumi.test.yaml"))
	require.NoError(t, err)
	other := strings.Replace(string(text), "team: platform", "team: other", 1)
	require.NotEqual(t, string(text), other)
	s.WriteFile("other.yaml", other)
	stderr, code = s.Operate("up other file")
	require.NotZero(t, code, "%s\n%s", stderr, other)
	require.Contains(t, stderr, "violates")
	require.Equal(t, before, s.State())
}

func TestAnUpdateInAPodComparesQuotasUnlessThatIsSkipped(t *testing.T) {
	t.Parallel()
	s := podstack.New(t, "", func(*podstack.Stack) {})
	// for what the program in front reads, not for the engine's account
	s.Env = append(s.Env, "HYPERSHIFT_AWS_OFFLINE_FAULTS={quotas: {vpcs: 0}}")
	stderr, code := s.Update()
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "VPCs per region")
	require.Empty(t, harness.MadeIn(t, s.OfflineDir()))
	require.Empty(t, s.Marks())

	s.Env = append(s.Env, pulumishim.SkipPreflight+"=true")
	s.NewPod()
	stderr, code = s.Update()
	require.Zero(t, code, stderr)
	require.NotEmpty(t, harness.MadeIn(t, s.OfflineDir()))
}

func TestAPreviewInAPodFailsWithAllThatWouldRefuseTheUpdate(t *testing.T) {
	t.Parallel()
	s := podstack.New(t, "", func(*podstack.Stack) {})
	text := func(zones int) string {
		return stackfile.Cluster{Access: hypershift.Public, NAT: network.PerZone, Zones: stackfile.ZoneNames(zones)}.String()
	}
	s.Configure(text(2))
	s.NewPod()
	require.True(t, s.Finish())
	state, account := s.State(), harness.MadeIn(t, s.OfflineDir())
	// for what the program in front reads, not for the engine's account
	full := "HYPERSHIFT_AWS_OFFLINE_FAULTS={quotas: {natGatewaysPerZone: 0}}"
	environ := s.Env
	for name, c := range sizes.Only(t, map[string]struct {
		zones int
		env   []string
		says  []string
	}{
		"an ordinary change": {3, nil, nil},
		"the program's own refusal": {1, nil,
			[]string{"gate guard: this plan replaces or deletes", "network-nat-us-east-1b would be deleted",
				"hypershift-aws:allow:"}},
		"a refusal of another gate":   {3, []string{full}, []string{"gate quotas: ", "NAT gateways per zone"}},
		"the same, which is left out": {3, []string{full, pulumishim.SkipPreflight + "=true"}, nil},
	}, "the program's own refusal", "a refusal of another gate", "the same, which is left out") {
		s.Configure(text(c.zones))
		s.Env = slices.Concat(environ, c.env)
		s.NewPod()
		output, code := s.Operate("preview")
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
		require.Equal(t, state, s.State(), name)
		require.Equal(t, account, harness.MadeIn(t, s.OfflineDir()), name)
		require.Empty(t, s.Marks(), name)
	}
}

func TestTheEnvironmentOfAPodDecidesBetweenCandidates(t *testing.T) {
	t.Parallel()
	s := podstack.New(t, `{faults: [{creates: "aws:ec2/vpc:Vpc", kill: engine, when: after}]}`, func(s *podstack.Stack) { s.Kill("pod") })
	s.Env = append(s.Env, "PULUMI_PARALLEL=1")
	_, code := s.Update()
	require.NotZero(t, code)
	for _, path := range s.Marks() {
		if filepath.Base(path) == "under-way.jsonl" {
			require.NoError(t, os.Remove(path)) // without the journal nothing proves that the VPC is the stack's
		}
	}
	account := harness.MadeIn(t, s.OfflineDir())
	refused := func() string {
		t.Helper()
		s.NewPod()
		stderr, code := s.Update()
		require.Equal(t, 1, code, stderr)
		require.Contains(t, stderr, "for a run in a pod, set "+pulumishim.Take+"=ID in its environment")
		require.Equal(t, account, harness.MadeIn(t, s.OfflineDir()))
		return stderr
	}
	candidate := regexp.MustCompile("VPC network-vpc: (vpc-[0-9a-f]+)").FindStringSubmatch(refused())
	require.Len(t, candidate, 2)
	if s.Env = append(s.Env, pulumishim.Take+"=vpc-0"); sizes.All() {
		refused()
	}

	s.Env = append(s.Env, pulumishim.Take+"=vpc-0,"+candidate[1])
	s.NewPod()
	stderr, code := s.Update()
	require.Zero(t, code, stderr)
	require.Equal(t, candidate[1], s.IDOf("Vpc", "network-vpc"))
	s.RequireTrue()
	s.NewPod()
	stderr, code = s.Update()
	require.Zero(t, code, "IDs that are no candidates any more: %s", stderr)
}
