package sweep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// fakeAccount keeps resources in memory, and refuses as AWS does to delete what others depend on.
type fakeAccount struct {
	place     orphan.Place
	resources map[string]orphan.Leftover // by type and ID
	// needs lists by a resource's key the resources that must be deleted before it.
	needs map[string][]string
	// fail is called before each call; the call returns its error.
	fail  func(call, key string) error
	calls int
}

var _ orphan.Sweepable = (*fakeAccount)(nil)

func newFake() *fakeAccount {
	return &fakeAccount{
		place:     orphan.Place{Partition: "aws", Account: "123456789012", Region: "us-east-1"},
		resources: map[string]orphan.Leftover{}, needs: map[string][]string{},
	}
}

func keyOf(l orphan.Leftover) string { return l.Type + " " + l.ID }

func (a *fakeAccount) add(l orphan.Leftover, neededBy ...string) orphan.Leftover {
	a.resources[keyOf(l)] = l
	a.needs[keyOf(l)] = append(a.needs[keyOf(l)], neededBy...)
	return l
}

func (a *fakeAccount) call(name, key string) error {
	a.calls++
	if a.fail == nil {
		return nil
	}
	return a.fail(name, key)
}

func (a *fakeAccount) Place(context.Context) (orphan.Place, error) {
	return a.place, a.call("Place", "")
}

func (a *fakeAccount) Leftovers(_ context.Context, wanted func(awstype.Sweep) bool) ([]orphan.Leftover, []orphan.Missing) {
	var all []orphan.Leftover
	var missing []orphan.Missing
	refused := map[string]bool{}
	for _, s := range awstype.Sweeps() {
		if !wanted(s) {
			refused[s.Token] = true
		} else if err := a.call("List", s.Token); err != nil {
			missing = append(missing, orphan.Missing{Type: s.Token, Err: err})
			refused[s.Token] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.resources)) {
		if l := a.resources[key]; !refused[l.Type] && l.Type != awstype.Record {
			l.UsedBy = a.there(l.UsedBy)
			all = append(all, l)
		}
	}
	return all, missing
}

func (a *fakeAccount) Records(_ context.Context, domains []string) ([]orphan.Leftover, error) {
	var all []orphan.Leftover
	for _, key := range slices.Sorted(maps.Keys(a.resources)) {
		l := a.resources[key]
		under := func(domain string) bool { return orphan.Under(l.Name(), domain) }
		if l.Type == awstype.Record && (len(domains) == 0 || slices.ContainsFunc(domains, under)) {
			all = append(all, l)
		}
	}
	return all, a.call("Records", strings.Join(domains, " "))
}

func (a *fakeAccount) Describe(_ context.Context, l orphan.Leftover) (*orphan.Leftover, error) {
	if err := a.call("Describe", keyOf(l)); err != nil {
		return nil, err
	}
	now, there := a.resources[keyOf(l)]
	if !there {
		return nil, nil
	}
	now.UsedBy = a.there(now.UsedBy)
	return &now, nil
}

// there returns the IDs that exist or that are not resources of the account.
func (a *fakeAccount) there(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		gone := strings.HasPrefix(id, "i-") && id != "i-other" || strings.HasPrefix(id, "nlb-") || strings.HasPrefix(id, "eni-nat-")
		for _, other := range a.resources {
			if other.ID == id || slices.Contains(other.Interfaces, id) {
				return false
			}
		}
		return gone
	})
}

func (a *fakeAccount) Release(_ context.Context, l orphan.Leftover) error {
	if l.Type != awstype.SecurityGroup {
		return nil
	}
	for key := range a.needs {
		if other, is := a.resources[key]; is && other.Type == awstype.SecurityGroup {
			a.needs[key] = slices.DeleteFunc(a.needs[key], func(by string) bool { return by == keyOf(l) })
		}
	}
	return a.call("Release", keyOf(l))
}

func (a *fakeAccount) Delete(_ context.Context, l orphan.Leftover) error {
	if err := a.call("Delete", keyOf(l)); err != nil {
		return err
	}
	for _, by := range a.needs[keyOf(l)] {
		if _, there := a.resources[by]; there {
			return &apiError{"DependencyViolation", by + " needs it"}
		}
	}
	delete(a.resources, keyOf(l))
	return nil
}

type apiError struct{ code, message string }

func (e *apiError) Error() string     { return e.code + ": " + e.message }
func (e *apiError) ErrorCode() string { return e.code }

var now = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

func ownedBy(infraID string) map[string]string { return orphan.OwnedBy(infraID) }

// addCluster adds all leftovers of a deleted cluster, and returns their keys.
func (a *fakeAccount) addCluster(infraID string, created time.Time) []string {
	before := slices.Collect(maps.Keys(a.resources))
	id := func(kind string) string { return kind + "-" + infraID }
	put := func(token, kind string, change func(*orphan.Leftover), neededBy ...string) string {
		l := orphan.Leftover{Found: orphan.Found{Type: token, ID: id(kind), Tags: maps.Clone(ownedBy(infraID))}, VPC: id("vpc")}
		if change != nil {
			change(&l)
		}
		return keyOf(a.add(l, neededBy...))
	}
	at := func(l *orphan.Leftover) { l.Created = created }
	instance := put(awstype.Instance, "i", func(l *orphan.Leftover) { l.State = "stopped"; l.Created = created })
	endpoint := put(awstype.VPCEndpoint, "vpce", func(l *orphan.Leftover) { l.Created, l.Interfaces = created, []string{id("eni-vpce")} })
	balancer := put(awstype.LoadBalancer, "nlb", func(l *orphan.Leftover) {
		l.ARN, l.Hosts, l.Created = l.ID, []string{id("nlb") + ".elb.us-east-1.amazonaws.com"}, created
	})
	classic := put(awstype.ClassicLoadBalancer, "elb", at)
	put(awstype.TargetGroup, "tg", func(l *orphan.Leftover) { l.UsedBy = []string{id("nlb")} }, balancer)
	nat := put(awstype.NATGateway, "nat", func(l *orphan.Leftover) { l.Created, l.Interfaces = created, []string{id("eni-nat")} })
	put(awstype.Volume, "vol", func(l *orphan.Leftover) { l.Created, l.UsedBy = created, []string{id("i")} }, instance)
	put(awstype.Snapshot, "snap", at)
	put(awstype.ElasticIP, "eipalloc", func(l *orphan.Leftover) { l.UsedBy = []string{id("eni-nat")} }, nat)
	free := put(awstype.NetworkInterface, "eni", func(l *orphan.Leftover) { l.State = "available" })
	groupA, groupB := awstype.SecurityGroup+" "+id("sg-a"), awstype.SecurityGroup+" "+id("sg-b")
	put(awstype.SecurityGroup, "sg-a", nil, groupB, instance, endpoint)
	put(awstype.SecurityGroup, "sg-b", nil, groupA, free)
	put(awstype.RouteTable, "rtb", nil)
	put(awstype.InternetGateway, "igw", nil, nat)
	subnet := put(awstype.Subnet, "subnet", nil, instance, endpoint, balancer, classic, nat, free)
	zone := put(awstype.HostedZone, "Z", func(l *orphan.Leftover) { l.Domain = infraID + ".example.com" })
	vpc := put(awstype.VPC, "vpc", nil, subnet, groupA, groupB, zone)
	put(awstype.DHCPOptions, "dopt", nil, vpc)
	identity := func(l *orphan.Leftover) {
		l.Created, l.Tags = created, map[string]string{"hypershift.openshift.io/infra-id": infraID}
	}
	put(awstype.OIDCProvider, "oidc", identity)
	profile := put(awstype.InstanceProfile, "worker-profile", identity)
	put(awstype.Role, "worker", identity, profile)
	put(awstype.Bucket, "image-registry", at)
	apps := "*.apps." + infraID + ".example.com"
	a.add(orphan.Leftover{
		Found: orphan.Found{Type: awstype.Record, ID: "Zbase_" + apps + "_CNAME", Tags: map[string]string{"Name": apps}},
		Hosts: []string{id("nlb") + ".elb.us-east-1.amazonaws.com"},
	})
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.resources)), func(key string) bool { return slices.Contains(before, key) })
}

// facts returns the facts of a project whose one management cluster answers and has no cluster.
func (a *fakeAccount) facts(journals string) Facts {
	f, err := Search(context.Background(), a, journals, now, Everything)
	if err != nil {
		panic(err)
	}
	f.Management = []ManagementCluster{{Name: "mgmt"}}
	return f
}

func (a *fakeAccount) run(journals, infraID string) *Run {
	return &Run{
		Account: a, Journal: NewJournal(journals, a.place, infraID), Report: func(Entry) {}, Now: func() time.Time { return now },
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

// sweepAll lists, plans and deletes as the command does.
func (a *fakeAccount) sweepAll(ctx context.Context, journals string, o Options) (Plan, Result, error) {
	f := a.facts(journals)
	f.AddRecords(ctx, a, o.InfraID, Naming{})
	p := NewPlan(f, o)
	result, err := a.run(journals, o.InfraID).Sweep(ctx, f, p)
	return p, result, err
}

// shown returns the account as text.
func (a *fakeAccount) shown(of func(key string) bool) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(a.resources)) {
		if of(key) {
			fmt.Fprintf(&b, "%s %+v\n", key, a.resources[key])
		}
	}
	return b.String()
}
