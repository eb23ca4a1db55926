package account

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// attributeValues returns the texts in the values of a DHCP option.
func attributeValues(values []ec2types.AttributeValue) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = aws.ToString(value.Value)
	}
	return texts
}

func ec2Pair(t ec2types.Tag) (key, value *string) { return t.Key, t.Value }

// peeringSide is one of the two VPCs of a peering connection.
type peeringSide struct {
	connection *string
	*ec2types.VpcPeeringConnectionVpcInfo
	peer *string
}

// networkListers list VPCs and what connects them.
func networkListers() map[string]lister {
	return map[string]lister{
		awstype.VPC: {
			narrow: map[string]string{"id": "vpc-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeVpcs, &ec2.DescribeVpcsInput{VpcIds: q.IDs, Filters: q.filters},
					func(p *ec2.DescribeVpcsOutput) []ec2types.Vpc { return p.Vpcs },
					func(v ec2types.Vpc) inventory.Resource {
						var blocks []any
						for _, block := range v.CidrBlockAssociationSet {
							if block.CidrBlockState == nil || block.CidrBlockState.State != ec2types.VpcCidrBlockStateCodeDisassociated {
								blocks = append(blocks, map[string]any{
									"id":        aws.ToString(block.AssociationId),
									"cidrBlock": aws.ToString(block.CidrBlock),
								})
							}
						}
						r := one(v.VpcId, v.Tags, ec2Pair, map[string]any{
							"cidrBlock": v.CidrBlock, "dhcpOptionsId": v.DhcpOptionsId, "ownerId": v.OwnerId, "cidrBlocks": blocks,
							"instanceTenancy": string(v.InstanceTenancy)})
						r.VPC = r.ID
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteVpc, &ec2.DeleteVpcInput{VpcId: &r.ID})
			},
		},
		// Each is a VPC that another one is peered with, under its own ID; "peerVpcId" is the other one.
		awstype.VPCPeering: {list: func(ctx context.Context, c *clients, _ Query) ([]inventory.Resource, error) {
			return each(ctx, c.ec2.DescribeVpcPeeringConnections, &ec2.DescribeVpcPeeringConnectionsInput{
				Filters: []ec2types.Filter{filter("status-code", "active", "pending-acceptance", "provisioning")}},
				func(p *ec2.DescribeVpcPeeringConnectionsOutput) (sides []peeringSide) {
					for _, connection := range p.VpcPeeringConnections {
						requester, accepter := connection.RequesterVpcInfo, connection.AccepterVpcInfo
						if requester != nil && accepter != nil {
							sides = append(sides, peeringSide{connection.VpcPeeringConnectionId, requester, accepter.VpcId},
								peeringSide{connection.VpcPeeringConnectionId, accepter, requester.VpcId})
						}
					}
					return sides
				},
				func(side peeringSide) inventory.Resource {
					blocks := []any{map[string]any{"cidrBlock": aws.ToString(side.CidrBlock)}}
					for _, block := range side.CidrBlockSet {
						blocks = append(blocks, map[string]any{"cidrBlock": aws.ToString(block.CidrBlock)})
					}
					return named(aws.ToString(side.VpcId), map[string]any{"ownerId": side.OwnerId, "cidrBlocks": blocks,
						"connectionId": side.connection, "peerVpcId": side.peer})
				})
		}},
		awstype.SecondaryCIDR: {list: partsOf(awstype.VPC, "vpcId", "id", "cidrBlocks", func(vpc inventory.Resource, block map[string]any) (inventory.Resource, bool) {
			return named(block["id"].(string), map[string]any{
				"vpcId":     vpc.ID,
				"cidrBlock": block["cidrBlock"],
			}), block["cidrBlock"] != vpc.Text("cidrBlock")
		})},
		awstype.DHCPOptionsAssociation: {list: func(
			ctx context.Context,
			c *clients,
			q Query,
		) (found []inventory.Resource, err error) {
			vpcs, err := c.list(ctx, Query{Type: awstype.VPC, Inputs: map[string]any{"id": q.Text("vpcId")}})
			for _, v := range vpcs {
				found = append(found, named(v.ID, map[string]any{"vpcId": v.ID, "dhcpOptionsId": v.Text("dhcpOptionsId")}))
			}
			return found, err
		}},
		awstype.DHCPOptions: {
			narrow: map[string]string{"id": "dhcp-options-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeDhcpOptions, &ec2.DescribeDhcpOptionsInput{
					DhcpOptionsIds: q.IDs,
					Filters:        q.filters,
				},
					func(p *ec2.DescribeDhcpOptionsOutput) []ec2types.DhcpOptions { return p.DhcpOptions },
					func(o ec2types.DhcpOptions) inventory.Resource {
						properties := map[string]any{"ownerId": o.OwnerId}
						for _, setting := range o.DhcpConfigurations {
							switch values := attributeValues(setting.Values); {
							case aws.ToString(setting.Key) == "domain-name" && len(values) > 0:
								properties["domainName"] = values[0]
							case aws.ToString(setting.Key) == "domain-name-servers":
								properties["domainNameServers"] = anys(values)
							}
						}
						return one(o.DhcpOptionsId, o.Tags, ec2Pair, properties)
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteDhcpOptions, &ec2.DeleteDhcpOptionsInput{DhcpOptionsId: &r.ID})
			},
		},
		awstype.Subnet: {
			narrow: map[string]string{"vpcId": "vpc-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeSubnets, &ec2.DescribeSubnetsInput{SubnetIds: q.IDs, Filters: q.filters},
					func(p *ec2.DescribeSubnetsOutput) []ec2types.Subnet { return p.Subnets },
					func(s ec2types.Subnet) inventory.Resource {
						r := one(s.SubnetId, s.Tags, ec2Pair, map[string]any{
							"vpcId": s.VpcId, "cidrBlock": s.CidrBlock, "availabilityZone": s.AvailabilityZone,
							"availabilityZoneId": s.AvailabilityZoneId, "ownerId": s.OwnerId,
							"mapPublicIpOnLaunch": aws.ToBool(s.MapPublicIpOnLaunch)})
						r.ARN = aws.ToString(s.SubnetArn)
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteSubnet, &ec2.DeleteSubnetInput{SubnetId: &r.ID})
			},
		},
		awstype.ElasticIP: {
			narrow: map[string]string{"id": "allocation-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeAddresses, &ec2.DescribeAddressesInput{AllocationIds: q.IDs, Filters: q.filters},
					func(p *ec2.DescribeAddressesOutput) []ec2types.Address { return p.Addresses },
					func(a ec2types.Address) inventory.Resource {
						r := one(a.AllocationId, a.Tags, ec2Pair, map[string]any{"publicIp": a.PublicIp})
						r.Hosts = hosts(a.PublicIp)
						for _, user := range []*string{a.NetworkInterfaceId, a.InstanceId} {
							if aws.ToString(user) != "" {
								r.UsedBy = []string{aws.ToString(user)}
								break
							}
						}
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.ReleaseAddress, &ec2.ReleaseAddressInput{AllocationId: &r.ID})
			},
		},
		awstype.NATGateway: {
			narrow: map[string]string{"vpcId": "vpc-id", "subnetId": "subnet-id"},
			dated:  true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				if len(q.IDs) > 0 { // a list of IDs is refused if one is unknown
					q.filters = []ec2types.Filter{filter("nat-gateway-id", q.IDs...)}
				}
				return each(ctx, c.ec2.DescribeNatGateways, &ec2.DescribeNatGatewaysInput{Filter: q.filters},
					func(p *ec2.DescribeNatGatewaysOutput) []ec2types.NatGateway { return p.NatGateways },
					func(n ec2types.NatGateway) inventory.Resource {
						properties := map[string]any{
							"vpcId":            n.VpcId,
							"subnetId":         n.SubnetId,
							"connectivityType": string(n.ConnectivityType),
						}
						var interfaces []string
						for _, address := range n.NatGatewayAddresses {
							interfaces = append(interfaces, aws.ToString(address.NetworkInterfaceId))
							if properties["allocationId"] == nil || aws.ToBool(address.IsPrimary) {
								properties["allocationId"], properties["privateIp"] = address.AllocationId, address.PrivateIp
							}
						}
						r := one(n.NatGatewayId, n.Tags, ec2Pair, properties)
						r.Created, r.State, r.Interfaces = aws.ToTime(n.CreateTime), string(n.State), interfaces
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteNatGateway, &ec2.DeleteNatGatewayInput{NatGatewayId: &r.ID})
			},
		},
		awstype.InternetGateway: {
			narrow: map[string]string{"vpcId": "attachment.vpc-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeInternetGateways, &ec2.DescribeInternetGatewaysInput{
					InternetGatewayIds: q.IDs,
					Filters:            q.filters,
				},
					func(p *ec2.DescribeInternetGatewaysOutput) []ec2types.InternetGateway { return p.InternetGateways },
					func(g ec2types.InternetGateway) inventory.Resource {
						properties := map[string]any{"ownerId": g.OwnerId}
						for _, attachment := range g.Attachments {
							properties["vpcId"] = attachment.VpcId
						}
						return one(g.InternetGatewayId, g.Tags, ec2Pair, properties)
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				if r.VPC != "" {
					_, err := c.ec2.DetachInternetGateway(ctx, &ec2.DetachInternetGatewayInput{
						InternetGatewayId: &r.ID,
						VpcId:             &r.VPC,
					})
					if err != nil && code(err) != "Gateway.NotAttached" && !gone(err) {
						return err
					}
				}
				return send(ctx, c.ec2.DeleteInternetGateway, &ec2.DeleteInternetGatewayInput{InternetGatewayId: &r.ID})
			},
		},
		// AWS has no filter for the VPC.
		awstype.EgressOnlyGateway: {
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeEgressOnlyInternetGateways,
					&ec2.DescribeEgressOnlyInternetGatewaysInput{EgressOnlyInternetGatewayIds: q.IDs, Filters: q.filters},
					func(p *ec2.DescribeEgressOnlyInternetGatewaysOutput) []ec2types.EgressOnlyInternetGateway {
						return p.EgressOnlyInternetGateways
					},
					func(g ec2types.EgressOnlyInternetGateway) inventory.Resource {
						properties := map[string]any{}
						for _, attachment := range g.Attachments {
							properties["vpcId"] = attachment.VpcId
						}
						return one(g.EgressOnlyInternetGatewayId, g.Tags, ec2Pair, properties)
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteEgressOnlyInternetGateway, &ec2.DeleteEgressOnlyInternetGatewayInput{
					EgressOnlyInternetGatewayId: &r.ID,
				})
			},
		},
		awstype.FlowLog: {
			narrow: map[string]string{"vpcId": "resource-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeFlowLogs, &ec2.DescribeFlowLogsInput{FlowLogIds: q.IDs, Filter: q.filters},
					func(p *ec2.DescribeFlowLogsOutput) []ec2types.FlowLog { return p.FlowLogs },
					func(l ec2types.FlowLog) inventory.Resource {
						properties := map[string]any{"vpcId": l.ResourceId, "logDestination": l.LogDestination,
							"logDestinationType": string(l.LogDestinationType),
							"trafficType":        string(l.TrafficType), "logFormat": l.LogFormat,
							"maxAggregationInterval": l.MaxAggregationInterval,
							"iamRoleArn":             l.DeliverLogsPermissionArn}
						if l.LogDestinationType != ec2types.LogDestinationTypeS3 {
							properties["logGroupName"] = l.LogGroupName
						}
						return one(l.FlowLogId, l.Tags, ec2Pair, properties)
					})
			},
		},
		awstype.NetworkInterface: {
			narrow: map[string]string{"vpcId": "vpc-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeNetworkInterfaces, &ec2.DescribeNetworkInterfacesInput{
					NetworkInterfaceIds: q.IDs,
					Filters:             q.filters,
				},
					func(p *ec2.DescribeNetworkInterfacesOutput) []ec2types.NetworkInterface { return p.NetworkInterfaces },
					func(n ec2types.NetworkInterface) inventory.Resource {
						r := one(n.NetworkInterfaceId, n.TagSet, ec2Pair, map[string]any{"vpcId": n.VpcId, "ownerId": n.OwnerId})
						r.State, r.Description = string(n.Status), aws.ToString(n.Description)
						if n.Association != nil {
							r.Hosts = hosts(n.Association.PublicIp)
						}
						for _, group := range n.Groups {
							r.Groups = append(r.Groups, aws.ToString(group.GroupId))
						}
						if n.Attachment != nil && aws.ToString(n.Attachment.InstanceId) != "" {
							r.UsedBy = []string{aws.ToString(n.Attachment.InstanceId)}
						}
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteNetworkInterface, &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: &r.ID})
			},
		},
	}
}

// partsOf lists what AWS returns as parts of other resources: the objects in a property of the owners that part
// accepts. input is the input that names the owner, or what the owner is in, and ownerInput is the same among the
// owner's.
func partsOf(
	owner, input, ownerInput, property string, part func(
		owner inventory.Resource,
		object map[string]any,
	) (inventory.Resource, bool),
) func(context.Context, *clients, Query) ([]inventory.Resource, error) {
	return func(ctx context.Context, c *clients, q Query) (found []inventory.Resource, err error) {
		in := Query{Type: owner}
		if id := q.Text(input); id != "" {
			in.Inputs = map[string]any{ownerInput: id}
		}
		owners, err := c.list(ctx, in)
		for _, r := range owners {
			objects, _ := r.Properties[property].([]any)
			for _, object := range objects {
				if one, is := part(r, object.(map[string]any)); is {
					found = append(found, one)
				}
			}
		}
		return found, err
	}
}
