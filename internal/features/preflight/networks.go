package preflight

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// checkNetworks compares the CIDRs of new VPCs with the networks that the account's VPCs are peered with or that are
// shared with it: traffic cannot be routed between networks that overlap.
func checkNetworks(ctx context.Context, p Plan, accounts Accounts) []finding.Finding {
	var tasks []func() []finding.Finding
	for _, r := range p.Resources {
		in := accounts[r.Place]
		cidr := r.text("cidrBlock")
		if !r.Created || r.Type != awstype.VPC && r.Type != awstype.SecondaryCIDR || cidr == "" || in == nil {
			continue
		}
		tasks = append(tasks, func() []finding.Finding { return checkOverlaps(ctx, in, r.Place, cidr) })
	}
	return sideBySide(tasks)
}

func checkOverlaps(ctx context.Context, in account.Account, place inventory.Place, cidr string) []finding.Finding {
	f := finding.Finding{Check: Networks, Account: place.Account, Region: place.Region, Subject: cidr}
	networks, err := peers(ctx, in, place)
	if err != nil {
		return []finding.Finding{unchecked(f, err)}
	}
	var findings []finding.Finding
	for _, n := range networks {
		for _, other := range n.CIDRs {
			if overlap(cidr, other) {
				warning := f
				warning.Severity = finding.Warning
				warning.Problem = fmt.Sprintf("overlaps with %s of %s, which is %s (account %s)", other, n.ID, n.Why, n.Owner)
				warning.Remedy = "use another CIDR if traffic is to be routed between them"
				findings = append(findings, warning)
			}
		}
	}
	if findings == nil {
		f.Severity, f.Problem = finding.Passed, "overlaps with no network that is peered or shared"
		findings = []finding.Finding{f}
	}
	return findings
}

// peers returns the networks that the account's VPCs are peered with, and those that are shared with it.
func peers(ctx context.Context, in account.Account, place inventory.Place) ([]Network, error) {
	var networks []Network
	add := func(r inventory.Resource, why string) {
		if !slices.ContainsFunc(networks, func(n Network) bool { return n.ID == r.ID }) {
			networks = append(networks, Network{
				ID:    r.ID,
				Owner: r.Owner,
				CIDRs: unique(account.Texts(r, "cidrBlocks.cidrBlock")),
				Why:   why,
			})
		}
	}
	vpcs, err := in.List(ctx, account.Query{Type: awstype.VPC})
	if err != nil {
		return nil, err
	}
	for _, vpc := range vpcs {
		if vpc.Owner != "" && vpc.Owner != place.Account {
			add(vpc, "shared")
		}
	}
	peered, err := in.List(ctx, account.Query{Type: awstype.VPCPeering})
	for _, vpc := range peered {
		add(vpc, "peered")
	}
	return networks, err
}

// nameServers returns the name servers of the account's public zone for a domain, nil if there is no such zone.
func nameServers(ctx context.Context, in account.Account, domain string) ([]string, error) {
	q := account.Query{Type: awstype.HostedZone, Inputs: map[string]any{"name": domain}}
	zones, err := in.List(ctx, q)
	for _, zone := range account.Select(zones, q, awstype.Adoption{Match: []string{"name"}}) {
		// A complete description has the zone's tags too, which the policies for preflight do not allow to read.
		read, err := in.List(ctx, account.Query{Type: awstype.HostedZone, IDs: []string{zone.ID}})
		if err != nil {
			return nil, err
		}
		for _, now := range read {
			if servers := account.Texts(now, "nameServers"); isPublic(now) && len(servers) > 0 {
				return servers, nil
			}
		}
	}
	return nil, err
}

func overlap(a, b string) bool {
	one, err := netip.ParsePrefix(a)
	other, otherErr := netip.ParsePrefix(b)
	return err == nil && otherErr == nil && one.Overlaps(other)
}

// resolveWithin limits the time of queries to public DNS.
const resolveWithin = 5 * time.Second

// checkDelegation compares the name servers of the domain's public zone with those that public DNS names. Resolvers
// cache, and a network may have its own DNS, so that no finding here is a failure.
func checkDelegation(ctx context.Context, p Plan, accounts Accounts, resolver workspace.Resolver) []finding.Finding {
	if p.PublicDomain == "" || resolver == nil {
		return nil
	}
	f := finding.Finding{Check: Delegation, Account: p.Own.Account, Subject: p.PublicDomain}
	if reserved := reservedDomain(p.PublicDomain); reserved != "" {
		f.Severity, f.Problem = finding.Error, reserved+" is reserved for documentation and tests: public DNS delegates no name in it to anyone"
		f.Remedy = "use a baseDomain that you own"
		return []finding.Finding{f}
	}
	if p.PublicZoneNew {
		f.Severity, f.Problem = finding.Warning, "the zone is created by this stack, and resolves only when it is delegated"
		f.Remedy = "after `up`, add its name servers (`hypershift-aws outputs`) as NS records of " + p.PublicDomain + " to the parent zone or the registrar"
		return []finding.Finding{f}
	}
	in, _ := accounts.at(p.Own)
	if in == nil {
		return nil
	}
	servers, err := nameServers(ctx, in, p.PublicDomain)
	switch {
	case err != nil:
		return []finding.Finding{unchecked(f, err)}
	case servers == nil:
		f.Severity, f.Problem = finding.Error, "the account has no public zone of this name"
		f.Remedy = "create it, or use another baseDomain"
		return []finding.Finding{f}
	}
	ctx, cancel := context.WithTimeout(ctx, resolveWithin)
	defer cancel()
	live, err := resolver.LookupNS(ctx, p.PublicDomain)
	f.Severity = finding.Warning
	f.Remedy = fmt.Sprintf("make the NS records of %s in its parent zone those of the zone: %s", p.PublicDomain,
		strings.Join(hosts(servers), ", "))
	switch {
	case err != nil:
		f.Problem = "public DNS names no name servers for it: " + lastLine(err)
	case slices.Equal(hosts(live), hosts(servers)):
		f.Severity, f.Problem, f.Remedy = finding.Passed, "public DNS names the zone's name servers", ""
	default:
		f.Problem = "public DNS names other name servers: " + strings.Join(hosts(live), ", ")
	}
	return []finding.Finding{f}
}

// reservedDomain returns the domain that a name is in and that nobody can own, "" for none. Source: RFC 2606, 6761,
// 6762 and 7686.
func reservedDomain(name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	for _, reserved := range []string{"example.com", "example.net", "example.org", "example", "test", "invalid",
		"localhost", "local", "onion"} {
		if account.Under(name, reserved) {
			return reserved
		}
	}
	return ""
}

// warnReserved warns of a reserved base domain before an update on AWS.
func warnReserved(p Plan, resolver workspace.Resolver) []finding.Finding {
	reserved := reservedDomain(p.PublicDomain)
	if reserved == "" || resolver == nil {
		return nil
	}
	return []finding.Finding{{
		Check: Delegation, Account: p.Own.Account, Subject: p.PublicDomain, Severity: finding.Warning,
		Problem: reserved + " is reserved for documentation and tests: no name of the cluster resolves",
		Remedy:  "use a baseDomain that you own",
	}}
}

// checkDNSServers asks the DNS servers of an existing VPC for the names that nodes resolve. They may be reachable from
// the VPC only.
func checkDNSServers(ctx context.Context, p Plan, resolver workspace.Resolver) []finding.Finding {
	names := strings.Join(append(slices.Clone(p.DNS.Hosts), p.DNS.Zones...), ", ")
	var tasks []func() []finding.Finding
	for _, server := range p.DNS.Servers {
		f := finding.Finding{
			Check:    DNSServer,
			Account:  p.Own.Account,
			Region:   p.Own.Region,
			Subject:  server,
			Severity: finding.Warning,
		}
		f.Remedy = "check on a machine in the VPC that it resolves " + names
		if resolver == nil {
			f.Problem = "not checked: there is no DNS offline"
			tasks = append(tasks, func() []finding.Finding { return []finding.Finding{f} })
			continue
		}
		tasks = append(tasks, func() []finding.Finding {
			ctx, cancel := context.WithTimeout(ctx, resolveWithin)
			defer cancel()
			var missing []string
			for i, name := range append(slices.Clone(p.DNS.Hosts), p.DNS.Zones...) {
				found, err := resolver.Resolves(ctx, server, name, i >= len(p.DNS.Hosts))
				if err != nil {
					f.Problem = "not checked: " + lastLine(err)
					return []finding.Finding{f}
				}
				if !found {
					missing = append(missing, name)
				}
			}
			f.Severity, f.Problem, f.Remedy = finding.Passed, "resolves "+names, ""
			if len(missing) > 0 {
				f.Severity, f.Problem = finding.Error, "does not resolve "+strings.Join(missing, ", ")
				f.Remedy = "let it forward these names to the VPC's own resolver, the first CIDR's base address plus two (10.0.0.2 in 10.0.0.0/16)"
			}
			return []finding.Finding{f}
		})
	}
	return sideBySide(tasks)
}

// checkHiddenNames checks that the names of a hosted cluster's control plane and ingress resolve in the nodes' VPC: of
// the private zones that are associated with it, the most specific one answers for a name, and public DNS is not asked.
// With quick, zones of a VPC of the stack's own are not listed, and a cluster that exists is not judged: a rule of
// Route 53 Resolver may have the names forwarded.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/hosted-zone-private-considerations.html
func checkHiddenNames(ctx context.Context, p Plan, accounts Accounts, quick bool) []finding.Finding {
	if p.Resolved == nil || len(p.Resolved.Names) == 0 || quick && p.Hosted == nil {
		return nil
	}
	f := finding.Finding{Check: Existing, Account: p.Own.Account, Region: p.Own.Region, Subject: "VPC " + p.Resolved.VPC}
	var zones []inventory.Resource
	in := accounts[p.Resolved.Place]
	if in == nil { // its owner's credentials are not known
		in = accounts[p.Own]
	}
	if in != nil && p.Resolved.VPC != "" && (p.Resolved.Others || !quick) {
		var err error
		zones, err = in.List(ctx, account.Query{Type: awstype.HostedZone,
			Inputs: map[string]any{"vpcs": []any{map[string]any{"vpcId": p.Resolved.VPC}}}})
		if err != nil {
			f.Subject = "private zones of " + p.Resolved.VPC
			return []finding.Finding{unchecked(f, err)}
		}
		zones = slices.DeleteFunc(zones, func(zone inventory.Resource) bool {
			return isPublic(zone) || !slices.Contains(account.Texts(zone, "vpcs.vpcId"), p.Resolved.VPC) ||
				slices.Contains(p.Resolved.Zones, zone.Text("name"))
		})
	}
	hidden := map[string][]string{}
	byName := map[string]inventory.Resource{}
	for _, own := range p.Resolved.Zones {
		byName[own] = inventory.Resource{}
	}
	for _, r := range p.Resources {
		if name := r.text("name"); r.Type == awstype.HostedZone && !r.Created && slices.Contains(p.Resolved.Zones, name) {
			byName[name] = inventory.Resource{ID: r.ID, Properties: map[string]any{"name": name}}
		}
	}
	for _, zone := range zones {
		byName[zone.Text("name")] = zone
	}
	for _, name := range p.Resolved.Names {
		best := ""
		for domain := range byName {
			if account.Under(name, domain) && len(domain) > len(best) {
				best = domain
			}
		}
		own := slices.Contains(p.Resolved.Zones, best)
		if best != "" && (!own || slices.Contains(p.Resolved.Public, name)) {
			hidden[best] = append(hidden[best], name)
		}
	}
	var findings []finding.Finding
	for _, domain := range slices.Sorted(maps.Keys(hidden)) {
		findings = append(findings, p.hiding(ctx, f, accounts, byName[domain], domain, hidden[domain])...)
	}
	if findings == nil && !quick && p.Resolved.VPC != "" {
		f.Severity, f.Problem = finding.Passed, "no private zone of others hides the names of the control plane"
		findings = []finding.Finding{f}
	}
	return findings
}

// hiding returns the finding for names for which a private zone answers, nil if it has records of all of them. zone is
// the zero value for a zone that the plan creates.
func (p Plan) hiding(
	ctx context.Context, f finding.Finding, accounts Accounts, zone inventory.Resource, domain string, names []string,
) []finding.Finding {
	const effect = ": their queries never reach public DNS, and "
	f.Remedy = "use an externalDNSDomain outside " + domain
	f.Severity = finding.Warning
	judge := func(hidden []string) { // a new cluster fails without names that its nodes need
		vital := slices.ContainsFunc(hidden, func(name string) bool { return slices.Contains(p.Resolved.Vital, name) })
		if p.Hosted != nil && !p.Resolved.OwnServers && vital {
			f.Severity = finding.Error
			f.Problem += ", so that nodes never join"
		}
	}
	of, in := "", accounts[p.Own]
	if slices.Contains(p.Resolved.Zones, domain) {
		if zone.ID != "" && in != nil {
			names, _ = unresolved(ctx, in, zone, names) // all of them if they cannot be read
		}
		if len(names) == 0 {
			return nil
		}
		f.Subject = "private zone " + domain
		f.Problem = fmt.Sprintf("answers machines in the VPC for %s%sexternal-dns writes no records in this zone",
			strings.Join(names, ", "), effect)
		judge(names)
		return []finding.Finding{f}
	}
	if zone.Owner != "" && zone.Owner != p.Own.Account {
		of = " of account " + zone.Owner
		in, _ = accounts.at(inventory.Place{Account: zone.Owner})
	}
	missing, err := names, error(nil)
	if in != nil {
		missing, err = unresolved(ctx, in, zone, names)
	}
	if len(missing) == 0 && err == nil {
		return nil
	}
	f.Problem = fmt.Sprintf("is associated with the private zone %s (%s)%s, which answers its machines for %s%s", domain,
		zone.ID, of, strings.Join(missing, ", "), effect)
	f.Remedy = "ask the zone's owner to end the association, or to add records of these names; or " + f.Remedy
	if in == nil || err != nil {
		f.Problem += "the zone's own records cannot be read here"
		return []finding.Finding{f}
	}
	f.Problem += "the zone has no records of them"
	judge(missing)
	return []finding.Finding{f}
}

// unresolved returns the names for which a zone has no address. A record of the name itself, of any type, keeps those
// with an asterisk from answering.
func unresolved(
	ctx context.Context, in account.Account, zone inventory.Resource, names []string,
) (missing []string, err error) {
	domain := zone.Text("name")
	read := map[string][]inventory.Resource{}
	named := func(name string) ([]inventory.Resource, error) {
		if found, known := read[name]; known {
			return found, nil
		}
		found, err := in.List(ctx, account.Query{Type: awstype.Record,
			Inputs: map[string]any{"zoneId": zone.ID, "named": name}})
		read[name] = slices.DeleteFunc(found, func(r inventory.Resource) bool {
			return r.Text("zoneId") != zone.ID || r.Name() != name
		})
		return read[name], err
	}
	for _, name := range names {
		found, err := named(name)
		for parent := name; err == nil && len(found) == 0 && parent != domain; {
			_, parent, _ = strings.Cut(parent, ".")
			found, err = named("*." + parent)
		}
		if err != nil {
			return names, err
		}
		if !slices.ContainsFunc(found, func(r inventory.Resource) bool {
			return slices.Contains([]string{"A", "CNAME"}, r.Text("type"))
		}) {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// hosts returns names of hosts in lower case, without the last dot, in order.
func hosts(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, strings.ToLower(strings.TrimSuffix(name, ".")))
	}
	return unique(all)
}
