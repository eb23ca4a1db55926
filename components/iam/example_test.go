package iam_test

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/test/exampletest"
)

// The roles of a hosted cluster's control plane, which trust the issuer of its service account tokens.
func ExampleNewRoleSet() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
		issuer, err := iam.NewOIDCProvider(ctx, "oidc", &iam.OIDCProviderArgs{
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
			OIDCProviderARN: issuer.ARN,
			IssuerURL:       issuer.IssuerURL,
			WorkerRoleARN:   workers.RoleARN,
			PublicZoneARN:   pulumi.String("arn:aws:route53:::hostedzone/Z0123456789PUBLIC"),
			PrivateZoneARN:  pulumi.String("arn:aws:route53:::hostedzone/Z012345678PRIVATE"),
		})
		if err != nil {
			return err
		}
		ctx.Export("nodePoolManagementARN", roles.NodePoolManagementARN)
		return nil
	})
	// Output:
	// IAM role: 8
	// OIDC provider: 1
	// instance profile: 1
	// role policy: 8
}

// A role for the pods of a service account, which reads from a bucket.
func ExampleNewWorkloadRole() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		role, err := iam.NewWorkloadRole(ctx, "orders", &iam.WorkloadRoleArgs{
			Cluster:         hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
			OIDCProviderARN: pulumi.String("arn:aws:iam::123456789012:oidc-provider/demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"),
			IssuerURL:       pulumi.String("https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"),
			Workload: iam.Workload{
				Namespace: "shop", ServiceAccount: "orders",
				Policy: pulumi.String(`{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::orders/*"}]}`),
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("annotations", role.Annotations)
		return nil
	})
	// Output:
	// IAM role: 1
	// role policy: 1
}

// The roles in the account of a shared VPC's owner, which the roles of the cluster's account assume.
func ExampleNewSharedVPCRoles() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		owner, err := aws.NewProvider(ctx, "owner", &aws.ProviderArgs{
			Region: pulumi.String("us-east-1"), AllowedAccountIds: pulumi.ToStringArray([]string{"210987654321"}),
		})
		if err != nil {
			return err
		}
		roles, err := iam.NewSharedVPCRoles(ctx, "shared", &iam.SharedVPCRolesArgs{
			Cluster:                     hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
			VPCOwner:                    owner,
			IngressRoleARN:              pulumi.String("arn:aws:iam::123456789012:role/demo-x1-openshift-ingress"),
			ControlPlaneOperatorRoleARN: pulumi.String("arn:aws:iam::123456789012:role/demo-x1-control-plane-operator"),
			PrivateZoneARN:              pulumi.String("arn:aws:route53:::hostedzone/Z012345678PRIVATE"),
			LocalZoneARN:                pulumi.String("arn:aws:route53:::hostedzone/Z0123456789LOCAL"),
			VPCID:                       pulumi.String("vpc-0123456789abcdef0"),
		})
		if err != nil {
			return err
		}
		ctx.Export("endpointARN", roles.EndpointARN)
		return nil
	})
	// Output:
	// IAM role: 2
	// role policy: 2
}

// The OIDC provider that trusts the issuer of a cluster's service account tokens, whose documents are in a bucket.
func ExampleNewOIDCProvider() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		issuer, err := iam.NewOIDCProvider(ctx, "oidc", &iam.OIDCProviderArgs{
			Cluster:    hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
			BucketName: pulumi.String("demo-oidc"), BucketRegion: pulumi.String("us-east-1"),
		})
		if err != nil {
			return err
		}
		ctx.Export("issuerURL", issuer.IssuerURL)
		return nil
	})
	// Output:
	// OIDC provider: 1
}

// The instance profile of a cluster's nodes.
func ExampleNewWorkerProfile() {
	exampletest.Preview(func(ctx *pulumi.Context) error {
		workers, err := iam.NewWorkerProfile(ctx, "workers", &iam.WorkerProfileArgs{
			Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
		})
		if err != nil {
			return err
		}
		ctx.Export("roleARN", workers.RoleARN)
		return nil
	})
	// Output:
	// IAM role: 1
	// instance profile: 1
	// role policy: 1
}
