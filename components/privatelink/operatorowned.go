package privatelink

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// look reads the existing parts under the resource names that make uses. The engine then no longer manages resources that this program
// created, and does not delete them.
func (b *builder) look() error {
	existing := b.args.existing()
	if existing.SecurityGroupID != "" {
		group, err := ec2.GetSecurityGroup(b.ctx, b.child("group"), pulumi.ID(existing.SecurityGroupID), nil, b.parent())
		if err != nil {
			return err
		}
		b.endpoint.SecurityGroupID = group.ID().ToStringOutput()
	}
	for cidr, id := range existing.RuleIDs {
		if _, err := vpc.GetSecurityGroupIngressRule(b.ctx, b.child(cidr), pulumi.ID(id), nil, b.parent()); err != nil {
			return err
		}
	}
	if existing.EndpointID != "" {
		endpoint, err := ec2.GetVpcEndpoint(b.ctx, b.name, pulumi.ID(existing.EndpointID), nil, b.parent())
		if err != nil {
			return err
		}
		b.endpoint.ID = endpoint.ID().ToStringOutput()
		b.endpoint.DNSName = dnsName(endpoint)
	}
	for _, name := range b.args.names() {
		if id := b.recordID(name); id != "" {
			if _, err := route53.GetRecord(b.ctx, b.recordName(name), pulumi.ID(id), nil, b.parent()); err != nil {
				return err
			}
		}
	}
	return nil
}
