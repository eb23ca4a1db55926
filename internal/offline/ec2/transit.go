package ec2

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2transitgateway"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func transitKinds() []*aws.Kind {
	return []*aws.Kind{{
		Token: awstype.TransitGatewayAttachment, Args: ec2transitgateway.VpcAttachmentArgs{},
		State:   ec2transitgateway.VpcAttachmentState{},
		Service: "EC2", Noun: "Transit Gateway VPC Attachment",
		Calls: aws.Calls{
			Create: "CreateTransitGatewayVpcAttachment",
			Update: "ModifyTransitGatewayVpcAttachment",
			Remove: "DeleteTransitGatewayVpcAttachment",
		},
		Constants: props.Map{"securityGroupReferencingSupport": "enable", "transitGatewayDefaultRouteTableAssociation": true,
			"transitGatewayDefaultRouteTablePropagation": true},
		References: []aws.Reference{{Input: "vpcId", Type: awstype.VPC, Dependency: aws.BlocksDeletion},
			{Input: "subnetIds", Type: awstype.Subnet, Dependency: aws.BlocksDeletion}},
		NotFound: awserr.Template{
			Code: "InvalidTransitGatewayAttachmentID.NotFound",
			Text: "Transit Gateway Attachment %s was deleted or does not exist.",
		},
		Rules: []aws.Rule{transitGatewayExists, oneAttachmentPerVPC, attachedOncePerZone},
		ID:    aws.EC2ID("tgw-attach"),
		OnCreate: func(c *aws.Call) error {
			c.Resource.State["vpcOwnerId"] = c.Account
			return nil
		},
	}}
}

// transitGatewayExists: the transit gateway belongs to the account, or is shared with it.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateTransitGatewayVpcAttachment.html
func transitGatewayExists(c *aws.Call) error {
	id := c.State().String("transitGatewayId")
	if c.Find(aws.TransitGateway, id) == nil && id != ids.StableEC2("tgw", c.Account) { // seeded subnets have the latter
		return awserr.Errorf("InvalidTransitGatewayID.NotFound", "Transit Gateway %s was deleted or does not exist.", id)
	}
	return nil
}

// oneAttachmentPerVPC: a VPC is attached to a transit gateway once.
// https://docs.aws.amazon.com/vpc/latest/tgw/tgw-vpc-attachments.html
func oneAttachmentPerVPC(c *aws.Call) error {
	if len(c.Others("vpcId", "transitGatewayId")) > 0 {
		return awserr.Errorf("DuplicateTransitGatewayAttachment",
			"%s has non-deleted Transit Gateway Attachments with same VPC ID.", c.State().String("transitGatewayId"))
	}
	return nil
}

// attachedOncePerZone: an attachment has one subnet of its VPC in each zone.
// https://docs.aws.amazon.com/vpc/latest/tgw/tgw-vpc-attachments.html
func attachedOncePerZone(c *aws.Call) error {
	for _, id := range c.State().Strings("subnetIds") {
		if c.Find(awstype.Subnet, id).State.String("vpcId") != c.State().String("vpcId") {
			return awserr.Errorf("InvalidParameterValue", "Subnet %s is not in VPC %s", id, c.State().String("vpcId"))
		}
	}
	if first, second := c.SameZone(c.State().Strings("subnetIds")); first != "" {
		return awserr.Errorf("DuplicateSubnetsInSameZone", "Duplicate Subnets for same AZ: %s and %s", first, second)
	}
	return nil
}

// routeToAttached: the target of a route is a transit gateway to which the VPC is attached.
// https://docs.aws.amazon.com/vpc/latest/tgw/tgw-vpc-attachments.html
func routeToAttached(c *aws.Call) error {
	id := c.State().String("transitGatewayId")
	if id == "" {
		return nil
	}
	for _, attachment := range c.Where(awstype.TransitGatewayAttachment, "transitGatewayId", id) {
		if attachment.State.String("vpcId") == tableVPC(c) {
			return nil
		}
	}
	return awserr.Errorf("InvalidTransitGatewayID.NotFound", "The transitGateway ID '%s' does not exist", id)
}

func getTransitGateway(
	c *aws.Call,
	args ec2transitgateway.LookupTransitGatewayArgs,
) (*ec2transitgateway.LookupTransitGatewayResult, error) {
	rec, err := c.FindOne("EC2 Transit Gateway", aws.TransitGateway, aws.Deref(args.Id), nil, func(*store.Entry) bool { return len(args.Filters) == 0 })
	if err != nil {
		return nil, err
	}
	return &ec2transitgateway.LookupTransitGatewayResult{Id: rec.ID, Arn: c.ARN("ec2", "transit-gateway/"+rec.ID),
		OwnerId:                     c.Account,
		AutoAcceptSharedAttachments: "disable", DefaultRouteTableAssociation: "enable",
		DefaultRouteTablePropagation: "enable", DnsSupport: "enable"}, nil
}
