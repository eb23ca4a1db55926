package orphan

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// Types that are billed by the hour are read by their own requests, which return the resources and their states. EC2's list of tags is
// separate: it may lag behind, and contains the tags of deleted resources.

// findNATGateways finds NAT gateways that have all the tags and are not deleted or failed.
func findNATGateways(ctx context.Context, client *ec2.Client, place Place, tags map[string]string) ([]Found, error) {
	pages := ec2.NewDescribeNatGatewaysPaginator(awsrequest.DescribeNatGateways(client.DescribeNatGateways), &ec2.DescribeNatGatewaysInput{Filter: tagFilters(tags)})
	var found []Found
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing NAT gateways: %w", err)
		}
		for _, gateway := range page.NatGateways {
			if slices.Contains([]ec2types.NatGatewayState{ec2types.NatGatewayStatePending, ec2types.NatGatewayStateAvailable}, gateway.State) {
				one := described(place, awstype.NATGateway, aws.ToString(gateway.NatGatewayId), gateway.Tags)
				one.Created = aws.ToTime(gateway.CreateTime)
				found = append(found, one)
			}
		}
	}
	return withTags(found, tags), nil
}

// findElasticIPs finds elastic IPs that have all the tags.
func findElasticIPs(ctx context.Context, client *ec2.Client, place Place, tags map[string]string) ([]Found, error) {
	list, err := client.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{Filters: tagFilters(tags)})
	if err != nil {
		return nil, fmt.Errorf("listing elastic IPs: %w", err)
	}
	var found []Found
	for _, address := range list.Addresses {
		found = append(found, described(place, awstype.ElasticIP, aws.ToString(address.AllocationId), address.Tags))
	}
	return withTags(found, tags), nil
}

func tagFilters(tags map[string]string) []ec2types.Filter {
	var filters []ec2types.Filter
	for key, value := range tags {
		filters = append(filters, filter("tag:"+key, value))
	}
	return filters
}

func described(place Place, token, id string, tags []ec2types.Tag) Found {
	record, _ := awstype.Of(token)
	found := Found{Type: token, ID: id, ARN: record.Find.Tags.ResourceARN(id, place.Partition, place.Region, place.Account), Tags: map[string]string{}}
	for _, tag := range tags {
		found.Tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return found
}

// withTags keeps resources with exactly these tags: EC2's filters treat "*" and "?" as wildcards.
func withTags(found []Found, tags map[string]string) []Found {
	found = slices.DeleteFunc(found, func(f Found) bool {
		for key, value := range tags {
			if got, has := f.Tags[key]; !has || got != value {
				return true
			}
		}
		return false
	})
	sortFound(found)
	return found
}
