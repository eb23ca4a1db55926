// Command embed is a Pulumi program that uses components together with its own resources.
package main

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

func main() { pulumi.Run(Program) }

// Program creates a guest network with its roles, and a separate security group in the network's VPC. With the config
// key embed:nat another way of the nodes to the internet can be tried: changing it replaces neither the VPC nor a
// subnet.
func Program(ctx *pulumi.Context) error {
	cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
	nat, _ := ctx.GetConfig("embed:nat")
	guest, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
		Cluster:    cluster,
		BaseDomain: "example.com",
		Options: network.Options{
			Zones: []network.Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}},
			NAT:   network.NATStrategy(nat),
		},
	})
	if err != nil {
		return err
	}
	oidc, err := iam.NewOIDCProvider(ctx, "oidc", &iam.OIDCProviderArgs{
		Cluster: cluster, BucketName: pulumi.String("demo-oidc"), BucketRegion: pulumi.String("us-east-1"),
	})
	if err != nil {
		return err
	}
	workers, err := iam.NewWorkerProfile(ctx, "workers", &iam.WorkerProfileArgs{Cluster: cluster})
	if err != nil {
		return err
	}
	roles, err := iam.NewRoleSet(ctx, "roles", &iam.RoleSetArgs{
		Cluster:         cluster,
		OIDCProviderARN: oidc.ARN,
		IssuerURL:       oidc.IssuerURL,
		WorkerRoleARN:   workers.RoleARN,
		PublicZoneARN:   guest.PublicZone.ARN,
		PrivateZoneARN:  guest.PrivateZone.ARN,
	})
	if err != nil {
		return err
	}
	if _, err := ec2.NewSecurityGroup(ctx, "own", &ec2.SecurityGroupArgs{
		Description: pulumi.String("Something of this program's own, in the cluster's VPC"),
		VpcId:       guest.VPCID,
	}); err != nil {
		return err
	}
	ctx.Export("vpcID", guest.VPCID)
	ctx.Export("nodePoolManagementARN", roles.NodePoolManagementARN)
	return nil
}
