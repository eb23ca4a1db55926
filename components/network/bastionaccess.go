package network

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// bastionGroup lets SSH in from the given networks alone, and the bastion out to the VPC and, for Systems
// Manager, by HTTPS.
func (b *builder) bastionGroup(g *ground) (*ec2.SecurityGroup, error) {
	name := b.bastionName() + "-sg"
	group, err := b.securityGroup(g, "bastion", name, "The bastion of "+b.args.Cluster.InfraID)
	if err != nil {
		return nil, err
	}
	for _, cidr := range b.args.Bastion.SSHCIDRs {
		if _, err := vpc.NewSecurityGroupIngressRule(b.ctx, b.child("bastion-ssh-"+cidr), &vpc.SecurityGroupIngressRuleArgs{
			SecurityGroupId: group.ID(),
			Description:     pulumi.String("SSH"),
			CidrIpv4:        pulumi.String(cidr),
			IpProtocol:      pulumi.String("tcp"),
			FromPort:        pulumi.Int(22),
			ToPort:          pulumi.Int(22),
			Tags:            b.tags(name),
		}, b.parent()); err != nil {
			return nil, err
		}
	}
	for _, cidr := range g.cidrs {
		if _, err := vpc.NewSecurityGroupEgressRule(b.ctx, b.child("bastion-vpc"+cidr.suffix), &vpc.SecurityGroupEgressRuleArgs{
			SecurityGroupId: group.ID(),
			Description:     pulumi.String("The VPC"),
			CidrIpv4:        cidr.block,
			IpProtocol:      pulumi.String("-1"),
			Tags:            b.tags(name),
		}, b.parent()); err != nil {
			return nil, err
		}
	}
	_, err = vpc.NewSecurityGroupEgressRule(b.ctx, b.child("bastion-https"), &vpc.SecurityGroupEgressRuleArgs{
		SecurityGroupId: group.ID(),
		Description:     pulumi.String("HTTPS, for Systems Manager"),
		CidrIpv4:        pulumi.String(anywhere),
		IpProtocol:      pulumi.String("tcp"),
		FromPort:        pulumi.Int(443),
		ToPort:          pulumi.Int(443),
		Tags:            b.tags(name),
	}, b.parent())
	return group, err
}

// bastionProfile makes the role by which Systems Manager's agent works, and nothing else.
func (b *builder) bastionProfile() (*awsiam.InstanceProfile, error) {
	partition, err := location.LookupPartition(b.ctx, b.parent())
	if err != nil {
		return nil, err
	}
	trust := policy.New(policy.Statement{
		Effect:    policy.Allow,
		Principal: &policy.Principal{Service: policy.Names{"ec2." + partition.DNSSuffix}},
		Action:    []string{"sts:AssumeRole"},
	})
	role, err := b.role("bastion", b.bastionName(), trust)
	if err != nil {
		return nil, err
	}
	if _, err := awsiam.NewRolePolicyAttachment(b.ctx, b.child("bastion"), &awsiam.RolePolicyAttachmentArgs{
		Role:      role.Name,
		PolicyArn: pulumi.String(fmt.Sprintf("arn:%s:iam::aws:policy/AmazonSSMManagedInstanceCore", partition.Partition)),
	}, b.parent()); err != nil {
		return nil, err
	}
	return awsiam.NewInstanceProfile(b.ctx, b.child("bastion"), &awsiam.InstanceProfileArgs{
		Name: pulumi.String(b.bastionName()),
		Path: unlessEmpty(b.args.RolePath),
		Role: role.Name,
		Tags: pulumi.ToStringMap(b.profile.tagging.IAM()),
	}, b.parent())
}
