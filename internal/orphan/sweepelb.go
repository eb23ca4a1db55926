package orphan

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbv2types "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
)

// taggedAtOnce is how many load balancers or target groups one request for tags can name.
const taggedAtOnce = 20

func listLoadBalancers(ctx context.Context, c *clients, arns []string) (found []Leftover, err error) {
	pages := elbv2.NewDescribeLoadBalancersPaginator(awsrequest.DescribeLoadBalancers(c.elbv2.DescribeLoadBalancers), &elbv2.DescribeLoadBalancersInput{LoadBalancerArns: arns})
	err = eachPage(ctx, pages, func(page *elbv2.DescribeLoadBalancersOutput) {
		for _, b := range page.LoadBalancers {
			arn := aws.ToString(b.LoadBalancerArn)
			subnets := make([]any, len(b.AvailabilityZones))
			found = append(found, Leftover{
				Found: Found{ID: arn, ARN: arn, Created: aws.ToTime(b.CreatedTime)},
				VPC:   aws.ToString(b.VpcId), Hosts: hosts(b.DNSName),
				Priced: map[string]any{"internal": b.Scheme == elbv2types.LoadBalancerSchemeEnumInternal, "subnets": subnets},
			})
		}
	})
	if err == nil {
		err = tagELBv2(ctx, c, found)
	}
	return found, explained("load balancers", err)
}

// tagELBv2 adds the tags of load balancers or target groups.
func tagELBv2(ctx context.Context, c *clients, found []Leftover) error {
	for some := range slices.Chunk(found, taggedAtOnce) {
		out, err := c.elbv2.DescribeTags(ctx, &elbv2.DescribeTagsInput{ResourceArns: ids(some)})
		if err != nil {
			return err
		}
		for _, d := range out.TagDescriptions {
			for i := range some {
				if some[i].ARN == aws.ToString(d.ResourceArn) {
					some[i].Tags = one("", d.Tags, func(t elbv2types.Tag) (*string, *string) { return t.Key, t.Value }).Tags
				}
			}
		}
	}
	return nil
}

func ids(found []Leftover) []string {
	all := make([]string, len(found))
	for i, l := range found {
		all[i] = l.ID
	}
	return all
}

func deleteLoadBalancer(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.elbv2.DeleteLoadBalancer, &elbv2.DeleteLoadBalancerInput{LoadBalancerArn: &l.ID})
}

func listTargetGroups(ctx context.Context, c *clients, arns []string) (found []Leftover, err error) {
	pages := elbv2.NewDescribeTargetGroupsPaginator(awsrequest.DescribeTargetGroups(c.elbv2.DescribeTargetGroups), &elbv2.DescribeTargetGroupsInput{TargetGroupArns: arns})
	err = eachPage(ctx, pages, func(page *elbv2.DescribeTargetGroupsOutput) {
		for _, g := range page.TargetGroups {
			arn := aws.ToString(g.TargetGroupArn)
			found = append(found, Leftover{Found: Found{ID: arn, ARN: arn}, VPC: aws.ToString(g.VpcId), UsedBy: g.LoadBalancerArns})
		}
	})
	if err == nil {
		err = tagELBv2(ctx, c, found)
	}
	return found, explained("target groups", err)
}

func deleteTargetGroup(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.elbv2.DeleteTargetGroup, &elbv2.DeleteTargetGroupInput{TargetGroupArn: &l.ID})
}

func listClassicLoadBalancers(ctx context.Context, c *clients, names []string) (found []Leftover, err error) {
	pages := elb.NewDescribeLoadBalancersPaginator(awsrequest.DescribeClassicLoadBalancers(c.elb.DescribeLoadBalancers), &elb.DescribeLoadBalancersInput{LoadBalancerNames: names})
	err = eachPage(ctx, pages, func(page *elb.DescribeLoadBalancersOutput) {
		for _, b := range page.LoadBalancerDescriptions {
			found = append(found, Leftover{
				Found: Found{ID: aws.ToString(b.LoadBalancerName), Created: aws.ToTime(b.CreatedTime)},
				VPC:   aws.ToString(b.VPCId), Hosts: hosts(b.DNSName),
			})
		}
	})
	if err != nil {
		return nil, explained("classic load balancers", err)
	}
	for some := range slices.Chunk(found, taggedAtOnce) {
		out, err := c.elb.DescribeTags(ctx, &elb.DescribeTagsInput{LoadBalancerNames: ids(some)})
		if err != nil {
			return found, explained("tags of classic load balancers", err)
		}
		for _, d := range out.TagDescriptions {
			for i := range some {
				if some[i].ID == aws.ToString(d.LoadBalancerName) {
					some[i].Tags = one("", d.Tags, func(t elbtypes.Tag) (*string, *string) { return t.Key, t.Value }).Tags
				}
			}
		}
	}
	return found, nil
}

func deleteClassicLoadBalancer(ctx context.Context, c *clients, l Leftover) error {
	return send(ctx, c.elb.DeleteLoadBalancer, &elb.DeleteLoadBalancerInput{LoadBalancerName: &l.ID})
}
