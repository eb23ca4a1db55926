package capa_test

import (
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
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
			Network: capa.NetworkArgs{
				Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}}},
			},
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

// The instance profiles of a cluster's machines, without its network.
func ExampleNewInstanceProfiles() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		profiles, err := capa.NewInstanceProfiles(ctx, "profiles", &capa.InstanceProfilesArgs{Cluster: "demo"})
		if err != nil {
			return err
		}
		ctx.Export("nodesProfile", profiles.Nodes)
		return nil
	})
	// Output:
	// IAM role: 2
	// instance profile: 2
	// role policy: 3
}

// The security groups of a cluster in an existing VPC.
func ExampleNewSecurityGroups() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		groups, err := capa.NewSecurityGroups(ctx, "groups", &capa.SecurityGroupsArgs{
			Tagging: capa.Tagging{Cluster: "demo"},
			VPCID:   pulumi.String("vpc-0123456789abcdef0"), VPCCIDRs: []pulumi.StringInput{pulumi.String("10.0.0.0/16")},
		})
		if err != nil {
			return err
		}
		ctx.Export("nodeGroupID", groups.IDs[capa.Node])
		return nil
	})
	// Output:
	// security group: 4
	// security group egress rule: 4
	// security group ingress rule: 18
}

// The objects of a self-managed cluster with one pool, for a network and instance profiles that exist.
func ExampleNewCluster() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		management, err := kubernetes.NewProvider(ctx, "management", &kubernetes.ProviderArgs{
			Context: pulumi.String("management"),
		})
		if err != nil {
			return err
		}
		cluster, err := capa.NewCluster(ctx, "cluster", &capa.ClusterArgs{
			Args: capa.Args{
				Name: "demo", KubernetesVersion: "v1.33.4", Topology: capa.Private,
				Network: capa.NetworkArgs{Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}}},
				Workers: []capa.WorkersArgs{{Name: "workers", InstanceType: "m5.large"}},
			},
			Site: capa.SiteArgs{
				Region: "us-east-1",
				VPCID:  pulumi.String("vpc-0123456789abcdef0"),
				Zones: []capa.SiteZoneArgs{{
					Name: "us-east-1a", PublicSubnetID: pulumi.String("subnet-00000000000000001"),
					PrivateSubnetID: pulumi.String("subnet-00000000000000002"),
				}},
				ControlPlaneProfile: pulumi.String("control-plane.cluster-api-provider-aws.sigs.k8s.io"),
				NodesProfile:        pulumi.String("nodes.cluster-api-provider-aws.sigs.k8s.io"),
				Images: map[string]pulumi.StringInput{
					"m5.large": pulumi.String("ami-0123456789abcdef0"),
					"t3.large": pulumi.String("ami-0123456789abcdef0"),
				},
			},
		}, pulumi.Provider(management))
		if err != nil {
			return err
		}
		ctx.Export("machineDeployments", cluster.MachineDeployments)
		return nil
	})
	// Output:
	// AWS cluster: 1
	// AWS machine template: 2
	// cluster: 1
	// kubeadm config template: 1
	// kubeadm control plane: 1
	// machine deployment: 1
	// namespace patch: 1
}
