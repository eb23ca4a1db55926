package network

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/input"
)

func (args *GuestNetworkArgs) validateSecurityGroups() error {
	var faults fault.Faults
	if len(args.SecurityGroups) > 0 && args.Existing == nil {
		faults.Add("", nil, "require an existing VPC", "use them together with existing, or leave them out")
	}
	faults.Join("", validateGroupIDs(args.SecurityGroups))
	return faults.Err()
}

// findSecurityGroups checks that the existing groups belong to the existing VPC.
func (b *guestBuilder) findSecurityGroups() error {
	if b.args.Existing == nil {
		return nil
	}
	groups, err := input.CheckAll(append([]pulumi.StringInput{b.args.Existing.VPCID}, b.args.SecurityGroups...), func(ids []string) error {
		return b.checkGroups("securityGroups", ids[0], ids[1:])
	})
	b.securityGroups = groups[1:]
	return err
}

// securityGroup creates a group without rules. AWS cannot change a group's description, and HyperShift's CLI gives another one.
func (b *builder) securityGroup(v *vpcNetwork, part, name, description string) (*ec2.SecurityGroup, error) {
	return ec2.NewSecurityGroup(b.ctx, b.child(part), &ec2.SecurityGroupArgs{
		Name:        pulumi.String(name),
		Description: pulumi.String(description),
		VpcId:       v.vpcID,
		Tags:        b.tags(name),
	}, b.parent(), pulumi.IgnoreChanges([]string{"description"}), pulumi.DeleteBeforeReplace(true)) // its name is unique in the VPC
}

// letVPCIn allows the nodes' CIDRs to connect to a TCP port of a security group.
func (b *builder) letVPCIn(v *vpcNetwork, group *ec2.SecurityGroup, part, name, description string, port int) error {
	for _, cidr := range v.cidrs {
		if _, err := vpc.NewSecurityGroupIngressRule(b.ctx, b.child(part+cidr.suffix), &vpc.SecurityGroupIngressRuleArgs{
			SecurityGroupId: group.ID(),
			Description:     pulumi.String(description),
			CidrIpv4:        cidr.block,
			IpProtocol:      pulumi.String("tcp"),
			FromPort:        pulumi.Int(port),
			ToPort:          pulumi.Int(port),
			Tags:            b.tags(name),
		}, b.parent()); err != nil {
			return err
		}
	}
	return nil
}
