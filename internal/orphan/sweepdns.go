package orphan

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
)

// zoneTagsAtOnce is how many zones one request for tags can name.
const zoneTagsAtOnce = 10

func zonePair(t route53types.Tag) (key, value *string) { return t.Key, t.Value }

func zoneID(id *string) string { return strings.TrimPrefix(aws.ToString(id), "/hostedzone/") }

func listZones(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	if len(ids) == 0 {
		pages := route53.NewListHostedZonesPaginator(awsrequest.ListHostedZones(c.route53.ListHostedZones), &route53.ListHostedZonesInput{})
		err = eachPage(ctx, pages, func(page *route53.ListHostedZonesOutput) {
			for _, zone := range page.HostedZones {
				ids = append(ids, zoneID(zone.Id))
				found = append(found, Leftover{Found: Found{ID: zoneID(zone.Id)}, Domain: strings.TrimSuffix(aws.ToString(zone.Name), ".")})
			}
		})
	} else {
		for _, id := range ids {
			out, err := c.route53.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: &id})
			if err != nil {
				return nil, err
			}
			found = append(found, Leftover{Found: Found{ID: id}, Domain: strings.TrimSuffix(aws.ToString(out.HostedZone.Name), ".")})
		}
	}
	if err != nil {
		return nil, explained("hosted zones", err)
	}
	for some := range slices.Chunk(found, zoneTagsAtOnce) {
		var names []string
		for _, l := range some {
			names = append(names, l.ID)
		}
		out, err := c.route53.ListTagsForResources(ctx, &route53.ListTagsForResourcesInput{
			ResourceType: route53types.TagResourceTypeHostedzone, ResourceIds: names})
		if err != nil {
			return found, explained("the tags of hosted zones", err)
		}
		for _, set := range out.ResourceTagSets {
			for i := range some {
				if some[i].ID == zoneID(set.ResourceId) {
					some[i].Tags = one("", set.Tags, zonePair).Tags
				}
			}
		}
	}
	return found, nil
}

// changesAtOnce is how many records one request deletes; the limit of AWS is 1000.
const changesAtOnce = 100

// deleteZone deletes the zone's records, then the zone. AWS refuses to delete a zone with records besides its SOA and NS.
func deleteZone(ctx context.Context, c *clients, l Leftover) error {
	sets, err := recordSets(ctx, c.route53, l.ID)
	if err != nil {
		return err
	}
	var changes []route53types.Change
	for _, set := range sets {
		own := set.Type == route53types.RRTypeNs || set.Type == route53types.RRTypeSoa
		if own && strings.TrimSuffix(aws.ToString(set.Name), ".") == l.Domain {
			continue
		}
		changes = append(changes, route53types.Change{Action: route53types.ChangeActionDelete, ResourceRecordSet: &set})
	}
	for some := range slices.Chunk(changes, changesAtOnce) {
		if err := change(ctx, c.route53, l.ID, some); err != nil {
			return err
		}
	}
	return send(ctx, c.route53.DeleteHostedZone, &route53.DeleteHostedZoneInput{Id: &l.ID})
}

func change(ctx context.Context, client *route53.Client, zone string, changes []route53types.Change) error {
	_, err := client.ChangeResourceRecordSets(ctx, &route53.ChangeResourceRecordSetsInput{
		HostedZoneId: &zone, ChangeBatch: &route53types.ChangeBatch{Changes: changes}})
	return err
}

func recordSets(ctx context.Context, client *route53.Client, zone string) ([]route53types.ResourceRecordSet, error) {
	pages := route53.NewListResourceRecordSetsPaginator(awsrequest.ListResourceRecordSets(client.ListResourceRecordSets), &route53.ListResourceRecordSetsInput{HostedZoneId: &zone})
	var sets []route53types.ResourceRecordSet
	err := eachPage(ctx, pages, func(page *route53.ListResourceRecordSetsOutput) { sets = append(sets, page.ResourceRecordSets...) })
	return sets, explained("the records of zone "+zone, err)
}
