package stacks_test

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/exampletest"
)

// section returns the keys of a section as a stack's file has them.
func section(text string) stacks.Section {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		panic(err)
	}
	return stacks.Section{Keys: document.Content[0]}
}

// All AWS resources of a hosted cluster as one component of a program.
func ExampleNewCluster() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		cluster, err := stacks.NewCluster(ctx, "cluster", section(`
name: demo
infraID: demo-x1
baseDomain: example.com
network: {zones: [us-east-1a]}
oidc: {bucketName: demo-oidc}
`))
		if err != nil {
			return err
		}
		ctx.Export("vpcID", cluster.VPCID)
		return nil
	})
	// Output:
	// DHCP options: 1
	// DHCP options association: 1
	// DNS record: 1
	// IAM role: 8
	// NAT gateway: 1
	// OIDC provider: 1
	// VPC: 1
	// VPC endpoint: 1
	// default security group: 1
	// elastic IP: 1
	// hosted zone: 1
	// instance profile: 1
	// internet gateway: 1
	// main route table association: 1
	// role policy: 8
	// route: 2
	// route table: 2
	// route table association: 2
	// subnet: 2
}

// What a management account needs before it can have hosted clusters.
func ExampleNewManagement() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		management, err := stacks.NewManagement(ctx, "management", section(`
oidcBucket: {name: demo-oidc}
operator: {identity: AccessKeys}
`))
		if err != nil {
			return err
		}
		ctx.Export("bucket", management.BucketName)
		return nil
	})
	// Output:
	// IAM user: 2
	// S3 bucket: 1
	// access key: 2
	// bucket encryption: 1
	// bucket lifecycle configuration: 1
	// bucket ownership controls: 1
	// bucket policy: 1
	// bucket public access block: 1
	// bucket versioning: 1
	// user policy: 2
}

// The infrastructure of a self-managed cluster of Cluster API, whose objects other tools apply.
func ExampleNewCAPA() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		cluster, err := stacks.NewCAPA(ctx, "cluster", section(`
name: demo
kubernetesVersion: v1.33.4
network: {zones: [us-east-1a]}
`))
		if err != nil {
			return err
		}
		ctx.Export("vpcID", cluster.VPCID)
		return nil
	})
	// Output:
	// DHCP options: 1
	// DHCP options association: 1
	// IAM role: 2
	// NAT gateway: 1
	// VPC: 1
	// VPC endpoint: 1
	// default security group: 1
	// elastic IP: 1
	// instance profile: 2
	// internet gateway: 1
	// main route table association: 1
	// role policy: 3
	// route: 2
	// route table: 2
	// route table association: 2
	// security group: 4
	// security group egress rule: 4
	// security group ingress rule: 19
	// subnet: 2
}
