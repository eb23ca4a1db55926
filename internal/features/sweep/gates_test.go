package sweep

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// gateOf returns the gate that refuses a resource, or "" where it would be deleted.
func gateOf(t *testing.T, p Plan, key string) inventory.SweepGate {
	t.Helper()
	for _, h := range p.Kept {
		if keyOf(h.Resource) == key {
			return h.Gate
		}
	}
	require.True(t, slices.ContainsFunc(p.Delete, func(l inventory.Resource) bool {
		return keyOf(l) == key
	}), "%s is neither deleted nor held", key)
	return ""
}

func TestEachGateRefusesItsResources(t *testing.T) {
	t.Parallel()
	const group, vpc, volume, role = awstype.SecurityGroup + " sg-a-demo", awstype.VPC + " vpc-demo", awstype.Volume +
		" vol-demo", awstype.Role + " worker-demo"
	edit := func(a *fakeAccount, key string, change func(*inventory.Resource)) {
		l := a.resources[key]
		l.Tags = maps.Clone(l.Tags)
		change(&l)
		a.resources[key] = l
	}
	withoutConsent := func(o *Options) { o.Consent = false }
	applied := func(f *Facts) { f.Applied = map[string]string{"demo": "dev"} }
	recorded := func(f *Facts) {
		applied(f)
		f.Recorded, f.Management[0].UID = map[string]map[string]string{"demo": {"dev": "mc-1"}}, "mc-1"
	}
	deleted := func(f *Facts) {
		recorded(f)
		f.Before["demo"] = Before{Seen: "a stack that applied it deleted it", Deleted: &old}
	}
	elsewhere := func(f *Facts) {
		recorded(f)
		f.Management[0].UID = "mc-2"
	}
	terminated := func(a *fakeAccount) { delete(a.resources, awstype.Instance+" i-demo") }
	managed := func(a *fakeAccount) {
		a.add(inventory.Resource{
			Type:    awstype.LoadBalancer,
			ID:      "nlb-m",
			ARN:     "nlb-m",
			Created: old,
			Tags:    ownedBy("mgmt-1"),
		})
		tags := map[string]string{"kubernetes.io/cluster/demo": "owned", "kubernetes.io/cluster/mgmt-1": "owned"}
		a.add(inventory.Resource{Type: awstype.VPCEndpointService, ID: "vpce-svc", Tags: tags, Backends: []string{"nlb-m"}})
	}
	only := func(infraID string) func(*fakeAccount) {
		return func(a *fakeAccount) {
			maps.DeleteFunc(a.resources, func(_ string, l inventory.Resource) bool { return !typeRecord(l.Type).Sweep.Global })
		}
	}
	for name, c := range map[string]struct {
		account func(*fakeAccount)
		facts   func(*Facts)
		options func(*Options)
		key     string
		gate    inventory.SweepGate
	}{
		"nothing is in the way": {key: vpc, gate: ""},
		"another account's": {account: func(a *fakeAccount) {
			edit(a, awstype.Subnet+" subnet-demo", func(l *inventory.Resource) { l.Owner = "210987654321" })
		}, key: awstype.Subnet + " subnet-demo", gate: inventory.GateAccount},
		"shared, not owned": {account: func(a *fakeAccount) {
			edit(a, group, func(l *inventory.Resource) { l.Tags["kubernetes.io/cluster/demo"] = "shared" })
		}, key: group, gate: inventory.GateTag},
		"two clusters": {account: func(a *fakeAccount) {
			edit(a, group, func(l *inventory.Resource) { l.Tags["kubernetes.io/cluster/a"] = "owned" })
		}, key: group, gate: inventory.GateTwoClusters},
		"in a state by ID": {facts: func(f *Facts) {
			f.InState = map[string]string{"vpc-demo": "dev"}
		}, key: vpc, gate: inventory.GateStack},
		"in a state by ARN": {facts: func(f *Facts) {
			f.InState = map[string]string{"nlb-demo": "dev"}
		}, key: awstype.LoadBalancer + " nlb-demo", gate: inventory.GateStack},
		"a state unread": {facts: func(f *Facts) {
			f.Unread = []string{"the state of stack dev: no access"}
		}, key: vpc, gate: inventory.GateUnknown},
		"alive": {
			facts: func(f *Facts) { f.Management[0].Alive = map[string]string{"demo": "HostedCluster a/b"} },
			key:   vpc,
			gate:  inventory.GateAlive,
		},
		"another one alive": {facts: func(f *Facts) {
			f.Management[0].Alive = map[string]string{"demo2": "HostedCluster a/b"}
		}, key: vpc, gate: ""},
		"cannot be asked": {facts: func(f *Facts) {
			f.Management[0].Err = errors.New("no route to host")
		}, options: withoutConsent, key: vpc, gate: inventory.GateUnknown},
		"no management cluster": {facts: func(f *Facts) { f.Management = nil }, options: withoutConsent, key: vpc, gate: inventory.GateUnknown},
		"confirmed":             {facts: func(f *Facts) { f.Management = nil }, options: func(o *Options) { o.ManagementDeleted = true }, key: vpc, gate: ""},
		"confirmed, and nothing shows that it ever was in one": {facts: func(f *Facts) { f.Management = nil },
			options: func(o *Options) { o.ManagementDeleted, o.Consent = true, false }, key: vpc, gate: inventory.GateUnknown},
		"confirmed, and its management cluster does not answer": {account: terminated, facts: func(f *Facts) {
			recorded(f)
			f.Management[0].Stacks, f.Management[0].Err, f.Management[0].NoAnswer = []string{"dev"}, errors.New("refused"), true
		}, options: func(o *Options) { o.ManagementDeleted, o.Consent = true, false }, key: vpc, gate: ""},
		"confirmed, and a proxy answers": {account: terminated, facts: func(f *Facts) {
			recorded(f)
			f.Management = []ManagementCluster{{Name: "mgmt", Stacks: []string{"dev"}, Err: errors.New("proxyconnect")}}
		}, options: func(o *Options) { o.ManagementDeleted, o.Consent = true, false }, key: vpc, gate: inventory.GateUnknown},
		"confirmed, and only that of another stack does not answer": {account: terminated, facts: func(f *Facts) {
			recorded(f)
			f.Management = []ManagementCluster{
				{Name: "mgmt", UID: "mc-9", Stacks: []string{"dev"}},
				{Name: "other", Stacks: []string{"prod"}, Err: errors.New("refused"), NoAnswer: true},
			}
		}, options: func(o *Options) { o.ManagementDeleted, o.Consent = true, false }, key: vpc, gate: inventory.GateUnknown},
		"confirmed, but its endpoint is available": {account: func(a *fakeAccount) {
			terminated(a)
			edit(a, awstype.VPCEndpoint+" vpce-demo", func(l *inventory.Resource) { l.State = "available" })
		}, facts: applied, options: func(o *Options) { o.ManagementDeleted, o.Consent = true, false }, key: vpc,
			gate: inventory.GateUnknown},
		"never seen in a management cluster":                                {account: terminated, options: withoutConsent, key: vpc, gate: inventory.GateUnknown},
		"applied by a stack, in a management cluster that was not recorded": {account: terminated, facts: applied, options: withoutConsent, key: vpc, gate: inventory.GateUnknown},
		"applied by a stack, in the management cluster that was read":       {account: terminated, facts: recorded, options: withoutConsent, key: vpc, gate: ""},
		"seen by a sweep": {account: terminated, facts: func(f *Facts) { f.Before["demo"] = Before{Seen: "seen before"} },
			options: withoutConsent, key: vpc,
			gate: ""},
		"with the tag of a management cluster that does not have it": {account: func(a *fakeAccount) {
			terminated(a)
			managed(a)
		}, facts: func(f *Facts) { f.Management[0].Alive = map[string]string{"mgmt-1": "the management cluster itself"} },
			options: withoutConsent, key: vpc, gate: ""},
		"with the tag of another management cluster": {account: func(a *fakeAccount) {
			terminated(a)
			managed(a)
		}, facts: applied, options: withoutConsent, key: vpc, gate: inventory.GateUnknown},
		"a stopped instance":                                    {facts: applied, options: withoutConsent, key: vpc, gate: inventory.GateUnknown},
		"applied in another management cluster":                 {account: terminated, facts: elsewhere, options: withoutConsent, key: vpc, gate: inventory.GateUnknown},
		"applied in another management cluster, told to":        {facts: elsewhere, options: func(o *Options) { o.Consent, o.Running = false, true }, key: vpc, gate: inventory.GateUnknown},
		"applied in a management cluster that was not recorded": {facts: applied, options: func(o *Options) { o.Consent, o.Running = false, true }, key: vpc, gate: inventory.GateUnknown},
		"applied in a management cluster that cannot be told": {facts: func(f *Facts) {
			recorded(f)
			f.Management[0].UID = ""
		},
			options: withoutConsent, key: vpc, gate: inventory.GateUnknown},
		"its management cluster is said to be gone, and it runs": {facts: recorded, options: func(o *Options) { o.ManagementDeleted, o.Consent, o.Running = true, false, true },
			key: vpc, gate: inventory.GateUnknown},
		"a stopped instance, told to":                            {facts: recorded, options: func(o *Options) { o.Consent, o.Running = false, true }, key: vpc, gate: inventory.GateUnknown},
		"a stopped instance of a cluster that a destroy deleted": {facts: deleted, options: func(o *Options) { o.Consent, o.Running = false, true }, key: vpc, gate: ""},
		"an instance that was launched after a destroy had deleted the cluster": {account: func(a *fakeAccount) {
			a.add(inventory.Resource{
				Type:    awstype.Instance,
				ID:      "i-new",
				Created: old.Add(time.Second),
				State:   "running",
				Tags:    ownedBy("demo"),
			})
		}, facts: deleted, options: func(o *Options) { o.Consent, o.Running = false, true }, key: vpc,
			gate: inventory.GateUnknown},
		"applied by two stacks, in another management cluster too": {account: terminated,
			facts:   func(f *Facts) { recorded(f); f.Recorded["demo"]["copy"] = "mc-2" },
			options: withoutConsent, key: vpc, gate: inventory.GateUnknown},
		"decided": {facts: func(f *Facts) { f.Management = nil }, options: func(o *Options) { o.Consent, o.Decided = false, true }, key: vpc, gate: ""},
		"decided, and its management cluster is gone": {facts: elsewhere, options: func(o *Options) { o.Consent, o.Decided, o.Stack = false, true, "dev" }, key: vpc, gate: ""},
		"decided, but another stack applied one in a management cluster that was not read": {facts: func(f *Facts) { recorded(f); f.Recorded["demo"]["copy"] = "mc-2" },
			options: func(o *Options) { o.Consent, o.Decided, o.Stack = false, true, "dev" }, key: vpc,
			gate: inventory.GateUnknown},
		"decided, but alive": {facts: func(f *Facts) { f.Management[0].Alive = map[string]string{"demo": "a/b"} },
			options: func(o *Options) { o.Decided = true }, key: vpc,
			gate: inventory.GateAlive},
		"wrongly confirmed": {facts: func(f *Facts) { f.Management[0].Alive = map[string]string{"demo": "a/b"} },
			options: func(o *Options) { o.ManagementDeleted = true },
			key:     vpc, gate: inventory.GateAlive},
		"running": {account: func(a *fakeAccount) {
			edit(a, awstype.Instance+" i-demo", func(l *inventory.Resource) { l.State = "running" })
		}, key: vpc, gate: inventory.GateRunning},
		"running, and told to": {account: func(a *fakeAccount) {
			edit(a, awstype.Instance+" i-demo", func(l *inventory.Resource) { l.State = "running" })
		}, options: func(o *Options) { o.Running = true }, key: vpc, gate: ""},
		"instances unknown": {facts: func(f *Facts) { f.Missing = []account.Missing{{Type: awstype.Instance}} }, key: vpc, gate: inventory.GateUnknown},
		"too young":         {account: func(a *fakeAccount) { edit(a, volume, func(l *inventory.Resource) { l.Created = young }) }, key: volume, gate: inventory.GateAge},
		"of unknown age beside something young": {account: func(a *fakeAccount) {
			edit(a, volume, func(l *inventory.Resource) { l.Created = young })
		}, key: vpc, gate: inventory.GateAge},
		"of unknown age": {account: func(a *fakeAccount) {
			for key := range a.resources {
				edit(a, key, func(l *inventory.Resource) { l.Created = time.Time{} })
			}
		}, key: vpc, gate: inventory.GateAge},
		"kept": {account: func(a *fakeAccount) { edit(a, vpc, func(l *inventory.Resource) { l.Tags["keep"] = "yes" }) },
			options: func(o *Options) { o.Keep = map[string]string{"keep": "yes"} }, key: vpc, gate: inventory.GateKeep},
		"kept by any": {account: func(a *fakeAccount) { edit(a, vpc, func(l *inventory.Resource) { l.Tags["keep"] = "x" }) },
			options: func(o *Options) { o.Keep = map[string]string{"keep": ""} }, key: vpc, gate: inventory.GateKeep},
		"not kept": {account: func(a *fakeAccount) { edit(a, vpc, func(l *inventory.Resource) { l.Tags["keep"] = "no" }) },
			options: func(o *Options) { o.Keep = map[string]string{"keep": "yes"} }, key: vpc, gate: ""},
		"data":              {options: func(o *Options) { o.Data = false }, key: volume, gate: inventory.GateData},
		"attached":          {account: func(a *fakeAccount) { edit(a, volume, func(l *inventory.Resource) { l.UsedBy = []string{"i-other"} }) }, key: volume, gate: inventory.GateInUse},
		"other region":      {account: only("demo"), key: role, gate: inventory.GateRegion},
		"confirmed as gone": {account: only("demo"), options: func(o *Options) { o.Global = true }, key: role, gate: ""},
		"begun here": {
			account: only("demo"),
			facts:   func(f *Facts) { f.Before["demo"] = Before{Youngest: old} },
			key:     role,
			gate:    "",
		},
		"an unrelated instance in the VPC": {account: func(a *fakeAccount) {
			a.add(inventory.Resource{Type: awstype.Instance, ID: "i-other", VPC: "vpc-demo", State: "running"})
		}, key: awstype.NATGateway + " nat-demo", gate: inventory.GateInUse},
		"an unrelated interface in the VPC": {account: func(a *fakeAccount) {
			a.add(inventory.Resource{Type: awstype.NetworkInterface, ID: "eni-db", VPC: "vpc-demo", State: "in-use"})
		}, key: awstype.RouteTable + " rtb-demo", gate: inventory.GateInUse},
		"an unattached interface in the VPC": {account: func(a *fakeAccount) {
			a.add(inventory.Resource{Type: awstype.NetworkInterface, ID: "eni-free", VPC: "vpc-demo", State: "available"})
		}, key: awstype.InternetGateway + " igw-demo", gate: inventory.GateInUse},
		"the interface of a deleted resource": {account: func(a *fakeAccount) {
			a.add(inventory.Resource{Type: awstype.NetworkInterface, ID: "eni-nat-demo", VPC: "vpc-demo", State: "in-use"})
		}, key: awstype.RouteTable + " rtb-demo", gate: ""},
		"a group that is in use": {account: func(a *fakeAccount) {
			a.add(inventory.Resource{
				Type:   awstype.NetworkInterface,
				ID:     "eni-x",
				VPC:    "vpc-x",
				State:  "in-use",
				Groups: []string{"sg-a-demo"},
			})
		}, key: group, gate: inventory.GateInUse},
		"named by a stack's file": {facts: func(f *Facts) {
			f.Files = map[string]string{"dev": "network: {existing: {vpcID: vpc-demo}}"}
		}, key: vpc, gate: inventory.GateStack},
		"what no operator makes": {options: func(o *Options) { o.Operators = true }, key: vpc, gate: inventory.GatePart},
		"what operators make":    {options: func(o *Options) { o.Operators = true }, key: group, gate: ""},
		"another cluster's role": {account: func(a *fakeAccount) {
			edit(a, role, func(l *inventory.Resource) { l.Tags["kubernetes.io/cluster/a"] = "owned" })
		}, key: role, gate: inventory.GateTwoClusters},
		"interfaces unknown": {facts: func(f *Facts) { f.Missing = []account.Missing{{Type: awstype.NetworkInterface}} }, key: group, gate: inventory.GateUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newFake()
			a.addCluster("demo", old)
			if c.account != nil {
				c.account(a)
			}
			f := a.facts(t.TempDir())
			if c.facts != nil {
				c.facts(&f)
			}
			o := everything("demo")
			if c.options != nil {
				c.options(&o)
			}
			require.Equal(t, c.gate, gateOf(t, NewPlan(f, o), c.key))
		})
	}
}

// TestARunningInstanceOfALostStackNamesTheFlagsThatDeleteIt: without a state there is no stack for -s.
func TestARunningInstanceOfALostStackNamesTheFlagsThatDeleteIt(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	instance := a.resources[awstype.Instance+" i-demo"]
	instance.State = "running"
	a.add(instance)
	f := a.facts(t.TempDir())
	o := everything("demo")
	o.Consent = false
	f.Before["demo"] = Before{Seen: "a stack that applied it deleted it", Deleted: &old}
	var why []string
	for _, held := range NewPlan(f, o).Kept {
		if held.Gate == inventory.GateRunning {
			why = append(why, held.Why)
		}
	}
	require.NotEmpty(t, why)
	for _, text := range why {
		require.Contains(t, text, "use --running with -s STACK or with --destroy-under-living-cluster demo")
	}
}
