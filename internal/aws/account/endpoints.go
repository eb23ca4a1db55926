package account

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// endpointListers list PrivateLink's types.
func endpointListers() map[string]lister {
	return map[string]lister{
		awstype.VPCEndpoint: {
			narrow: map[string]string{"vpcId": "vpc-id"},
			dated:  true,
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				if len(q.IDs) > 1 { // a list of IDs is refused if one is unknown, and emulators lack the filter
					q.IDs = nil
				}
				return each(ctx, c.ec2.DescribeVpcEndpoints, &ec2.DescribeVpcEndpointsInput{
					VpcEndpointIds: q.IDs,
					Filters:        q.filters,
				},
					func(p *ec2.DescribeVpcEndpointsOutput) []ec2types.VpcEndpoint { return p.VpcEndpoints },
					func(e ec2types.VpcEndpoint) inventory.Resource {
						r := one(e.VpcEndpointId, e.Tags, ec2Pair, map[string]any{"vpcId": e.VpcId, "ownerId": e.OwnerId,
							"serviceName":     e.ServiceName,
							"vpcEndpointType": string(e.VpcEndpointType), "subnetIds": anys(e.SubnetIds),
							"routeTableIds": anys(e.RouteTableIds), "securityGroupIds": anys(groupIDs(e.Groups)),
							"privateDnsEnabled": aws.ToBool(e.PrivateDnsEnabled), "policy": e.PolicyDocument})
						if e.DnsOptions != nil {
							r.Properties["dnsOptions"] = map[string]any{"privateDnsOnlyForInboundResolverEndpoint": aws.ToBool(
								e.DnsOptions.PrivateDnsOnlyForInboundResolverEndpoint)}
						}
						r.Created, r.State, r.Interfaces = aws.ToTime(e.CreationTimestamp), string(e.State), e.NetworkInterfaceIds
						for _, entry := range e.DnsEntries {
							r.Hosts = append(r.Hosts, hosts(entry.DnsName)...)
						}
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				out, err := c.ec2.DeleteVpcEndpoints(ctx, &ec2.DeleteVpcEndpointsInput{VpcEndpointIds: []string{r.ID}})
				if err != nil {
					return err
				}
				return unsuccessful(out.Unsuccessful)
			},
		},
		awstype.VPCEndpointService: {
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeVpcEndpointServiceConfigurations,
					&ec2.DescribeVpcEndpointServiceConfigurationsInput{ServiceIds: q.IDs},
					func(p *ec2.DescribeVpcEndpointServiceConfigurationsOutput) []ec2types.ServiceConfiguration {
						return p.ServiceConfigurations
					},
					func(s ec2types.ServiceConfiguration) inventory.Resource {
						r := one(s.ServiceId, s.Tags, ec2Pair, nil)
						r.State, r.Backends = string(s.ServiceState), slices.Concat(s.NetworkLoadBalancerArns, s.GatewayLoadBalancerArns)
						return r
					})
			},
			remove: deleteEndpointService,
		},
	}
}

// groupIDs returns the IDs of security groups.
func groupIDs(groups []ec2types.SecurityGroupIdentifier) []string {
	ids := make([]string, len(groups))
	for i, group := range groups {
		ids[i] = aws.ToString(group.GroupId)
	}
	return ids
}

// connectionsOf returns the endpoints that are connected to an endpoint service, or wait for it to accept them.
func connectionsOf(ctx context.Context, c *clients, service string) ([]string, error) {
	found, err := each(ctx, c.ec2.DescribeVpcEndpointConnections,
		&ec2.DescribeVpcEndpointConnectionsInput{Filters: []ec2types.Filter{filter("service-id", service)}},
		func(p *ec2.DescribeVpcEndpointConnectionsOutput) []ec2types.VpcEndpointConnection {
			return p.VpcEndpointConnections
		},
		func(v ec2types.VpcEndpointConnection) inventory.Resource {
			// AWS writes states of endpoints in lower case, its SDK in upper camel case.
			connects := func(state ec2types.State) bool { return strings.EqualFold(string(v.VpcEndpointState), string(state)) }
			if aws.ToString(v.ServiceId) != service ||
				!slices.ContainsFunc([]ec2types.State{ec2types.StateAvailable, ec2types.StatePending,
					ec2types.StatePendingAcceptance}, connects) {
				return inventory.Resource{}
			}
			return inventory.Resource{ID: aws.ToString(v.VpcEndpointId)}
		})
	return IDs(found), explained("connections of endpoint service "+service, err)
}

// itemError is the error of one item in a response that succeeded as a whole.
type itemError struct{ code, message string }

func (e *itemError) Error() string { return "api error " + e.code + ": " + e.message }

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

// deleteEndpointService rejects the service's connections first: AWS refuses to delete a service with connections.
func deleteEndpointService(ctx context.Context, c *clients, r inventory.Resource) error {
	err := deleteUnconnected(ctx, c, r.ID)
	if err == nil || code(err) != "ExistingVpcEndpointConnections" {
		return err
	}
	if err := rejectConnections(ctx, c, r.ID); err != nil {
		return err
	}
	return deleteUnconnected(ctx, c, r.ID)
}

func deleteUnconnected(ctx context.Context, c *clients, id string) error {
	out, err := c.ec2.DeleteVpcEndpointServiceConfigurations(ctx,
		&ec2.DeleteVpcEndpointServiceConfigurationsInput{ServiceIds: []string{id}})
	if err != nil {
		return err
	}
	return unsuccessful(out.Unsuccessful)
}

func rejectConnections(ctx context.Context, c *clients, id string) error {
	connected, err := connectionsOf(ctx, c, id)
	if err != nil || len(connected) == 0 {
		return err
	}
	out, err := c.ec2.RejectVpcEndpointConnections(ctx, &ec2.RejectVpcEndpointConnectionsInput{
		ServiceId:      &id,
		VpcEndpointIds: connected,
	})
	if err != nil {
		return err
	}
	return unsuccessful(out.Unsuccessful)
}
