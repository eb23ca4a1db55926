package inmemory

import (
	"context"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// Leftovers implements orphan.Sweepable.
func (a Account) Leftovers(context.Context) ([]orphan.Leftover, []orphan.Missing) {
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
		if _, swept := awstype.SweepOf(r.Type); !swept || r.Type == awstype.Record {
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

// leftoverOf is a resource of an offline account.
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
		l.Host = text("dnsName")
	case awstype.HostedZone:
		l.Host = text("name")
	}
	return l
}

// Records implements orphan.Sweepable.
func (a Account) Records(_ context.Context, name string) ([]orphan.Leftover, error) {
	records, err := a.server.Find(a.settings, awstype.Record, nil, nil)
	if err != nil {
		return nil, err
	}
	zones, err := a.server.List(a.settings, awstype.HostedZone) // those that were there before any stack too
	if err != nil {
		return nil, err
	}
	var found []orphan.Leftover
	for _, r := range records {
		fqdn, _ := r.Properties["fqdn"].(string)
		public := slices.ContainsFunc(zones, func(z offline.Found) bool {
			vpcs, _ := z.Properties["vpcs"].([]any)
			return z.ID == r.Properties["zoneId"] && len(vpcs) == 0
		})
		target := targetOf(r.Properties)
		if fqdn != name || !public || target == "" {
			continue
		}
		found = append(found, orphan.Leftover{
			Found: orphan.Found{Type: r.Type, ID: r.ID, Tags: map[string]string{"Name": name}, Created: r.CreatedAt}, Host: orphan.Host(target),
		})
	}
	return found, nil
}

// targetOf is the one name that a record or its alias points at, "" for several.
func targetOf(record map[string]any) string {
	if aliases, _ := record["aliases"].([]any); len(aliases) == 1 {
		alias, _ := aliases[0].(map[string]any)
		name, _ := alias["name"].(string)
		return name
	}
	targets, _ := record["records"].([]any)
	if len(targets) != 1 {
		return ""
	}
	target, _ := targets[0].(string)
	return target
}

// Describe implements orphan.Sweepable.
func (a Account) Describe(ctx context.Context, l orphan.Leftover) (*orphan.Leftover, error) {
	if l.Type == awstype.Record {
		records, err := a.Records(ctx, l.Name())
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
