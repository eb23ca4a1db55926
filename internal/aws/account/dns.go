package account

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func dnsListers() map[string]lister {
	return map[string]lister{
		awstype.HostedZone: {brief: true, dated: true, list: listZones, remove: deleteZone},
		awstype.Record:     {list: listRecords, remove: deleteRecord},
		awstype.ZoneAssociation: {list: func(
			ctx context.Context,
			c *clients,
			q Query,
		) (found []inventory.Resource, err error) {
			zones, err := zonesOfVPC(ctx, c, q.Text("vpcId"))
			for _, zone := range zones {
				found = append(found, named(zone.ID, map[string]any{"zoneId": zone.ID, "vpcId": q.Text("vpcId")}))
			}
			return found, err
		}},
		awstype.VPCAssociationAuthorization: {list: func(
			ctx context.Context,
			c *clients,
			q Query,
		) ([]inventory.Resource, error) {
			zone := q.Text("zoneId")
			return each(ctx, c.route53.ListVPCAssociationAuthorizations,
				&route53.ListVPCAssociationAuthorizationsInput{HostedZoneId: &zone},
				func(p *route53.ListVPCAssociationAuthorizationsOutput) []route53types.VPC { return p.VPCs },
				func(v route53types.VPC) inventory.Resource {
					return named(zone, map[string]any{"zoneId": zone, "vpcId": v.VPCId})
				})
		}},
	}
}

// zoneTagsAtOnce is how many zones one request for tags can name.
const zoneTagsAtOnce = 10

// listZones lists the zones with the query's IDs or name, the zones of its VPC, or all. AWS's lists have no VPCs. For
// zones of the query's name, VPCs are read one by one, since Route 53 allows five requests per second. They have no
// tags either: these are read of complete lists, and of several zones with one name if the query has tags.
func listZones(ctx context.Context, c *clients, q Query) (found []inventory.Resource, err error) {
	name, vpcs := q.Text("name"), q.texts("vpcs.vpcId")
	switch {
	case len(q.IDs) > 0:
		for _, id := range q.IDs {
			found = append(found, inventory.Resource{ID: id})
		}
		if found, err = withVPCs(ctx, c, found); err != nil {
			return nil, err
		}
	case name != "":
		if found, err = zonesNamed(ctx, c, name, len(vpcs) > 0); err != nil {
			return nil, err
		}
	case len(vpcs) == 1:
		return zonesOfVPC(ctx, c, vpcs[0])
	default:
		if found, err = each(ctx, c.route53.ListHostedZones, &route53.ListHostedZonesInput{},
			func(p *route53.ListHostedZonesOutput) []route53types.HostedZone { return p.HostedZones }, hostedZone); err != nil {
			return nil, err
		}
	}
	if !q.Complete && (name == "" || len(found) < 2 || len(q.Tags()) == 0) {
		return found, nil
	}
	return tagInBatches(found, zoneTagsAtOnce, func(some []inventory.Resource) error {
		out, err := c.route53.ListTagsForResources(ctx, &route53.ListTagsForResourcesInput{
			ResourceType: route53types.TagResourceTypeHostedzone, ResourceIds: IDs(some)})
		if err != nil {
			return explained("the tags of hosted zones", err)
		}
		for _, set := range out.ResourceTagSets {
			setTags(some, zoneID(set.ResourceId), tagsOf(set.Tags, func(t route53types.Tag) (*string, *string) {
				return t.Key, t.Value
			}))
		}
		return nil
	})
}

func zoneID(id *string) string { return strings.TrimPrefix(aws.ToString(id), "/hostedzone/") }

func hostedZone(zone route53types.HostedZone) inventory.Resource {
	name := plain("name", aws.ToString(zone.Name))
	r := named(zoneID(zone.Id), map[string]any{"name": name, "private": zone.Config != nil && zone.Config.PrivateZone})
	r.Domain, r.Created = name, referenceTime(aws.ToString(zone.CallerReference))
	return r
}

// referenceTime returns the time in the caller reference of a zone that the provider created: Route 53 returns no
// other. It returns the zero time for a zone that another program created.
func referenceTime(reference string) time.Time {
	const layout = "20060102150405"
	digits, byProvider := strings.CutPrefix(reference, "terraform-")
	if !byProvider || len(digits) < len(layout) {
		return time.Time{}
	}
	at, _ := time.Parse(layout, digits[:len(layout)])
	return at
}

// zonesNamed lists the private or public zones with a name, private ones with their VPCs.
func zonesNamed(ctx context.Context, c *clients, name string, private bool) (found []inventory.Resource, err error) {
	name = plain("name", name)
	pages := NewPages(c.route53.ListHostedZonesByName, &route53.ListHostedZonesByNameInput{DNSName: &name})
	for past := false; !past && pages.HasMorePages(); { // the list is sorted by name and begins with this one
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, zone := range page.HostedZones {
			r := hostedZone(zone)
			past = r.Domain != name
			if !past && r.Properties["private"] == private {
				found = append(found, r)
			}
		}
	}
	if !private {
		return found, nil
	}
	return withVPCs(ctx, c, found)
}

// withVPCs reads zones with their VPCs and name servers.
func withVPCs(ctx context.Context, c *clients, zones []inventory.Resource) ([]inventory.Resource, error) {
	return Gather(zones, func(zone inventory.Resource) ([]inventory.Resource, error) {
		out, err := c.route53.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: &zone.ID})
		if gone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		r := hostedZone(*out.HostedZone)
		var vpcs []any
		for _, v := range out.VPCs {
			vpcs = append(vpcs, map[string]any{"vpcId": aws.ToString(v.VPCId)})
		}
		r.Properties["vpcs"] = vpcs
		if out.DelegationSet != nil {
			r.Properties["nameServers"] = anys(out.DelegationSet.NameServers)
		}
		return []inventory.Resource{r}, nil
	})
}

// zonesOfVPC lists the private zones that a VPC is associated with, including zones of other accounts.
func zonesOfVPC(ctx context.Context, c *clients, vpc string) ([]inventory.Resource, error) {
	return each(ctx, c.route53.ListHostedZonesByVPC, &route53.ListHostedZonesByVPCInput{
		VPCId:     &vpc,
		VPCRegion: route53types.VPCRegion(c.place.Region),
	},
		func(p *route53.ListHostedZonesByVPCOutput) []route53types.HostedZoneSummary {
			return p.HostedZoneSummaries
		},
		func(zone route53types.HostedZoneSummary) inventory.Resource {
			r := named(zoneID(zone.HostedZoneId), map[string]any{
				"name": plain("name", aws.ToString(zone.Name)), "private": true, "vpcs": []any{map[string]any{"vpcId": vpc}}})
			if zone.Owner != nil {
				r.Owner = aws.ToString(zone.Owner.OwningAccount)
			}
			return r
		})
}

// changesAtOnce is how many records one request deletes; the limit of AWS is 1000.
const changesAtOnce = 100

// deleteZone deletes the zone's records, then the zone. AWS refuses to delete a zone with records besides its SOA and
// NS.
func deleteZone(ctx context.Context, c *clients, r inventory.Resource) error {
	var changes []route53types.Change
	if err := eachPage(ctx, NewPages(c.route53.ListResourceRecordSets,
		&route53.ListResourceRecordSetsInput{HostedZoneId: &r.ID}),
		func(page *route53.ListResourceRecordSetsOutput) {
			for _, set := range page.ResourceRecordSets {
				own := set.Type == route53types.RRTypeNs || set.Type == route53types.RRTypeSoa
				if !own || strings.TrimSuffix(aws.ToString(set.Name), ".") != r.Domain {
					changes = append(changes, route53types.Change{Action: route53types.ChangeActionDelete, ResourceRecordSet: &set})
				}
			}
		}); err != nil {
		return explained("the records of zone "+r.ID, err)
	}
	for some := range slices.Chunk(changes, changesAtOnce) {
		if err := change(ctx, c.route53, r.ID, some); err != nil {
			return err
		}
	}
	return send(ctx, c.route53.DeleteHostedZone, &route53.DeleteHostedZoneInput{Id: &r.ID})
}

func change(ctx context.Context, client *route53.Client, zone string, changes []route53types.Change) error {
	return send(ctx, client.ChangeResourceRecordSets, &route53.ChangeResourceRecordSetsInput{
		HostedZoneId: &zone, ChangeBatch: &route53types.ChangeBatch{Changes: changes}})
}

// listRecords lists the records of the query's zone. Its input "under" is a domain: only records that are called so or
// are in it are read. Its input "named" is a name, which may begin with an asterisk.
func listRecords(ctx context.Context, c *clients, q Query) (found []inventory.Resource, err error) {
	zone, under := q.Text("zoneId"), strings.TrimPrefix(q.Text("under"), "*.")
	if name := q.Text("named"); name != "" {
		err = eachRecord(ctx, c, zone, name, func(set route53types.ResourceRecordSet) bool {
			if recordName(set.Name) != name {
				return false
			}
			found = append(found, recordOf(zone, set))
			return true
		})
		return found, err
	}
	err = eachRecord(ctx, c, zone, under, func(set route53types.ResourceRecordSet) bool {
		found = append(found, recordOf(zone, set))
		return true
	})
	return found, err
}

// eachRecord calls do with the records of a zone, only those under a domain unless it is "", until do returns false.
// Route 53 lists records in the order of their labels from the last one, so that those under a domain are one after
// another.
func eachRecord(
	ctx context.Context,
	c *clients,
	zone, under string,
	do func(route53types.ResourceRecordSet) bool,
) error {
	input := &route53.ListResourceRecordSetsInput{HostedZoneId: &zone}
	if under != "" {
		input.StartRecordName = &under
	}
	for pages := NewPages(c.route53.ListResourceRecordSets, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return explained("the records of zone "+zone, err)
		}
		for _, set := range page.ResourceRecordSets {
			if under != "" && !Under(recordName(set.Name), under) || !do(set) {
				return nil
			}
		}
	}
	return nil
}

// recordOf returns a record. Its ID has the form of the provider's import.
func recordOf(zone string, set route53types.ResourceRecordSet) inventory.Resource {
	name := recordName(set.Name)
	r := named(zone+"_"+name+"_"+string(set.Type), map[string]any{
		"zoneId":        zone,
		"name":          name,
		"type":          string(set.Type),
		"setIdentifier": set.SetIdentifier,
	})
	r.Type, r.Tags = awstype.Record, map[string]string{"Name": name}
	if id := aws.ToString(set.SetIdentifier); id != "" {
		r.ID += "_" + id
	}
	var values []string
	for _, value := range set.ResourceRecords {
		values = append(values, aws.ToString(value.Value))
	}
	if set.AliasTarget != nil {
		values = []string{aws.ToString(set.AliasTarget.DNSName)}
	}
	if set.Type == route53types.RRTypeSoa {
		r.Properties["records"] = anys(values)
	}
	r.Hosts, r.Description = PointsAt(string(set.Type), values)
	return r
}

// PointsAt returns the names that a record points to, and the text that identifies external-dns's records.
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
func deleteRecord(ctx context.Context, c *clients, r inventory.Resource) error {
	var same *route53types.ResourceRecordSet
	if err := eachRecord(ctx, c, r.Zone(), strings.TrimPrefix(r.Name(), "*."),
		func(set route53types.ResourceRecordSet) bool {
			if now := recordOf(r.Zone(), set); now.ID == r.ID && slices.Equal(now.Hosts,
				r.Hosts) && now.Description == r.Description {
				same = &set
			}
			return same == nil
		}); err != nil || same == nil {
		return err
	}
	return change(ctx, c.route53, r.Zone(), []route53types.Change{{
		Action:            route53types.ChangeActionDelete,
		ResourceRecordSet: same,
	}})
}
