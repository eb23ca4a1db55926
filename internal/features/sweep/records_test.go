package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func recordOf(zone, name, recordType string, hosts ...string) inventory.Resource {
	return inventory.Resource{
		Type: awstype.Record, ID: zone + "_" + name + "_" + recordType, Tags: map[string]string{"Name": name}, Hosts: hosts,
	}
}

func registryOf(zone, name string) inventory.Resource {
	return registryFor(zone, name, "service/clusters-demo/kube-apiserver")
}

func registryFor(zone, name, resource string) inventory.Resource {
	l := recordOf(zone, name, "TXT")
	l.Description = `"heritage=external-dns,external-dns/owner=x,external-dns/resource=` + resource + `"`
	return l
}

// balancer is what records of the cluster demo point at.
const balancer = "nlb-demo.elb.us-east-1.amazonaws.com"

func TestARecordIsDeletedOnlyIfItPointsOnlyAtTheClustersOrMissingHosts(t *testing.T) {
	t.Parallel()
	naming := Naming{
		Domains:      []string{"demo.example.com"},
		Names:        []string{"api-demo.clusters.example.com"},
		ControlPlane: "clusters-demo",
	}
	for name, c := range map[string]struct {
		record  inventory.Resource
		beside  []inventory.Resource
		naming  Naming
		deleted bool
	}{
		"its load balancer": {
			record:  recordOf("Zbase", "*.apps.demo.example.com", "A", balancer),
			deleted: true,
		},
		"in a private zone that was given": {
			record:  recordOf("Zgiven", "api.demo.example.com", "CNAME", balancer),
			deleted: true,
		},
		"in a zone of its own": {
			record:  recordOf("Z-demo", "*.apps.demo.example.com", "A", balancer),
			deleted: true,
		},
		"another load balancer": {
			record: recordOf("Zbase", "*.apps.demo.example.com", "A", "nlb-x.elb.us-east-1.amazonaws.com"),
		},
		"nothing": {record: recordOf("Zbase", "*.apps.demo.example.com", "A")},
		"one of its and another": {
			record: recordOf("Zbase", "*.apps.demo.example.com", "A", balancer, "192.0.2.1"),
		},
		"an address of its": {
			record:  recordOf("Zbase", "nat.demo.example.com", "A", "198.51.100.7"),
			deleted: true,
		},
		"another name":                {record: recordOf("Zbase", "shop.example.com", "CNAME", balancer)},
		"a name that begins like its": {record: recordOf("Zbase", "*.apps.x-demo.example.com", "CNAME", balancer)},
		"an external name": {record: recordOf("Zext", "api-demo.clusters.example.com", "A",
			"gone.elb.us-east-1.amazonaws.com"),
			naming: Naming{FormerHosts: []string{"gone.elb.us-east-1.amazonaws.com"}}, deleted: true},
		"an external name of what is there": {record: recordOf("Zext", "api-demo.clusters.example.com", "A",
			"gone.elb.us-east-1.amazonaws.com"),
			naming: Naming{
				FormerHosts:  []string{"gone.elb.us-east-1.amazonaws.com"},
				CurrentHosts: []string{"gone.elb.us-east-1.amazonaws.com"},
			}},
		"an external name of another": {record: recordOf("Zext", "api-demo2.clusters.example.com", "A",
			"gone.elb.us-east-1.amazonaws.com"),
			naming: Naming{FormerHosts: []string{"gone.elb.us-east-1.amazonaws.com"}}},
		"the registry of a deleted record": {record: registryOf("Zbase", "a-oauth-external-dns.demo.example.com"),
			beside: []inventory.Resource{recordOf("Zbase", "oauth.demo.example.com", "A", balancer)}, deleted: true},
		"the registry of what stays": {record: registryOf("Zbase", "cname-oauth.demo.example.com"),
			beside: []inventory.Resource{recordOf("Zbase", "oauth.demo.example.com", "A", "192.0.2.1")}},
		"the registry of nothing": {
			record:  registryOf("Zext", "a-api-demo-external-dns.clusters.example.com"),
			deleted: true,
		},
		"the registry of nothing of another": {
			record: registryOf("Zext", "a-api-demo2-external-dns.clusters.example.com"),
		},
		"the registry of another namespace": {
			record: registryFor("Zext", "a-api-demo-external-dns.clusters.example.com",
				"service/clusters-demo-2/kube-apiserver"),
		},
		"the registry of another resource": {
			record: registryFor("Zext", "a-api-demo-external-dns.clusters.example.com", "ingress/clusters-demo/kube-apiserver"),
		},
		"the registry of nothing, in its domain":      {record: registryOf("Zbase", "cname-shop.demo.example.com")},
		"the registry of nothing, without the suffix": {record: registryOf("Zext", "a-api-demo.clusters.example.com")},
		"the registry of an NS record beside its own": {record: registryOf("Zbase", "ns-oauth.demo.example.com"),
			beside: []inventory.Resource{recordOf("Zbase", "oauth.demo.example.com", "A", balancer)}},
		"a registry that an MX record shares": {record: registryOf("Zbase", "oauth.demo.example.com"),
			beside: []inventory.Resource{
				recordOf("Zbase", "oauth.demo.example.com", "A", balancer), registryOf("Zbase", "mx-oauth.demo.example.com")}},
		"an address that another interface has": {record: recordOf("Zbase", "bastion.demo.example.com", "A", "203.0.113.9"),
			naming: Naming{FormerHosts: []string{"203.0.113.9"}},
			beside: []inventory.Resource{{
				Type:  awstype.NetworkInterface,
				ID:    "eni-shop",
				State: "in-use",
				VPC:   "vpc-shop",
				Hosts: []string{"203.0.113.9"},
			}}},
		"an address that nothing has": {
			record:  recordOf("Zbase", "bastion.demo.example.com", "A", "203.0.113.9"),
			naming:  Naming{FormerHosts: []string{"203.0.113.9"}},
			deleted: true,
		},
		"the address of an interface of its own": {record: recordOf("Zbase", "bastion.demo.example.com", "A", "203.0.113.9"),
			beside: []inventory.Resource{{
				Type:  awstype.NetworkInterface,
				ID:    "eni-own",
				Tags:  ownedBy("demo"),
				State: "available",
				Hosts: []string{"203.0.113.9"},
			}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newFake()
			a.addCluster("demo", old)
			address := a.resources[awstype.ElasticIP+" eipalloc-demo"]
			address.Hosts = []string{"198.51.100.7"}
			a.add(address)
			for _, l := range append(c.beside, c.record) {
				a.add(l)
			}
			f := a.facts(t.TempDir())
			c.naming.Domains, c.naming.Names, c.naming.ControlPlane = naming.Domains, naming.Names, naming.ControlPlane
			f.AddRecords(t.Context(), a, "demo", c.naming)
			_, err := a.run(t.TempDir(), "demo").Sweep(t.Context(), f, NewPlan(f, everything("demo")))
			require.NoError(t, err)
			_, there := a.resources[keyOf(c.record)]
			if c.record.Zone() == "Z-demo" {
				require.True(t, there, "it is deleted with its zone, not by itself")
				return
			}
			require.Equal(t, c.deleted, !there)
		})
	}
}

// TestTheRegistriesOfOthersAreNotDeleted: with baseDomainPrefix none the cluster's domain is the base domain itself, in
// which others have registries with prefixes and suffixes of their own.
func TestTheRegistriesOfOthersAreNotDeleted(t *testing.T) {
	t.Parallel()
	journals := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		a := newFake()
		a.addCluster("demo", old)
		naming := Naming{
			Domains:      []string{"example.com"},
			Names:        hostedcluster.ExternalNames("demo", "example.com"),
			ControlPlane: "clusters-demo",
		}
		deleted := rapid.Bool().Draw(t, "the cluster's record exists")
		if deleted {
			a.add(recordOf("Zbase", "oauth-demo.example.com", "A", balancer))
		}
		var foreign []inventory.Resource
		for i := range rapid.IntRange(1, 5).Draw(t, "registries") {
			prefix := rapid.SampledFrom([]string{"", "external-dns-", "a-", "aaaa-", "cname-", "ns-", "mx-", "srv-", "txt-",
				"team-a-cname-"}).Draw(t, "prefix")
			suffix := rapid.SampledFrom([]string{"", "-external-dns", "-txt", "-external-dns-txt"}).Draw(t, "suffix")
			label := rapid.SampledFrom([]string{"shop", "api", "oauth-demo2", fmt.Sprintf("www%d", i)}).Draw(t, "label")
			rest := rapid.SampledFrom([]string{".example.com", ".team.example.com"}).Draw(t, "domain")
			resource := rapid.SampledFrom([]string{"service/clusters-demo/kube-apiserver", "service/shop/web",
				"ingress/clusters-demo/x", "crd/a/b"}).Draw(t, "resource")
			foreign = append(foreign, a.add(registryFor("Zbase", prefix+label+suffix+rest, resource)))
		}
		f := a.facts(journals)
		f.AddRecords(context.Background(), a, "demo", naming)
		for _, l := range f.Found {
			require.False(t, slices.ContainsFunc(foreign, func(r inventory.Resource) bool { return r.ID == l.ID }), l.ID)
		}
		own := slices.ContainsFunc(f.Found, func(l inventory.Resource) bool {
			return l.ID == "Zbase_oauth-demo.example.com_A"
		})
		require.Equal(t, deleted, own)
	})
}

func TestARecordIsNotDeletedBeforeItsLoadBalancer(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", old)
	a.fail = func(call, key string) error {
		if call == "Delete" && key == awstype.LoadBalancer+" nlb-demo" {
			return &apiError{"OperationNotPermitted", "deletion protection"}
		}
		return nil
	}
	_, result, err := a.sweepAll(t.Context(), t.TempDir(), everything("demo"))
	require.NoError(t, err)
	require.NotEmpty(t, result.Failed)
	require.Contains(t, a.resources, awstype.Record+" Zbase_*.apps.demo.example.com_CNAME")
}

// TestARecordOfADeletedLoadBalancerIsFound: the cluster's operators or an earlier sweep have deleted the load balancer.
func TestARecordOfADeletedLoadBalancerIsFound(t *testing.T) {
	t.Parallel()
	a, dir := newFake(), t.TempDir()
	a.addCluster("demo", old)
	scope := Scope{InfraID: "demo", Journals: dir}
	a.add(inventory.Resource{
		Type: awstype.LoadBalancer, ID: "nlb-api", Tags: map[string]string{
			"kubernetes.io/cluster/mgmt": "owned", serviceTag: "clusters-demo/kube-apiserver"},
		Hosts: []string{"api.elb.us-east-1.amazonaws.com"},
	})
	for range 2 {
		require.NoError(t, scope.NoteHosts(t.Context(), a, "clusters-demo"))
	}
	before, err := NewJournal(dir, a.place, "demo").Before()
	require.NoError(t, err)
	require.Equal(t, []string{"api.elb.us-east-1.amazonaws.com", balancer}, before.Hosts, "each is noted once")

	record := a.add(recordOf("Zext", "api-demo.clusters.example.com", "A", "api.elb.us-east-1.amazonaws.com"))
	found := func() bool {
		f := a.facts(dir)
		f.AddRecords(t.Context(), a, "demo", Naming{Names: []string{"api-demo.clusters.example.com"}})
		for _, l := range f.Found {
			if keyOf(l) == keyOf(record) {
				return true
			}
		}
		return false
	}
	require.False(t, found(), "the load balancer is there")
	delete(a.resources, awstype.LoadBalancer+" nlb-api")
	require.True(t, found())
}

func TestTheNamesOfAClusterAreThoseOfItsFile(t *testing.T) {
	t.Parallel()
	file := func(infraID, external string) *config.File {
		c := &config.Cluster{
			Cluster:       hypershift.Cluster{Name: "demo", InfraID: infraID},
			HostedCluster: &config.HostedCluster{},
		}
		c.BaseDomain, c.HostedCluster.ExternalDNSDomain = "example.com", external
		return &config.File{Config: config.Config{Kind: config.KindCluster, Section: c}}
	}
	section := &config.Management{}
	section.Zone = &management.ZoneArgs{Domain: "clusters.example.com"}
	hub := &config.File{Config: config.Config{Section: section}}
	domains := []string{"demo.example.com", "demo.hypershift.local"}
	for external, first := range map[string]string{
		"":                   "api-demo.clusters.example.com",
		"own.example.com":    "api-demo.own.example.com",
		config.NoExternalDNS: "",
	} {
		n := readNaming([]*config.File{file("other", "other.example.com"), hub, file("demo", external)}, "demo")
		require.Equal(t, domains, n.Domains)
		if first == "" {
			require.Empty(t, n.Names)
			continue
		}
		require.Len(t, n.Names, 4)
		require.Equal(t, first, n.Names[0])
	}
}

func TestADestroySweepsOnlyWhatOperatorsCreate(t *testing.T) {
	t.Parallel()
	a := newFake()
	a.addCluster("demo", time.Time{})
	c := &config.Cluster{Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo"}, BaseDomain: "example.com"}
	c.HostedCluster = &config.HostedCluster{Kubeconfig: &config.Kubeconfig{}}
	file := &config.File{
		Config: config.Config{Kind: config.KindCluster, Section: c},
		Path:   filepath.Join(t.TempDir(), "Pulumi.dev.yaml"),
	}
	require.NoError(t, os.WriteFile(file.Path, []byte("keep: vol-demo"), 0o600))
	var told []string
	scope := Scope{InfraID: "demo", Journals: t.TempDir(), Pause: withoutWaiting, Project: fakeProject{files: []*config.File{file}}}
	left, err := scope.AfterCluster(t.Context(), a, DestroyOptions{Data: true, Decided: true, Log: func(s string) {
		told = append(told, s)
	}})
	require.NoError(t, err)
	require.Empty(t, left.Kept)
	require.Empty(t, left.Failed)
	require.Contains(t, a.resources, awstype.Volume+" vol-demo", "the file names it")
	delete(a.resources, awstype.Volume+" vol-demo")
	for key, l := range a.resources {
		require.False(t, typeRecord(l.Type).Sweep.Operators, "%s is left; %v", key, told)
	}
	for _, token := range []string{awstype.VPC, awstype.Subnet, awstype.NATGateway, awstype.HostedZone} {
		found := false
		for _, l := range a.resources {
			found = found || l.Type == token
		}
		require.True(t, found, token)
	}
	require.Contains(t, a.resources, awstype.Role+" worker-demo")
}
