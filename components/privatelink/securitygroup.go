package privatelink

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/input"
)

// The descriptions that HyperShift's operator uses. It compares a rule's description too, and creates a second rule if it differs.
const (
	groupDescription = "VPC endpoint security group"
	ruleDescription  = "Control plane service"
)

// securityGroup creates the group that allows the machine CIDRs to connect on the service's port, and nothing else.
func (b *builder) securityGroup(vpcID pulumi.StringInput) (*ec2.SecurityGroup, error) {
	service, existing := b.args.Service, b.args.existing()
	name := service.SecurityGroupName(b.args.Cluster)
	group, err := ec2.NewSecurityGroup(b.ctx, b.child("group"), &ec2.SecurityGroupArgs{
		Name:        pulumi.String(name),
		Description: pulumi.String(groupDescription),
		VpcId:       vpcID,
		Tags:        b.args.tagged(map[string]string{"Name": name}),
	}, adopt(b.parent(), existing.SecurityGroupID)...)
	if err != nil {
		return nil, err
	}
	for i, cidr := range b.args.MachineCIDRs {
		text, plain := input.Plain(cidr)
		part := text
		if !plain {
			part = fmt.Sprintf("machines-%d", i)
		}
		if _, err := vpc.NewSecurityGroupIngressRule(b.ctx, b.child(part), &vpc.SecurityGroupIngressRuleArgs{
			SecurityGroupId: group.ID(),
			Description:     pulumi.String(ruleDescription),
			CidrIpv4:        input.Optional(cidr),
			IpProtocol:      pulumi.String("tcp"),
			FromPort:        pulumi.Int(service.Port()),
			ToPort:          pulumi.Int(service.Port()),
		}, adopt(b.parent(), existing.RuleIDs[text])...); err != nil {
			return nil, err
		}
	}
	b.endpoint.SecurityGroupID = group.ID().ToStringOutput()
	return group, nil
}
