package orphan

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
)

func listEndpoints(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeVpcEndpointsPaginator(awsrequest.DescribeVpcEndpoints(c.ec2.DescribeVpcEndpoints), &ec2.DescribeVpcEndpointsInput{VpcEndpointIds: ids})
	return listed(ctx, "VPC endpoints", pages, func(page *ec2.DescribeVpcEndpointsOutput) []ec2types.VpcEndpoint { return page.VpcEndpoints },
		func(e ec2types.VpcEndpoint) Leftover {
			l := ec2One(e.VpcEndpointId, e.Tags)
			l.Owner, l.VPC, l.Created = aws.ToString(e.OwnerId), aws.ToString(e.VpcId), aws.ToTime(e.CreationTimestamp)
			l.State, l.Interfaces = string(e.State), e.NetworkInterfaceIds
			for _, entry := range e.DnsEntries {
				l.Hosts = append(l.Hosts, hosts(entry.DnsName)...)
			}
			subnets := make([]any, len(e.SubnetIds))
			l.Priced = map[string]any{"vpcEndpointType": string(e.VpcEndpointType), "subnetIds": subnets}
			return l
		})
}

// is compares states of endpoints: AWS writes them in lower case, its SDK in upper camel case.
func is(state, wanted ec2types.State) bool { return strings.EqualFold(string(state), string(wanted)) }

func deleteEndpoint(ctx context.Context, c *clients, l Leftover) error {
	out, err := c.ec2.DeleteVpcEndpoints(ctx, &ec2.DeleteVpcEndpointsInput{VpcEndpointIds: []string{l.ID}})
	if err != nil {
		return err
	}
	return unsuccessful(out.Unsuccessful)
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

func listEndpointServices(ctx context.Context, c *clients, ids []string) ([]Leftover, error) {
	pages := ec2.NewDescribeVpcEndpointServiceConfigurationsPaginator(awsrequest.DescribeVpcEndpointServiceConfigurations(c.ec2.DescribeVpcEndpointServiceConfigurations),
		&ec2.DescribeVpcEndpointServiceConfigurationsInput{ServiceIds: ids})
	return listed(ctx, "VPC endpoint services", pages, func(page *ec2.DescribeVpcEndpointServiceConfigurationsOutput) []ec2types.ServiceConfiguration {
		return page.ServiceConfigurations
	},
		func(s ec2types.ServiceConfiguration) Leftover {
			l := ec2One(s.ServiceId, s.Tags)
			l.State, l.Backends = string(s.ServiceState), slices.Concat(s.NetworkLoadBalancerArns, s.GatewayLoadBalancerArns)
			return l
		})
}

// deleteEndpointService rejects the service's connections first: AWS refuses to delete a service with connections.
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
	pages := ec2.NewDescribeVpcEndpointConnectionsPaginator(awsrequest.DescribeVpcEndpointConnections(c.ec2.DescribeVpcEndpointConnections), &ec2.DescribeVpcEndpointConnectionsInput{
		Filters: []ec2types.Filter{filter("service-id", id)}})
	var connected []string
	err := eachPage(ctx, pages, func(page *ec2.DescribeVpcEndpointConnectionsOutput) {
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
