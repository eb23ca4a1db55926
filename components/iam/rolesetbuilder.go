package iam

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// roleSetBuilder is shared by the functions that register a role set.
type roleSetBuilder struct {
	ctx  *pulumi.Context
	name string
	args *RoleSetArgs
	set  *RoleSet
	// location is the provider's partition, account and region.
	location scope
	// boundary, kmsKeyARN, and existing are from the args. As outputs, they fail if AWS does not have what they refer to.
	boundary, kmsKeyARN pulumi.StringInput
	existing            map[RoleName]pulumi.StringInput
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
	if b.args.options().SpotServiceLinkedRole {
		if b.set.SpotServiceLinkedRoleARN, err = spotServiceLinkedRole(b.ctx, b.name+"-spot", b.set); err != nil {
			return err
		}
	}
	for name, arn := range arns {
		*b.set.output(name) = arn
	}
	return b.workloadRoles()
}

// workloadRoles creates the roles of workloads.
func (b *roleSetBuilder) workloadRoles() error {
	arns, options := pulumi.StringMap{}, b.args.options()
	for _, workload := range options.WorkloadRoles {
		workload.RoleName = workload.name(options.prefix(b.args.Cluster))
		role, err := NewWorkloadRole(b.ctx, b.name+"-"+workload.Namespace+"-"+workload.names()[0], &WorkloadRoleArgs{
			Workload: workload, Cluster: b.args.Cluster, OIDCProviderARN: b.args.OIDCProviderARN, IssuerURL: b.args.IssuerURL,
			Path: options.Path, PermissionsBoundary: b.boundary,
		}, b.parent())
		if err != nil {
			return err
		}
		for _, account := range workload.names() {
			arns[workload.Namespace+"/"+account] = role.ARN
		}
	}
	b.set.WorkloadRoleARNs = arns.ToStringMapOutput()
	return nil
}

// check looks up what args refer to, and returns a fault for what does not exist or cannot be used.
func (b *roleSetBuilder) check() error {
	var faults fault.Faults
	if b.args.KMSKeyARN != nil {
		var err error
		b.kmsKeyARN, err = input.Check("kmsKeyARN", b.args.KMSKeyARN, func(arn string) error {
			if err := validateAnyKMSKeyARN(arn); err != nil {
				return err
			}
			return checkKMSKey(b.ctx, arn, b.parent())
		})
		faults.Join("", err)
	}
	faults.Join("", checkPolicies(b.ctx, b.policies(), b.parent()))
	b.boundary = checkedBoundary(b.ctx, "permissionsBoundary", b.args.options().PermissionsBoundary, b.parent())
	faults.Join("", b.checkExisting())
	return faults.Err()
}

// checkExisting checks the existing roles, as soon as their ARNs and the issuer are known.
func (b *roleSetBuilder) checkExisting() error {
	given := b.args.existing()
	if len(given) == 0 {
		return nil
	}
	names, inputs := slices.Sorted(maps.Keys(given)), []pulumi.StringInput{b.args.IssuerURL}
	for _, name := range names {
		inputs = append(inputs, given[name])
	}
	calls, err := readCalls()
	if err != nil {
		return err
	}
	if err := b.sayMissing(); err != nil {
		return err
	}
	needs := func(spec roleSpec) []Need { return b.args.needs(spec, calls[spec.suffix]) }
	checked, err := input.CheckAll(inputs, func(values []string) error {
		arns := map[RoleName]string{}
		for i, name := range names {
			arns[name] = values[i+1]
		}
		return checkExisting(b.ctx, arns, b.args.specs(), needs, values[0], b.parent())
	})
	b.existing = map[RoleName]pulumi.StringInput{}
	for i, name := range names {
		b.existing[name] = checked[i+1]
	}
	return err
}

// sayMissing warns of the roles that a list of existing ones lacks: whoever lists some usually may create none.
func (b *roleSetBuilder) sayMissing() error {
	var missing []string
	for _, spec := range b.args.specs() {
		if _, given := b.args.existing()[spec.name]; !given {
			missing = append(missing, string(spec.name)+"ARN")
		}
	}
	if len(missing) == 0 || !b.ctx.DryRun() {
		return nil
	}
	return b.ctx.Log.Warn(fmt.Sprintf("existing.roles has no %s, which the stack therefore creates; add its ARN if another team creates the roles",
		strings.Join(missing, ", ")), nil)
}

// policies returns the policies that the roles refer to, which must exist.
func (b *roleSetBuilder) policies() []givenPolicy {
	var policies []givenPolicy
	if arn := input.Text(b.args.options().PermissionsBoundary); arn != "" {
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
	for i, workload := range b.args.options().WorkloadRoles {
		for j, arn := range workload.Policies {
			policies = append(policies, givenPolicy{fmt.Sprintf("workloadRoles[%d].policies[%d]", i, j), arn})
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
		if arn, given := b.existing[spec.name]; given {
			arns[spec.name] = arn.ToStringOutput()
			continue
		}
		name := b.args.options().name(b.args.Cluster, spec.suffix)
		args := b.roleArgs(name, spec)
		if document := b.document(spec); document != nil {
			inline := iamrole.InlinePolicy{Name: name, Document: b.write(document)}
			if spec.name == RoleKMSProvider {
				sameKey, err := b.sameKey()
				if err != nil {
					return nil, err
				}
				inline.Opts = append(inline.Opts, sameKey)
			}
			args.Inline = []iamrole.InlinePolicy{inline}
		}
		if b.assumesRoles(spec.name) {
			args.Inline = append(args.Inline, iamrole.InlinePolicy{
				Child: "-shared-vpc", Name: name + "-shared-vpc", Document: b.write(b.assumeRoles(spec.name)),
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

// sharedRole creates one role for all components. Statements that several components' policies share are merged,
// because the inline policies of a role are limited to 10,240 characters together.
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
	if b.assumesRoles(RoleControlPlaneOperator) {
		documents = append(documents, b.assumeRoles(RoleControlPlaneOperator))
	}
	sameKey, err := b.sameKey()
	if err != nil {
		return nil, err
	}
	args.Inline = []iamrole.InlinePolicy{{Name: name, Opts: []pulumi.ResourceOption{sameKey},
		Document: b.write(func(s scope) policy.Document {
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
	args.PermissionsBoundary = b.boundary
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
		return spec.beyondManaged
	}
	if b.args.options().Scoped && spec.scoped != nil {
		return spec.scoped
	}
	return spec.policy
}

// write returns the text of a policy, for the resources of the cluster.
func (b *roleSetBuilder) write(document func(scope) policy.Document) pulumi.StringOutput {
	values := pulumi.StringMap{
		"worker": b.args.WorkerRoleARN, "privateZone": b.args.PrivateZoneARN, "kmsKey": input.Output(b.kmsKeyARN),
	}
	if b.args.EndpointAccess.HasPublic() {
		values["publicZone"] = b.args.PublicZoneARN
	}
	if b.args.EndpointAccess.HasPrivate() {
		values["localZone"] = b.args.LocalZoneARN
	}
	if b.args.EndpointVPCID != nil {
		values["vpc"] = b.args.EndpointVPCID.ToStringOutput() // a pulumi.IDOutput is not a StringInput
	}
	if b.args.SharedVPC != nil {
		values["vpcAccount"] = input.Output(b.args.SharedVPC.VPCOwnerAccountID)
		if input.IsSet(b.args.SharedVPC.ControlPlaneRoleARN) {
			values["sharedIngress"] = input.Output(b.args.SharedVPC.IngressRoleARN)
			values["sharedControlPlane"] = input.Output(b.args.SharedVPC.ControlPlaneRoleARN)
		}
	}
	if b.args.InterruptionQueueARN != nil {
		values["queue"] = b.args.InterruptionQueueARN.ToStringOutput()
	}
	used := pulumi.StringMap{}
	for name, value := range values {
		if value != nil && b.uses(document, name, values) {
			used[name] = value
		}
	}
	return used.ToStringMapOutput().ApplyT(func(known map[string]string) string {
		return document(b.scope(known)).JSON()
	}).(pulumi.StringOutput)
}

// uses reports whether a document has one of the values. A document that does not wait for the others is known in a
// plan that changes them, and is written earlier in a first update.
func (b *roleSetBuilder) uses(document func(scope) policy.Document, name string, values pulumi.StringMap) bool {
	known := map[string]string{}
	for other, value := range values {
		if value != nil {
			known[other] = "arn:aws:example:us-east-1:123456789012:" + other
		}
	}
	all := document(b.scope(known)).JSON()
	delete(known, name)
	return document(b.scope(known)).JSON() != all
}

// scope returns the scope of policies with the values that write knows.
func (b *roleSetBuilder) scope(known map[string]string) scope {
	s := b.location
	s.infraID, s.vpcID, s.vpcAccount = b.args.Cluster.InfraID, known["vpc"], known["vpcAccount"]
	s.workerRoleARN, s.localZoneARN, s.kmsKeyARN = known["worker"], known["localZone"], known["kmsKey"]
	s.queueARN = known["queue"]
	s.sharedIngressARN, s.sharedControlPlaneARN = known["sharedIngress"], known["sharedControlPlane"]
	s.formerKMSKeyARNs = b.args.FormerKMSKeyARNs
	for _, zone := range []string{"publicZone", "privateZone"} {
		if arn := known[zone]; arn != "" {
			s.ingressZoneARNs = append(s.ingressZoneARNs, arn)
		}
	}
	return s
}

func (b *roleSetBuilder) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(b.set) }
