package iam

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// RoleOptions configure the roles and the instance profile of a hosted cluster, and name those that exist already. They
// are the keys of cluster.iam in a stack's file. The zero value gives HyperShift's own names and policies.
type RoleOptions struct {
	// Existing names roles and an instance profile that exist already. Default: all are created.
	Existing *Existing `yaml:"existing" pulumi:"existing,optional"`
	// RoleNamePrefix is the prefix of the names of roles, policies, and instance profiles, instead of the infra ID; a
	// hyphen is added unless it ends in one. It must be unique in the account, and has at most 32 characters: role names
	// are limited to 64, and the longest suffix has 32. Default: the infra ID. Changing it replaces the roles.
	RoleNamePrefix string `yaml:"roleNamePrefix" pulumi:"roleNamePrefix,optional"`
	// Path is the IAM path of roles and instance profiles, "/…/". Default "/". Changing it replaces the roles.
	Path string `yaml:"path" pulumi:"path,optional"`
	// PermissionsBoundary is the ARN of a policy that limits the permissions of the roles. The policy must exist. Default
	// none.
	PermissionsBoundary pulumi.StringInput `yaml:"permissionsBoundary" pulumi:"permissionsBoundary,optional"`
	// ManagedPolicies attaches AWS's managed policies for ROSA instead of inline policies, where there is one. They allow
	// access only to resources with the tag "red-hat-managed: true", which a stack adds to the cluster's tags together
	// with "red-hat-clustertype: rosa". The policy of the KMS provider also requires the tag "red-hat: true" on the KMS
	// key. Default false.
	ManagedPolicies bool `yaml:"managedPolicies" pulumi:"managedPolicies,optional"`
	// Scoped limits the roles to resources with the cluster's tag `kubernetes.io/cluster/<infraID>`, in its VPC, or whose
	// names begin with the infra ID, and omits the permissions of HyperShift's policies that the operators do not use. The
	// cluster then cannot use volumes, snapshots, and instances without the tag, or an image registry's bucket with
	// another name. It cannot be combined with managedPolicies and sharedRole. Default false.
	Scoped bool `yaml:"scoped" pulumi:"scoped,optional"`
	// Karpenter adds the role for Karpenter, which HyperShift's AutoNode uses. Default false.
	Karpenter bool `yaml:"karpenter" pulumi:"karpenter,optional"`
	// SpotServiceLinkedRole creates AWS's service-linked role for spot instances if the account does not have it. It
	// belongs to the account, and is not deleted with the cluster. Default false.
	SpotServiceLinkedRole bool `yaml:"spotServiceLinkedRole" pulumi:"spotServiceLinkedRole,optional"`
	// ExtraPolicies maps the name of a role to the ARNs of managed policies that it gets in addition to its own. The roles
	// are ingress, imageRegistry, storage, network, kubeCloudController, nodePoolManagement, controlPlaneOperator,
	// kmsProvider, karpenter, and worker for the nodes. The policies must exist. Default none.
	ExtraPolicies map[RoleName][]string `yaml:"extraPolicies" pulumi:"extraPolicies,optional"`
	// WorkloadRoles are roles that pods in the cluster assume with their service account. Default none.
	WorkloadRoles []Workload `yaml:"workloadRoles" pulumi:"workloadRoles,optional"`
	// SharedRole creates one role, "<infraID>-shared-role", for all components of the control plane, so that each has the
	// permissions of all. Default false: one role per component.
	SharedRole bool `yaml:"sharedRole" pulumi:"sharedRole,optional"`
}

// Existing are roles and an instance profile that are used as they are.
type Existing struct {
	// Roles maps the name of a role to the ARN of an existing role; in a stack's file the keys are those of HyperShift's
	// IAM document, such as ingressARN. The roles must trust the issuer, and are not changed. Roles that are not listed
	// are created. Default none.
	Roles map[RoleName]pulumi.StringInput `keySuffix:"ARN" yaml:"roles" pulumi:"roles,optional"`
	// InstanceProfile is the name of an existing instance profile for the nodes. Its role must trust EC2; neither is
	// changed. Default: an instance profile is created.
	InstanceProfile pulumi.StringInput `yaml:"instanceProfile" pulumi:"instanceProfile,optional"`
}

// optionsOf returns o, or the zero value for nil.
func optionsOf(o *RoleOptions) RoleOptions {
	if o == nil {
		return RoleOptions{}
	}
	return *o
}

// existing returns Existing, or its zero value for nil.
func (o RoleOptions) existing() Existing {
	if o.Existing == nil {
		return Existing{}
	}
	return *o.Existing
}

// ManagedPoliciesTag is the key of the tag of the resources to which ROSA's managed policies allow access. Its value is
// "true".
const ManagedPoliciesTag = "red-hat-managed"

const managedPoliciesTagValue = "true"

// ManagedPoliciesTags returns the tags of resources that ROSA's managed policies require, and of the kind of cluster
// that they are for.
// Source: HyperShift, cmd/cluster/aws/create.go.
func ManagedPoliciesTags() map[string]string {
	return map[string]string{ManagedPoliciesTag: managedPoliciesTagValue, "red-hat-clustertype": "rosa"}
}

// validateFor returns every fault in the options for roles of the given cluster.
func (o RoleOptions) validateFor(cluster hypershift.Cluster) error {
	var faults fault.Faults
	if o.RoleNamePrefix != "" {
		prefix := strings.TrimSuffix(o.RoleNamePrefix, "-")
		switch {
		case len(prefix) > hypershift.MaxInfraIDLength:
			faults.Add("roleNamePrefix", o.RoleNamePrefix,
				fmt.Sprintf("is too long (%d characters): names built from it exceed IAM's limit of 64", len(prefix)),
				fmt.Sprintf("use at most %d", hypershift.MaxInfraIDLength))
		case prefix == "" || !awsid.IsName(prefix):
			faults.Add("roleNamePrefix", o.RoleNamePrefix, "cannot begin the name of a role", "use letters, digits and +=,.@_-")
		}
	}
	if o.Path != "" && !awsid.IsPath(o.Path) {
		faults.Add("path", o.Path, "is not an IAM path", "use one that begins and ends with a slash, such as /hypershift/")
	}
	if input.IsSet(o.PermissionsBoundary) {
		faults.Join("permissionsBoundary", input.IfPlain(o.PermissionsBoundary, ValidateAnyPolicyARN))
	}
	if o.Scoped && o.ManagedPolicies {
		faults.Add("scoped", true, "cannot limit AWS's managed policies", "leave out managedPolicies, or scoped")
	}
	if o.Scoped && o.SharedRole {
		faults.Add("scoped", true, "cannot limit a role that all components share: its policy would be too long for a role", "leave out sharedRole, or scoped")
	}
	faults.Join("workloadRoles", o.validateWorkloads(cluster))
	if value, tagged := cluster.Tags[ManagedPoliciesTag]; o.ManagedPolicies && value != managedPoliciesTagValue {
		var given any
		if tagged {
			given = value
		}
		faults.Add("tags["+ManagedPoliciesTag+"]", given,
			"does not let ROSA's managed policies access the cluster's resources",
			"use the tag "+ManagedPoliciesTag+`: "`+managedPoliciesTagValue+`"`)
	}
	return faults.Err()
}

// validateWorkloads returns every fault in the workloads, and in what two of them share.
func (o RoleOptions) validateWorkloads(cluster hypershift.Cluster) error {
	var faults fault.Faults
	accounts, names := map[string]int{}, map[string]int{}
	prefix := o.prefix(cluster)
	for i, workload := range o.WorkloadRoles {
		at := fmt.Sprintf("[%d]", i)
		faults.Join(at, workload.validate(prefix, ""))
		if n := slices.IndexFunc(workload.accounts(), func(account string) bool {
			_, twice := accounts[account]
			return twice
		}); n >= 0 {
			faults.Add(at+"."+workload.accountPath(n), workload.names()[n],
				fmt.Sprintf("already has the role of [%d], and its pods assume one role only", accounts[workload.accounts()[n]]),
				"give one role all the policies")
		} else if first, twice := names[workload.name(prefix)]; twice {
			faults.Add(at+".roleName", workload.name(prefix), fmt.Sprintf("is already the name of the role of [%d]", first),
				"set another roleName, or list all service accounts of one role as its serviceAccounts")
		}
		for _, account := range workload.accounts() {
			accounts[account] = i
		}
		names[workload.name(prefix)] = i
	}
	return faults.Err()
}

// prefix returns the beginning of the names of a cluster's roles, without the hyphen that follows.
func (o RoleOptions) prefix(cluster hypershift.Cluster) string {
	if o.RoleNamePrefix == "" {
		return cluster.InfraID
	}
	return strings.TrimSuffix(o.RoleNamePrefix, "-")
}

// name returns the name of a cluster's role, policy or profile with a suffix.
func (o RoleOptions) name(cluster hypershift.Cluster, suffix string) string {
	return o.prefix(cluster) + "-" + suffix
}

// role describes a role of the cluster, without trust and policies.
func (o RoleOptions) role(name string, cluster hypershift.Cluster) *iamrole.Args {
	return &iamrole.Args{Name: name, Path: o.Path, PermissionsBoundary: o.PermissionsBoundary, Tags: cluster.IAMTags()}
}

// managedPolicyARN returns the ARN of an AWS managed policy for ROSA.
func managedPolicyARN(in location.Location, name string) string {
	return in.In("aws").GlobalARN("iam", "policy/service-role/"+name)
}
