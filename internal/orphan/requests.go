package orphan

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/route53"
)

// The SDK's paginators take an interface. A client that is converted to an interface is linked with every request of its
// service: EC2's alone are a sixth of this program. So a paginator gets the one request that it sends.

// request is a method of a client with options O.
type request[I, O, Output any] = func(context.Context, *I, ...func(*O)) (*Output, error)

type (
	describeDhcpOptions                      request[ec2.DescribeDhcpOptionsInput, ec2.Options, ec2.DescribeDhcpOptionsOutput]
	describeFlowLogs                         request[ec2.DescribeFlowLogsInput, ec2.Options, ec2.DescribeFlowLogsOutput]
	describeInstances                        request[ec2.DescribeInstancesInput, ec2.Options, ec2.DescribeInstancesOutput]
	describeInternetGateways                 request[ec2.DescribeInternetGatewaysInput, ec2.Options, ec2.DescribeInternetGatewaysOutput]
	describeNatGateways                      request[ec2.DescribeNatGatewaysInput, ec2.Options, ec2.DescribeNatGatewaysOutput]
	describeNetworkInterfaces                request[ec2.DescribeNetworkInterfacesInput, ec2.Options, ec2.DescribeNetworkInterfacesOutput]
	describeRouteTables                      request[ec2.DescribeRouteTablesInput, ec2.Options, ec2.DescribeRouteTablesOutput]
	describeSecurityGroupRules               request[ec2.DescribeSecurityGroupRulesInput, ec2.Options, ec2.DescribeSecurityGroupRulesOutput]
	describeSecurityGroups                   request[ec2.DescribeSecurityGroupsInput, ec2.Options, ec2.DescribeSecurityGroupsOutput]
	describeSnapshots                        request[ec2.DescribeSnapshotsInput, ec2.Options, ec2.DescribeSnapshotsOutput]
	describeSubnets                          request[ec2.DescribeSubnetsInput, ec2.Options, ec2.DescribeSubnetsOutput]
	describeTags                             request[ec2.DescribeTagsInput, ec2.Options, ec2.DescribeTagsOutput]
	describeVolumes                          request[ec2.DescribeVolumesInput, ec2.Options, ec2.DescribeVolumesOutput]
	describeVpcEndpointConnections           request[ec2.DescribeVpcEndpointConnectionsInput, ec2.Options, ec2.DescribeVpcEndpointConnectionsOutput]
	describeVpcEndpointServiceConfigurations request[ec2.DescribeVpcEndpointServiceConfigurationsInput, ec2.Options, ec2.DescribeVpcEndpointServiceConfigurationsOutput]
	describeVpcEndpoints                     request[ec2.DescribeVpcEndpointsInput, ec2.Options, ec2.DescribeVpcEndpointsOutput]
	describeVpcs                             request[ec2.DescribeVpcsInput, ec2.Options, ec2.DescribeVpcsOutput]
	describeClassicLoadBalancers             request[elb.DescribeLoadBalancersInput, elb.Options, elb.DescribeLoadBalancersOutput]
	describeLoadBalancers                    request[elbv2.DescribeLoadBalancersInput, elbv2.Options, elbv2.DescribeLoadBalancersOutput]
	describeTargetGroups                     request[elbv2.DescribeTargetGroupsInput, elbv2.Options, elbv2.DescribeTargetGroupsOutput]
	listHostedZones                          request[route53.ListHostedZonesInput, route53.Options, route53.ListHostedZonesOutput]
	listResourceRecordSets                   request[route53.ListResourceRecordSetsInput, route53.Options, route53.ListResourceRecordSetsOutput]
)

func (r describeDhcpOptions) DescribeDhcpOptions(
	ctx context.Context, in *ec2.DescribeDhcpOptionsInput, options ...func(*ec2.Options),
) (*ec2.DescribeDhcpOptionsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeFlowLogs) DescribeFlowLogs(
	ctx context.Context, in *ec2.DescribeFlowLogsInput, options ...func(*ec2.Options),
) (*ec2.DescribeFlowLogsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeInstances) DescribeInstances(
	ctx context.Context, in *ec2.DescribeInstancesInput, options ...func(*ec2.Options),
) (*ec2.DescribeInstancesOutput, error) {
	return r(ctx, in, options...)
}

func (r describeInternetGateways) DescribeInternetGateways(
	ctx context.Context, in *ec2.DescribeInternetGatewaysInput, options ...func(*ec2.Options),
) (*ec2.DescribeInternetGatewaysOutput, error) {
	return r(ctx, in, options...)
}

func (r describeNatGateways) DescribeNatGateways(
	ctx context.Context, in *ec2.DescribeNatGatewaysInput, options ...func(*ec2.Options),
) (*ec2.DescribeNatGatewaysOutput, error) {
	return r(ctx, in, options...)
}

func (r describeNetworkInterfaces) DescribeNetworkInterfaces(
	ctx context.Context, in *ec2.DescribeNetworkInterfacesInput, options ...func(*ec2.Options),
) (*ec2.DescribeNetworkInterfacesOutput, error) {
	return r(ctx, in, options...)
}

func (r describeRouteTables) DescribeRouteTables(
	ctx context.Context, in *ec2.DescribeRouteTablesInput, options ...func(*ec2.Options),
) (*ec2.DescribeRouteTablesOutput, error) {
	return r(ctx, in, options...)
}

func (r describeSecurityGroupRules) DescribeSecurityGroupRules(
	ctx context.Context, in *ec2.DescribeSecurityGroupRulesInput, options ...func(*ec2.Options),
) (*ec2.DescribeSecurityGroupRulesOutput, error) {
	return r(ctx, in, options...)
}

func (r describeSecurityGroups) DescribeSecurityGroups(
	ctx context.Context, in *ec2.DescribeSecurityGroupsInput, options ...func(*ec2.Options),
) (*ec2.DescribeSecurityGroupsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeSnapshots) DescribeSnapshots(
	ctx context.Context, in *ec2.DescribeSnapshotsInput, options ...func(*ec2.Options),
) (*ec2.DescribeSnapshotsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeSubnets) DescribeSubnets(
	ctx context.Context, in *ec2.DescribeSubnetsInput, options ...func(*ec2.Options),
) (*ec2.DescribeSubnetsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeTags) DescribeTags(
	ctx context.Context, in *ec2.DescribeTagsInput, options ...func(*ec2.Options),
) (*ec2.DescribeTagsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeVolumes) DescribeVolumes(
	ctx context.Context, in *ec2.DescribeVolumesInput, options ...func(*ec2.Options),
) (*ec2.DescribeVolumesOutput, error) {
	return r(ctx, in, options...)
}

func (r describeVpcEndpointConnections) DescribeVpcEndpointConnections(
	ctx context.Context, in *ec2.DescribeVpcEndpointConnectionsInput, options ...func(*ec2.Options),
) (*ec2.DescribeVpcEndpointConnectionsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeVpcEndpointServiceConfigurations) DescribeVpcEndpointServiceConfigurations(
	ctx context.Context, in *ec2.DescribeVpcEndpointServiceConfigurationsInput, options ...func(*ec2.Options),
) (*ec2.DescribeVpcEndpointServiceConfigurationsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeVpcEndpoints) DescribeVpcEndpoints(
	ctx context.Context, in *ec2.DescribeVpcEndpointsInput, options ...func(*ec2.Options),
) (*ec2.DescribeVpcEndpointsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeVpcs) DescribeVpcs(
	ctx context.Context, in *ec2.DescribeVpcsInput, options ...func(*ec2.Options),
) (*ec2.DescribeVpcsOutput, error) {
	return r(ctx, in, options...)
}

func (r describeClassicLoadBalancers) DescribeLoadBalancers(
	ctx context.Context, in *elb.DescribeLoadBalancersInput, options ...func(*elb.Options),
) (*elb.DescribeLoadBalancersOutput, error) {
	return r(ctx, in, options...)
}

func (r describeLoadBalancers) DescribeLoadBalancers(
	ctx context.Context, in *elbv2.DescribeLoadBalancersInput, options ...func(*elbv2.Options),
) (*elbv2.DescribeLoadBalancersOutput, error) {
	return r(ctx, in, options...)
}

func (r describeTargetGroups) DescribeTargetGroups(
	ctx context.Context, in *elbv2.DescribeTargetGroupsInput, options ...func(*elbv2.Options),
) (*elbv2.DescribeTargetGroupsOutput, error) {
	return r(ctx, in, options...)
}

func (r listHostedZones) ListHostedZones(
	ctx context.Context, in *route53.ListHostedZonesInput, options ...func(*route53.Options),
) (*route53.ListHostedZonesOutput, error) {
	return r(ctx, in, options...)
}

func (r listResourceRecordSets) ListResourceRecordSets(
	ctx context.Context, in *route53.ListResourceRecordSetsInput, options ...func(*route53.Options),
) (*route53.ListResourceRecordSetsOutput, error) {
	return r(ctx, in, options...)
}
