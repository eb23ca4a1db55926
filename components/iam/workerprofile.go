package iam

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

const workerProfileType = "hypershift-aws:iam:WorkerProfile"

// WorkerProfile is the instance profile that the hosted cluster's nodes run with.
type WorkerProfile struct {
	pulumi.ResourceState

	// Name is the instance profile's name, "<infraID>-worker", for a NodePool's instanceProfile.
	Name pulumi.StringOutput `pulumi:"name"`
	// RoleARN is the ARN of the role in it, which the node pool management role may pass on.
	RoleARN pulumi.StringOutput `pulumi:"roleARN"`
}

// WorkerProfileArgs say whose nodes they are.
type WorkerProfileArgs struct {
	// Cluster names and tags the profile. Required.
	Cluster hypershift.Cluster
}

// Validate returns every fault in args.
func (args *WorkerProfileArgs) Validate() error { return args.Cluster.Validate() }

// NewWorkerProfile registers the instance profile with its role. It fails with every fault in args at
// once.
func NewWorkerProfile(ctx *pulumi.Context, name string, args *WorkerProfileArgs, opts ...pulumi.ResourceOption) (*WorkerProfile, error) {
	if args == nil {
		args = &WorkerProfileArgs{}
	}
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("worker profile %q: %w", name, err)
	}
	w := &WorkerProfile{}
	if err := ctx.RegisterComponentResource(workerProfileType, name, w, opts...); err != nil {
		return nil, fmt.Errorf("registering worker profile %q: %w", name, err)
	}
	partition, err := aws.GetPartition(ctx, &aws.GetPartitionArgs{}, pulumi.Parent(w))
	if err != nil {
		return nil, fmt.Errorf("worker profile %q: asking the provider for its partition: %w", name, err)
	}
	infraID := args.Cluster.InfraID
	role, err := newRole(ctx, name+"-role", w, roleArgs{
		name:       infraID + "-worker-role",
		policyName: infraID + "-worker-policy",
		trust: pulumi.String(NewDocument(Statement{
			Effect:    Allow,
			Principal: &Principal{Service: "ec2." + partition.DnsSuffix},
			Action:    []string{"sts:AssumeRole"},
		}).JSON()),
		policy: pulumi.String(workerPolicy().JSON()),
		tags:   args.Cluster.IAMTags(),
	})
	if err != nil {
		return nil, fmt.Errorf("worker profile %q: %w", name, err)
	}
	profile, err := iam.NewInstanceProfile(ctx, name+"-profile", &iam.InstanceProfileArgs{
		Name: pulumi.String(infraID + "-worker"),
		Role: role.Name,
		Tags: pulumi.ToStringMap(args.Cluster.IAMTags()),
	}, pulumi.Parent(w))
	if err != nil {
		return nil, fmt.Errorf("worker profile %q: %w", name, err)
	}
	w.Name, w.RoleARN = profile.Name, role.Arn
	return w, ctx.RegisterResourceOutputs(w, pulumi.Map{"name": w.Name, "roleARN": w.RoleARN})
}
