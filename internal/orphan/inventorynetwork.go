package orphan

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

func networkListers() map[string]lister {
	return map[string]lister{
		awstype.VPC: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			request := &ec2.DescribeVpcsInput{Filters: filtersOf(q, map[string]string{"id": "vpc-id"})}
			list := ec2.NewDescribeVpcsPaginator(awsrequest.DescribeVpcs(c.ec2.DescribeVpcs), request)
			return found, eachPage(ctx, list, func(page *ec2.DescribeVpcsOutput) {
				for _, v := range page.Vpcs {
					found = append(found, resource(ec2One(v.VpcId, v.Tags), map[string]any{
						"cidrBlock": v.CidrBlock, "dhcpOptionsId": v.DhcpOptionsId, "ownerId": v.OwnerId}))
				}
			})
		},
		awstype.SecondaryCIDR: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			vpcs, err := vpcWithID(ctx, c.ec2, q.Text("vpcId"))
			for _, v := range vpcs {
				for _, block := range v.CidrBlockAssociationSet {
					gone := block.CidrBlockState != nil && block.CidrBlockState.State == ec2types.VpcCidrBlockStateCodeDisassociated
					if !gone && aws.ToString(block.CidrBlock) != aws.ToString(v.CidrBlock) {
						found = append(found, resource(ec2One(block.AssociationId, nil), map[string]any{"vpcId": v.VpcId, "cidrBlock": block.CidrBlock}))
					}
				}
			}
			return found, err
		},
		awstype.DHCPOptions: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			list := ec2.NewDescribeDhcpOptionsPaginator(awsrequest.DescribeDhcpOptions(c.ec2.DescribeDhcpOptions), &ec2.DescribeDhcpOptionsInput{Filters: filtersOf(q, map[string]string{"id": "dhcp-options-id"})})
			return found, eachPage(ctx, list, func(page *ec2.DescribeDhcpOptionsOutput) {
				for _, o := range page.DhcpOptions {
					properties := map[string]any{}
					for _, setting := range o.DhcpConfigurations {
						if aws.ToString(setting.Key) == "domain-name" && len(setting.Values) > 0 {
							properties["domainName"] = setting.Values[0].Value
						}
					}
					found = append(found, resource(ec2One(o.DhcpOptionsId, o.Tags), properties))
				}
			})
		},
		awstype.DHCPOptionsAssociation: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			vpcs, err := vpcWithID(ctx, c.ec2, q.Text("vpcId"))
			for _, v := range vpcs {
				found = append(found, resource(ec2One(v.VpcId, nil), map[string]any{"vpcId": v.VpcId, "dhcpOptionsId": v.DhcpOptionsId}))
			}
			return found, err
		},
		awstype.Subnet: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			list := ec2.NewDescribeSubnetsPaginator(awsrequest.DescribeSubnets(c.ec2.DescribeSubnets), &ec2.DescribeSubnetsInput{Filters: filtersOf(q, map[string]string{"vpcId": "vpc-id"})})
			return found, eachPage(ctx, list, func(page *ec2.DescribeSubnetsOutput) {
				for _, s := range page.Subnets {
					found = append(found, resource(ec2One(s.SubnetId, s.Tags), map[string]any{
						"vpcId": s.VpcId, "cidrBlock": s.CidrBlock, "availabilityZone": s.AvailabilityZone, "ownerId": s.OwnerId}))
				}
			})
		},
		awstype.ElasticIP: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			out, err := c.ec2.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{Filters: filtersOf(q, map[string]string{"id": "allocation-id"})})
			if err != nil {
				return nil, err
			}
			for _, a := range out.Addresses {
				found = append(found, resource(ec2One(a.AllocationId, a.Tags), map[string]any{"publicIp": a.PublicIp}))
			}
			return found, nil
		},
		awstype.NATGateway: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			list := ec2.NewDescribeNatGatewaysPaginator(awsrequest.DescribeNatGateways(c.ec2.DescribeNatGateways), &ec2.DescribeNatGatewaysInput{
				Filter: filtersOf(q, map[string]string{"vpcId": "vpc-id", "subnetId": "subnet-id"})})
			return found, eachPage(ctx, list, func(page *ec2.DescribeNatGatewaysOutput) {
				for _, g := range page.NatGateways {
					if g.State != ec2types.NatGatewayStatePending && g.State != ec2types.NatGatewayStateAvailable {
						continue
					}
					properties := map[string]any{"vpcId": g.VpcId, "subnetId": g.SubnetId}
					for _, address := range g.NatGatewayAddresses {
						if properties["allocationId"] == nil || aws.ToBool(address.IsPrimary) {
							properties["allocationId"] = address.AllocationId
						}
					}
					found = append(found, resource(ec2One(g.NatGatewayId, g.Tags), properties))
				}
			})
		},
		awstype.InternetGateway: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			list := ec2.NewDescribeInternetGatewaysPaginator(awsrequest.DescribeInternetGateways(c.ec2.DescribeInternetGateways), &ec2.DescribeInternetGatewaysInput{
				Filters: filtersOf(q, map[string]string{"vpcId": "attachment.vpc-id"})})
			return found, eachPage(ctx, list, func(page *ec2.DescribeInternetGatewaysOutput) {
				for _, g := range page.InternetGateways {
					properties := map[string]any{}
					for _, attachment := range g.Attachments {
						properties["vpcId"] = attachment.VpcId
					}
					found = append(found, resource(ec2One(g.InternetGatewayId, g.Tags), properties))
				}
			})
		},
		awstype.VPCEndpoint: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			list := ec2.NewDescribeVpcEndpointsPaginator(awsrequest.DescribeVpcEndpoints(c.ec2.DescribeVpcEndpoints), &ec2.DescribeVpcEndpointsInput{Filters: filtersOf(q, map[string]string{"vpcId": "vpc-id"})})
			return found, eachPage(ctx, list, func(page *ec2.DescribeVpcEndpointsOutput) {
				for _, e := range page.VpcEndpoints {
					if is(e.State, ec2types.StateDeleted) || is(e.State, ec2types.StateDeleting) {
						continue
					}
					found = append(found, resource(ec2One(e.VpcEndpointId, e.Tags), map[string]any{
						"vpcId": e.VpcId, "serviceName": e.ServiceName, "vpcEndpointType": string(e.VpcEndpointType), "subnetIds": anys(e.SubnetIds),
						"routeTableIds": anys(e.RouteTableIds)}))
				}
			})
		},
		awstype.FlowLog: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			list := ec2.NewDescribeFlowLogsPaginator(awsrequest.DescribeFlowLogs(c.ec2.DescribeFlowLogs), &ec2.DescribeFlowLogsInput{Filter: filtersOf(q, map[string]string{"vpcId": "resource-id"})})
			return found, eachPage(ctx, list, func(page *ec2.DescribeFlowLogsOutput) {
				for _, l := range page.FlowLogs {
					properties := map[string]any{"vpcId": l.ResourceId, "logDestination": l.LogDestination, "logDestinationType": string(l.LogDestinationType),
						"trafficType": string(l.TrafficType), "logFormat": l.LogFormat, "maxAggregationInterval": l.MaxAggregationInterval,
						"iamRoleArn": l.DeliverLogsPermissionArn}
					if l.LogDestinationType != ec2types.LogDestinationTypeS3 {
						properties["logGroupName"] = l.LogGroupName
					}
					found = append(found, resource(ec2One(l.FlowLogId, l.Tags), properties))
				}
			})
		},
	}
}
