package account

import (
	"context"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Missing is a type that could not be listed completely.
type Missing struct {
	Type string
	Err  error
}

// Leftovers lists what carries a cluster's tag, and all instances and network interfaces, of the types of
// awstype.Sweeps that are wanted, in the order of types and IDs. The other types are listed even if one cannot be
// listed.
func Leftovers(ctx context.Context, a Account, wanted func(awstype.Type) bool) ([]inventory.Resource, []Missing) {
	if _, err := a.Place(ctx); err != nil {
		return nil, []Missing{{Err: err}}
	}
	types := slices.DeleteFunc(slices.Clone(awstype.Sweeps()), func(info awstype.Type) bool {
		return info.Token == awstype.Record || !wanted(info)
	})
	type list struct {
		token string
		found []inventory.Resource
		err   error
	}
	lists, _ := Gather(types, func(info awstype.Type) ([]list, error) {
		found, err := a.List(ctx, Query{Type: info.Token, Complete: true})
		return []list{{info.Token, found, err}}, nil
	})
	var all []inventory.Resource
	var missing []Missing
	for _, l := range lists {
		if l.err != nil {
			missing = append(missing, Missing{Type: l.token, Err: l.err})
		}
		for _, r := range l.found {
			if len(Clusters(r)) > 0 || r.Type == awstype.Instance || r.Type == awstype.NetworkInterface {
				all = append(all, r)
			}
		}
	}
	assignInterfaces(all)
	slices.SortFunc(all, func(a, b inventory.Resource) int { return strings.Compare(a.Type+" "+a.ID, b.Type+" "+b.ID) })
	return all, missing
}

// assignInterfaces assigns to load balancers the network interfaces that AWS created for them: only the interface's
// description names the load balancer.
func assignInterfaces(all []inventory.Resource) {
	by := map[string]*inventory.Resource{}
	for i := range all {
		switch all[i].Type {
		case awstype.LoadBalancer:
			_, name, _ := strings.Cut(all[i].ARN, ":loadbalancer/")
			by["ELB "+name] = &all[i]
		case awstype.ClassicLoadBalancer:
			by["ELB "+all[i].ID] = &all[i]
		}
	}
	for i := range all {
		if balancer := by[all[i].Description]; balancer != nil && all[i].Type == awstype.NetworkInterface {
			balancer.Interfaces = append(balancer.Interfaces, all[i].ID)
		}
	}
}

// Records lists what points somewhere, and the TXT records of external-dns, of the account's zones, public and private:
// the records that are called as one of the domains or are in one of them, all for no domain.
func Records(ctx context.Context, a Account, domains []string) ([]inventory.Resource, error) {
	zones, err := a.List(ctx, Query{Type: awstype.HostedZone})
	if err != nil {
		return nil, err
	}
	found, err := Gather(zones, func(zone inventory.Resource) ([]inventory.Resource, error) {
		return Gather(domainsIn(zone.Domain, domains), func(under string) ([]inventory.Resource, error) {
			records, err := a.List(ctx, Query{Type: awstype.Record, Inputs: map[string]any{"zoneId": zone.ID, "under": under}})
			return slices.DeleteFunc(records, func(r inventory.Resource) bool {
				return len(r.Hosts) == 0 && r.Description == ""
			}), err
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b inventory.Resource) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b inventory.Resource) bool { return a.ID == b.ID }), nil
}

// domainsIn returns the domains to look for in a zone: those that are in it, and its own name where it is in one of
// them, or where there are none.
func domainsIn(zone string, domains []string) []string {
	if len(domains) == 0 || slices.ContainsFunc(domains, func(domain string) bool { return Under(zone, domain) }) {
		return []string{zone}
	}
	var inside []string
	for _, domain := range domains {
		if Under(domain, zone) {
			inside = append(inside, domain)
		}
	}
	return inside
}

// Under reports whether a DNS name is a domain, or is in it.
func Under(name, domain string) bool { return name == domain || strings.HasSuffix(name, "."+domain) }
