// Package iam declares the resource types and functions of IAM for the offline account.
package iam

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// IAM's limits. Documents are measured in characters without whitespace.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
const (
	maxRoleName       = 64
	maxName           = 128
	maxTrustPolicy    = 2048
	maxInlinePolicies = 10240
	MaxManagedPolicy  = 6144
)

func roleKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.Role, Args: iam.RoleArgs{}, State: iam.RoleState{},
			Service: "IAM", Noun: "Role", Calls: aws.Calls{Update: "UpdateRole"}, Global: true,
			AutoName:  "name",
			Constants: props.Map{"inlinePolicies": []any{}, "managedPolicyArns": []any{}},
			ValidateFunc: map[string]func(string) string{"name": nameFault(maxRoleName), "path": pathFault,
				"assumeRolePolicy": iampolicy.JSONFault},
			UniqueBy:    []string{"name"},
			NotFound:    awserr.Template{Code: "NoSuchEntity", Text: "The role with name %s cannot be found."},
			InUse:       awserr.Template{Code: "DeleteConflict", Text: "Cannot delete entity, must delete policies first. (%s)"},
			Rules:       []aws.Rule{roleNameFree, trustPolicy, boundaryExists},
			DeleteRules: []aws.Rule{rolePoliciesDetached},
			ID:          aws.Joined("", "name"),
			OnCreate:    unique("AROA"),
			OnDelete:    removeFromProfiles,
			OnRead:      viewRolePolicies,
		},
		inlinePolicyOf("role", awstype.Role, aws.Kind{
			Token: awstype.RolePolicy, Args: iam.RolePolicyArgs{}, State: iam.RolePolicyState{},
			Noun: "Role Policy", Calls: aws.Calls{Create: "PutRolePolicy", Update: "PutRolePolicy", Remove: "DeleteRolePolicy"},
			NotFound: awserr.Template{Code: "NoSuchEntity", Text: "The role policy %s cannot be found."},
			Rules:    []aws.Rule{identityPolicy, inlinePoliciesFit},
		}),
		{
			Token: awstype.RolePolicyAttachment, Args: iam.RolePolicyAttachmentArgs{}, State: iam.RolePolicyAttachmentState{},
			Service: "IAM", Noun: "Role Policy Attachment",
			Calls: aws.Calls{Create: "AttachRolePolicy", Update: "AttachRolePolicy", Remove: "DetachRolePolicy"}, Global: true,
			UniqueBy: []string{"policyArn", "role"},
			References: []aws.Reference{{
				Input:      "role",
				Type:       awstype.Role,
				Dependency: aws.BlocksDeletionCall,
			}, {Input: "policyArn", Type: awstype.Policy, Dependency: aws.BlocksDeletion}},
			NotFound: awserr.Template{Code: "NoSuchEntity", Text: "The policy attachment %s was not found."},
			Rules:    []aws.Rule{policyReachable},
			ID:       func(c *aws.Call) string { return c.State().String("role") + "-" + ids.Code("", 26) },
			ImportID: aws.JoinedForImport("/", "role", "policyArn"),
		},
		{
			Token: awstype.InstanceProfile, Args: iam.InstanceProfileArgs{}, State: iam.InstanceProfileState{},
			Service: "IAM", Noun: "Instance Profile", Calls: aws.Calls{Update: "AddRoleToInstanceProfile"}, Global: true,
			AutoName:     "name",
			ValidateFunc: map[string]func(string) string{"name": nameFault(maxName), "path": pathFault},
			UniqueBy:     []string{"name"},
			References:   []aws.Reference{{Input: "role", Type: awstype.Role, Dependency: aws.Independent}},
			NotFound:     awserr.Template{Code: "NoSuchEntity", Text: "Instance Profile %s cannot be found."},
			Rules:        []aws.Rule{profileNameFree},
			ID:           aws.Joined("", "name"),
			OnCreate:     unique("AIPA"),
		},
	}
}

// unique sets the date of a new role, user or instance profile, and its unique ID, which begins with a code of the
// type.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
func unique(code string) func(*aws.Call) error {
	return func(c *aws.Call) error {
		c.State()["uniqueId"] = ids.Code(code, 21)
		if _, has := c.Kind.Outputs["createDate"]; has {
			c.State()["createDate"] = ids.Timestamp()
		}
		return nil
	}
}

var iamNameGrammar = regexp.MustCompile(`^[\w+=,.@-]*$`)

// nameFault checks a name against IAM's grammar.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html
func nameFault(longest int) func(string) string {
	return func(name string) string {
		switch {
		case len(name) > longest:
			return fmt.Sprintf("%q cannot be longer than %d characters", name, longest)
		case !iamNameGrammar.MatchString(name):
			return fmt.Sprintf("%q must match [\\w+=,.@-]", name)
		default:
			return ""
		}
	}
}

var pathGrammar = regexp.MustCompile(`^/(?:[!-\x7e]+/)?$`)

func pathFault(path string) string {
	if len(path) > 512 || !pathGrammar.MatchString(path) {
		return fmt.Sprintf("%q must begin and end with a slash and be no longer than 512 characters", path)
	}
	return ""
}

// roleNameFree: role names are unique in an account, ignoring case.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html
func roleNameFree(c *aws.Call) error { return nameFree(c, "Role with name %s already exists.") }

// profileNameFree: instance profile names are unique in an account.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateInstanceProfile.html
func profileNameFree(c *aws.Call) error { return nameFree(c, "Instance Profile %s already exists.") }

func nameFree(c *aws.Call, format string) error {
	for _, other := range c.All(c.Kind.Token) {
		if other.ID != c.Resource.ID && sameFold(other.State.String("name"), c.State().String("name")) {
			return awserr.Errorf("EntityAlreadyExists", format, c.State().String("name"))
		}
	}
	return nil
}

// trustPolicy: a role's trust policy is a valid policy document with principals, no larger than the quota.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html
func trustPolicy(c *aws.Call) error {
	text := c.State().String("assumeRolePolicy")
	if fault := iampolicy.TrustPolicyFault(text); fault != "" {
		return awserr.Errorf("MalformedPolicyDocument", "%s", fault)
	}
	if DocumentSize(text) > maxTrustPolicy {
		return awserr.Errorf("LimitExceeded", "Cannot exceed quota for ACLSizePerRole: %d", maxTrustPolicy)
	}
	return nil
}

// policyReachable: an AWS managed policy belongs to the account's partition.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_AttachRolePolicy.html
func policyReachable(c *aws.Call) error {
	if arn := c.State().String("policyArn"); aws.ManagedByAWS(arn) && !existsInPartition(c, arn) {
		return c.Types.Kinds[awstype.Policy].NotFound.For(arn)
	}
	return nil
}

// boundaryExists: a permissions boundary is an existing policy.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePermissionsBoundary.html
func boundaryExists(c *aws.Call) error {
	arn := c.State().String("permissionsBoundary")
	if arn != "" && c.Find(awstype.Policy, arn) == nil && !existsInPartition(c, arn) {
		return awserr.Errorf("NoSuchEntity", "Scope ARN: %s does not exist or is not attachable.", arn)
	}
	return nil
}

// identityPolicy: a policy of a role is a valid policy document with resources.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePolicy.html
func identityPolicy(c *aws.Call) error {
	if fault := iampolicy.IdentityPolicyFault(c.State().String("policy")); fault != "" {
		return awserr.Errorf("MalformedPolicyDocument", "%s", fault)
	}
	return nil
}

// inlinePoliciesFit: the inline policies of a role have a common size limit.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
func inlinePoliciesFit(c *aws.Call) error {
	return checkSizeOfInlinePolicies(c, "role", maxInlinePolicies)
}

// rolePoliciesDetached: a role can be deleted only without policies. With forceDetachPolicies the provider detaches
// them.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteRole.html
func rolePoliciesDetached(c *aws.Call) error {
	for _, token := range []string{awstype.RolePolicy, awstype.RolePolicyAttachment} {
		for _, rec := range c.Where(token, "role", c.Resource.ID) {
			if c.State().Bool("forceDetachPolicies") {
				c.Delete(rec)
				continue
			}
			if token == awstype.RolePolicyAttachment {
				return awserr.Errorf("DeleteConflict", "Cannot delete entity, must detach all policies first.")
			}
			return awserr.Errorf("DeleteConflict", "Cannot delete entity, must delete policies first.")
		}
	}
	return nil
}

// removeFromProfiles removes a deleted role from its instance profiles, as the provider does before it deletes one.
func removeFromProfiles(c *aws.Call) {
	for _, rec := range c.Where(awstype.InstanceProfile, "role", c.Resource.ID) {
		delete(c.Edit(awstype.InstanceProfile, rec.ID).State, "role")
	}
}

// viewRolePolicies lists a role's policies, including those that are separate resources.
func viewRolePolicies(c *aws.Call, out props.Map) {
	var inline []any
	for _, rec := range c.Where(awstype.RolePolicy, "role", c.Resource.ID) {
		inline = append(inline, map[string]any{"name": rec.State.String("name"), "policy": rec.State.String("policy")})
	}
	attached := out.Strings("managedPolicyArns")
	for _, rec := range c.Where(awstype.RolePolicyAttachment, "role", c.Resource.ID) {
		if arn := rec.State.String("policyArn"); !slices.Contains(attached, arn) {
			attached = append(attached, arn)
		}
	}
	if inline != nil {
		out["inlinePolicies"] = inline
	}
	out["managedPolicyArns"] = props.List(attached...)
}

// Kinds returns the resource types of IAM.
func Kinds() []*aws.Kind {
	return slices.Concat(roleKinds(), policyKinds(), oidcKinds(), serviceLinkedRoleKinds(), userKinds())
}

// inlinePolicyOf completes the kind of the inline policies of a role or a user, which the input owner names.
func inlinePolicyOf(owner, ownerType string, k aws.Kind) *aws.Kind {
	k.Service, k.Global, k.AutoName = "IAM", true, "name"
	k.ValidateFunc = map[string]func(string) string{"name": nameFault(maxName), "policy": iampolicy.JSONFault}
	k.UniqueBy = []string{"name", owner}
	k.References = []aws.Reference{{Input: owner, Type: ownerType, Dependency: aws.BlocksDeletionCall}}
	k.ID = aws.Joined(":", owner, "name")
	return &k
}

func checkSizeOfInlinePolicies(c *aws.Call, owner string, most int) error {
	size := DocumentSize(c.State().String("policy")) // of all inline policies of the role or user in the input owner
	for _, other := range c.Others(owner) {
		if other.State.String("name") != c.State().String("name") {
			size += DocumentSize(other.State.String("policy"))
		}
	}
	if size > most {
		return awserr.Errorf("LimitExceeded", "Maximum policy size of %d bytes exceeded for %s %s", most, owner,
			c.State().String(owner))
	}
	return nil
}
