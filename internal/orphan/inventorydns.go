package orphan

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

func dnsListers() map[string]lister {
	return map[string]lister{
		awstype.HostedZone: zonesByName,
		awstype.Record: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			zone := q.Text("zoneId")
			sets, err := recordSets(ctx, c.route53, zone)
			for _, set := range sets {
				found = append(found, resource(one(zone, []route53types.Tag{}, zonePair), map[string]any{
					"zoneId": zone, "name": recordName(set.Name), "type": string(set.Type), "setIdentifier": set.SetIdentifier}))
			}
			return found, err
		},
		"aws:route53/zoneAssociation:ZoneAssociation": func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			zones, err := zonesOfVPC(ctx, c, q.Text("vpcId"))
			for _, zone := range zones {
				found = append(found, resource(one(zone.ID, []route53types.Tag{}, zonePair), map[string]any{"zoneId": zone.ID, "vpcId": q.Text("vpcId")}))
			}
			return found, err
		},
		"aws:route53/vpcAssociationAuthorization:VpcAssociationAuthorization": func(
			ctx context.Context, _ *listedAccount, c *clients, q Query,
		) (found []Resource, err error) {
			request := &route53.ListVPCAssociationAuthorizationsInput{HostedZoneId: aws.String(q.Text("zoneId"))}
			for {
				out, err := c.route53.ListVPCAssociationAuthorizations(ctx, request)
				if err != nil {
					return nil, err
				}
				for _, v := range out.VPCs {
					found = append(found, resource(one(q.Text("zoneId"), []route53types.Tag{}, zonePair), map[string]any{
						"zoneId": q.Text("zoneId"), "vpcId": v.VPCId}))
				}
				if aws.ToString(out.NextToken) == "" {
					return found, nil
				}
				request.NextToken = out.NextToken
			}
		},
	}
}

// zonesByName lists the zones with the query's name, or all of them if the query has no name. AWS's list does not contain the VPCs of private
// zones; those of the query's name are read one by one, since Route 53 allows five requests per second.
func zonesByName(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
	if vpcs := q.texts("vpcs.vpcId"); q.Text("name") == "" && len(vpcs) == 1 {
		return zonesOfVPC(ctx, c, vpcs[0])
	}
	list := route53.NewListHostedZonesPaginator(awsrequest.ListHostedZones(c.route53.ListHostedZones), &route53.ListHostedZonesInput{})
	if err := eachPage(ctx, list, func(page *route53.ListHostedZonesOutput) {
		for _, zone := range page.HostedZones {
			private := zone.Config != nil && zone.Config.PrivateZone
			r := resource(one(zoneID(zone.Id), []route53types.Tag{}, zonePair), map[string]any{"name": plain("name", aws.ToString(zone.Name)), "private": private})
			if name := q.Text("name"); name == "" || plain("name", name) == r.Text("name") {
				found = append(found, r)
			}
		}
	}); err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].Properties["private"] != true || q.Text("name") == "" {
			continue
		}
		zone, err := c.route53.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: &found[i].ID})
		if err != nil {
			return nil, err
		}
		var vpcs []any
		for _, v := range zone.VPCs {
			vpcs = append(vpcs, map[string]any{"vpcId": aws.ToString(v.VPCId)})
		}
		found[i].Properties["vpcs"] = vpcs
	}
	return found, nil
}

// zonesOfVPC lists the private zones that a VPC is associated with, including those of other accounts.
func zonesOfVPC(ctx context.Context, c *clients, vpc string) (found []Resource, err error) {
	request := &route53.ListHostedZonesByVPCInput{VPCId: &vpc, VPCRegion: route53types.VPCRegion(c.place.Region)}
	for {
		out, err := c.route53.ListHostedZonesByVPC(ctx, request)
		if err != nil {
			return nil, err
		}
		for _, zone := range out.HostedZoneSummaries {
			found = append(found, resource(one(zoneID(zone.HostedZoneId), []route53types.Tag{}, zonePair), map[string]any{
				"name": plain("name", aws.ToString(zone.Name)), "private": true, "vpcs": []any{map[string]any{"vpcId": vpc}}}))
		}
		if aws.ToString(out.NextToken) == "" {
			return found, nil
		}
		request.NextToken = out.NextToken
	}
}
