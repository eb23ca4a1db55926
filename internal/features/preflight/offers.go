package preflight

import (
	"context"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// machine is an instance type in the zones that it is to run in.
type machine struct {
	place        inventory.Place
	instanceType string
	zones        []string
	// now is true if up itself starts instances.
	now bool
}

// machines returns the instance types that the plan and its operators start.
func (p Plan) machines() []machine {
	var list []machine
	add := func(place inventory.Place, instanceType string, zones []string, now bool) {
		i := slices.IndexFunc(list, func(m machine) bool { return m.place == place && m.instanceType == instanceType })
		if i < 0 {
			list = append(list, machine{place: place, instanceType: instanceType})
			i = len(list) - 1
		}
		list[i].zones, list[i].now = unique(append(list[i].zones, zones...)), list[i].now || now
	}
	for _, r := range p.Resources {
		if r.Type == awstype.Instance && r.Created && r.text("instanceType") != "" {
			add(r.Place, r.text("instanceType"), p.subnetZones(r, "subnetId"), true)
		}
	}
	for _, n := range p.Nodes {
		add(n.Place, n.InstanceType, n.Zones, false)
	}
	return list
}

// checkInstanceTypes checks that the zones offer the instance types.
func checkInstanceTypes(ctx context.Context, p Plan, accounts Accounts) []finding.Finding {
	byPlace := map[inventory.Place][]machine{}
	for _, m := range p.machines() {
		byPlace[m.place] = append(byPlace[m.place], m)
	}
	var tasks []func() []finding.Finding
	for place, list := range byPlace {
		if in := accounts[place]; in != nil {
			tasks = append(tasks, func() []finding.Finding { return checkOffers(ctx, in, place, list) })
		}
	}
	return sideBySide(tasks)
}

func checkOffers(ctx context.Context, in account.Account, place inventory.Place, list []machine) []finding.Finding {
	var types []string
	for _, m := range list {
		types = append(types, m.instanceType)
	}
	offers, err := in.Offers(ctx, unique(types))
	var findings []finding.Finding
	for _, m := range list {
		f := finding.Finding{Check: InstanceTypes, Account: place.Account, Region: place.Region, Subject: m.instanceType}
		offered := offers[m.instanceType]
		lacking := slices.DeleteFunc(slices.Clone(m.zones), func(zone string) bool { return slices.Contains(offered, zone) })
		switch {
		case err != nil:
			f = unchecked(f, err)
		case len(offered) == 0:
			f.Severity, f.Problem, f.Remedy = finding.Error, "no zone of the region offers it",
				"use an instance type that the region offers"
		case len(lacking) > 0:
			f.Severity, f.Problem = finding.Error, "not offered in "+strings.Join(lacking, ", ")
			f.Remedy = "use another instance type or other zones; these offer it: " + strings.Join(offered, ", ")
		default:
			f.Severity, f.Problem = finding.Passed, "offered in "+strings.Join(m.zones, ", ")
			if len(m.zones) == 0 {
				f.Problem = "offered in " + strings.Join(offered, ", ")
			}
		}
		findings = append(findings, f)
	}
	return findings
}

// checkEndpointServices checks that the zones of new interface endpoints have the services.
func checkEndpointServices(ctx context.Context, p Plan, accounts Accounts) []finding.Finding {
	var tasks []func() []finding.Finding
	for _, r := range p.Resources {
		in := accounts[r.Place]
		if r.Type != awstype.VPCEndpoint || !r.Created || in == nil || r.text("serviceName") == "" {
			continue
		}
		tasks = append(tasks, func() []finding.Finding {
			return []finding.Finding{checkService(ctx, in, r.Place, r.text("serviceName"), p.subnetZones(r, "subnetIds"))}
		})
	}
	return sideBySide(tasks)
}

func checkService(
	ctx context.Context,
	in account.Account,
	place inventory.Place,
	service string,
	zones []string,
) finding.Finding {
	f := finding.Finding{Check: EndpointServices, Account: place.Account, Region: place.Region, Subject: service}
	offered, exists, err := in.ServiceZones(ctx, service)
	lacking := slices.DeleteFunc(slices.Clone(zones), func(zone string) bool {
		return len(offered) == 0 || slices.Contains(offered, zone)
	})
	switch {
	case err != nil:
		return unchecked(f, err)
	case !exists:
		f.Severity, f.Problem = finding.Error, "the service does not exist, or is not offered to the account"
		f.Remedy = "correct the name, or ask the service's owner to allow this account"
	case len(lacking) > 0:
		f.Severity, f.Problem = finding.Error, "not available in "+strings.Join(lacking, ", ")
		f.Remedy = "leave it out, or use zones that offer it: " + strings.Join(offered, ", ")
	default:
		f.Severity, f.Problem = finding.Passed, "available"
	}
	return f
}
