package iam

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

// roleSetBuilder is shared by the functions that register a role set.
type roleSetBuilder struct {
	ctx  *pulumi.Context
	name string
	args *RoleSetArgs
	set  *RoleSet
	// location is the provider's partition, account and region.
	location scope
}

func (b *roleSetBuilder) build() error {
	var err error
	if b.args.Location != nil {
		b.location.Location = *b.args.Location
	} else if b.location.Location, err = location.Lookup(b.ctx, b.parent()); err != nil {
		return err
	}
	if err := b.check(); err != nil {
		return err
	}
	var arns map[RoleName]pulumi.StringOutput
	if b.args.options().SharedRole {
		arns, err = b.sharedRole()
	} else {
		arns, err = b.roles()
	}
	if err != nil {
		return err
	}
	b.set.SpotServiceLinkedRoleARN = pulumi.String("").ToStringOutput()
	if b.args.options().SpotServiceLinkedRole {
		if b.set.SpotServiceLinkedRoleARN, err = spotServiceLinkedRole(b.ctx, b.name+"-spot", b.set); err != nil {
			return err
		}
	}
	b.set.take(arns)
	return nil
}

// check looks up what args refer to, and returns a fault for what does not exist or cannot be used.
func (b *roleSetBuilder) check() error {
	var faults fault.Faults
	if arn, plain := b.args.KMSKeyARN.(pulumi.String); plain {
		faults.Join("", checkKMSKey(b.ctx, string(arn), b.parent()))
	}
	faults.Join("", checkPolicies(b.ctx, b.policies(), b.parent()))
	if len(b.args.existing()) > 0 {
		issuer := string(b.args.IssuerURL.(pulumi.String)) // Validate has checked this
		faults.Join("", checkExisting(b.ctx, b.args.existing(), b.args.specs(), issuer, b.parent()))
	}
	return faults.Err()
}

// policies returns the policies that the roles refer to, which must exist.
func (b *roleSetBuilder) policies() []givenPolicy {
	var policies []givenPolicy
	if arn := b.args.options().PermissionsBoundary; arn != "" {
		policies = append(policies, givenPolicy{"permissionsBoundary", arn})
	}
	for _, name := range slices.Sorted(maps.Keys(b.args.options().ExtraPolicies)) {
		if name == RoleWorker {
			continue
		}
		for i, arn := range b.args.options().ExtraPolicies[name] {
			policies = append(policies, givenPolicy{fmt.Sprintf("extraPolicies[%s][%d]", name, i), arn})
		}
	}
	for _, spec := range b.args.specs() {
		if _, given := b.args.existing()[spec.name]; b.args.options().ManagedPolicies && spec.managed != "" && !given {
			policies = append(policies, givenPolicy{"managedPolicies", managedPolicyARN(b.location.Location, spec.managed)})
		}
	}
	return policies
}

// roles returns the given roles and creates the others, one per component.
func (b *roleSetBuilder) roles() (map[RoleName]pulumi.StringOutput, error) {
	arns := map[RoleName]pulumi.StringOutput{}
	for _, spec := range b.args.specs() {
		if arn, given := b.args.existing()[spec.name]; given {
			arns[spec.name] = pulumi.String(arn).ToStringOutput()
			continue
		}
		name := b.args.options().name(b.args.Cluster, spec.suffix)
		args := b.roleArgs(name, spec)
		if document := b.document(spec); document != nil {
			args.Inline = []iamrole.InlinePolicy{{Name: name, Document: b.write(document)}}
		}
		if arns := b.assumedRoles(spec.name); arns != nil {
			args.Inline = append(args.Inline, iamrole.InlinePolicy{
				Child: "-shared-vpc", Name: name + "-shared-vpc", Document: pulumi.String(assumeRolesPolicy(arns).JSON()),
			})
		}
		role, err := iamrole.New(b.ctx, b.name+"-"+spec.suffix, args, b.parent())
		if err != nil {
			return nil, err
		}
		arns[spec.name] = role.Arn
	}
	return arns, nil
}

// sharedRole creates one role for all components. Statements that several components' policies share are merged, because the
// inline policies of a role are limited to 10,240 characters together.
func (b *roleSetBuilder) sharedRole() (map[RoleName]pulumi.StringOutput, error) {
	specs := b.args.specs()
	name := b.args.options().name(b.args.Cluster, SharedRoleSuffix)
	args := b.roleArgs(name, specs...)
	var documents []func(scope) policy.Document
	for _, spec := range specs {
		if document := b.document(spec); document != nil {
			documents = append(documents, document)
		}
	}
	if arns := b.assumedRoles(RoleControlPlaneOperator); arns != nil {
		documents = append(documents, func(scope) policy.Document { return assumeRolesPolicy(arns) })
	}
	args.Inline = []iamrole.InlinePolicy{{Name: name, Document: b.write(func(s scope) policy.Document {
		var all []policy.Statement
		for _, document := range documents {
			all = append(all, document(s).Statement...)
		}
		return policy.New(policy.Merge(all)...)
	})}}
	role, err := iamrole.New(b.ctx, b.name+"-shared-role", args, b.parent())
	if err != nil {
		return nil, err
	}
	arns := map[RoleName]pulumi.StringOutput{}
	for _, spec := range specs {
		arns[spec.name] = role.Arn
	}
	return arns, nil
}

// roleArgs describe a role that the components in specs assume, without its inline policies.
func (b *roleSetBuilder) roleArgs(name string, specs ...roleSpec) *iamrole.Args {
	args := b.args.options().role(name, b.args.Cluster)
	var serviceAccounts []string
	for _, spec := range specs {
		serviceAccounts = append(serviceAccounts, spec.serviceAccounts...)
		if b.args.options().ManagedPolicies && spec.managed != "" {
			args.Attached = append(args.Attached, managedPolicyARN(b.location.Location, spec.managed))
		}
		args.Attached = append(args.Attached, b.args.options().ExtraPolicies[spec.name]...)
	}
	args.Trust = pulumi.All(b.args.OIDCProviderARN, b.args.IssuerURL).ApplyT(func(values []any) string {
		return trustPolicy(values[0].(string), values[1].(string), serviceAccounts).JSON()
	}).(pulumi.StringOutput)
	return args
}

// document returns the inline policy of a component, nil if its managed policy is enough.
func (b *roleSetBuilder) document(spec roleSpec) func(scope) policy.Document {
	if b.args.options().ManagedPolicies && spec.managed != "" {
		return spec.beside
	}
	return spec.policy
}

// write returns the text of a policy, for the resources of the cluster.
func (b *roleSetBuilder) write(document func(scope) policy.Document) pulumi.StringOutput {
	public, local := pulumi.StringInput(pulumi.String("")), pulumi.StringInput(pulumi.String(""))
	if b.args.EndpointAccess.HasPublic() {
		public = b.args.PublicZoneARN
	}
	if b.args.EndpointAccess.HasPrivate() {
		local = b.args.LocalZoneARN
	}
	vpc := pulumi.String("").ToStringOutput()
	if b.args.EndpointVPCID != nil {
		vpc = b.args.EndpointVPCID.ToStringOutput() // a pulumi.IDOutput is not a StringInput
	}
	key := pulumi.StringInput(pulumi.String(""))
	if b.args.KMSKeyARN != nil {
		key = b.args.KMSKeyARN
	}
	return pulumi.All(b.args.WorkerRoleARN, public, b.args.PrivateZoneARN, local, vpc, key).ApplyT(func(values []any) string {
		s := b.location
		s.infraID, s.vpcID = b.args.Cluster.InfraID, values[4].(string)
		if b.args.SharedVPC != nil {
			s.vpcAccount = b.args.SharedVPC.VPCOwnerAccountID
		}
		s.workerRoleARN = values[0].(string)
		s.localZoneARN = values[3].(string)
		s.kmsKeyARN = values[5].(string)
		for _, zone := range values[1:3] {
			if arn := zone.(string); arn != "" {
				s.ingressZoneARNs = append(s.ingressZoneARNs, arn)
			}
		}
		return document(s).JSON()
	}).(pulumi.StringOutput)
}

func (b *roleSetBuilder) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(b.set) }
