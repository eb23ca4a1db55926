package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTypesHaveTheirCommonNames(t *testing.T) {
	t.Parallel()
	for token, name := range map[string]string{
		"aws:ec2/natGateway:NatGateway":                                         "NAT gateway",
		"aws:ec2/vpc:Vpc":                                                       "VPC",
		"aws:ec2/eip:Eip":                                                       "elastic IP",
		"aws:ec2/internetGateway:InternetGateway":                               "internet gateway",
		"aws:ec2/routeTableAssociation:RouteTableAssociation":                   "route table association",
		"aws:ec2/vpcEndpoint:VpcEndpoint":                                       "VPC endpoint",
		"aws:route53/zone:Zone":                                                 "hosted zone",
		"aws:iam/role:Role":                                                     "IAM role",
		"aws:iam/openIdConnectProvider:OpenIdConnectProvider":                   "OIDC provider",
		"aws:ec2/vpcDhcpOptionsAssociation:VpcDhcpOptionsAssociation":           "DHCP options association",
		"pulumi:providers:aws":                                                  "AWS provider",
		"pulumi:providers:kubernetes":                                           "Kubernetes provider",
		"kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSCluster":         "AWS cluster",
		"kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSMachineTemplate": "AWS machine template",
		"kubernetes:hypershift.openshift.io/v1beta1:HostedCluster":              "hosted cluster",
		"aws:xray/someURL:SomeURL":                                              "some url",
		"odd":                                                                   "odd",
	} {
		assert.Equal(t, name, TypeName(token), token)
	}
}
