package preflight

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/account"
)

// homeRegions are the regions of each partition that every account can use: one that is not enabled answers no question.
var homeRegions = map[string]string{"aws": "us-east-1", "aws-us-gov": "us-gov-west-1", "aws-cn": "cn-north-1"}

// RegionEnabled implements Account.
func (a *realAccount) RegionEnabled(ctx context.Context) (bool, error) {
	who, err := a.Identity(ctx)
	if err != nil {
		return false, err
	}
	client, err := a.ec2(ctx)
	if err != nil {
		return false, err
	}
	answer, err := client.DescribeRegions(ctx, &ec2.DescribeRegionsInput{AllRegions: aws.Bool(true), RegionNames: []string{who.Region}}, func(o *ec2.Options) {
		if home := homeRegions[who.Partition]; home != "" {
			o.Region = home
		}
	})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(answer.Regions, func(r ec2types.Region) bool {
		return aws.ToString(r.RegionName) == who.Region && aws.ToString(r.OptInStatus) != "not-opted-in"
	}), nil
}

// Zones implements Account.
func (a *realAccount) Zones(ctx context.Context) ([]Zone, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := client.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{AllAvailabilityZones: aws.Bool(true)})
	if err != nil {
		return nil, err
	}
	var zones []Zone
	for _, z := range answer.AvailabilityZones {
		zones = append(zones, Zone{
			Name: aws.ToString(z.ZoneName), ID: aws.ToString(z.ZoneId), OptedIn: z.OptInStatus != ec2types.AvailabilityZoneOptInStatusNotOptedIn,
			Available: z.State == ec2types.AvailabilityZoneStateAvailable,
		})
	}
	return zones, nil
}

// Offers implements Account.
func (a *realAccount) Offers(ctx context.Context, instanceTypes []string) (map[string][]string, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return nil, err
	}
	pages := account.NewPages(client.DescribeInstanceTypeOfferings, &ec2.DescribeInstanceTypeOfferingsInput{
		LocationType: ec2types.LocationTypeAvailabilityZone, Filters: []ec2types.Filter{filter("instance-type", instanceTypes...)},
	})
	found, err := all(ctx, pages.HasMorePages, pages.NextPage,
		func(p *ec2.DescribeInstanceTypeOfferingsOutput) []ec2types.InstanceTypeOffering {
			return p.InstanceTypeOfferings
		})
	offers := map[string][]string{}
	for _, o := range found {
		offers[string(o.InstanceType)] = unique(append(offers[string(o.InstanceType)], aws.ToString(o.Location)))
	}
	return offers, err
}

// ServiceZones implements Account.
func (a *realAccount) ServiceZones(ctx context.Context, service string) ([]string, bool, error) {
	client, err := a.ec2(ctx)
	if err != nil {
		return nil, false, err
	}
	answer, err := client.DescribeVpcEndpointServices(ctx, &ec2.DescribeVpcEndpointServicesInput{ServiceNames: []string{service}})
	if code(err) == "InvalidServiceName" {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var zones []string
	for _, detail := range answer.ServiceDetails {
		zones = append(zones, detail.AvailabilityZones...)
	}
	return unique(zones), len(answer.ServiceDetails)+len(answer.ServiceNames) > 0, nil
}

// Peers implements Account.
func (a *realAccount) Peers(ctx context.Context) ([]Network, error) {
	who, err := a.Identity(ctx)
	if err != nil {
		return nil, err
	}
	client, err := a.ec2(ctx)
	if err != nil {
		return nil, err
	}
	vpcs, err := a.vpcs(ctx)
	if err != nil {
		return nil, err
	}
	var networks []Network
	for _, v := range vpcs {
		if owner := aws.ToString(v.OwnerId); owner != who.Account {
			n := Network{ID: aws.ToString(v.VpcId), Owner: owner, Why: "shared"}
			for _, block := range v.CidrBlockAssociationSet {
				n.CIDRs = append(n.CIDRs, aws.ToString(block.CidrBlock))
			}
			networks = append(networks, n)
		}
	}
	pages := account.NewPages(client.DescribeVpcPeeringConnections, &ec2.DescribeVpcPeeringConnectionsInput{
		Filters: []ec2types.Filter{filter("status-code", "active", "pending-acceptance", "provisioning")},
	})
	found, err := all(ctx, pages.HasMorePages, pages.NextPage,
		func(p *ec2.DescribeVpcPeeringConnectionsOutput) []ec2types.VpcPeeringConnection {
			return p.VpcPeeringConnections
		})
	for _, connection := range found {
		for _, side := range []*ec2types.VpcPeeringConnectionVpcInfo{connection.RequesterVpcInfo, connection.AccepterVpcInfo} {
			if side == nil || slices.ContainsFunc(networks, func(n Network) bool { return n.ID == aws.ToString(side.VpcId) }) {
				continue
			}
			n := Network{ID: aws.ToString(side.VpcId), Owner: aws.ToString(side.OwnerId), Why: "peered"}
			for _, block := range side.CidrBlockSet {
				n.CIDRs = append(n.CIDRs, aws.ToString(block.CidrBlock))
			}
			if cidr := aws.ToString(side.CidrBlock); cidr != "" {
				n.CIDRs = append(n.CIDRs, cidr)
			}
			n.CIDRs = unique(n.CIDRs)
			networks = append(networks, n)
		}
	}
	return networks, err
}

// plain returns a domain without its last dot.
func plain(domain string) string { return strings.ToLower(strings.TrimSuffix(domain, ".")) }
