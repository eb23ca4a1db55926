package awsrequest

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
)

// DescribeDhcpOptions is the request of this name as a paginator's client.
type DescribeDhcpOptions request[ec2.DescribeDhcpOptionsInput, ec2.Options, ec2.DescribeDhcpOptionsOutput]

// DescribeDhcpOptions sends the request.
func (r DescribeDhcpOptions) DescribeDhcpOptions(ctx context.Context, in *ec2.DescribeDhcpOptionsInput, options ...func(*ec2.Options)) (*ec2.DescribeDhcpOptionsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeFlowLogs is the request of this name as a paginator's client.
type DescribeFlowLogs request[ec2.DescribeFlowLogsInput, ec2.Options, ec2.DescribeFlowLogsOutput]

// DescribeFlowLogs sends the request.
func (r DescribeFlowLogs) DescribeFlowLogs(ctx context.Context, in *ec2.DescribeFlowLogsInput, options ...func(*ec2.Options)) (*ec2.DescribeFlowLogsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeInstanceTypeOfferings is the request of this name as a paginator's client.
type DescribeInstanceTypeOfferings request[ec2.DescribeInstanceTypeOfferingsInput, ec2.Options, ec2.DescribeInstanceTypeOfferingsOutput]

// DescribeInstanceTypeOfferings sends the request.
func (r DescribeInstanceTypeOfferings) DescribeInstanceTypeOfferings(ctx context.Context, in *ec2.DescribeInstanceTypeOfferingsInput, options ...func(*ec2.Options)) (*ec2.DescribeInstanceTypeOfferingsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeInstanceTypes is the request of this name as a paginator's client.
type DescribeInstanceTypes request[ec2.DescribeInstanceTypesInput, ec2.Options, ec2.DescribeInstanceTypesOutput]

// DescribeInstanceTypes sends the request.
func (r DescribeInstanceTypes) DescribeInstanceTypes(ctx context.Context, in *ec2.DescribeInstanceTypesInput, options ...func(*ec2.Options)) (*ec2.DescribeInstanceTypesOutput, error) {
	return r(ctx, in, options...)
}

// DescribeInstances is the request of this name as a paginator's client.
type DescribeInstances request[ec2.DescribeInstancesInput, ec2.Options, ec2.DescribeInstancesOutput]

// DescribeInstances sends the request.
func (r DescribeInstances) DescribeInstances(ctx context.Context, in *ec2.DescribeInstancesInput, options ...func(*ec2.Options)) (*ec2.DescribeInstancesOutput, error) {
	return r(ctx, in, options...)
}

// DescribeInternetGateways is the request of this name as a paginator's client.
type DescribeInternetGateways request[ec2.DescribeInternetGatewaysInput, ec2.Options, ec2.DescribeInternetGatewaysOutput]

// DescribeInternetGateways sends the request.
func (r DescribeInternetGateways) DescribeInternetGateways(ctx context.Context, in *ec2.DescribeInternetGatewaysInput, options ...func(*ec2.Options)) (*ec2.DescribeInternetGatewaysOutput, error) {
	return r(ctx, in, options...)
}

// DescribeNatGateways is the request of this name as a paginator's client.
type DescribeNatGateways request[ec2.DescribeNatGatewaysInput, ec2.Options, ec2.DescribeNatGatewaysOutput]

// DescribeNatGateways sends the request.
func (r DescribeNatGateways) DescribeNatGateways(ctx context.Context, in *ec2.DescribeNatGatewaysInput, options ...func(*ec2.Options)) (*ec2.DescribeNatGatewaysOutput, error) {
	return r(ctx, in, options...)
}

// DescribeNetworkInterfaces is the request of this name as a paginator's client.
type DescribeNetworkInterfaces request[ec2.DescribeNetworkInterfacesInput, ec2.Options, ec2.DescribeNetworkInterfacesOutput]

// DescribeNetworkInterfaces sends the request.
func (r DescribeNetworkInterfaces) DescribeNetworkInterfaces(ctx context.Context, in *ec2.DescribeNetworkInterfacesInput, options ...func(*ec2.Options)) (*ec2.DescribeNetworkInterfacesOutput, error) {
	return r(ctx, in, options...)
}

// DescribeRouteTables is the request of this name as a paginator's client.
type DescribeRouteTables request[ec2.DescribeRouteTablesInput, ec2.Options, ec2.DescribeRouteTablesOutput]

// DescribeRouteTables sends the request.
func (r DescribeRouteTables) DescribeRouteTables(ctx context.Context, in *ec2.DescribeRouteTablesInput, options ...func(*ec2.Options)) (*ec2.DescribeRouteTablesOutput, error) {
	return r(ctx, in, options...)
}

// DescribeSecurityGroupRules is the request of this name as a paginator's client.
type DescribeSecurityGroupRules request[ec2.DescribeSecurityGroupRulesInput, ec2.Options, ec2.DescribeSecurityGroupRulesOutput]

// DescribeSecurityGroupRules sends the request.
func (r DescribeSecurityGroupRules) DescribeSecurityGroupRules(ctx context.Context, in *ec2.DescribeSecurityGroupRulesInput, options ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupRulesOutput, error) {
	return r(ctx, in, options...)
}

// DescribeSecurityGroups is the request of this name as a paginator's client.
type DescribeSecurityGroups request[ec2.DescribeSecurityGroupsInput, ec2.Options, ec2.DescribeSecurityGroupsOutput]

// DescribeSecurityGroups sends the request.
func (r DescribeSecurityGroups) DescribeSecurityGroups(ctx context.Context, in *ec2.DescribeSecurityGroupsInput, options ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeSnapshots is the request of this name as a paginator's client.
type DescribeSnapshots request[ec2.DescribeSnapshotsInput, ec2.Options, ec2.DescribeSnapshotsOutput]

// DescribeSnapshots sends the request.
func (r DescribeSnapshots) DescribeSnapshots(ctx context.Context, in *ec2.DescribeSnapshotsInput, options ...func(*ec2.Options)) (*ec2.DescribeSnapshotsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeSubnets is the request of this name as a paginator's client.
type DescribeSubnets request[ec2.DescribeSubnetsInput, ec2.Options, ec2.DescribeSubnetsOutput]

// DescribeSubnets sends the request.
func (r DescribeSubnets) DescribeSubnets(ctx context.Context, in *ec2.DescribeSubnetsInput, options ...func(*ec2.Options)) (*ec2.DescribeSubnetsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeTags is the request of this name as a paginator's client.
type DescribeTags request[ec2.DescribeTagsInput, ec2.Options, ec2.DescribeTagsOutput]

// DescribeTags sends the request.
func (r DescribeTags) DescribeTags(ctx context.Context, in *ec2.DescribeTagsInput, options ...func(*ec2.Options)) (*ec2.DescribeTagsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeVolumes is the request of this name as a paginator's client.
type DescribeVolumes request[ec2.DescribeVolumesInput, ec2.Options, ec2.DescribeVolumesOutput]

// DescribeVolumes sends the request.
func (r DescribeVolumes) DescribeVolumes(ctx context.Context, in *ec2.DescribeVolumesInput, options ...func(*ec2.Options)) (*ec2.DescribeVolumesOutput, error) {
	return r(ctx, in, options...)
}

// DescribeVpcEndpointConnections is the request of this name as a paginator's client.
type DescribeVpcEndpointConnections request[ec2.DescribeVpcEndpointConnectionsInput, ec2.Options, ec2.DescribeVpcEndpointConnectionsOutput]

// DescribeVpcEndpointConnections sends the request.
func (r DescribeVpcEndpointConnections) DescribeVpcEndpointConnections(ctx context.Context, in *ec2.DescribeVpcEndpointConnectionsInput, options ...func(*ec2.Options)) (*ec2.DescribeVpcEndpointConnectionsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeVpcEndpointServiceConfigurations is the request of this name as a paginator's client.
type DescribeVpcEndpointServiceConfigurations request[ec2.DescribeVpcEndpointServiceConfigurationsInput, ec2.Options, ec2.DescribeVpcEndpointServiceConfigurationsOutput]

// DescribeVpcEndpointServiceConfigurations sends the request.
func (r DescribeVpcEndpointServiceConfigurations) DescribeVpcEndpointServiceConfigurations(ctx context.Context, in *ec2.DescribeVpcEndpointServiceConfigurationsInput, options ...func(*ec2.Options)) (*ec2.DescribeVpcEndpointServiceConfigurationsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeVpcEndpoints is the request of this name as a paginator's client.
type DescribeVpcEndpoints request[ec2.DescribeVpcEndpointsInput, ec2.Options, ec2.DescribeVpcEndpointsOutput]

// DescribeVpcEndpoints sends the request.
func (r DescribeVpcEndpoints) DescribeVpcEndpoints(ctx context.Context, in *ec2.DescribeVpcEndpointsInput, options ...func(*ec2.Options)) (*ec2.DescribeVpcEndpointsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeVpcPeeringConnections is the request of this name as a paginator's client.
type DescribeVpcPeeringConnections request[ec2.DescribeVpcPeeringConnectionsInput, ec2.Options, ec2.DescribeVpcPeeringConnectionsOutput]

// DescribeVpcPeeringConnections sends the request.
func (r DescribeVpcPeeringConnections) DescribeVpcPeeringConnections(ctx context.Context, in *ec2.DescribeVpcPeeringConnectionsInput, options ...func(*ec2.Options)) (*ec2.DescribeVpcPeeringConnectionsOutput, error) {
	return r(ctx, in, options...)
}

// DescribeVpcs is the request of this name as a paginator's client.
type DescribeVpcs request[ec2.DescribeVpcsInput, ec2.Options, ec2.DescribeVpcsOutput]

// DescribeVpcs sends the request.
func (r DescribeVpcs) DescribeVpcs(ctx context.Context, in *ec2.DescribeVpcsInput, options ...func(*ec2.Options)) (*ec2.DescribeVpcsOutput, error) {
	return r(ctx, in, options...)
}
