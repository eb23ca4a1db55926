package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTypesHaveTheirCommonNames(t *testing.T) {
	t.Parallel()
	for token, name := range map[string]string{
		"aws:ec2/natGateway:NatGateway":                               "NAT gateway",
		"aws:ec2/vpc:Vpc":                                             "VPC",
		"aws:ec2/eip:Eip":                                             "elastic IP",
		"aws:ec2/internetGateway:InternetGateway":                     "internet gateway",
		"aws:ec2/routeTableAssociation:RouteTableAssociation":         "route table association",
		"aws:ec2/vpcEndpoint:VpcEndpoint":                             "VPC endpoint",
		"aws:route53/zone:Zone":                                       "hosted zone",
		"aws:iam/role:Role":                                           "IAM role",
		"aws:iam/openIdConnectProvider:OpenIdConnectProvider":         "OIDC provider",
		"aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation": "DHCP options association",
		"pulumi:providers:aws":                                        "AWS provider",
		"pulumi:providers:kubernetes":                                 "Kubernetes provider",
		"odd":                                                         "odd",
	} {
		assert.Equal(t, name, TypeName(token), token)
	}
}
