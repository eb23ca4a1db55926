package orphan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// ec2One is a resource with EC2's tags.
func ec2One(id *string, tags []ec2types.Tag) Leftover {
	return one(aws.ToString(id), tags, func(t ec2types.Tag) (*string, *string) { return t.Key, t.Value })
}

func listInstances(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeInstancesPaginator(c.ec2, &ec2.DescribeInstancesInput{InstanceIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeInstancesOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeInstancesOutput) {
			for _, r := range page.Reservations {
				for _, i := range r.Instances {
					l := ec2One(i.InstanceId, i.Tags)
					l.Owner, l.VPC, l.Created = aws.ToString(r.OwnerId), aws.ToString(i.VpcId), aws.ToTime(i.LaunchTime)
					if i.State != nil {
						l.State = string(i.State.Name)
					}
					l.Priced = map[string]any{"instanceType": string(i.InstanceType)}
					if l.State != string(ec2types.InstanceStateNameTerminated) {
						found = append(found, l)
					}
				}
			}
		})
	return found, explained("instances", err)
}

func terminateInstance(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{l.ID}})
	return err
}

func listEndpoints(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeVpcEndpointsPaginator(c.ec2, &ec2.DescribeVpcEndpointsInput{VpcEndpointIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeVpcEndpointsOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeVpcEndpointsOutput) {
			for _, e := range page.VpcEndpoints {
				l := ec2One(e.VpcEndpointId, e.Tags)
				l.Owner, l.VPC, l.Created = aws.ToString(e.OwnerId), aws.ToString(e.VpcId), aws.ToTime(e.CreationTimestamp)
				l.State, l.Interfaces = string(e.State), e.NetworkInterfaceIds
				subnets := make([]any, len(e.SubnetIds))
				l.Priced = map[string]any{"vpcEndpointType": string(e.VpcEndpointType), "subnetIds": subnets}
				if !is(e.State, ec2types.StateDeleted) {
					found = append(found, l)
				}
			}
		})
	return found, explained("VPC endpoints", err)
}

// is compares the states of endpoints: AWS writes them in lower case, and its SDK does not.
func is(state, wanted ec2types.State) bool { return strings.EqualFold(string(state), string(wanted)) }

func deleteEndpoint(ctx context.Context, c *clients, l Leftover) error {
	out, err := c.ec2.DeleteVpcEndpoints(ctx, &ec2.DeleteVpcEndpointsInput{VpcEndpointIds: []string{l.ID}})
	if err != nil {
		return err
	}
	return unsuccessful(out.Unsuccessful)
}

// itemError is one refusal in an answer that is a success as a whole.
type itemError struct{ code, message string }

func (e *itemError) Error() string     { return "api error " + e.code + ": " + e.message }
func (e *itemError) ErrorCode() string { return e.code }

func unsuccessful(items []ec2types.UnsuccessfulItem) error {
	var errs []error
	for _, item := range items {
		if item.Error != nil {
			errs = append(errs, &itemError{aws.ToString(item.Error.Code), aws.ToString(item.Error.Message)})
		}
	}
	return errors.Join(errs...)
}

func listEndpointServices(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeVpcEndpointServiceConfigurationsPaginator(c.ec2,
		&ec2.DescribeVpcEndpointServiceConfigurationsInput{ServiceIds: ids})
	err = all(ctx, pages.HasMorePages,
		func(ctx context.Context) (*ec2.DescribeVpcEndpointServiceConfigurationsOutput, error) {
			return pages.NextPage(ctx)
		},
		func(page *ec2.DescribeVpcEndpointServiceConfigurationsOutput) {
			for _, s := range page.ServiceConfigurations {
				l := ec2One(s.ServiceId, s.Tags)
				l.State, l.Backends = string(s.ServiceState), slices.Concat(s.NetworkLoadBalancerArns, s.GatewayLoadBalancerArns)
				if s.ServiceState != ec2types.ServiceStateDeleted {
					found = append(found, l)
				}
			}
		})
	return found, explained("VPC endpoint services", err)
}

// deleteEndpointService rejects the service's connections where it has any: AWS keeps it as long.
func deleteEndpointService(ctx context.Context, c *clients, l Leftover) error {
	err := deleteUnconnected(ctx, c, l.ID)
	if err == nil || code(err) != "ExistingVpcEndpointConnections" {
		return err
	}
	if err := rejectConnections(ctx, c, l.ID); err != nil {
		return err
	}
	return deleteUnconnected(ctx, c, l.ID)
}

func deleteUnconnected(ctx context.Context, c *clients, id string) error {
	out, err := c.ec2.DeleteVpcEndpointServiceConfigurations(ctx, &ec2.DeleteVpcEndpointServiceConfigurationsInput{ServiceIds: []string{id}})
	if err != nil {
		return err
	}
	return unsuccessful(out.Unsuccessful)
}

func rejectConnections(ctx context.Context, c *clients, id string) error {
	pages := ec2.NewDescribeVpcEndpointConnectionsPaginator(c.ec2, &ec2.DescribeVpcEndpointConnectionsInput{
		Filters: []ec2types.Filter{filter("service-id", id)}})
	var connected []string
	err := all(ctx, pages.HasMorePages,
		func(ctx context.Context) (*ec2.DescribeVpcEndpointConnectionsOutput, error) {
			return pages.NextPage(ctx)
		},
		func(page *ec2.DescribeVpcEndpointConnectionsOutput) {
			for _, connection := range page.VpcEndpointConnections {
				state := connection.VpcEndpointState
				if aws.ToString(connection.ServiceId) == id &&
					(is(state, ec2types.StateAvailable) || is(state, ec2types.StatePending) || is(state, ec2types.StatePendingAcceptance)) {
					connected = append(connected, aws.ToString(connection.VpcEndpointId))
				}
			}
		})
	if err != nil || len(connected) == 0 {
		return explained("connections of endpoint service "+id, err)
	}
	out, err := c.ec2.RejectVpcEndpointConnections(ctx, &ec2.RejectVpcEndpointConnectionsInput{ServiceId: &id, VpcEndpointIds: connected})
	if err != nil {
		return err
	}
	return unsuccessful(out.Unsuccessful)
}

func listNATGateways(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeNatGatewaysPaginator(c.ec2, &ec2.DescribeNatGatewaysInput{NatGatewayIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeNatGatewaysOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeNatGatewaysOutput) {
			for _, n := range page.NatGateways {
				l := ec2One(n.NatGatewayId, n.Tags)
				l.VPC, l.Created, l.State = aws.ToString(n.VpcId), aws.ToTime(n.CreateTime), string(n.State)
				for _, address := range n.NatGatewayAddresses {
					l.Interfaces = append(l.Interfaces, aws.ToString(address.NetworkInterfaceId))
				}
				if n.State != ec2types.NatGatewayStateDeleted {
					found = append(found, l)
				}
			}
		})
	return found, explained("NAT gateways", err)
}

func deleteNATGateway(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteNatGateway(ctx, &ec2.DeleteNatGatewayInput{NatGatewayId: &l.ID})
	return err
}

func listVolumes(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeVolumesPaginator(c.ec2, &ec2.DescribeVolumesInput{VolumeIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeVolumesOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeVolumesOutput) {
			for _, v := range page.Volumes {
				l := ec2One(v.VolumeId, v.Tags)
				l.Created, l.State = aws.ToTime(v.CreateTime), string(v.State)
				for _, attachment := range v.Attachments {
					l.UsedBy = append(l.UsedBy, aws.ToString(attachment.InstanceId))
				}
				found = append(found, l)
			}
		})
	return found, explained("volumes", err)
}

func deleteVolume(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteVolume(ctx, &ec2.DeleteVolumeInput{VolumeId: &l.ID})
	return err
}

// listSnapshots lists those of the account alone: everybody's public ones are many.
func listSnapshots(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeSnapshotsPaginator(c.ec2, &ec2.DescribeSnapshotsInput{OwnerIds: []string{"self"}, SnapshotIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeSnapshotsOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeSnapshotsOutput) {
			for _, s := range page.Snapshots {
				l := ec2One(s.SnapshotId, s.Tags)
				l.Owner, l.Created, l.State = aws.ToString(s.OwnerId), aws.ToTime(s.StartTime), string(s.State)
				found = append(found, l)
			}
		})
	return found, explained("snapshots", err)
}

func deleteSnapshot(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteSnapshot(ctx, &ec2.DeleteSnapshotInput{SnapshotId: &l.ID})
	return err
}

func listAddresses(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	page, err := c.ec2.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{AllocationIds: ids}) // it has no pages
	if err != nil {
		return nil, explained("elastic IPs", err)
	}
	for _, a := range page.Addresses {
		if aws.ToString(a.AllocationId) == "" {
			continue
		}
		l := ec2One(a.AllocationId, a.Tags)
		for _, user := range []*string{a.NetworkInterfaceId, a.InstanceId} {
			if aws.ToString(user) != "" {
				l.UsedBy = append(l.UsedBy, aws.ToString(user))
				break
			}
		}
		found = append(found, l)
	}
	return found, nil
}

func releaseAddress(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.ReleaseAddress(ctx, &ec2.ReleaseAddressInput{AllocationId: &l.ID})
	return err
}

func listInterfaces(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeNetworkInterfacesPaginator(c.ec2, &ec2.DescribeNetworkInterfacesInput{NetworkInterfaceIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeNetworkInterfacesOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeNetworkInterfacesOutput) {
			for _, n := range page.NetworkInterfaces {
				l := ec2One(n.NetworkInterfaceId, n.TagSet)
				l.Owner, l.VPC, l.State = aws.ToString(n.OwnerId), aws.ToString(n.VpcId), string(n.Status)
				l.Description = aws.ToString(n.Description)
				for _, group := range n.Groups {
					l.Groups = append(l.Groups, aws.ToString(group.GroupId))
				}
				if n.Attachment != nil && aws.ToString(n.Attachment.InstanceId) != "" {
					l.UsedBy = []string{aws.ToString(n.Attachment.InstanceId)}
				}
				found = append(found, l)
			}
		})
	return found, explained("network interfaces", err)
}

func deleteInterface(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteNetworkInterface(ctx, &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: &l.ID})
	return err
}

func listGroups(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeSecurityGroupsPaginator(c.ec2, &ec2.DescribeSecurityGroupsInput{GroupIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeSecurityGroupsOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeSecurityGroupsOutput) {
			for _, g := range page.SecurityGroups {
				l := ec2One(g.GroupId, g.Tags)
				l.Owner, l.VPC = aws.ToString(g.OwnerId), aws.ToString(g.VpcId)
				if aws.ToString(g.GroupName) == "default" {
					l.Kept = "a default security group goes with its VPC"
				}
				found = append(found, l)
			}
		})
	return found, explained("security groups", err)
}

// revokeGroupRules takes out the rules that refer to groups: AWS keeps a group that another one refers to.
func revokeGroupRules(ctx context.Context, c *clients, l Leftover) error {
	page, err := c.ec2.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{GroupIds: []string{l.ID}})
	if err != nil {
		return err
	}
	for _, g := range page.SecurityGroups {
		if rules := referring(g.IpPermissions); len(rules) > 0 {
			if _, err := c.ec2.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: &l.ID, IpPermissions: rules}); err != nil {
				return err
			}
		}
		if rules := referring(g.IpPermissionsEgress); len(rules) > 0 {
			if _, err := c.ec2.RevokeSecurityGroupEgress(ctx, &ec2.RevokeSecurityGroupEgressInput{GroupId: &l.ID, IpPermissions: rules}); err != nil {
				return err
			}
		}
	}
	return nil
}

// referring are the rules' parts that refer to groups.
func referring(rules []ec2types.IpPermission) []ec2types.IpPermission {
	var parts []ec2types.IpPermission
	for _, rule := range rules {
		if len(rule.UserIdGroupPairs) > 0 {
			rule.IpRanges, rule.Ipv6Ranges, rule.PrefixListIds = nil, nil, nil
			parts = append(parts, rule)
		}
	}
	return parts
}

func deleteGroup(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: &l.ID})
	return err
}

func listRouteTables(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeRouteTablesPaginator(c.ec2, &ec2.DescribeRouteTablesInput{RouteTableIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeRouteTablesOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeRouteTablesOutput) {
			for _, t := range page.RouteTables {
				l := ec2One(t.RouteTableId, t.Tags)
				l.Owner, l.VPC = aws.ToString(t.OwnerId), aws.ToString(t.VpcId)
				for _, association := range t.Associations {
					if aws.ToBool(association.Main) {
						l.Kept = "a main route table goes with its VPC"
					}
				}
				found = append(found, l)
			}
		})
	return found, explained("route tables", err)
}

func deleteRouteTable(ctx context.Context, c *clients, l Leftover) error {
	tables, err := routeTables(ctx, c.ec2, filter("route-table-id", l.ID))
	if err != nil {
		return err
	}
	for _, table := range tables {
		for _, association := range table.Associations {
			if aws.ToBool(association.Main) {
				return fmt.Errorf("route table %s has become the main one of VPC %s", l.ID, l.VPC)
			}
		}
		for _, association := range table.Associations {
			_, err := c.ec2.DisassociateRouteTable(ctx, &ec2.DisassociateRouteTableInput{AssociationId: association.RouteTableAssociationId})
			if err != nil && !gone(err) {
				return err
			}
		}
	}
	_, err = c.ec2.DeleteRouteTable(ctx, &ec2.DeleteRouteTableInput{RouteTableId: &l.ID})
	return err
}

func listInternetGateways(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeInternetGatewaysPaginator(c.ec2, &ec2.DescribeInternetGatewaysInput{InternetGatewayIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeInternetGatewaysOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeInternetGatewaysOutput) {
			for _, g := range page.InternetGateways {
				l := ec2One(g.InternetGatewayId, g.Tags)
				l.Owner = aws.ToString(g.OwnerId)
				for _, attachment := range g.Attachments {
					l.VPC = aws.ToString(attachment.VpcId)
				}
				found = append(found, l)
			}
		})
	return found, explained("internet gateways", err)
}

func deleteInternetGateway(ctx context.Context, c *clients, l Leftover) error {
	if l.VPC != "" {
		_, err := c.ec2.DetachInternetGateway(ctx, &ec2.DetachInternetGatewayInput{InternetGatewayId: &l.ID, VpcId: &l.VPC})
		if err != nil && code(err) != "Gateway.NotAttached" && !gone(err) {
			return err
		}
	}
	_, err := c.ec2.DeleteInternetGateway(ctx, &ec2.DeleteInternetGatewayInput{InternetGatewayId: &l.ID})
	return err
}

func listSubnets(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeSubnetsPaginator(c.ec2, &ec2.DescribeSubnetsInput{SubnetIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeSubnetsOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeSubnetsOutput) {
			for _, s := range page.Subnets {
				l := ec2One(s.SubnetId, s.Tags)
				l.Owner, l.VPC, l.ARN = aws.ToString(s.OwnerId), aws.ToString(s.VpcId), aws.ToString(s.SubnetArn)
				found = append(found, l)
			}
		})
	return found, explained("subnets", err)
}

func deleteSubnet(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: &l.ID})
	return err
}

func listVPCs(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeVpcsPaginator(c.ec2, &ec2.DescribeVpcsInput{VpcIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeVpcsOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeVpcsOutput) {
			for _, v := range page.Vpcs {
				l := ec2One(v.VpcId, v.Tags)
				l.Owner, l.VPC = aws.ToString(v.OwnerId), aws.ToString(v.VpcId)
				found = append(found, l)
			}
		})
	return found, explained("VPCs", err)
}

func deleteVPC(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteVpc(ctx, &ec2.DeleteVpcInput{VpcId: &l.ID})
	return err
}

func listDHCPOptions(ctx context.Context, c *clients, ids []string) (found []Leftover, err error) {
	pages := ec2.NewDescribeDhcpOptionsPaginator(c.ec2, &ec2.DescribeDhcpOptionsInput{DhcpOptionsIds: ids})
	err = all(ctx, pages.HasMorePages, func(ctx context.Context) (*ec2.DescribeDhcpOptionsOutput, error) { return pages.NextPage(ctx) },
		func(page *ec2.DescribeDhcpOptionsOutput) {
			for _, o := range page.DhcpOptions {
				l := ec2One(o.DhcpOptionsId, o.Tags)
				l.Owner = aws.ToString(o.OwnerId)
				found = append(found, l)
			}
		})
	return found, explained("DHCP options", err)
}

func deleteDHCPOptions(ctx context.Context, c *clients, l Leftover) error {
	_, err := c.ec2.DeleteDhcpOptions(ctx, &ec2.DeleteDhcpOptionsInput{DhcpOptionsId: &l.ID})
	return err
}

// explained says what was being listed.
func explained(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("listing %s: %w", what, err)
}
