package iam

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// RoleOptions say how the roles and the instance profile of a hosted cluster are made, and which exist already. They are
// the keys of cluster.iam in a stack's file. The zero value gives HyperShift's own names and policies.
type RoleOptions struct {
	// Existing are roles and an instance profile that the account has. Default none: they are made.
	Existing *Existing `yaml:"existing" pulumi:"existing,optional"`
	// RoleNamePrefix begins the names of roles, policies and instance profiles in the place of the infra
	// ID. A hyphen follows it where it ends in none. At most 32 characters, as IAM's names of roles end at
	// 64 and the longest suffix takes the others; no two clusters of an account can have the same. Default
	// the infra ID. Changing it replaces the roles.
	RoleNamePrefix string `yaml:"roleNamePrefix" pulumi:"roleNamePrefix,optional"`
	// Path is the IAM path of roles and instance profiles, "/…/". Default "/". Changing it replaces
	// the roles.
	Path string `yaml:"path" pulumi:"path,optional"`
	// PermissionsBoundary is the ARN of a policy that limits what the roles can be allowed. It is looked
	// up and never changed. Default none.
	PermissionsBoundary string `yaml:"permissionsBoundary" pulumi:"permissionsBoundary,optional"`
	// ManagedPolicies attaches the policies that AWS keeps for ROSA in the place of inline ones, where
	// there is one. They reach only what carries the tag red-hat-managed: "true", which the cluster must
	// then have among its own; the one for etcd asks for red-hat: "true" on the KMS key. Default false.
	ManagedPolicies bool `yaml:"managedPolicies" pulumi:"managedPolicies,optional"`
	// Karpenter adds the role for Karpenter, HyperShift's AutoNode. Default false.
	Karpenter bool `yaml:"karpenter" pulumi:"karpenter,optional"`
	// SpotServiceLinkedRole makes AWS's own role for spot instances where the account has none yet. It is
	// the account's, and stays when the role set is deleted. Default false.
	SpotServiceLinkedRole bool `yaml:"spotServiceLinkedRole" pulumi:"spotServiceLinkedRole,optional"`
	// ExtraPolicies are the ARNs of managed policies that roles get beside their own, by the role's name:
	// ingress, imageRegistry, storage, network, kubeCloudController, nodePoolManagement, controlPlaneOperator,
	// kmsProvider, karpenter, and worker for the nodes'. They are looked up and never changed. Default none.
	ExtraPolicies map[RoleName][]string `yaml:"extraPolicies" pulumi:"extraPolicies,optional"`
	// SharedRole makes one role, "<infraID>-shared-role", that every component takes: fewer roles, and
	// each component may do what any other may. Default false.
	SharedRole bool `yaml:"sharedRole" pulumi:"sharedRole,optional"`
}

// Existing are roles and an instance profile that are used as they are.
type Existing struct {
	// Roles are the ARNs of roles that exist, by the role's name; in a stack's file by the keys of HyperShift's
	// documents, such as ingressARN. They are checked to trust the issuer and never changed; the others are made. The
	// issuer's URL must then be known before anything is created. Default none.
	Roles map[RoleName]string `keySuffix:"ARN" yaml:"roles" pulumi:"roles,optional"`
	// InstanceProfile is the name of the nodes' instance profile. It is checked to hold a role that EC2 may take, and
	// never changed. Default none: it is made.
	InstanceProfile string `yaml:"instanceProfile" pulumi:"instanceProfile,optional"`
}

// optionsOf is o, or the zero value for nil.
func optionsOf(o *RoleOptions) RoleOptions {
	if o == nil {
		return RoleOptions{}
	}
	return *o
}

// existing is Existing, or its zero value where there is none.
func (o RoleOptions) existing() Existing {
	if o.Existing == nil {
		return Existing{}
	}
	return *o.Existing
}

// The tag by which ROSA's managed policies tell what they may touch.
const (
	ManagedPoliciesTag      = "red-hat-managed"
	ManagedPoliciesTagValue = "true"
)

var (
	// The pattern is IAM's, of a name.
	prefixPattern = regexp.MustCompile(`^[A-Za-z0-9+=,.@_-]+$`)
	// The pattern is IAM's, of a path.
	pathPattern = regexp.MustCompile(`^/(?:[!-~]+/)?$`)
)

// validateFor returns every fault in the options for roles of the given cluster.
func (o RoleOptions) validateFor(cluster hypershift.Cluster) error {
	var faults fault.Faults
	if o.RoleNamePrefix != "" {
		prefix := strings.TrimSuffix(o.RoleNamePrefix, "-")
		switch {
		case len(prefix) > hypershift.MaxInfraIDLength:
			faults.Add("roleNamePrefix", o.RoleNamePrefix,
				fmt.Sprintf("has %d characters, and IAM names made from it must end at 64", len(prefix)),
				fmt.Sprintf("give at most %d", hypershift.MaxInfraIDLength))
		case prefix == "" || !prefixPattern.MatchString(prefix):
			faults.Add("roleNamePrefix", o.RoleNamePrefix, "cannot begin the name of a role", "give letters, digits and +=,.@_-")
		}
	}
	if o.Path != "" && (len(o.Path) > 512 || !pathPattern.MatchString(o.Path)) {
		faults.Add("path", o.Path, "is not an IAM path", "give one that begins and ends with a slash, such as /hypershift/")
	}
	if o.PermissionsBoundary != "" {
		faults.Join("permissionsBoundary", ValidatePolicyARN(o.PermissionsBoundary, ""))
	}
	if value, tagged := cluster.Tags[ManagedPoliciesTag]; o.ManagedPolicies && value != ManagedPoliciesTagValue {
		var given any
		if tagged {
			given = value
		}
		faults.Add("tags["+ManagedPoliciesTag+"]", given, "keeps ROSA's managed policies from the cluster's resources",
			"give the tag "+ManagedPoliciesTag+`: "`+ManagedPoliciesTagValue+`"`)
	}
	return faults.Err()
}

// name is the name of a cluster's role, policy or profile that ends in suffix.
func (o RoleOptions) name(cluster hypershift.Cluster, suffix string) string {
	if o.RoleNamePrefix == "" {
		return cluster.InfraID + "-" + suffix
	}
	return strings.TrimSuffix(o.RoleNamePrefix, "-") + "-" + suffix
}

// managedPolicyARN is the ARN of a policy that AWS keeps for ROSA.
func managedPolicyARN(partition, name string) string {
	return fmt.Sprintf("arn:%s:iam::aws:policy/service-role/%s", partition, name)
}
