package sweep

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
)

var (
	old   = now.Add(-72 * time.Hour)
	young = now.Add(-time.Hour)
)

func everything(infraID string) Options {
	return Options{
		SweepOptions: inventory.SweepOptions{InfraID: infraID, MinAge: 24 * time.Hour, Data: true},
		Consent:      true,
	}
}

func TestOneSweepDeletesAllLeftoversOfACluster(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	p, result, err := a.sweepAll(t.Context(), t.TempDir(), everything("demo"))
	require.NoError(t, err)
	require.Equal(t, gates.Gone, p.Life)
	require.Empty(t, p.Kept)
	require.Empty(t, result.Failed)
	require.Empty(t, a.resources)
	require.True(t, slices.IsSortedFunc(p.Delete, func(x, y inventory.Resource) int { return rank(x) - rank(y) }))
}

func TestDataIsDeletedOnlyOnRequest(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	o := everything("demo")
	o.Data = false
	_, _, err := a.sweepAll(t.Context(), t.TempDir(), o)
	require.NoError(t, err)
	require.Equal(t, []string{
		awstype.Snapshot + " snap-demo", awstype.Volume + " vol-demo", awstype.Bucket + " image-registry-demo",
	}, slices.Sorted(maps.Keys(a.resources)))
}

// TestAnEndpointServiceBelongsToTheHostedCluster: it has the tags of the hosted cluster and of the management cluster,
// whose load balancer is behind it.
func TestAnEndpointServiceBelongsToTheHostedCluster(t *testing.T) {
	t.Parallel()
	for _, hosted := range []string{"demo", "zz"} {
		a := newFake()
		a.addCluster(hosted, old)
		a.add(inventory.Resource{Type: awstype.LoadBalancer, ID: "nlb-m", ARN: "nlb-m", Created: old, Tags: ownedBy("mgmt")})
		tags := map[string]string{"kubernetes.io/cluster/" + hosted: "owned", "kubernetes.io/cluster/mgmt": "owned"}
		service := a.add(inventory.Resource{
			Type:     awstype.VPCEndpointService,
			ID:       "vpce-svc",
			Tags:     tags,
			Backends: []string{"nlb-m"},
		})
		f := a.facts(t.TempDir())
		require.Equal(t, inventory.SweepGate(""), gateOf(t, NewPlan(f, everything(hosted)), keyOf(service)))
		require.Equal(t, inventory.GateTwoClusters, gateOf(t, NewPlan(f, everything("mgmt")), keyOf(service)),
			"it is not the management cluster's")

		service.Backends = []string{"nlb-of-nobody"}
		a.add(service)
		require.Equal(t, inventory.GateTwoClusters,
			gateOf(t, NewPlan(a.facts(t.TempDir()), everything(hosted)), keyOf(service)), "nothing says whose it is")
	}
}

// TestSweepingOneClusterDoesNotChangeTheOthers: whatever fails, even if one infra ID is a prefix of another.
func TestSweepingOneClusterDoesNotChangeTheOthers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := newFake()
		infraIDs := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"demo", "demo-1", "demo-12", "dem", "emo"}), 2, 3,
			rapid.ID).Draw(t, "infraIDs")
		of := map[string][]string{}
		for _, infraID := range infraIDs {
			of[infraID] = a.addCluster(infraID, old)
		}
		for _, key := range slices.Sorted(maps.Keys(a.resources)) {
			l := a.resources[key]
			switch rapid.IntRange(0, 9).Draw(t, key) {
			case 0:
				delete(a.resources, key) // it was never there
			case 1:
				l.Tags = maps.Clone(l.Tags)
				l.Tags["kubernetes.io/cluster/"+rapid.SampledFrom(infraIDs).Draw(t,
					"tag")] = rapid.SampledFrom([]string{"owned", "shared", ""}).Draw(t, "value")
				a.resources[key] = l
			}
		}
		target := infraIDs[0]
		// theirs is everything that is not the target's alone.
		theirs := func(key string) bool {
			l := a.resources[key]
			return !slices.Contains(of[target], key) || l.Type != awstype.Record && (account.ClusterTag(l, target) != "owned" ||
				len(account.Clusters(l)) != 1)
		}
		before := a.shown(theirs)
		faults := rapid.IntRange(0, 3).Draw(t, "faults")
		a.fail = func(call, key string) error {
			if call != "Place" && faults > 0 && rapid.IntRange(0, 20).Draw(t, call) == 0 {
				faults--
				return &apiError{rapid.SampledFrom([]string{"Throttling", "UnauthorizedOperation", "DependencyViolation"}).Draw(t,
					"code"), key}
			}
			return nil
		}
		dir, err := os.MkdirTemp("", "sweep")
		require.NoError(t, err)
		defer func() { _ = os.RemoveAll(dir) }()
		_, _, err = a.sweepAll(context.Background(), dir, everything(target))
		require.NoError(t, err)
		require.Equal(t, before, a.shown(theirs))
	})
}

// TestASweepThatIsKilledAtAnyCallCanBeContinued: with the same result.
func TestASweepThatIsKilledAtAnyCallCanBeContinued(t *testing.T) {
	t.Parallel()
	whole := newFake()
	whole.addCluster("demo", old)
	_, _, err := whole.sweepAll(t.Context(), t.TempDir(), everything("demo"))
	require.NoError(t, err)
	for at := 1; at <= whole.calls; at++ {
		for _, answered := range []bool{false, true} {
			a := newFake()
			a.addCluster("demo", old)
			dir := t.TempDir()
			a.fail = func(call, key string) error {
				if a.calls == at {
					if answered && call == "Delete" && len(a.needs[key]) == 0 {
						a.content.Lock()
						delete(a.resources, key) // AWS has deleted it, and the answer is lost
						a.content.Unlock()
					}
					panic("killed")
				}
				return nil
			}
			func() {
				defer func() {
					if why := recover(); why != nil && why != "killed" {
						panic(why)
					}
				}()
				_, _, _ = a.sweepAll(context.Background(), dir, everything("demo"))
			}()
			a.fail = nil
			_, result, err := a.sweepAll(t.Context(), dir, everything("demo"))
			require.NoError(t, err)
			require.Empty(t, result.Failed)
			require.Empty(t, a.shown(func(string) bool { return true }), "killed at call %d", at)
		}
	}
}

// TestASweepThatWaitsForAWSEndsWithItsContext has an account whose deletions never finish; the clock is the test's.
func TestASweepThatWaitsForAWSEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newFake()
		a.addCluster("demo", time.Now().Add(-48*time.Hour))
		f := a.facts(t.TempDir())
		p := NewPlan(f, everything("demo"))
		kept := maps.Clone(a.resources)
		a.fail = func(string, string) error {
			a.content.Lock()
			defer a.content.Unlock()
			maps.Copy(a.resources, kept)
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		run := a.run(t.TempDir(), "demo")
		run.Pause = environment.AWS(environment.Options{}).Timing().Wait
		began := time.Now()
		_, err := run.Sweep(ctx, f, p)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 15*time.Minute, time.Since(began))
	})
}

// TestResourcesOfARankAreDeletedAtTheSameTime: 500 roles take as long as 25, and an instance profile is gone before the
// role that it has. A throttled account limits the requests: see package account.
func TestResourcesOfARankAreDeletedAtTheSameTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newFake()
		a.add(inventory.Resource{Type: awstype.VPC, ID: "vpc", Tags: ownedBy("demo"), VPC: "vpc"})
		identity := map[string]string{"hypershift.openshift.io/infra-id": "demo"}
		for i := range 500 {
			role := fmt.Sprintf("role-%03d", i)
			profile := a.add(inventory.Resource{
				Type:    awstype.InstanceProfile,
				ID:      "profile-" + role,
				Created: old,
				Tags:    identity,
			})
			a.add(inventory.Resource{Type: awstype.Role, ID: role, Created: old, Tags: identity}, keyOf(profile))
		}
		f := a.facts(t.TempDir())
		p := NewPlan(f, everything("demo"))
		require.Len(t, p.Delete, 1001)
		a.latency = func(call string) time.Duration {
			if call == "Delete" {
				return time.Second
			}
			return 0
		}
		began := time.Now()
		var reported []string
		run := a.run(t.TempDir(), "demo")
		run.Report = func(e inventory.SweepEntry) { reported = append(reported, string(e.Event)+" "+e.ID) }
		result, err := run.Sweep(t.Context(), f, p)
		require.NoError(t, err)
		require.Empty(t, result.Failed)
		require.Empty(t, a.resources)
		require.Equal(t, (1+2*500/atOnce)*time.Second, time.Since(began))
		require.Len(t, reported, 1001)
		require.True(t, slices.IsSorted(reported[1:501]), "in the order of the plan")
	})
}

func TestAResourceThatChangesAfterThePlanIsNotDeleted(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	f := a.facts(t.TempDir())
	p := NewPlan(f, everything("demo"))
	vpc := a.resources[awstype.VPC+" vpc-demo"]
	vpc.Tags = map[string]string{"kubernetes.io/cluster/demo": "shared"}
	a.add(vpc)
	instance := a.resources[awstype.Instance+" i-demo"]
	instance.State = "running"
	a.add(instance)
	delete(a.resources, awstype.Snapshot+" snap-demo")
	result, err := a.run(t.TempDir(), "demo").Sweep(t.Context(), f, p)
	require.NoError(t, err)
	require.Contains(t, a.resources, keyOf(vpc))
	require.Contains(t, a.resources, keyOf(instance))
	var gates []string
	for _, h := range result.Kept {
		gates = append(gates, h.ID+" "+string(h.Gate))
	}
	require.Subset(t, gates, []string{"vpc-demo tag", "i-demo running", "vol-demo in-use"})
	require.Len(t, result.Gone, 1)
}

func TestAFailingServiceDoesNotPreventTheSweepOfOthers(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	a.fail = func(call, key string) error {
		if strings.Contains(key, "aws:iam/") {
			return &apiError{"AccessDenied", "not authorized"}
		}
		return nil
	}
	f := a.facts(t.TempDir())
	require.Len(t, f.Missing, 3)
	_, result, err := a.sweepAll(t.Context(), t.TempDir(), everything("demo"))
	require.NoError(t, err)
	require.Empty(t, result.Failed)
	require.Len(t, a.resources, 3, "the role, its profile and the OIDC provider")
}

// TestAnInterfaceThatCannotBeDeletedHoldsItsNetwork: above all the internet gateway, which AWS would detach.
func TestAnInterfaceThatCannotBeDeletedHoldsItsNetwork(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	a.fail = func(call, key string) error {
		if call == "Delete" && strings.HasPrefix(key, awstype.NetworkInterface) {
			return &apiError{"UnauthorizedOperation", "not authorized"}
		}
		return nil
	}
	_, result, err := a.sweepAll(t.Context(), t.TempDir(), everything("demo"))
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(result.Failed, func(f inventory.Failure) bool { return f.ID == "eni-demo" }))
	for _, key := range []string{awstype.InternetGateway + " igw-demo", awstype.Subnet + " subnet-demo",
		awstype.VPC + " vpc-demo"} {
		require.Contains(t, a.resources, key)
		require.True(t, slices.ContainsFunc(result.Kept, func(h inventory.Kept) bool {
			return keyOf(h.Resource) == key && h.Gate == inventory.GateInUse
		}), key)
	}
}

func TestAnIncompleteLineOfTheJournalIsSkipped(t *testing.T) {
	t.Parallel()
	j := NewJournal(t.TempDir(), inventory.Place{Account: "123456789012", Region: "us-east-1"}, "demo")
	require.NoError(t, j.Note(inventory.SweepEntry{Event: inventory.EventBegun, Youngest: old}))
	require.NoError(t, j.Note(inventory.SweepEntry{
		Event: inventory.EventDeleting,
		Hosts: []string{"a.elb.amazonaws.com"},
	}))
	text, err := os.ReadFile(j.Path())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(j.Path(), append(text, `{"event":"begun","young`...), 0o600))
	before, err := j.Before()
	require.NoError(t, err)
	require.Equal(t, Before{Youngest: old, Hosts: []string{"a.elb.amazonaws.com"}}, before)
}

// BenchmarkManyClusters plans for each of the clusters of one account, 50 with 2,500 resources and 200 with 10,000, and
// counts the calls of one pass.
func BenchmarkManyClusters(b *testing.B) {
	for _, clusters := range []int{50, 200} {
		b.Run(fmt.Sprintf("%d clusters", clusters), func(b *testing.B) { planForEach(b, clusters) })
	}
}

func planForEach(b *testing.B, clusters int) {
	b.Helper()
	a := newFake()
	for i := range clusters {
		a.addCluster(fmt.Sprintf("demo-%d", i), old)
		for j := range 27 {
			a.add(inventory.Resource{
				Type:    awstype.Volume,
				ID:      fmt.Sprintf("vol-%d-%d", i, j),
				Created: old,
				Tags:    ownedBy(fmt.Sprintf("demo-%d", i)),
			})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		a.calls = 0
		f := a.facts(b.TempDir())
		for _, infraID := range f.Clusters() {
			NewPlan(f, everything(infraID))
		}
		b.ReportMetric(float64(len(f.Found)), "resources")
		b.ReportMetric(float64(a.calls), "calls")
	}
}
