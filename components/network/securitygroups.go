package network

import (
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/lookup"
)

var securityGroupPattern = regexp.MustCompile(`^sg-[0-9a-f]{8}([0-9a-f]{9})?$`)

func (args *GuestNetworkArgs) validateSecurityGroups() error {
	var faults fault.Faults
	if len(args.SecurityGroups) > 0 && args.Existing == nil {
		faults.Add("", nil, "require an existing VPC", "use them together with existing, or leave them out")
	}
	seen := map[string]int{}
	for i, id := range args.SecurityGroups {
		path := fmt.Sprintf("[%d]", i)
		if first, twice := seen[id]; !securityGroupPattern.MatchString(id) {
			faults.Add(path, id, "is not the ID of a security group", "use one such as sg-0123456789abcdef0")
		} else if twice {
			faults.Add(path, id, fmt.Sprintf("duplicates [%d]", first), "list each group once")
		}
		seen[id] = i
	}
	return faults.Err()
}

// findSecurityGroups checks that the given groups belong to the existing VPC.
func (b *builder) findSecurityGroups() error {
	var faults fault.Faults
	for i, id := range b.args.SecurityGroups {
		path := fmt.Sprintf("[%d]", i)
		group, err := ec2.LookupSecurityGroup(b.ctx, &ec2.LookupSecurityGroupArgs{Id: &id}, b.parent())
		switch {
		case err != nil:
			faults.Add(path, id, "cannot be looked up: "+lookup.Cause(err), "use a security group of this account and region")
		case group.VpcId != b.args.Existing.VPCID:
			faults.Add(path, id, "is in "+group.VpcId, "use a security group in "+b.args.Existing.VPCID)
		}
	}
	return faults.Err()
}

// securityGroups outputs the given groups for node pools.
func (b *builder) securityGroups(*vpcNetwork) error {
	b.network.NodeSecurityGroupIDs = pulumi.ToStringArray(b.args.SecurityGroups).ToStringArrayOutput()
	return nil
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
