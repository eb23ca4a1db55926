package hostedcluster_test

import (
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/test/exampletest"
)

// A HostedCluster with one node pool, for a network and roles that exist.
func ExampleNewHostedCluster() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		management, err := kubernetes.NewProvider(ctx, "management", &kubernetes.ProviderArgs{
			Context: pulumi.String("management"),
		})
		if err != nil {
			return err
		}
		roles := map[iam.RoleName]pulumi.StringInput{}
		for _, name := range iam.RoleNames() {
			roles[name] = pulumi.String("arn:aws:iam::123456789012:role/demo-x1-" + string(name))
		}
		cluster, err := hostedcluster.NewHostedCluster(ctx, "cluster", &hostedcluster.Args{
			Settings: hostedcluster.Settings{
				Cluster:    hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
				Region:     "us-east-1",
				BaseDomain: "example.com",
				Release:    "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64",
				NodePools:  []hostedcluster.NodePool{{Zone: "us-east-1a"}},
			},
			Site: hostedcluster.SiteArgs{
				VPCID:           pulumi.String("vpc-0123456789abcdef0"),
				PrivateZoneID:   pulumi.String("Z012345678PRIVATE"),
				PublicZoneID:    pulumi.String("Z0123456789PUBLIC"),
				IssuerURL:       pulumi.String("https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"),
				InstanceProfile: pulumi.String("demo-x1-worker"),
				MachineCIDRs:    []pulumi.StringInput{pulumi.String("10.0.0.0/16")},
				Zones: []hostedcluster.SiteZoneArgs{{
					Name:     "us-east-1a",
					SubnetID: pulumi.String("subnet-0123456789abcdef0"),
				}},
				Roles:     roles,
				KMSKeyARN: pulumi.String("arn:aws:kms:us-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"),
			},
			Secrets: map[hostedcluster.SecretValue]pulumi.StringInput{hostedcluster.PullSecret: pulumi.String(`{"auths":{}}`)},
		}, pulumi.Provider(management))
		if err != nil {
			return err
		}
		ctx.Export("nodePools", cluster.NodePools)
		return nil
	})
	// Output:
	// hosted cluster: 1
	// namespace patch: 1
	// node pool: 1
	// secret: 1
}

// A node pool of a HostedCluster that another tool has created.
func ExampleNewNodePools() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		management, err := kubernetes.NewProvider(ctx, "management", &kubernetes.ProviderArgs{
			Context: pulumi.String("management"),
		})
		if err != nil {
			return err
		}
		pools, err := hostedcluster.NewNodePools(ctx, "pools", &hostedcluster.NodePoolsArgs{
			HostedCluster: hostedcluster.ExistingCluster{
				Name: "demo", InfraID: "demo-x1",
				Release:  "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64",
				SubnetID: pulumi.String("subnet-0123456789abcdef0"),
			},
			NodePools: []hostedcluster.NodePool{{Name: "gpu", InstanceType: "g4dn.xlarge"}},
		}, pulumi.Provider(management))
		if err != nil {
			return err
		}
		ctx.Export("nodePools", pools.NodePools)
		return nil
	})
	// Output:
	// node pool: 1
}
