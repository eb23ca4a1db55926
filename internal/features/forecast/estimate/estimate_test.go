package estimate

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

// creations returns the steps that make the resources of a recorded state.
func creations(t *testing.T, name string) []forecast.Step {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "picture", "testdata", "states", name+".json"))
	require.NoError(t, err)
	var resources []apitype.ResourceV3
	require.NoError(t, json.Unmarshal(text, &resources))
	var steps []forecast.Step
	for _, r := range resources {
		if r.Custom {
			s := forecast.Step{URN: string(r.URN), Type: string(r.Type), Op: forecast.Create}
			for _, on := range r.Dependencies {
				s.DependsOn = append(s.DependsOn, string(on))
			}
			steps = append(steps, s)
		}
	}
	return steps
}

func lastOf(token string) string {
	for i := len(token) - 1; i >= 0; i-- {
		if token[i] == ':' {
			return token[i+1:]
		}
	}
	return token
}

func TestThreeZonesTakeAsLongAsThePathToTheNATGateways(t *testing.T) {
	t.Parallel()
	e := Schedule(creations(t, "public-and-private"), Typical, 0)
	assert.Equal(t, 124*time.Second, e.Total) // 15 + 1 + 1 + 106 + 1
	assert.Equal(t, "about 2 min: Vpc, RouteTable, Route, NatGateway, Route", Text(e, lastOf))
}

func TestAClusterOfCAPATakesAsLongAsThePathToItsObjects(t *testing.T) {
	t.Parallel()
	e := Schedule(creations(t, "capa-private"), Typical, 0)
	assert.Equal(t, "about 2 min 10 s: Vpc, InternetGateway, Route, NatGateway, Route, KubeadmConfigTemplate, Cluster", Text(e, lastOf))
	assert.Less(t, Schedule(creations(t, "capa-public"), Typical, 0).Total, time.Minute, "it has no NAT gateway")
	// Its 21 rules of security groups wait for each other. Measured on two processors, with eight operations at once: 21.6
	// s.
	assert.Equal(t, 22*time.Second, Schedule(creations(t, "capa-public"), Typical, 8).Total)
	assert.Equal(t, 20*time.Second, Schedule(creations(t, "capa-public"), Typical, 16).Total)
}

func TestDestroyingIsInReverseOrder(t *testing.T) {
	t.Parallel()
	steps := creations(t, "public-and-private")
	for i := range steps {
		steps[i].Op = forecast.Delete
	}
	e := Schedule(steps, Typical, 0)
	assert.Equal(t, "aws:ec2/vpc:Vpc", e.Chain[len(e.Chain)-1].Type)
	assert.Greater(t, e.Total, 60*time.Second)
}

func TestDeletionsBeginWhenAllElseIsDone(t *testing.T) {
	t.Parallel()
	steps := []forecast.Step{{URN: "old", Op: forecast.Delete}, {URN: "new", Op: forecast.Create}}
	e := Schedule(steps, func(forecast.Op, string) float64 { return 10 }, 0)
	assert.Equal(t, 20*time.Second, e.Total)
	assert.Equal(t, []forecast.Step{{URN: "new", Op: forecast.Create}, {URN: "old", Op: forecast.Delete}}, e.Chain)
}

func TestNothingToDoTakesNoTime(t *testing.T) {
	t.Parallel()
	assert.Empty(t, Text(Schedule(nil, Typical, 8), lastOf))
}

// TestALimitOfOperationsNeverShortensTheTime compares any graph with two bounds that no schedule can beat: the longest
// chain, and the whole work shared by all workers.
func TestALimitOfOperationsNeverShortensTheTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // test data
	for range 200 {
		var steps []forecast.Step
		work := 0.0
		seconds := map[string]float64{}
		for i := range 1 + random.IntN(40) {
			s := forecast.Step{URN: strconv.Itoa(i), Type: strconv.Itoa(i), Op: forecast.Create}
			seconds[s.Type] = float64(1 + random.IntN(20))
			work += seconds[s.Type]
			for on := range i {
				if random.IntN(6) == 0 {
					s.DependsOn = append(s.DependsOn, strconv.Itoa(on))
				}
			}
			steps = append(steps, s)
		}
		of := func(_ forecast.Op, token string) float64 { return seconds[token] }
		free := Schedule(steps, of, 0)
		sum := time.Duration(0)
		for _, s := range free.Chain {
			sum += fromSeconds(seconds[s.Type])
		}
		require.Equal(t, free.Total, sum, "without a bound the chain takes the whole time")
		for _, parallel := range []int{1, 2, 8} {
			bound := Schedule(steps, of, parallel)
			require.GreaterOrEqual(t, bound.Total,
				max(free.Total, fromSeconds(work/float64(parallel)).Truncate(time.Millisecond)))
			require.LessOrEqual(t, bound.Total, fromSeconds(work))
		}
	}
}

func TestTheRemainingTimeShrinksAsStepsEnd(t *testing.T) {
	t.Parallel()
	steps := []forecast.Step{
		{URN: "vpc", Type: "aws:ec2/vpc:Vpc", Op: forecast.Create},
		{URN: "nat", Type: "aws:ec2/natGateway:NatGateway", Op: forecast.Create, DependsOn: []string{"vpc"}},
	}
	tracker := NewTracker(steps, Typical, 8)
	start := time.Unix(0, 0)
	assert.Equal(t, 121*time.Second, tracker.Left(start))
	tracker.begin(forecast.Create, "vpc", start)
	assert.Equal(t, 116*time.Second, tracker.Left(start.Add(5*time.Second)))
	tracker.end(forecast.Create, "vpc")
	tracker.begin(forecast.Create, "nat", start.Add(20*time.Second))
	assert.Equal(t, 96*time.Second, tracker.Left(start.Add(30*time.Second)))
	assert.Zero(t, tracker.Left(start.Add(time.Hour)), "one that takes longer than usual is about to end")
	tracker.end(forecast.Create, "nat")
	assert.Zero(t, tracker.Left(start.Add(31*time.Second)))
}

func TestAReplacedResourceCountsOnceAndIsDoneAtItsEnd(t *testing.T) {
	t.Parallel()
	tracker := NewTracker([]forecast.Step{
		{URN: "vpc", Op: forecast.Create}, {URN: "vpc", Op: forecast.Delete},
		{URN: "subnet", Op: forecast.Create, DependsOn: []string{"vpc"}},
		{URN: "nat", Op: forecast.Create, DependsOn: []string{"subnet"}},
		{URN: "old-subnet", Op: forecast.Delete, DependsOn: []string{"vpc"}},
	}, Typical, 8)
	count := func() [3]int { done, running, all := tracker.Count(); return [3]int{done, running, all} }
	assert.Equal(t, [3]int{0, 0, 4}, count())
	tracker.begin(forecast.Create, "vpc", time.Unix(0, 0))
	assert.Equal(t, [3]int{0, 1, 4}, count())
	assert.Equal(t, 2, tracker.waiting(forecast.Create, "vpc"), "the subnet and, through it, the gateway")
	assert.Equal(t, 1, tracker.waiting(forecast.Delete, "old-subnet"), "the old VPC is deleted after it")
	tracker.end(forecast.Create, "vpc")
	assert.Equal(t, [3]int{0, 1, 4}, count(), "the old one is not deleted yet")
	tracker.end(forecast.Delete, "vpc")
	assert.Equal(t, [3]int{1, 0, 4}, count())
}

func TestPastRunsMoveTheTypicalSeconds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "durations.json")
	h, err := LoadHistory(path)
	require.NoError(t, err)
	assert.InDelta(t, 15, h.Seconds(forecast.Create, "aws:ec2/vpc:Vpc"), 0)
	for range 20 {
		h.Add(forecast.Create, "aws:ec2/vpc:Vpc", 3)
	}
	require.NoError(t, h.Save(path))
	h, err = LoadHistory(path)
	require.NoError(t, err)
	assert.InDelta(t, 5, h.Seconds(forecast.Create, "aws:ec2/vpc:Vpc"), 0.001) // (2 x 15 + 10 x 3) / 12
	assert.InDelta(t, 1, h.Seconds(forecast.Delete, "aws:ec2/vpc:Vpc"), 0)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	h, err = LoadHistory(path)
	assert.ErrorContains(t, err, "delete the file")
	assert.InDelta(t, 15, h.Seconds(forecast.Create, "aws:ec2/vpc:Vpc"), 0, "an unreadable history is none")
}
