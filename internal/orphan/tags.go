package orphan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	taggingtypes "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// findARNs searches the tagging API for resources of the types that have all the tags. The API shows a new resource within seconds.
func findARNs(ctx context.Context, client *tagging.Client, types []awstype.Type, tags map[string]string) ([]Found, error) {
	var filters []taggingtypes.TagFilter
	for key, value := range tags {
		filters = append(filters, taggingtypes.TagFilter{Key: aws.String(key), Values: []string{value}})
	}
	var names []string
	for _, t := range types {
		names = append(names, t.Find.Tags.Tagging)
	}
	pages := tagging.NewGetResourcesPaginator(awsrequest.GetResources(client.GetResources), &tagging.GetResourcesInput{ResourceTypeFilters: names, TagFilters: filters})
	var found []Found
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing tagged resources: %w", err)
		}
		for _, resource := range page.ResourceTagMappingList {
			for _, t := range types {
				id, ok := t.Find.Tags.ID(aws.ToString(resource.ResourceARN))
				if !ok {
					continue
				}
				one := Found{Type: t.Token, ID: id, ARN: aws.ToString(resource.ResourceARN), Tags: map[string]string{}}
				for _, tag := range resource.Tags {
					one.Tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
				}
				found = append(found, one)
			}
		}
	}
	sortFound(found)
	return found, nil
}

// resourceIDs is how many IDs one request can name.
const resourceIDs = 200

// findEC2 searches EC2 for resources of a type (all types for "") that have all the tags. EC2 lists tags, not resources: a resource matches
// if all its tags are listed. EC2 lists the tags of deleted NAT gateways, endpoints and instances for about an hour: these are left out.
func findEC2(ctx context.Context, client *ec2.Client, place Place, token string, tags map[string]string) ([]Found, error) {
	types := map[string]awstype.Type{}
	for _, record := range awstype.All() {
		if name := record.Find.Tags.EC2; name != "" && (token == "" || record.Token == token) {
			types[name] = record
		}
	}
	filters := []ec2types.Filter{{Name: aws.String("key")}, {Name: aws.String("value")}}
	for key, value := range tags {
		filters[0].Values, filters[1].Values = append(filters[0].Values, key), append(filters[1].Values, value)
	}
	if token != "" {
		record, _ := awstype.Of(token)
		filters = append(filters, ec2types.Filter{Name: aws.String("resource-type"), Values: []string{record.Find.Tags.EC2}})
	}
	matches := map[string]int{}
	if err := eachTag(ctx, client, filters, func(tag ec2types.TagDescription) {
		if value, wanted := tags[aws.ToString(tag.Key)]; wanted && value == aws.ToString(tag.Value) {
			matches[aws.ToString(tag.ResourceId)]++
		}
	}); err != nil {
		return nil, err
	}
	var ids []string
	for id, n := range matches {
		if n == len(tags) {
			ids = append(ids, id)
		}
	}
	byID := map[string]*Found{}
	for some := range slices.Chunk(ids, resourceIDs) {
		if err := eachTag(ctx, client, []ec2types.Filter{{Name: aws.String("resource-id"), Values: some}}, func(tag ec2types.TagDescription) {
			record, known := types[string(tag.ResourceType)]
			if !known {
				return
			}
			id := aws.ToString(tag.ResourceId)
			if byID[id] == nil {
				byID[id] = &Found{Type: record.Token, ID: id, Tags: map[string]string{},
					ARN: record.Find.Tags.ResourceARN(id, place.Partition, place.Region, place.Account)}
			}
			byID[id].Tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
		}); err != nil {
			return nil, err
		}
	}
	return living(ctx, client, byID)
}

func eachTag(ctx context.Context, client *ec2.Client, filters []ec2types.Filter, do func(ec2types.TagDescription)) error {
	pages := ec2.NewDescribeTagsPaginator(awsrequest.DescribeTags(client.DescribeTags), &ec2.DescribeTagsInput{Filters: filters})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("listing EC2's tags: %w", err)
		}
		for _, tag := range page.Tags {
			do(tag)
		}
	}
	return nil
}

// refused reports whether AWS denies the request. A stack's policies allow reading only the stack's own types, and operators create
// resources of other types for a cluster.
func refused(err error) bool {
	var api interface{ ErrorCode() string }
	return errors.As(err, &api) && api.ErrorCode() == "UnauthorizedOperation"
}

// living adds the creation times that EC2 returns, and removes deleted resources. If a request is denied, the list stays as it is.
func living(ctx context.Context, client *ec2.Client, byID map[string]*Found) ([]Found, error) {
	ids := map[string][]string{}
	for id, found := range byID {
		ids[found.Type] = append(ids[found.Type], id)
	}
	for _, times := range []struct {
		token string
		of    func(context.Context, *ec2.Client, []string) (map[string]time.Time, error)
	}{{awstype.NATGateway, natGatewayTimes}, {awstype.VPCEndpoint, endpointTimes}, {awstype.Instance, instanceTimes}} {
		for some := range slices.Chunk(ids[times.token], resourceIDs) {
			created, err := times.of(ctx, client, some)
			if refused(err) {
				break
			}
			if err != nil {
				return nil, err
			}
			for _, id := range some {
				if at, alive := created[id]; alive {
					byID[id].Created = at
				} else {
					delete(byID, id)
				}
			}
		}
	}
	var found []Found
	for _, f := range byID {
		found = append(found, *f)
	}
	sortFound(found)
	return found, nil
}

func natGatewayTimes(ctx context.Context, client *ec2.Client, ids []string) (map[string]time.Time, error) {
	pages := ec2.NewDescribeNatGatewaysPaginator(awsrequest.DescribeNatGateways(client.DescribeNatGateways), &ec2.DescribeNatGatewaysInput{
		Filter: []ec2types.Filter{{Name: aws.String("nat-gateway-id"), Values: ids}}})
	created := map[string]time.Time{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading NAT gateways: %w", err)
		}
		for _, gateway := range page.NatGateways {
			if gateway.State != ec2types.NatGatewayStateDeleted && gateway.State != ec2types.NatGatewayStateDeleting {
				created[aws.ToString(gateway.NatGatewayId)] = aws.ToTime(gateway.CreateTime)
			}
		}
	}
	return created, nil
}

// endpointTimes lists all endpoints of the region: a request by ID fails for a deleted one, and emulators lack the filter.
func endpointTimes(ctx context.Context, client *ec2.Client, _ []string) (map[string]time.Time, error) {
	pages := ec2.NewDescribeVpcEndpointsPaginator(awsrequest.DescribeVpcEndpoints(client.DescribeVpcEndpoints), &ec2.DescribeVpcEndpointsInput{})
	created := map[string]time.Time{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading VPC endpoints: %w", err)
		}
		for _, endpoint := range page.VpcEndpoints {
			if !is(endpoint.State, ec2types.StateDeleted) && !is(endpoint.State, ec2types.StateDeleting) {
				created[aws.ToString(endpoint.VpcEndpointId)] = aws.ToTime(endpoint.CreationTimestamp)
			}
		}
	}
	return created, nil
}

func instanceTimes(ctx context.Context, client *ec2.Client, ids []string) (map[string]time.Time, error) {
	pages := ec2.NewDescribeInstancesPaginator(awsrequest.DescribeInstances(client.DescribeInstances), &ec2.DescribeInstancesInput{
		Filters: []ec2types.Filter{{Name: aws.String("instance-id"), Values: ids}}})
	created := map[string]time.Time{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading instances: %w", err)
		}
		for _, reservation := range page.Reservations {
			for _, instance := range reservation.Instances {
				if instance.State != nil && instance.State.Name != ec2types.InstanceStateNameTerminated {
					created[aws.ToString(instance.InstanceId)] = aws.ToTime(instance.LaunchTime)
				}
			}
		}
	}
	return created, nil
}
