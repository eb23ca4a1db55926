package ec2

import (
	"errors"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func getVPC(c *aws.Call, args ec2.LookupVpcArgs) (*ec2.LookupVpcResult, error) {
	rec, err := c.FindOne("EC2 VPC", awstype.VPC, aws.Deref(args.Id), args.Tags, func(s props.Map) bool {
		return aws.Matches(s, "cidrBlock", args.CidrBlock) && aws.Matches(s, "dhcpOptionsId", args.DhcpOptionsId) &&
			!aws.Deref(args.Default)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	s := rec.State
	return &ec2.LookupVpcResult{Id: rec.ID, Arn: s.String("arn"), CidrBlock: s.String("cidrBlock"),
		CidrBlockAssociations: associations(c, rec.ID), DhcpOptionsId: s.String("dhcpOptionsId"), EnableDnsHostnames: s.Bool("enableDnsHostnames"),
		EnableDnsSupport: s.Bool("enableDnsSupport"), InstanceTenancy: s.String("instanceTenancy"),
		EnableNetworkAddressUsageMetrics: s.Bool("enableNetworkAddressUsageMetrics"),
		MainRouteTableId:                 s.String("mainRouteTableId"), OwnerId: s.String("ownerId"), State: "available",
		Tags: aws.TagsOf(s)}, nil
}

func getSubnet(c *aws.Call, args ec2.LookupSubnetArgs) (*ec2.LookupSubnetResult, error) {
	rec, err := c.FindOne("EC2 Subnet", awstype.Subnet, aws.Deref(args.Id), args.Tags, func(s props.Map) bool {
		return aws.Matches(s, "cidrBlock", args.CidrBlock) && aws.Matches(s, "vpcId", args.VpcId) &&
			aws.Matches(s, "availabilityZone", args.AvailabilityZone) && aws.Matches(s, "availabilityZoneId", args.AvailabilityZoneId)
	})
	if err != nil || len(args.Filters) > 0 {
		return nil, errors.Join(err, aws.NoFilters(len(args.Filters)))
	}
	s, tags := rec.State, aws.TagsOf(rec.State)
	for _, tag := range c.All(awstype.Tag) {
		if tag.State.String("resourceId") == rec.ID {
			tags[tag.State.String("key")] = tag.State.String("value")
		}
	}
	return &ec2.LookupSubnetResult{Id: rec.ID, Arn: s.String("arn"), CidrBlock: s.String("cidrBlock"), VpcId: s.String("vpcId"),
		AvailabilityZone: s.String("availabilityZone"), AvailabilityZoneId: s.String("availabilityZoneId"),
		AvailableIpAddressCount: freeAddresses(c, rec), MapPublicIpOnLaunch: s.Bool("mapPublicIpOnLaunch"),
		OwnerId: s.String("ownerId"), PrivateDnsHostnameTypeOnLaunch: s.String("privateDnsHostnameTypeOnLaunch"),
		State: "available", Tags: tags}, nil
}
