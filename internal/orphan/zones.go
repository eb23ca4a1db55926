package orphan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
)

// findZones finds hosted zones by name and, for private ones, by VPC. A zone is tagged after its creation, so an interrupted creation may
// leave a zone without tags. AWS allows one private zone per name and VPC, but any number of public zones with the same name.
func findZones(ctx context.Context, client *route53.Client, q Query) ([]string, error) {
	name, vpcs := strings.TrimSuffix(q.Text("name"), "."), q.texts("vpcs.vpcId")
	request := &route53.ListHostedZonesByNameInput{DNSName: aws.String(name)}
	var ids []string
	for {
		page, err := client.ListHostedZonesByName(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("listing the hosted zones called %s: %w", name, err)
		}
		for _, zone := range page.HostedZones {
			private := zone.Config != nil && zone.Config.PrivateZone
			if strings.TrimSuffix(aws.ToString(zone.Name), ".") != name || private != (len(vpcs) > 0) {
				continue
			}
			if private {
				in, err := isIn(ctx, client, zone.Id, vpcs)
				if err != nil {
					return nil, err
				}
				if !in {
					continue
				}
			}
			ids = append(ids, strings.TrimPrefix(aws.ToString(zone.Id), "/hostedzone/"))
		}
		// The list is sorted by name and begins at the given one.
		if !page.IsTruncated || strings.TrimSuffix(aws.ToString(page.NextDNSName), ".") != name {
			return ids, nil
		}
		request.DNSName, request.HostedZoneId = page.NextDNSName, page.NextHostedZoneId
	}
}

// isIn reports whether a private zone is associated with one of the VPCs.
func isIn(ctx context.Context, client *route53.Client, id *string, vpcs []string) (bool, error) {
	zone, err := client.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: id})
	if err != nil {
		return false, fmt.Errorf("reading the hosted zone %s: %w", aws.ToString(id), err)
	}
	for _, vpc := range zone.VPCs {
		if slices.Contains(vpcs, aws.ToString(vpc.VPCId)) {
			return true, nil
		}
	}
	return false, nil
}
