package capa

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"

	awsiam "github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const instanceProfilesType = "hypershift-aws:capa:InstanceProfiles"

// RoleSuffix is the suffix of the names of all roles that CAPA's controllers may pass to machines. Source: the policies
// of clusterawsadm.
const RoleSuffix = ".cluster-api-provider-aws.sigs.k8s.io"

// existingProfile is a given instance profile, with its path below IAMArgs.
type existingProfile struct {
	path string
	name pulumi.StringInput
}

func (e *ExistingProfiles) profiles() []existingProfile {
	return []existingProfile{{"existing.controlPlane", e.ControlPlane}, {"existing.nodes", e.Nodes}}
}

// InstanceProfilesArgs describe the instance profiles of a cluster's machines.
type InstanceProfilesArgs struct {
	// Cluster is the name of the Cluster. Required.
	Cluster string `pulumi:"cluster" set:"the name of the Cluster"`
	// Tags are set on roles and instance profiles. Default none.
	Tags map[string]string `pulumi:"tags,optional"`
	// IAM determines the instance profiles. Default: the machines' profiles are created.
	IAM IAMArgs `pulumi:"iam,optional"`
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *InstanceProfilesArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", input.Required(args))
	faults.Join("iam", args.IAM.validate())
	return faults.Err()
}

// InstanceProfiles are the roles and instance profiles of a cluster's machines, with the policies of clusterawsadm.
type InstanceProfiles struct {
	pulumi.ResourceState

	// ControlPlane is the name of the control-plane machines' instance profile.
	ControlPlane pulumi.StringOutput `pulumi:"controlPlane"`
	// Nodes is the name of the nodes' instance profile.
	Nodes pulumi.StringOutput `pulumi:"nodes"`
	// Controllers is the name of the controllers' instance profile, "" if it is not created.
	Controllers pulumi.StringOutput `pulumi:"controllers"`
}

// The policies come from clusterawsadm, for clusters without EKS, at CAPA's 2cf09d785 (2026-07-01). Their ARNs are
// valid in every partition.
//
//go:embed policies/*.json
var policies embed.FS

// machineRole is one of clusterawsadm's roles, by the first part of its name.
type machineRole struct {
	name string
	// policies are the names of its policies.
	policies []string
}

// The control plane also gets the nodes' policy. It does not get the controllers' policy, which only a cluster that
// becomes its own management cluster needs.
var (
	controlPlaneRole = machineRole{"control-plane", []string{"control-plane", "nodes"}}
	nodesRole        = machineRole{"nodes", []string{"nodes"}}
	controllersRole  = machineRole{"controllers", []string{"controllers"}}
)

// ProfileOutputs are the instance profiles of a cluster, as outputs of its Infrastructure and its stack.
type ProfileOutputs struct {
	// ControlPlaneProfile is the name of the control-plane machines' instance profile.
	ControlPlaneProfile pulumi.StringOutput `pulumi:"controlPlaneProfile"`
	// NodesProfile is the name of the nodes' instance profile.
	NodesProfile pulumi.StringOutput `pulumi:"nodesProfile"`
	// ControllersProfile is the name of the instance profile of CAPA's controllers, "" if it is not created.
	ControllersProfile pulumi.StringOutput `pulumi:"controllersProfile"`
}

// NewInstanceProfiles registers the roles and instance profiles or, where they exist, looks them up. The error lists
// every fault in args.
func NewInstanceProfiles(
	ctx *pulumi.Context,
	name string,
	args *InstanceProfilesArgs,
	opts ...pulumi.ResourceOption,
) (*InstanceProfiles, error) {
	return component.New(ctx, instanceProfilesType, "instance profiles", name, args, opts, func(p *InstanceProfiles, args *InstanceProfilesArgs) error {
		return (&profilesBuilder{ctx: ctx, name: name, args: args, profiles: p}).build()
	})
}

type profilesBuilder struct {
	ctx      *pulumi.Context
	name     string
	args     *InstanceProfilesArgs
	profiles *InstanceProfiles
	trust    pulumi.String
}

func (b *profilesBuilder) build() error {
	partition, err := location.LookupPartition(b.ctx, pulumi.Parent(b.profiles))
	if err != nil {
		return err
	}
	b.trust = iamrole.ServiceTrust("ec2." + partition.DNSSuffix)
	passable := pulumi.StringArray{}.ToStringArrayOutput()
	if b.args.IAM.Existing != nil {
		if passable, err = b.existing(); err != nil {
			return err
		}
	} else {
		if b.profiles.ControlPlane, err = b.profile(controlPlaneRole, passable); err != nil {
			return err
		}
		if b.profiles.Nodes, err = b.profile(nodesRole, passable); err != nil {
			return err
		}
	}
	if b.args.IAM.Controllers {
		b.profiles.Controllers, err = b.profile(controllersRole, passable)
	}
	return err
}

// existing checks the given instance profiles, outputs their names, and returns the ARNs of their roles.
func (b *profilesBuilder) existing() (roleARNs pulumi.StringArrayOutput, err error) {
	given := b.args.IAM.Existing.profiles()
	names := []pulumi.StringInput{given[0].name, given[1].name}
	check := func(names []string) ([]string, error) {
		return checkProfiles(b.ctx, names, b.args.IAM.Controllers, pulumi.Parent(b.profiles))
	}
	if input.ArePlain(names...) {
		arns, err := check(input.Texts(names))
		b.profiles.ControlPlane, b.profiles.Nodes = names[0].ToStringOutput(), names[1].ToStringOutput()
		return pulumi.ToStringArray(arns).ToStringArrayOutput(), err
	}
	roleARNs = input.All(names).ApplyT(func(names []string) ([]string, error) {
		arns, err := check(names)
		return arns, under("iam", err)
	}).(pulumi.StringArrayOutput)
	checked := func(name pulumi.StringInput) pulumi.StringOutput {
		return pulumi.All(name, roleARNs).ApplyT(func(values []any) string {
			return values[0].(string)
		}).(pulumi.StringOutput)
	}
	b.profiles.ControlPlane, b.profiles.Nodes = checked(names[0]), checked(names[1])
	return roleARNs, nil
}

// maxRoleName is the maximum length of a role's name, in characters. Source: "IAM and AWS STS quotas".
const maxRoleName = 64

// roleName returns the name of a cluster's role, "<cluster>-nodes.cluster-api-provider-aws.sigs.k8s.io". A cluster name
// that is too long for that is shortened and extended by a hash.
func roleName(cluster, role string) string {
	room := maxRoleName - len(RoleSuffix) - len("-"+controlPlaneRole.name)
	if len(cluster) > room {
		sum := sha256.Sum256([]byte(cluster))
		const hash = 5
		cluster = strings.TrimRight(cluster[:room-hash-1], "-") + "-" + hex.EncodeToString(sum[:])[:hash]
	}
	return cluster + "-" + role + RoleSuffix
}

// profile creates a role with its policies, and the instance profile of the same name. The role may also pass the roles
// in passable.
func (b *profilesBuilder) profile(r machineRole, passable pulumi.StringArrayOutput) (pulumi.StringOutput, error) {
	part := b.name + "-" + r.name
	args := &iamrole.Args{
		Name: roleName(b.args.Cluster, r.name), Path: b.args.IAM.Path, PermissionsBoundary: b.args.IAM.PermissionsBoundary,
		Trust: b.trust, Tags: b.args.Tags,
	}
	for _, kind := range r.policies {
		document := passable.ApplyT(func(roleARNs []string) (string, error) {
			return policyDocument(kind, roleARNs)
		}).(pulumi.StringOutput)
		args.Inline = append(args.Inline, iamrole.InlinePolicy{Child: "-" + kind, Name: kind, Document: document})
	}
	role, err := iamrole.New(b.ctx, part, args, pulumi.Parent(b.profiles))
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	profile, err := role.NewInstanceProfile(b.ctx, part, args.Name)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return profile.Name, nil
}

// policyDocument returns a policy as JSON, with further roles that may be passed.
func policyDocument(name string, passable []string) (string, error) {
	text, err := policies.ReadFile("policies/" + name + ".json")
	if err != nil {
		return "", err
	}
	document, err := policy.Parse(string(text))
	if err != nil {
		return "", fmt.Errorf("reading the policy %s: %w", name, err)
	}
	if len(passable) > 0 {
		document.Statement = append(document.Statement, policy.Allows([]string{"iam:PassRole"}, passable...))
	}
	return document.JSON(), nil
}

// checkProfiles returns the ARNs of the roles in given instance profiles, and a fault for each instance profile that
// does not exist, has no role, or has a role that CAPA's controllers may not pass to a machine. A controllers' role
// that is created here may pass them.
func checkProfiles(
	ctx *pulumi.Context,
	names []string,
	controllersMade bool,
	opt pulumi.InvokeOption,
) (roleARNs []string, err error) {
	var faults fault.Faults
	for i, given := range (&ExistingProfiles{}).profiles() {
		name := names[i]
		if err := validateProfileName(name); err != nil {
			faults.Join(given.path, err)
			continue
		}
		profile, err := awsiam.LookupInstanceProfile(ctx, &awsiam.LookupInstanceProfileArgs{Name: name}, opt)
		switch {
		case err != nil:
			faults.Add(given.path, name, "cannot be looked up: "+awsprovider.Cause(err),
				awsprovider.Remedy(err, "use an instance profile of this account"))
		case profile.RoleName == "":
			faults.Add(given.path, name, "has no role", "add the machines' role to it")
		case !strings.HasSuffix(profile.RoleName, RoleSuffix) && !controllersMade:
			faults.Add(given.path, name, "has the role "+profile.RoleName+", which CAPA's controllers may not pass to a machine",
				"use a role whose name ends in "+RoleSuffix+
					", or set iam.controllers and run the controllers with the role that it creates")
		default:
			roleARNs = append(roleARNs, profile.RoleArn)
		}
	}
	return roleARNs, faults.Err()
}
