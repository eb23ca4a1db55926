package sweep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// fakeAccount keeps resources in memory, and refuses as AWS does to delete what others depend on.
type fakeAccount struct {
	account.Account
	place     inventory.Place
	resources map[string]inventory.Resource // by type and ID
	// needs lists by a resource's key the resources that must be deleted before it.
	needs map[string][]string
	// fail is called before each call; the call returns its error.
	fail func(call, key string) error
	// latency is how long a call takes, nil for no time.
	latency func(call string) time.Duration
	calls   int
	// mutex is locked for calls, and content for the resources.
	mutex, content *sync.Mutex
}

func newFake() *fakeAccount {
	return &fakeAccount{
		place:     inventory.Place{Partition: "aws", Account: "123456789012", Region: "us-east-1"},
		resources: map[string]inventory.Resource{}, needs: map[string][]string{}, mutex: &sync.Mutex{},
		content: &sync.Mutex{},
	}
}

func keyOf(l inventory.Resource) string { return l.Type + " " + l.ID }

func (a *fakeAccount) add(l inventory.Resource, neededBy ...string) inventory.Resource {
	a.resources[keyOf(l)] = l
	a.needs[keyOf(l)] = append(a.needs[keyOf(l)], neededBy...)
	return l
}

func (a *fakeAccount) call(name, key string) error {
	if a.latency != nil {
		time.Sleep(a.latency(name))
	}
	a.mutex.Lock() // lists are read at the same time
	defer a.mutex.Unlock()
	a.calls++
	if a.fail == nil {
		return nil
	}
	return a.fail(name, key)
}

func (a *fakeAccount) Place(context.Context) (inventory.Place, error) {
	return a.place, a.call("Place", "")
}

func (a *fakeAccount) List(_ context.Context, q account.Query) (found []inventory.Resource, err error) {
	switch {
	case len(q.IDs) > 0:
		err = a.call("Describe", q.Type+" "+q.IDs[0])
	case q.Type == awstype.Record:
		err = a.call("Records", q.Text("under"))
	case q.Type == awstype.HostedZone && !q.Complete:
		return []inventory.Resource{{Type: q.Type, ID: "Z", Domain: "com"}}, nil // one zone has all records
	default:
		err = a.call("List", q.Type)
	}
	a.content.Lock()
	defer a.content.Unlock()
	for _, key := range slices.Sorted(maps.Keys(a.resources)) {
		if l := a.resources[key]; l.Type == q.Type && err == nil && (len(q.IDs) == 0 || l.ID == q.IDs[0]) &&
			(q.Text("under") == "com" || q.Text("under") == "" || account.Under(l.Name(), q.Text("under"))) {
			l.UsedBy = a.there(l.UsedBy)
			found = append(found, l)
		}
	}
	return found, err
}

// there returns the IDs that exist or that are not resources of the account.
func (a *fakeAccount) there(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		gone := strings.HasPrefix(id, "i-") && id != "i-other" || strings.HasPrefix(id, "nlb-") ||
			strings.HasPrefix(id, "eni-nat-")
		for _, other := range a.resources {
			if other.ID == id || slices.Contains(other.Interfaces, id) {
				return false
			}
		}
		return gone
	})
}

func (a *fakeAccount) Release(_ context.Context, l inventory.Resource) error {
	if l.Type != awstype.SecurityGroup {
		return nil
	}
	a.content.Lock()
	for key := range a.needs {
		if other, is := a.resources[key]; is && other.Type == awstype.SecurityGroup {
			a.needs[key] = slices.DeleteFunc(a.needs[key], func(by string) bool { return by == keyOf(l) })
		}
	}
	a.content.Unlock()
	return a.call("Release", keyOf(l))
}

func (a *fakeAccount) Delete(_ context.Context, l inventory.Resource) error {
	if err := a.call("Delete", keyOf(l)); err != nil {
		return err
	}
	a.content.Lock()
	defer a.content.Unlock()
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

func ownedBy(infraID string) map[string]string { return account.OwnedBy(infraID) }

// addCluster adds all leftovers of a deleted cluster, and returns their keys.
func (a *fakeAccount) addCluster(infraID string, created time.Time) []string {
	before := slices.Collect(maps.Keys(a.resources))
	id := func(kind string) string { return kind + "-" + infraID }
	put := func(token, kind string, change func(*inventory.Resource), neededBy ...string) string {
		l := inventory.Resource{Type: token, ID: id(kind), Tags: maps.Clone(ownedBy(infraID)), VPC: id("vpc")}
		if change != nil {
			change(&l)
		}
		return keyOf(a.add(l, neededBy...))
	}
	at := func(l *inventory.Resource) { l.Created = created }
	instance := put(awstype.Instance, "i", func(l *inventory.Resource) { l.State = "stopped"; l.Created = created })
	endpoint := put(awstype.VPCEndpoint, "vpce", func(l *inventory.Resource) {
		l.Created, l.Interfaces = created, []string{id("eni-vpce")}
	})
	balancer := put(awstype.LoadBalancer, "nlb", func(l *inventory.Resource) {
		l.ARN, l.Hosts, l.Created = l.ID, []string{id("nlb") + ".elb.us-east-1.amazonaws.com"}, created
	})
	classic := put(awstype.ClassicLoadBalancer, "elb", at)
	put(awstype.TargetGroup, "tg", func(l *inventory.Resource) { l.UsedBy = []string{id("nlb")} }, balancer)
	nat := put(awstype.NATGateway, "nat", func(l *inventory.Resource) {
		l.Created, l.Interfaces = created, []string{id("eni-nat")}
	})
	put(awstype.Volume, "vol", func(l *inventory.Resource) { l.Created, l.UsedBy = created, []string{id("i")} }, instance)
	put(awstype.Snapshot, "snap", at)
	put(awstype.ElasticIP, "eipalloc", func(l *inventory.Resource) { l.UsedBy = []string{id("eni-nat")} }, nat)
	free := put(awstype.NetworkInterface, "eni", func(l *inventory.Resource) { l.State = "available" })
	groupA, groupB := awstype.SecurityGroup+" "+id("sg-a"), awstype.SecurityGroup+" "+id("sg-b")
	put(awstype.SecurityGroup, "sg-a", nil, groupB, instance, endpoint)
	put(awstype.SecurityGroup, "sg-b", nil, groupA, free)
	put(awstype.RouteTable, "rtb", nil)
	put(awstype.InternetGateway, "igw", nil, nat)
	subnet := put(awstype.Subnet, "subnet", nil, instance, endpoint, balancer, classic, nat, free)
	zone := put(awstype.HostedZone, "Z", func(l *inventory.Resource) { l.Domain = infraID + ".example.com" })
	vpc := put(awstype.VPC, "vpc", nil, subnet, groupA, groupB, zone)
	put(awstype.DHCPOptions, "dopt", nil, vpc)
	identity := func(l *inventory.Resource) {
		l.Created, l.Tags = created, map[string]string{"hypershift.openshift.io/infra-id": infraID}
	}
	put(awstype.OIDCProvider, "oidc", identity)
	profile := put(awstype.InstanceProfile, "worker-profile", identity)
	put(awstype.Role, "worker", identity, profile)
	put(awstype.Bucket, "image-registry", at)
	apps := "*.apps." + infraID + ".example.com"
	a.add(inventory.Resource{
		Type: awstype.Record, ID: "Zbase_" + apps + "_CNAME", Tags: map[string]string{"Name": apps},
		Hosts: []string{id("nlb") + ".elb.us-east-1.amazonaws.com"},
	})
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.resources)), func(key string) bool {
		return slices.Contains(before, key)
	})
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
		Account: a, Journal: NewJournal(journals, a.place, infraID), Report: func(inventory.SweepEntry) {},
		Now:   func() time.Time { return now },
		Pause: withoutWaiting,
	}
}

// sweepAll lists, plans and deletes as the command does.
func (a *fakeAccount) sweepAll(ctx context.Context, journals string, o Options) (Plan, inventory.Swept, error) {
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

// withoutWaiting is the Pause of tests.
func withoutWaiting(ctx context.Context, _ time.Duration) error { return ctx.Err() }
