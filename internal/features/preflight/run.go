package preflight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Options configure which checks run.
type Options struct {
	// Quick limits the checks to those that a command makes by itself before it creates something: the quotas that are
	// likely to be reached, existing resources and, for a new stack, the names that follow from its infra ID.
	Quick bool
	// Within limits the total time of all checks. A check without an answer by then is a warning. Default: two minutes.
	Within time.Duration
	// Resolver queries public DNS and issuers; nil skips the check of delegations, and of issuers that are not buckets.
	Resolver workspace.Resolver
	// Registry asks image registries; nil skips the check of release images.
	Registry Registry
}

// Within limits the total time of the command's checks.
const Within = 2 * time.Minute

// Run checks a plan in its accounts, all checks concurrently. The accounts' credentials have been checked: see
// Identify.
func Run(ctx context.Context, p Plan, accounts Accounts, o Options) *Report {
	within := o.Within
	if within == 0 {
		within = Within
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ctx, accounts = account.ReadOnly(ctx), accounts.snapshots()
	demands := Demands(p)
	report := &Report{}
	if o.Quick {
		report.Add(sideBySide([]func() []finding.Finding{
			func() []finding.Finding { return CheckQuotas(ctx, slices.DeleteFunc(demands, rarelyMet), accounts) },
			func() []finding.Finding { return checkInfraID(ctx, p, accounts, o.Resolver) },
			func() []finding.Finding { return checkExisting(ctx, p, accounts, true) },
			func() []finding.Finding {
				return slices.DeleteFunc(checkHiddenNames(ctx, p, accounts, true), func(f finding.Finding) bool {
					return strings.HasPrefix(f.Problem, notChecked)
				})
			},
			func() []finding.Finding { return checkTags(p) },
			func() []finding.Finding { return warnReserved(p, o.Resolver) },
		})...)
		return report
	}
	tasks := []func() []finding.Finding{
		func() []finding.Finding { return CheckQuotas(ctx, demands, accounts) },
		func() []finding.Finding { return checkTags(p) },
		func() []finding.Finding { return checkPermissions(ctx, p, accounts) },
		func() []finding.Finding { return checkExisting(ctx, p, accounts, false) },
		func() []finding.Finding { return checkHiddenNames(ctx, p, accounts, false) },
		func() []finding.Finding { return checkNames(ctx, p, accounts, o.Resolver) },
		func() []finding.Finding { return checkPlaces(ctx, p, accounts) },
		func() []finding.Finding { return checkInstanceTypes(ctx, p, accounts) },
		func() []finding.Finding { return checkEndpointServices(ctx, p, accounts) },
		func() []finding.Finding { return checkNetworks(ctx, p, accounts) },
		func() []finding.Finding { return checkRestrictions(ctx, p, accounts) },
		func() []finding.Finding { return checkDelegation(ctx, p, accounts, o.Resolver) },
		func() []finding.Finding { return checkDNSServers(ctx, p, o.Resolver) },
		func() []finding.Finding { return checkReleases(ctx, p.Releases, o.Registry) },
	}
	report.Add(sideBySide(tasks)...)
	return report
}

// checkInfraID returns the names of a new stack that are in use: those of its roles, its OIDC provider and its OIDC
// documents, which another cluster with the same infra ID has. Names that cannot be looked up are left out.
func checkInfraID(ctx context.Context, p Plan, accounts Accounts, resolver workspace.Resolver) []finding.Finding {
	if !p.New {
		return nil
	}
	return slices.DeleteFunc(checkNames(ctx, p, accounts, resolver), func(f finding.Finding) bool {
		return f.Severity != finding.Error || !slices.ContainsFunc([]string{awstype.Role, awstype.OIDCProvider,
			OIDCDocuments}, func(token string) bool {
			return strings.HasPrefix(f.Subject, typeLabel(token)+" ")
		})
	})
}

// rarelyMet reports whether a demand can exceed its quota only in an unusual account: a stack needs few of hundreds.
func rarelyMet(d Demand) bool {
	q, _ := awstype.QuotaOf(d.Quota)
	return d.New && q.Per == awstype.PerVPC || d.Later || q.Name == "securityGroups" || q.VCPUs
}

// Identify looks up the owner of an account's credentials.
func Identify(ctx context.Context, in account.Account) (awsconfig.Identity, finding.Finding) {
	f := finding.Finding{Check: Credentials, Subject: "AWS credentials"}
	who, err := in.Identity(ctx)
	if err != nil {
		f.Severity, f.Problem, f.Remedy = finding.Error, lastLine(err), "check the credentials"
		if problem, remedy, known := explained(err); known {
			f.Problem, f.Remedy = problem, remedy
		}
		return who, f
	}
	f.Severity, f.Account, f.Region, f.Problem = finding.Passed, who.Account, who.Region, "they belong to "+who.ARN
	return who, f
}

// places returns the places in which a plan creates resources, in order.
func (p Plan) places() []inventory.Place {
	var places []inventory.Place
	for _, r := range p.Resources {
		if r.Created && !slices.Contains(places, r.Place) {
			places = append(places, r.Place)
		}
	}
	for _, n := range p.Nodes {
		if !slices.Contains(places, n.Place) {
			places = append(places, n.Place)
		}
	}
	slices.SortFunc(places, func(a, b inventory.Place) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Region, b.Region))
	})
	return places
}

// checkPlaces checks that regions are opted in to, and the zones of subnets and nodes.
func checkPlaces(ctx context.Context, p Plan, accounts Accounts) []finding.Finding {
	var tasks []func() []finding.Finding
	for _, place := range p.places() {
		in := accounts[place]
		if in == nil {
			continue
		}
		tasks = append(tasks,
			func() []finding.Finding { return []finding.Finding{checkRegion(ctx, in, place)} },
			func() []finding.Finding { return checkZones(ctx, in, place, p.ZonesIn(place)) })
	}
	return sideBySide(tasks)
}

func checkRegion(ctx context.Context, in account.Account, place inventory.Place) finding.Finding {
	f := finding.Finding{Check: Region, Account: place.Account, Region: place.Region, Subject: "the region"}
	enabled, err := in.RegionEnabled(ctx)
	switch {
	case err != nil:
		return unchecked(f, err)
	case !enabled:
		f.Severity, f.Problem = finding.Error, "the account has not opted in to it"
		f.Remedy = fmt.Sprintf("enable it (`aws account enable-region --region-name %s`), which takes minutes to hours, or use another aws:region", place.Region)
	default:
		f.Severity, f.Problem = finding.Passed, "the account can use it"
	}
	return f
}

// ZonesIn returns the zones of a place that subnets are created in and that nodes run in.
func (p Plan) ZonesIn(place inventory.Place) []string {
	var zones []string
	for _, r := range p.Resources {
		if r.Created && r.Type == awstype.Subnet && r.Place == place {
			zones = append(zones, r.text("availabilityZone"), r.text("availabilityZoneId"))
		}
	}
	for _, n := range p.Nodes {
		if n.Place == place {
			zones = append(zones, n.Zones...)
		}
	}
	return slices.DeleteFunc(unique(zones), func(zone string) bool { return zone == "" })
}

func checkZones(ctx context.Context, in account.Account, place inventory.Place, wanted []string) []finding.Finding {
	if len(wanted) == 0 {
		return nil
	}
	zones, err := in.Zones(ctx)
	var findings []finding.Finding
	for _, name := range wanted {
		f := finding.Finding{Check: Zones, Account: place.Account, Region: place.Region, Subject: name}
		i := slices.IndexFunc(zones, func(z account.Zone) bool { return z.Name == name || z.ID == name })
		switch {
		case err != nil:
			f = unchecked(f, err)
		case i < 0:
			f.Severity, f.Problem, f.Remedy = finding.Error, "the region has no such zone",
				"correct the zones of the stack's file"
		case !zones[i].OptedIn:
			f.Severity, f.Problem = finding.Error, "the account has not opted in to it"
			f.Remedy = "opt in to its zone group (`aws ec2 modify-availability-zone-group`), or use another zone"
		case !zones[i].Available:
			f.Severity, f.Problem, f.Remedy = finding.Warning, "AWS reports that it is impaired", "wait, or use another zone"
		default:
			f.Severity, f.Problem = finding.Passed, "available"
		}
		findings = append(findings, f)
	}
	return findings
}
