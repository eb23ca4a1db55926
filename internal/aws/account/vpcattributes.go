package account

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// VPCAttributes implements Facts. AWS answers one attribute per request.
func (a *realAccount) VPCAttributes(ctx context.Context, id string) (dnsSupport, dnsHostnames bool, err error) {
	c, err := a.clients(ctx)
	if err != nil {
		return false, false, err
	}
	support, err := c.ec2.DescribeVpcAttribute(ctx, &ec2.DescribeVpcAttributeInput{VpcId: &id, Attribute: ec2types.VpcAttributeNameEnableDnsSupport})
	if err != nil {
		return false, false, err
	}
	hostnames, err := c.ec2.DescribeVpcAttribute(ctx, &ec2.DescribeVpcAttributeInput{VpcId: &id, Attribute: ec2types.VpcAttributeNameEnableDnsHostnames})
	if err != nil {
		return false, false, err
	}
	return support.EnableDnsSupport != nil && aws.ToBool(support.EnableDnsSupport.Value),
		hostnames.EnableDnsHostnames != nil && aws.ToBool(hostnames.EnableDnsHostnames.Value), nil
}
