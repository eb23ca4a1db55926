package account

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// filteringListers list what decides where packets of a VPC go, besides its route tables.
func filteringListers() map[string]lister {
	return map[string]lister{
		awstype.NetworkACL: {
			narrow: map[string]string{"vpcId": "vpc-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeNetworkAcls, &ec2.DescribeNetworkAclsInput{NetworkAclIds: q.IDs, Filters: q.filters},
					func(p *ec2.DescribeNetworkAclsOutput) []ec2types.NetworkAcl { return p.NetworkAcls }, networkACL)
			},
		},
		awstype.TransitGatewayAttachment: {
			narrow: map[string]string{"vpcId": "vpc-id"},
			list: func(ctx context.Context, c *clients, q Query) ([]inventory.Resource, error) {
				return each(ctx, c.ec2.DescribeTransitGatewayVpcAttachments,
					&ec2.DescribeTransitGatewayVpcAttachmentsInput{TransitGatewayAttachmentIds: q.IDs, Filters: q.filters},
					func(p *ec2.DescribeTransitGatewayVpcAttachmentsOutput) []ec2types.TransitGatewayVpcAttachment {
						return p.TransitGatewayVpcAttachments
					},
					func(a ec2types.TransitGatewayVpcAttachment) inventory.Resource {
						r := one(a.TransitGatewayAttachmentId, a.Tags, ec2Pair, map[string]any{
							"vpcId":            a.VpcId,
							"transitGatewayId": a.TransitGatewayId,
							"subnetIds":        anys(a.SubnetIds),
						})
						r.State = string(a.State)
						return r
					})
			},
			remove: func(ctx context.Context, c *clients, r inventory.Resource) error {
				return send(ctx, c.ec2.DeleteTransitGatewayVpcAttachment, &ec2.DeleteTransitGatewayVpcAttachmentInput{
					TransitGatewayAttachmentId: &r.ID,
				})
			},
		},
		// A list without IDs has no entries: an account sees all of AWS's own prefix lists.
		awstype.PrefixList: {brief: true, list: func(
			ctx context.Context,
			c *clients,
			q Query,
		) (found []inventory.Resource, err error) {
			for _, id := range q.IDs {
				entries, err := each(ctx, c.ec2.GetManagedPrefixListEntries,
					&ec2.GetManagedPrefixListEntriesInput{PrefixListId: &id},
					func(p *ec2.GetManagedPrefixListEntriesOutput) []ec2types.PrefixListEntry { return p.Entries },
					func(e ec2types.PrefixListEntry) inventory.Resource { return named(aws.ToString(e.Cidr), nil) })
				if err != nil {
					return found, err
				}
				found = append(found, named(id, map[string]any{"entries": anys(IDs(entries))}))
			}
			return found, nil
		}},
	}
}

// networkACL returns a network ACL. Its property "rules" has those for IPv4 in both directions, without the last one,
// which denies the rest.
func networkACL(a ec2types.NetworkAcl) inventory.Resource {
	r := one(a.NetworkAclId, a.Tags, ec2Pair, map[string]any{"vpcId": a.VpcId, "ownerId": a.OwnerId})
	if aws.ToBool(a.IsDefault) {
		r.DeletedWith = "a default network ACL is deleted with its VPC"
	}
	var rules, subnets []any
	for _, rule := range a.Entries {
		if rule.CidrBlock == nil || aws.ToInt32(rule.RuleNumber) == lastRule {
			continue
		}
		entry := map[string]any{"egress": aws.ToBool(rule.Egress), "number": float64(aws.ToInt32(rule.RuleNumber)),
			"action":   string(rule.RuleAction),
			"protocol": aws.ToString(rule.Protocol), "cidrBlock": aws.ToString(rule.CidrBlock)}
		if rule.PortRange != nil {
			entry["fromPort"], entry["toPort"] = float64(aws.ToInt32(rule.PortRange.From)), float64(aws.ToInt32(rule.PortRange.To))
		}
		rules = append(rules, entry)
	}
	for _, association := range a.Associations {
		subnets = append(subnets, aws.ToString(association.SubnetId))
	}
	r.Properties["rules"], r.Properties["subnetIds"] = rules, subnets
	return r
}

// lastRule is the number of the rule "*" of each network ACL.
const lastRule = 32767
