package capa_test

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/exampletest"
)

// The network, security groups and instance profiles of a self-managed cluster of Cluster API Provider AWS.
func ExampleNewInfrastructure() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		infrastructure, err := capa.NewInfrastructure(ctx, "infrastructure", &capa.Args{
			Name:              "demo",
			KubernetesVersion: "v1.33.4",
			Network:           capa.NetworkArgs{Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}}}},
		})
		if err != nil {
			return err
		}
		ctx.Export("vpcID", infrastructure.VPCID)
		return nil
	})
	// Output:
	// DHCP options: 1
	// DHCP options association: 1
	// IAM role: 2
	// NAT gateway: 2
	// VPC: 1
	// VPC endpoint: 1
	// default security group: 1
	// elastic IP: 2
	// instance profile: 2
	// internet gateway: 1
	// main route table association: 1
	// role policy: 3
	// route: 3
	// route table: 3
	// route table association: 4
	// security group: 4
	// security group egress rule: 4
	// security group ingress rule: 20
	// subnet: 4
}
