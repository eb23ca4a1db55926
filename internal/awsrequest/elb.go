package awsrequest

import (
	"context"

	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
)

// DescribeClassicLoadBalancers is the request of this name as a paginator's client.
type DescribeClassicLoadBalancers request[elb.DescribeLoadBalancersInput, elb.Options, elb.DescribeLoadBalancersOutput]

// DescribeLoadBalancers sends the request.
func (r DescribeClassicLoadBalancers) DescribeLoadBalancers(ctx context.Context, in *elb.DescribeLoadBalancersInput, options ...func(*elb.Options)) (*elb.DescribeLoadBalancersOutput, error) {
	return r(ctx, in, options...)
}

// DescribeLoadBalancers is the request of this name as a paginator's client.
type DescribeLoadBalancers request[elbv2.DescribeLoadBalancersInput, elbv2.Options, elbv2.DescribeLoadBalancersOutput]

// DescribeLoadBalancers sends the request.
func (r DescribeLoadBalancers) DescribeLoadBalancers(ctx context.Context, in *elbv2.DescribeLoadBalancersInput, options ...func(*elbv2.Options)) (*elbv2.DescribeLoadBalancersOutput, error) {
	return r(ctx, in, options...)
}

// DescribeTargetGroups is the request of this name as a paginator's client.
type DescribeTargetGroups request[elbv2.DescribeTargetGroupsInput, elbv2.Options, elbv2.DescribeTargetGroupsOutput]

// DescribeTargetGroups sends the request.
func (r DescribeTargetGroups) DescribeTargetGroups(ctx context.Context, in *elbv2.DescribeTargetGroupsInput, options ...func(*elbv2.Options)) (*elbv2.DescribeTargetGroupsOutput, error) {
	return r(ctx, in, options...)
}
