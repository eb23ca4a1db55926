package privatelink_test

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/test/exampletest"
)

// A private guest network, and its endpoint for the private router of the control plane, with the names by which nodes
// find it.
func ExampleNewEndpoint() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
		guest, err := network.NewGuestNetwork(ctx, "guest", &network.GuestNetworkArgs{
			Cluster:        cluster,
			EndpointAccess: hypershift.Private,
			BaseDomain:     "example.com",
			Options:        network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}},
		})
		if err != nil {
			return err
		}
		endpoint, err := privatelink.NewEndpoint(ctx, "endpoint", &privatelink.EndpointArgs{
			Cluster:     cluster,
			ServiceName: pulumi.String("com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"),
			VPCID:       guest.VPCID,
			Subnets: []privatelink.Subnet{{
				Zone: "us-east-1a",
				ID:   guest.PrivateSubnetIDs.MapIndex(pulumi.String("us-east-1a")),
			}},
			MachineCIDRs: []pulumi.StringInput{pulumi.String("10.0.0.0/16")},
			LocalZoneID:  guest.LocalZone.ID,
		})
		if err != nil {
			return err
		}
		ctx.Export("endpointID", endpoint.ID)
		return nil
	})
	// Output:
	// DHCP options: 1
	// DHCP options association: 1
	// DNS record: 4
	// NAT gateway: 1
	// VPC: 1
	// VPC endpoint: 2
	// default security group: 1
	// elastic IP: 1
	// hosted zone: 2
	// internet gateway: 1
	// route: 2
	// route table: 2
	// route table association: 2
	// security group: 1
	// security group ingress rule: 1
	// subnet: 2
}

// The endpoint service in front of the load balancer of a control plane, in the management account.
func ExampleNewEndpointService() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		service, err := privatelink.NewEndpointService(ctx, "service", &privatelink.EndpointServiceArgs{
			Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
			LoadBalancers: &privatelink.LoadBalancers{
				ARNs: []pulumi.StringInput{pulumi.String(exampletest.LoadBalancerARN)},
			},
			AllowedPrincipals: []pulumi.StringInput{pulumi.String("arn:aws:iam::210987654321:root")},
		})
		if err != nil {
			return err
		}
		ctx.Export("serviceName", service.ServiceName)
		return nil
	})
	// Output:
	// VPC endpoint service: 1
}
