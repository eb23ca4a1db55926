package network

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/input"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/lookup"
)

func (args *GuestNetworkArgs) validateSecurityGroups() error {
	var faults fault.Faults
	if len(args.SecurityGroups) > 0 && args.Existing == nil {
		faults.Add("", nil, "require an existing VPC", "use them together with existing, or leave them out")
	}
	seen := map[string]int{}
	for i, given := range args.SecurityGroups {
		path := fmt.Sprintf("[%d]", i)
		id, plain := input.Plain(given)
		if !plain {
			continue
		}
		if first, twice := seen[id]; !awsid.IsEC2("sg", id) {
			faults.Add(path, id, "is not the ID of a security group", "use one such as sg-0123456789abcdef0")
		} else if twice {
			faults.Add(path, id, fmt.Sprintf("duplicates [%d]", first), "list each group once")
		}
		seen[id] = i
	}
	return faults.Err()
}

// findSecurityGroups checks that the existing groups belong to the existing VPC.
func (b *guestBuilder) findSecurityGroups() error {
	if b.args.Existing == nil {
		return nil
	}
	groups, err := input.CheckAll(append([]pulumi.StringInput{b.args.Existing.VPCID}, b.args.SecurityGroups...), func(ids []string) error {
		return b.checkSecurityGroups(ids[0], ids[1:])
	})
	b.securityGroups = groups[1:]
	return err
}

func (b *guestBuilder) checkSecurityGroups(vpcID string, ids []string) error {
	var faults fault.Faults
	for i, id := range ids {
		path := fmt.Sprintf("securityGroups[%d]", i)
		group, err := ec2.LookupSecurityGroup(b.ctx, &ec2.LookupSecurityGroupArgs{Id: &id}, b.parent())
		switch {
		case err != nil:
			faults.Add(path, id, "cannot be looked up: "+lookup.Cause(err), "use a security group of this account and region")
		case group.VpcId != vpcID:
			faults.Add(path, id, "is in "+group.VpcId, "use a security group in "+vpcID)
		}
	}
	return faults.Err()
}

// securityGroup creates a group without rules. AWS cannot change a group's description, and HyperShift's CLI gives another one.
func (b *builder) securityGroup(v *vpcNetwork, part, name, description string) (*ec2.SecurityGroup, error) {
	return ec2.NewSecurityGroup(b.ctx, b.child(part), &ec2.SecurityGroupArgs{
		Name:        pulumi.String(name),
		Description: pulumi.String(description),
		VpcId:       v.vpcID,
		Tags:        b.tags(name),
	}, b.parent(), pulumi.IgnoreChanges([]string{"description"}))
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
