package iam

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const workerProfileType = "hypershift-aws:iam:WorkerProfile"

// WorkerProfile is the instance profile of the hosted cluster's nodes.
type WorkerProfile struct {
	pulumi.ResourceState

	// Name is the instance profile's name, for a NodePool's instanceProfile: "<infraID>-worker", or that of the existing
	// one.
	Name pulumi.StringOutput `pulumi:"name"`
	// RoleARN is the ARN of its role, which the node pool management role may pass to EC2.
	RoleARN pulumi.StringOutput `pulumi:"roleARN"`
}

// WorkerProfileArgs are the inputs of a WorkerProfile.
type WorkerProfileArgs struct {
	// Cluster names and tags the instance profile and its role. Required.
	Cluster hypershift.Cluster `yaml:"-" pulumi:"cluster"`
	// Options configure the instance profile and its role: Existing.InstanceProfile, and the ExtraPolicies of RoleWorker.
	// Default: HyperShift's names and policies.
	Options *RoleOptions `yaml:"-" pulumi:"options,optional"`
}

func (args *WorkerProfileArgs) options() RoleOptions { return optionsOf(args.Options) }

func (args *WorkerProfileArgs) existing() pulumi.StringInput {
	return args.options().existing().InstanceProfile
}

func (args *WorkerProfileArgs) extraPolicies() []string {
	return args.options().ExtraPolicies[RoleWorker]
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *WorkerProfileArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Cluster.Validate())
	faults.Join("", args.options().validateFor(args.Cluster))
	for i, arn := range args.extraPolicies() {
		faults.Join(fmt.Sprintf("extraPolicies[worker][%d]", i), ValidatePolicyARN(arn, ""))
	}
	if input.IsSet(args.existing()) {
		faults.Join("existing.instanceProfile", input.IfPlain(args.existing(), validateProfileName))
		if len(args.extraPolicies()) > 0 {
			faults.Add("extraPolicies[worker]", nil, "would change an existing role",
				"attach the policies to it yourself, or leave existing.instanceProfile out")
		}
	}
	return faults.Err()
}

func validateProfileName(name string) error {
	if len(name) <= maxProfileName && awsid.IsName(name) {
		return nil
	}
	return &fault.Fault{
		Value: name, Problem: "is not the name of an instance profile",
		Remedy: fmt.Sprintf("use its name, not its ARN: at most %d letters, digits and +=,.@_-", maxProfileName),
	}
}

// maxProfileName is the maximum length of an instance profile's name. Source: "IAM and AWS STS quotas".
const maxProfileName = 128

// NewWorkerProfile registers the instance profile with its role or, where it exists, looks it up. The error
// lists every fault in args. It also fails if a policy or the existing profile does not exist or cannot be used.
func NewWorkerProfile(
	ctx *pulumi.Context,
	name string,
	args *WorkerProfileArgs,
	opts ...pulumi.ResourceOption,
) (*WorkerProfile, error) {
	return component.New(ctx, workerProfileType, "worker profile", name, args, opts,
		func(w *WorkerProfile, args *WorkerProfileArgs) error {
			if existing := args.existing(); input.IsSet(existing) {
				return w.lookUp(ctx, existing)
			}
			return w.make(ctx, name, args)
		})
}

func (w *WorkerProfile) lookUp(ctx *pulumi.Context, given pulumi.StringInput) error {
	if name, plain := input.Plain(given); plain {
		roleARN, err := checkInstanceProfile(ctx, name, pulumi.Parent(w))
		w.Name, w.RoleARN = pulumi.String(name).ToStringOutput(), pulumi.String(roleARN).ToStringOutput()
		return err
	}
	w.RoleARN = given.ToStringOutput().ApplyT(func(name string) (string, error) {
		if err := validateProfileName(name); err != nil {
			var faults fault.Faults
			faults.Join("existing.instanceProfile", err)
			return "", faults
		}
		return checkInstanceProfile(ctx, name, pulumi.Parent(w))
	}).(pulumi.StringOutput)
	w.Name = pulumi.All(given, w.RoleARN).ApplyT(func(values []any) string {
		return values[0].(string)
	}).(pulumi.StringOutput)
	return nil
}

func (w *WorkerProfile) make(ctx *pulumi.Context, name string, args *WorkerProfileArgs) error {
	in, err := location.LookupPartition(ctx, pulumi.Parent(w))
	if err != nil {
		return err
	}
	if err := checkPolicies(ctx, args.policies(in), pulumi.Parent(w)); err != nil {
		return err
	}
	described := args.options().role(args.options().name(args.Cluster, workerRoleSuffix), args.Cluster)
	described.PermissionsBoundary = checkedBoundary(ctx, "permissionsBoundary", args.options().PermissionsBoundary,
		pulumi.Parent(w))
	described.Trust, described.Attached = iamrole.ServiceTrust("ec2."+in.DNSSuffix), args.extraPolicies()
	if args.options().ManagedPolicies {
		// ROSA's policy for node pools only allows passing a role of this name.
		described.Name = args.options().name(args.Cluster, "worker-ROSA-Worker-Role")
		described.Attached = append([]string{managedPolicyARN(in, managedWorkerPolicy)}, described.Attached...)
	} else {
		described.Inline = []iamrole.InlinePolicy{{
			Name: args.options().name(args.Cluster, "worker-policy"), Document: pulumi.String(workerPolicy().JSON()),
		}}
	}
	role, err := iamrole.New(ctx, name+"-role", described, pulumi.Parent(w))
	if err != nil {
		return err
	}
	profile, err := role.NewInstanceProfile(ctx, name+"-profile", args.options().name(args.Cluster, "worker"))
	if err != nil {
		return err
	}
	w.Name, w.RoleARN = profile.Name, role.Arn
	return nil
}

// WorkerActions returns the actions that the policy of the nodes' role allows.
func WorkerActions() []string { return workerPolicy().Statement[0].Action }

// managedWorkerPolicy is the AWS managed policy for the nodes of ROSA.
const managedWorkerPolicy = "ROSAWorkerInstancePolicy"

// policies returns the policies of the role, which must exist.
func (args *WorkerProfileArgs) policies(in location.Location) []givenPolicy {
	var policies []givenPolicy
	if arn := input.Text(args.options().PermissionsBoundary); arn != "" {
		policies = append(policies, givenPolicy{"permissionsBoundary", arn})
	}
	for i, arn := range args.extraPolicies() {
		policies = append(policies, givenPolicy{fmt.Sprintf("extraPolicies[worker][%d]", i), arn})
	}
	if args.options().ManagedPolicies {
		policies = append(policies, givenPolicy{"managedPolicies", managedPolicyARN(in, managedWorkerPolicy)})
	}
	return policies
}

// spotService is the service principal for spot instances, in all partitions.
const spotService = "spot.amazonaws.com"

// spotServiceLinkedRole creates AWSServiceRoleForEC2Spot, without which an account cannot run spot instances. An
// account has one, which all its clusters share: an existing one is imported unchanged, and it is never deleted or
// tagged.
func spotServiceLinkedRole(ctx *pulumi.Context, name string, parent pulumi.Resource) (pulumi.StringOutput, error) {
	prefix := "/aws-service-role/" + spotService + "/"
	found, err := iam.GetRoles(ctx, &iam.GetRolesArgs{PathPrefix: &prefix}, pulumi.Parent(parent))
	if err != nil {
		return pulumi.StringOutput{}, fmt.Errorf("looking up the service-linked role for spot instances: %s; "+
			"if you may not list roles, leave spotServiceLinkedRole out and create the role with `aws iam create-service-linked-role`", awsprovider.Cause(err))
	}
	options := []pulumi.ResourceOption{
		pulumi.Parent(parent), pulumi.RetainOnDelete(true),
		pulumi.IgnoreChanges([]string{"description", "tags"}),
	}
	if len(found.Arns) > 0 {
		options = append(options, pulumi.Import(pulumi.ID(found.Arns[0])))
	}
	role, err := iam.NewServiceLinkedRole(ctx, name, &iam.ServiceLinkedRoleArgs{
		AwsServiceName: pulumi.String(spotService),
	}, options...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return role.Arn, nil
}
