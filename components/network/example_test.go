package network_test

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/exampletest"
)

// A guest network with a node subnet and a NAT gateway in each of two zones.
func ExampleNewGuestNetwork() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		guest, err := network.NewGuestNetwork(ctx, "guest", &network.GuestNetworkArgs{
			Cluster:    hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
			BaseDomain: "example.com",
			Options:    network.Options{Zones: []network.Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}}},
		})
		if err != nil {
			return err
		}
		ctx.Export("privateSubnetIDs", guest.PrivateSubnetIDs)
		return nil
	})
	// Output:
	// DHCP options: 1
	// DHCP options association: 1
	// DNS record: 1
	// NAT gateway: 2
	// VPC: 1
	// VPC endpoint: 1
	// default security group: 1
	// elastic IP: 2
	// hosted zone: 1
	// internet gateway: 1
	// main route table association: 1
	// route: 3
	// route table: 3
	// route table association: 4
	// subnet: 4
}

// named tags everything with its name only.
type named struct{}

func (named) Plain(name string) map[string]string         { return map[string]string{"Name": name} }
func (named) Own(name string) map[string]string           { return map[string]string{"Name": name} }
func (named) PrivateSubnet(name string) map[string]string { return map[string]string{"Name": name} }
func (named) PublicSubnet(name string, _ bool) map[string]string {
	return map[string]string{"Name": name}
}
func (named) Discovery(bool, bool) map[string]string   { return nil }
func (named) NATGateway(name string) map[string]string { return map[string]string{"Name": name} }
func (named) IAM() map[string]string                   { return nil }

// A network for other machines than a hosted cluster's: two public and two private subnets behind one NAT gateway.
func ExampleNewBaseNetwork() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		base, err := network.NewBaseNetwork(ctx, "base", &network.BaseNetworkArgs{
			Prefix:  "shop",
			Tagging: named{},
			Options: network.Options{
				VPCCIDR: "10.8.0.0/16",
				Zones:   []network.Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}},
				NAT:     network.Single,
			},
			PublicSubnets: true,
		})
		if err != nil {
			return err
		}
		ctx.Export("vpcID", base.VPCID)
		return nil
	})
	// Output:
	// DHCP options: 1
	// DHCP options association: 1
	// NAT gateway: 1
	// VPC: 1
	// VPC endpoint: 1
	// default security group: 1
	// elastic IP: 1
	// internet gateway: 1
	// main route table association: 1
	// route: 3
	// route table: 3
	// route table association: 4
	// subnet: 4
}
