package inmemory

import (
	"context"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// Leftovers implements orphan.Sweepable.
func (a Account) Leftovers(_ context.Context, wanted func(awstype.Sweep) bool) ([]orphan.Leftover, []orphan.Missing) {
	found, err := a.server.Find(a.settings, "", nil, nil)
	if err != nil {
		return nil, []orphan.Missing{{Err: err}}
	}
	main := map[string]bool{}
	for _, r := range found {
		if table, _ := r.Properties["routeTableId"].(string); r.Type == awstype.MainRouteTableAssociation {
			main[table] = true
		}
	}
	var all []orphan.Leftover
	for _, r := range found {
		if record, swept := awstype.SweepOf(r.Type); !swept || r.Type == awstype.Record || !wanted(record) {
			continue
		}
		l := leftoverOf(r)
		if l.Type == awstype.RouteTable && main[l.ID] {
			l.Kept = "a main route table is deleted with its VPC"
		}
		if len(l.Clusters()) > 0 || l.Type == awstype.Instance {
			all = append(all, l)
		}
	}
	return all, nil
}

// leftoverOf returns a resource of an offline account.
func leftoverOf(r offline.Found) orphan.Leftover {
	text := func(name string) string { s, _ := r.Properties[name].(string); return s }
	texts := func(name string) []string {
		list, _ := r.Properties[name].([]any)
		var all []string
		for _, one := range list {
			if s, _ := one.(string); s != "" {
				all = append(all, s)
			}
		}
		return all
	}
	l := orphan.Leftover{
		Found: orphan.Found{Type: r.Type, ID: r.ID, ARN: r.ARN, Tags: r.Tags, Created: r.CreatedAt},
		Owner: text("ownerId"), VPC: text("vpcId"), Priced: r.Properties,
	}
	switch r.Type {
	case awstype.SecurityGroup:
		if text("name") == "default" {
			l.Kept = "a default security group is deleted with its VPC"
		}
	case awstype.VPC:
		l.VPC = r.ID
	case awstype.Instance:
		l.State = text("instanceState")
	case awstype.NetworkInterface:
		l.State = text("status")
	case awstype.VPCEndpointService:
		l.Backends = texts("networkLoadBalancerArns")
	case awstype.LoadBalancer:
		l.Hosts = []string{orphan.Host(text("dnsName"))}
	case awstype.VPCEndpoint:
		entries, _ := r.Properties["dnsEntries"].([]any)
		for _, entry := range entries {
			fields, _ := entry.(map[string]any)
			if name, _ := fields["dnsName"].(string); name != "" {
				l.Hosts = append(l.Hosts, orphan.Host(name))
			}
		}
	case awstype.ElasticIP:
		l.Hosts = []string{text("publicIp")}
	case awstype.HostedZone:
		l.Domain = text("name")
	}
	return l
}

// Records implements orphan.Sweepable.
func (a Account) Records(_ context.Context, domains []string) ([]orphan.Leftover, error) {
	records, err := a.server.Find(a.settings, awstype.Record, nil, nil)
	if err != nil {
		return nil, err
	}
	var found []orphan.Leftover
	for _, r := range records {
		fqdn, _ := r.Properties["fqdn"].(string)
		if len(domains) > 0 && !slices.ContainsFunc(domains, func(domain string) bool { return orphan.Under(fqdn, domain) }) {
			continue
		}
		l := orphan.Leftover{Found: orphan.Found{Type: r.Type, ID: r.ID, Tags: map[string]string{"Name": fqdn}, Created: r.CreatedAt}}
		recordType, _ := r.Properties["type"].(string)
		l.Hosts, l.Description = orphan.PointsAt(recordType, valuesOf(r.Properties))
		if len(l.Hosts) > 0 || l.Description != "" {
			found = append(found, l)
		}
	}
	return found, nil
}

// valuesOf returns a record's values, or the names of its aliases.
func valuesOf(record map[string]any) []string {
	var values []string
	aliases, _ := record["aliases"].([]any)
	for _, one := range aliases {
		alias, _ := one.(map[string]any)
		if name, _ := alias["name"].(string); name != "" {
			values = append(values, name)
		}
	}
	targets, _ := record["records"].([]any)
	for _, one := range targets {
		if target, _ := one.(string); target != "" {
			values = append(values, target)
		}
	}
	return values
}

// Describe implements orphan.Sweepable.
func (a Account) Describe(ctx context.Context, l orphan.Leftover) (*orphan.Leftover, error) {
	if l.Type == awstype.Record {
		records, err := a.Records(ctx, []string{l.Name()})
		for _, r := range records {
			if r.ID == l.ID {
				return &r, err
			}
		}
		return nil, err
	}
	found, err := a.server.Find(a.settings, l.Type, nil, nil)
	for _, r := range found {
		if r.ID == l.ID {
			now := leftoverOf(r)
			return &now, err
		}
	}
	return nil, err
}

// Release implements orphan.Sweepable.
func (a Account) Release(_ context.Context, l orphan.Leftover) error {
	if l.Type != awstype.SecurityGroup {
		return nil
	}
	return a.server.RevokeGroupRules(a.settings, l.ID)
}

// Delete implements orphan.Sweepable.
func (a Account) Delete(_ context.Context, l orphan.Leftover) error {
	return a.server.Remove(a.settings, l.Type, l.ID)
}
