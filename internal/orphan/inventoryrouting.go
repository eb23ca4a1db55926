package orphan

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awsrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// routingListers list route tables and the resources that are parts of them.
func routingListers() map[string]lister {
	return map[string]lister{
		awstype.RouteTable: func(ctx context.Context, a *listedAccount, c *clients, q Query) (found []Resource, err error) {
			tables, err := a.readTables(ctx, c.ec2, filtersOf(q, map[string]string{"vpcId": "vpc-id"})...)
			for _, t := range tables {
				found = append(found, resource(ec2One(t.RouteTableId, t.Tags), map[string]any{"vpcId": t.VpcId}))
			}
			return found, err
		},
		awstype.Route: func(ctx context.Context, a *listedAccount, c *clients, q Query) (found []Resource, err error) {
			tables, err := a.table(ctx, c.ec2, q.Text("routeTableId"))
			for _, t := range tables {
				for _, r := range t.Routes {
					found = append(found, resource(ec2One(t.RouteTableId, nil), map[string]any{
						"routeTableId": t.RouteTableId, "destinationCidrBlock": r.DestinationCidrBlock, "destinationIpv6CidrBlock": r.DestinationIpv6CidrBlock,
						"destinationPrefixListId": r.DestinationPrefixListId, "gatewayId": r.GatewayId, "natGatewayId": r.NatGatewayId}))
				}
			}
			return found, err
		},
		awstype.RouteTableAssociation: func(ctx context.Context, a *listedAccount, c *clients, q Query) (found []Resource, err error) {
			tables, err := a.table(ctx, c.ec2, q.Text("routeTableId"))
			for _, t := range tables {
				for _, association := range t.Associations {
					if !aws.ToBool(association.Main) {
						found = append(found, resource(ec2One(association.RouteTableAssociationId, nil), map[string]any{
							"routeTableId": t.RouteTableId, "subnetId": association.SubnetId, "gatewayId": association.GatewayId}))
					}
				}
			}
			return found, err
		},
		awstype.MainRouteTableAssociation: func(ctx context.Context, a *listedAccount, c *clients, q Query) (found []Resource, err error) {
			tables, err := a.readTables(ctx, c.ec2, filtersOf(q, map[string]string{"vpcId": "vpc-id"})...)
			for _, t := range tables {
				for _, association := range t.Associations {
					if aws.ToBool(association.Main) {
						found = append(found, resource(ec2One(association.RouteTableAssociationId, nil), map[string]any{
							"vpcId": t.VpcId, "routeTableId": t.RouteTableId}))
					}
				}
			}
			return found, err
		},
		awstype.SecurityGroup: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			list := ec2.NewDescribeSecurityGroupsPaginator(awsrequest.DescribeSecurityGroups(c.ec2.DescribeSecurityGroups), &ec2.DescribeSecurityGroupsInput{Filters: filtersOf(q, map[string]string{"vpcId": "vpc-id"})})
			return found, eachPage(ctx, list, func(page *ec2.DescribeSecurityGroupsOutput) {
				for _, g := range page.SecurityGroups {
					found = append(found, groupResource(g))
				}
			})
		},
		awstype.DefaultSecurityGroup: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			out, err := c.ec2.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{
				Filters: append(filtersOf(q, map[string]string{"vpcId": "vpc-id"}), filter("group-name", "default"))})
			if err != nil {
				return nil, err
			}
			for _, g := range out.SecurityGroups {
				found = append(found, groupResource(g))
			}
			return found, nil
		},
		awstype.SecurityGroupIngressRule: listRules(false),
		awstype.SecurityGroupEgressRule:  listRules(true),
	}
}

// groupResource returns a security group; "ingress" and "egress" have one element per rule.
func groupResource(g ec2types.SecurityGroup) Resource {
	return resource(ec2One(g.GroupId, g.Tags), map[string]any{"vpcId": g.VpcId, "name": g.GroupName, "description": g.Description,
		"ingress": make([]any, len(g.IpPermissions)), "egress": make([]any, len(g.IpPermissionsEgress))})
}

func listRules(egress bool) lister {
	return func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
		list := ec2.NewDescribeSecurityGroupRulesPaginator(awsrequest.DescribeSecurityGroupRules(c.ec2.DescribeSecurityGroupRules), &ec2.DescribeSecurityGroupRulesInput{
			Filters: filtersOf(q, map[string]string{"securityGroupId": "group-id"})})
		return found, eachPage(ctx, list, func(page *ec2.DescribeSecurityGroupRulesOutput) {
			for _, r := range page.SecurityGroupRules {
				if aws.ToBool(r.IsEgress) != egress {
					continue
				}
				properties := map[string]any{"securityGroupId": r.GroupId, "ipProtocol": r.IpProtocol, "cidrIpv4": r.CidrIpv4, "cidrIpv6": r.CidrIpv6,
					"prefixListId": r.PrefixListId, "fromPort": r.FromPort, "toPort": r.ToPort}
				if r.ReferencedGroupInfo != nil {
					properties["referencedSecurityGroupId"] = r.ReferencedGroupInfo.GroupId
				}
				found = append(found, resource(ec2One(r.SecurityGroupRuleId, r.Tags), properties))
			}
		})
	}
}

// hostListers list instances and load balancers.
func hostListers() map[string]lister {
	return map[string]lister{
		awstype.Instance: func(ctx context.Context, _ *listedAccount, c *clients, q Query) (found []Resource, err error) {
			list := ec2.NewDescribeInstancesPaginator(awsrequest.DescribeInstances(c.ec2.DescribeInstances), &ec2.DescribeInstancesInput{Filters: filtersOf(q, map[string]string{"vpcId": "vpc-id"})})
			return found, eachPage(ctx, list, func(page *ec2.DescribeInstancesOutput) {
				for _, reservation := range page.Reservations {
					for _, i := range reservation.Instances {
						if i.State == nil || !strings.HasPrefix(string(i.State.Name), "terminated") && i.State.Name != ec2types.InstanceStateNameShuttingDown {
							properties := map[string]any{"vpcId": i.VpcId, "subnetId": i.SubnetId, "privateIp": i.PrivateIpAddress, "keyName": i.KeyName}
							if profile := i.IamInstanceProfile; profile != nil {
								properties["iamInstanceProfile"] = aws.ToString(profile.Arn)[strings.LastIndex(aws.ToString(profile.Arn), "/")+1:]
							}
							found = append(found, resource(ec2One(i.InstanceId, i.Tags), properties))
						}
					}
				}
			})
		},
		awstype.VPCEndpointService: fromLeftovers(listEndpointServices, nil),
		awstype.LoadBalancer:       fromLeftovers(listLoadBalancers, balancerName),
		awstype.TargetGroup:        fromLeftovers(listTargetGroups, balancerName),
	}
}

// fromLeftovers lists a type as a sweep does, with the properties derived from the Leftover.
func fromLeftovers(list func(context.Context, *clients, []string) ([]Leftover, error), properties func(Leftover) map[string]any) lister {
	return func(ctx context.Context, _ *listedAccount, c *clients, _ Query) (found []Resource, err error) {
		leftovers, err := list(ctx, c, nil)
		for _, l := range leftovers {
			var known map[string]any
			if properties != nil {
				known = properties(l)
			}
			found = append(found, resource(l, known))
		}
		return found, err
	}
}

// balancerName returns the name in the ARN of a load balancer, ".../net/NAME/ID", or of a target group, ".../NAME/ID".
func balancerName(l Leftover) map[string]any {
	parts := strings.Split(l.ID, "/")
	if len(parts) < 3 {
		return nil
	}
	return map[string]any{"name": parts[len(parts)-2]}
}
