package preflight

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// dnsOf is an account with the private zones of a VPC, and records by their zone.
type dnsOf struct {
	fake
	zones   []inventory.Resource
	records map[string][]inventory.Resource
	// unreadable is a zone whose records the caller may not list, and silent is true if the VPC's zones may not be listed.
	unreadable string
	silent     bool
	asked      *int
}

func (d dnsOf) Snapshot() account.Account { return d }

func (d dnsOf) List(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	*d.asked++
	zone := q.Text("zoneId")
	switch {
	case q.Type == awstype.HostedZone && d.silent:
		return nil, accessDenied("Route 53", "ListHostedZonesByVPC")
	case q.Type == awstype.HostedZone:
		return d.zones, nil
	case zone == d.unreadable:
		return nil, accessDenied("Route 53", "ListResourceRecordSets")
	}
	return slices.Clone(d.records[zone]), nil
}

func TestAPrivateZoneThatHidesTheNamesOfTheControlPlaneFromItsNodesIsFound(t *testing.T) {
	t.Parallel()
	zone := func(id, name string) inventory.Resource {
		return inventory.Resource{ID: id, Properties: map[string]any{
			"name": name, "private": true, "vpcs": []any{map[string]any{"vpcId": "vpc-1"}}}}
	}
	owned := func(by string, r inventory.Resource) inventory.Resource { r.Owner = by; return r }
	record := func(kind, name string) inventory.Resource {
		return inventory.Resource{Tags: map[string]string{"Name": name},
			Properties: map[string]any{"zoneId": "Z9", "name": name, "type": kind}}
	}
	const api, ignition, oauth = "api-demo.hc.example.com", "ignition-demo.hc.example.com", "oauth-demo.hc.example.com"
	const apps = "*.apps.demo.example.com"
	public := Resolved{VPC: "vpc-1", Place: here, Others: true, Zones: []string{"demo.example.com"},
		Names: []string{api, ignition, oauth, apps}, Public: []string{api, ignition, oauth}, Vital: []string{api, ignition}}
	for name, c := range map[string]struct {
		change    func(r *Resolved, d *dnsOf)
		zones     []inventory.Resource
		records   []inventory.Resource
		severity  finding.Severity
		problem   string
		notProved bool
	}{
		"none":            {severity: finding.Passed, problem: "no private zone of others hides"},
		"the domain":      {zones: []inventory.Resource{zone("Z9", "hc.example.com")}, severity: finding.Error, problem: "hc.example.com (Z9), which answers its machines for " + api + ", " + ignition + ", " + oauth},
		"the base domain": {zones: []inventory.Resource{zone("Z9", "example.com")}, severity: finding.Error, problem: "so that nodes never join"},
		"a name itself":   {zones: []inventory.Resource{zone("Z9", ignition)}, severity: finding.Error, problem: "answers its machines for " + ignition + ":"},
		"not a label":     {zones: []inventory.Resource{zone("Z9", "c.example.com")}, severity: finding.Passed},
		"another domain":  {zones: []inventory.Resource{zone("Z9", "example.org")}, severity: finding.Passed},
		"another VPC's": {zones: []inventory.Resource{{ID: "Z9", Properties: map[string]any{"name": "example.com",
			"private": true, "vpcs": []any{map[string]any{"vpcId": "vpc-2"}}}}}, severity: finding.Passed},
		"the cluster's own":      {zones: []inventory.Resource{zone("Z1", "demo.example.com")}, severity: finding.Passed},
		"of the ingress":         {zones: []inventory.Resource{zone("Z9", "apps.demo.example.com")}, severity: finding.Warning, problem: apps},
		"the more specific wins": {zones: []inventory.Resource{zone("Z8", "example.com"), zone("Z9", "hc.example.com")}, records: []inventory.Resource{record("CNAME", "*.hc.example.com")}, severity: finding.Passed},
		"each name has a record": {zones: []inventory.Resource{zone("Z9", "hc.example.com")}, records: []inventory.Resource{record("A", api), record("CNAME", ignition), record("A", oauth)}, severity: finding.Passed},
		"a wildcard above": {zones: []inventory.Resource{zone("Z9", "example.com")},
			records: []inventory.Resource{record("A", "*.example.com")}, severity: finding.Passed},
		"a wildcard of no address": {zones: []inventory.Resource{zone("Z9", "example.com")},
			records: []inventory.Resource{record("MX", "*.example.com")}, severity: finding.Error, problem: api},
		"a record of another type keeps the wildcard away": {zones: []inventory.Resource{zone("Z9", "hc.example.com")},
			records: []inventory.Resource{record("CNAME", "*.hc.example.com"), record("TXT", ignition)}, severity: finding.Error,
			problem: "answers its machines for " + ignition + ":"},
		"one name has a record": {zones: []inventory.Resource{zone("Z9", "hc.example.com")}, records: []inventory.Resource{record("A", api), record("A", ignition)}, severity: finding.Warning, problem: "answers its machines for " + oauth + ":"},
		"of another account":    {zones: []inventory.Resource{owned("222222222222", zone("Z9", "hc.example.com"))}, severity: finding.Warning, problem: "hc.example.com (Z9) of account 222222222222, which"},
		"records that are not readable": {change: func(_ *Resolved, d *dnsOf) { d.unreadable = "Z9" }, zones: []inventory.Resource{zone("Z9", "hc.example.com")},
			severity: finding.Warning, problem: "the zone's own records cannot be read here"},
		"DNS servers of its own": {change: func(r *Resolved, _ *dnsOf) { r.OwnServers = true }, zones: []inventory.Resource{zone("Z9", "hc.example.com")},
			severity: finding.Warning, problem: "the zone has no records of them"},
		"zones that are not listed": {change: func(_ *Resolved, d *dnsOf) { d.silent = true }, severity: finding.Warning,
			problem: "not checked: the caller may not call route53:ListHostedZonesByVPC", notProved: true},
		"the cluster's own zone, in a VPC that is not there yet": {change: func(r *Resolved, _ *dnsOf) {
			r.VPC, r.Others, r.Zones = "", false, []string{"hc.example.com"}
		}, severity: finding.Error, problem: "external-dns writes no records in this zone, so that nodes never join"},
		"names that nodes can do without": {change: func(r *Resolved, _ *dnsOf) {
			r.VPC, r.Others, r.Zones, r.Vital = "", false, []string{"hc.example.com"}, nil
		}, severity: finding.Warning, problem: "external-dns writes no records in this zone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			r, d := public, dnsOf{zones: c.zones, records: map[string][]inventory.Resource{"Z9": c.records}, asked: &asked}
			if c.change != nil {
				c.change(&r, &d)
			}
			p := Plan{Own: here, Resolved: &r, Hosted: &HostedCluster{}}
			found := checkHiddenNames(t.Context(), p, Accounts{here: d}, false)
			require.Len(t, found, 1)
			require.Equal(t, c.severity, found[0].Severity, found[0].Problem)
			require.Contains(t, found[0].Problem, c.problem)
			if c.severity != finding.Passed && !c.notProved {
				require.Contains(t, found[0].Remedy, "use an externalDNSDomain outside ")
			}
			quick := checkHiddenNames(t.Context(), p, Accounts{here: d}, true)
			if c.severity == finding.Passed {
				require.Empty(t, quick)
			} else {
				require.Equal(t, found, quick, "up says the same")
			}
			p.Hosted = nil
			for _, f := range checkHiddenNames(t.Context(), p, Accounts{here: d}, false) {
				require.NotEqual(t, finding.Error, f.Severity, "a cluster that exists may have another way to the names")
			}
			require.Empty(t, checkHiddenNames(t.Context(), p, Accounts{here: d}, true), "up does not judge it")
		})
	}
	ownAbove := public
	ownAbove.Zones = []string{"hc.example.com"}
	above := Plan{Own: here, Resolved: &ownAbove, Hosted: &HostedCluster{}, Resources: []Resource{{
		Type: awstype.HostedZone, ID: "Z9", Place: here, Inputs: map[string]any{"name": "hc.example.com"}}}}
	noted := dnsOf{records: map[string][]inventory.Resource{"Z9": {record("CNAME", "*.hc.example.com")}}, asked: new(int)}
	require.Empty(t, checkHiddenNames(t.Context(), above, Accounts{here: noted}, true), "its user wrote the records")
	noted.records = nil
	require.Len(t, checkHiddenNames(t.Context(), above, Accounts{here: noted}, true), 1)
	for _, created := range []bool{true, false} {
		r := Resolved{Others: true}
		r.place(Plan{Resources: []Resource{{Type: awstype.VPC, ID: "vpc-1", Place: here, Created: created}}})
		require.Equal(t, map[bool]string{true: "", false: "vpc-1"}[created], r.VPC, "AWS does not know what is planned")
	}
	asked := 0
	own := public
	own.Others = false
	d := dnsOf{zones: []inventory.Resource{zone("Z9", "hc.example.com")}, asked: &asked}
	its := Plan{Own: here, Resolved: &own, Hosted: &HostedCluster{}}
	require.Empty(t, checkHiddenNames(t.Context(), its, Accounts{here: d}, true))
	require.Zero(t, asked, "an update of the stack's own VPC lists no zones")
	require.NotEmpty(t, checkHiddenNames(t.Context(), its, Accounts{here: d}, false))
}
