package orphan

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// Records implements Sweepable.
func (a *sweptAccount) Records(ctx context.Context, domains []string) ([]Leftover, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	pages := route53.NewListHostedZonesPaginator(awsrequest.ListHostedZones(c.route53.ListHostedZones), &route53.ListHostedZonesInput{})
	zones := map[string]string{}
	if err := eachPage(ctx, pages, func(page *route53.ListHostedZonesOutput) {
		for _, zone := range page.HostedZones {
			zones[zoneID(zone.Id)] = strings.TrimSuffix(aws.ToString(zone.Name), ".")
		}
	}); err != nil {
		return nil, explained("hosted zones", err)
	}
	var found []Leftover
	for zone, name := range zones {
		for _, under := range domainsIn(name, domains) {
			records, err := recordsOf(ctx, c.route53, zone, under)
			if err != nil {
				return nil, err
			}
			found = append(found, records...)
		}
	}
	slices.SortFunc(found, func(a, b Leftover) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b Leftover) bool { return a.ID == b.ID }), nil
}

// domainsIn returns the domains to look for in a zone: those that are in it, and its own name where it is in one of them, or where there are
// none.
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

// recordsOf lists the records of a zone that are called as a domain or are in it. Route 53 lists records in the order of their labels
// from the last one, so that these are one after another.
func recordsOf(ctx context.Context, client *route53.Client, zone, domain string) ([]Leftover, error) {
	pages := route53.NewListResourceRecordSetsPaginator(awsrequest.ListResourceRecordSets(client.ListResourceRecordSets),
		&route53.ListResourceRecordSetsInput{HostedZoneId: &zone, StartRecordName: &domain})
	var found []Leftover
	for past := false; !past && pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if gone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, explained("the records of zone "+zone, err)
		}
		for _, set := range page.ResourceRecordSets {
			if past = !Under(recordName(set.Name), domain); past {
				break
			}
			if l := recordLeftover(zone, set); len(l.Hosts) > 0 || l.Description != "" {
				found = append(found, l)
			}
		}
	}
	return found, nil
}

// recordLeftover returns a record. Its ID is that of the provider's import.
func recordLeftover(zone string, set route53types.ResourceRecordSet) Leftover {
	name := recordName(set.Name)
	l := Leftover{Found: Found{Type: awstype.Record, ID: zone + "_" + name + "_" + string(set.Type), Tags: map[string]string{"Name": name}}}
	if id := aws.ToString(set.SetIdentifier); id != "" {
		l.ID += "_" + id
	}
	var values []string
	for _, value := range set.ResourceRecords {
		values = append(values, aws.ToString(value.Value))
	}
	if set.AliasTarget != nil {
		values = []string{aws.ToString(set.AliasTarget.DNSName)}
	}
	l.Hosts, l.Description = PointsAt(string(set.Type), values)
	return l
}

// PointsAt returns the names to which a record points, and the text by which external-dns identifies its records.
func PointsAt(recordType string, values []string) (names []string, registry string) {
	switch recordType {
	case "A", "AAAA", "CNAME":
		for _, value := range values {
			names = append(names, Host(value))
		}
	case "TXT":
		for _, value := range values {
			if strings.Contains(value, "heritage=external-dns") {
				return nil, value
			}
		}
	}
	return names, ""
}

// recordName returns a record's name as people write it: Route 53 writes the asterisk as an escape.
func recordName(name *string) string {
	return strings.TrimSuffix(strings.ReplaceAll(aws.ToString(name), `\052`, "*"), ".")
}

// Host returns a DNS name in the form that compares: Route 53 puts "dualstack." before the name of a load balancer.
func Host(name string) string {
	return strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(name), "."), "dualstack.")
}

// hosts returns the names in the form of Host; an endpoint's may begin with an asterisk.
func hosts(names ...*string) []string {
	var all []string
	for _, name := range names {
		if text := aws.ToString(name); text != "" {
			all = append(all, strings.ReplaceAll(Host(text), `\052`, "*"))
		}
	}
	return all
}

// deleteRecord deletes the record as it is now, if it still points where it did.
func deleteRecord(ctx context.Context, c *clients, l Leftover) error {
	name := strings.TrimPrefix(l.Name(), "*.")
	pages := route53.NewListResourceRecordSetsPaginator(awsrequest.ListResourceRecordSets(c.route53.ListResourceRecordSets),
		&route53.ListResourceRecordSetsInput{HostedZoneId: aws.String(l.Zone()), StartRecordName: &name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, set := range page.ResourceRecordSets {
			if !Under(recordName(set.Name), name) {
				return nil
			}
			now := recordLeftover(l.Zone(), set)
			if now.ID == l.ID && slices.Equal(now.Hosts, l.Hosts) && now.Description == l.Description {
				return change(ctx, c.route53, l.Zone(), []route53types.Change{{Action: route53types.ChangeActionDelete, ResourceRecordSet: &set}})
			}
		}
	}
	return nil
}
