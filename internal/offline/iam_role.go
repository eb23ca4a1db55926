package offline

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
)

const (
	roleToken       = "aws:iam/role:Role"
	rolePolicyToken = "aws:iam/rolePolicy:RolePolicy"
	attachmentToken = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
	profileToken    = "aws:iam/instanceProfile:InstanceProfile"
)

// IAM's limits, in characters without whitespace for documents.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
const (
	maxRoleName       = 64
	maxName           = 128
	maxTrustPolicy    = 2048
	maxInlinePolicies = 10240
	maxManagedPolicy  = 6144
	maxAttachments    = 10
)

func roleKinds() []*kind {
	return []*kind{
		{
			token: roleToken, args: iam.RoleArgs{}, state: iam.RoleState{},
			service: "IAM", noun: "Role", calls: calls{update: "UpdateRole"}, global: true,
			named:    "name",
			required: []string{"assumeRolePolicy"},
			apart:    [][]string{{"name", "namePrefix"}},
			computed: []string{"inlinePolicies", "managedPolicyArns", "name", "namePrefix"},
			defaults: props{"forceDetachPolicies": false, "maxSessionDuration": 3600.0, "path": "/"},
			fixed:    props{"inlinePolicies": []any{}, "managedPolicyArns": []any{}, "namePrefix": ""},
			valid: map[string]func(string) string{"name": nameFault(maxRoleName), "path": pathFault,
				"assumeRolePolicy": jsonFault},
			forms:    map[string]form{"assumeRolePolicy": asDocument, "managedPolicyArns": asSet, "inlinePolicies": asSet},
			replaces: []string{"name", "namePrefix", "path"},
			unique:   []string{"name"},
			missing:  answer{"NoSuchEntity", "The role with name %s cannot be found."},
			inUse:    answer{"DeleteConflict", "Cannot delete entity, must delete policies first. (%s)"},
			rules:    []rule{roleNameFree, trustPolicy, boundaryExists},
			leaving:  []rule{detachFirst},
			make: func(c *call) error {
				s := c.rec.State
				c.nameIt()
				s["arn"] = c.globalARN("iam", "role"+s.text("path")+s.text("name"))
				s["uniqueId"] = newCode("AROA", 21)
				s["createDate"] = now()
				return nil
			},
			unmake: leaveProfiles,
			view:   viewRolePolicies,
		},
		{
			token: rolePolicyToken, args: iam.RolePolicyArgs{}, state: iam.RolePolicyState{},
			service: "IAM", noun: "Role Policy", calls: calls{"PutRolePolicy", "PutRolePolicy", "DeleteRolePolicy"},
			global:   true,
			named:    "name",
			required: []string{"policy", "role"},
			apart:    [][]string{{"name", "namePrefix"}},
			computed: []string{"name", "namePrefix"},
			valid:    map[string]func(string) string{"name": nameFault(maxName), "policy": jsonFault},
			forms:    map[string]form{"policy": asDocument},
			replaces: []string{"name", "namePrefix", "role"},
			unique:   []string{"name", "role"},
			refs:     []ref{{"role", roleToken, "", blockingPart}},
			missing:  answer{"NoSuchEntity", "The role policy %s cannot be found."},
			rules:    []rule{identityPolicy, inlinePoliciesFit},
			make: func(c *call) error {
				s := c.rec.State
				c.nameIt()
				c.rec.ID = s.text("role") + ":" + s.text("name")
				return nil
			},
		},
		{
			token: attachmentToken, args: iam.RolePolicyAttachmentArgs{}, state: iam.RolePolicyAttachmentState{},
			service: "IAM", noun: "Role Policy Attachment",
			calls: calls{"AttachRolePolicy", "AttachRolePolicy", "DetachRolePolicy"}, global: true,
			required: []string{"role"},
			replaces: []string{"policyArn", "role"},
			unique:   []string{"policyArn", "role"},
			refs:     []ref{{"role", roleToken, "", blockingPart}, {"policyArn", policyToken, "", blocks}},
			missing:  answer{"NoSuchEntity", "The policy attachment %s was not found."},
			rules:    []rule{policyReachable, attachmentsFit},
			make: func(c *call) error {
				c.rec.ID = fmt.Sprintf("%s-%s", c.in().text("role"), newCode("", 26))
				return nil
			},
			otherID: func(p props) string { return p.text("role") + "/" + p.text("policyArn") },
		},
		{
			token: profileToken, args: iam.InstanceProfileArgs{}, state: iam.InstanceProfileState{},
			service: "IAM", noun: "Instance Profile", calls: calls{update: "AddRoleToInstanceProfile"}, global: true,
			named:    "name",
			apart:    [][]string{{"name", "namePrefix"}},
			computed: []string{"name", "namePrefix"},
			defaults: props{"path": "/"},
			valid:    map[string]func(string) string{"name": nameFault(maxName), "path": pathFault},
			replaces: []string{"name", "namePrefix", "path"},
			unique:   []string{"name"},
			refs:     []ref{{"role", roleToken, "", loose}},
			missing:  answer{"NoSuchEntity", "Instance Profile %s cannot be found."},
			rules:    []rule{profileNameFree},
			make: func(c *call) error {
				s := c.rec.State
				c.nameIt()
				s["arn"] = c.globalARN("iam", "instance-profile"+s.text("path")+s.text("name"))
				s["uniqueId"] = newCode("AIPA", 21)
				s["createDate"] = now()
				return nil
			},
		},
	}
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// nameIt completes a name that is a prefix so far; the name is the ID.
func (c *call) nameIt() {
	s := c.rec.State
	if !s.has("name") {
		s["name"] = s.text("namePrefix") + randomOf("0123456789", 26)
	}
	c.rec.ID = s.text("name")
}

var iamNameGrammar = regexp.MustCompile(`^[\w+=,.@-]*$`)

// nameFault holds a name against IAM's grammar.
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

// roleNameFree: role names are unique in an account, whatever their case.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html
func roleNameFree(c *call) error { return nameFree(c, "Role with name %s already exists.") }

// profileNameFree: instance profile names are unique in an account.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateInstanceProfile.html
func profileNameFree(c *call) error { return nameFree(c, "Instance Profile %s already exists.") }

func nameFree(c *call, format string) error {
	for _, other := range c.all(c.kind.token) {
		if other.ID != c.rec.ID && sameFold(other.State.text("name"), c.in().text("name")) {
			return refuse("EntityAlreadyExists", format, c.in().text("name"))
		}
	}
	return nil
}

// trustPolicy: a role's trust policy is a policy document that names principals, and no longer than the quota.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html
func trustPolicy(c *call) error {
	text := c.in().text("assumeRolePolicy")
	if fault := trustPolicyFault(text); fault != "" {
		return refuse("MalformedPolicyDocument", "%s", fault)
	}
	if documentSize(text) > maxTrustPolicy {
		return refuse("LimitExceeded", "Cannot exceed quota for ACLSizePerRole: %d", maxTrustPolicy)
	}
	return nil
}

// policyReachable: one of AWS's own policies is of the account's partition.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_AttachRolePolicy.html
func policyReachable(c *call) error {
	if arn := c.in().text("policyArn"); managedByAWS(arn) && !c.reaches(arn) {
		return c.types.kinds[policyToken].missing.about(arn)
	}
	return nil
}

// attachmentsFit: a role has ten managed policies unless the account's quota is raised.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
func attachmentsFit(c *call) error {
	attached := 0
	for _, other := range c.all(attachmentToken) {
		if other.ID != c.rec.ID && other.State.text("role") == c.in().text("role") {
			attached++
		}
	}
	if attached >= maxAttachments {
		return refuse("LimitExceeded", "Cannot exceed quota for PoliciesPerRole: %d", maxAttachments)
	}
	return nil
}

// boundaryExists: a permission boundary is a policy that exists.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePermissionsBoundary.html
func boundaryExists(c *call) error {
	arn := c.in().text("permissionsBoundary")
	if arn != "" && c.find(policyToken, arn) == nil && !c.reaches(arn) {
		return refuse("NoSuchEntity", "Scope ARN: %s does not exist or is not attachable.", arn)
	}
	return nil
}

// identityPolicy: a policy of a role is a policy document that names resources.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePolicy.html
func identityPolicy(c *call) error {
	if fault := identityPolicyFault(c.in().text("policy")); fault != "" {
		return refuse("MalformedPolicyDocument", "%s", fault)
	}
	return nil
}

// inlinePoliciesFit: all inline policies of a role together have a limit.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
func inlinePoliciesFit(c *call) error {
	role := c.in().text("role")
	size := documentSize(c.in().text("policy"))
	for _, other := range c.all(rolePolicyToken) {
		if other.State.text("role") == role && other.State.text("name") != c.in().text("name") {
			size += documentSize(other.State.text("policy"))
		}
	}
	if size > maxInlinePolicies {
		return refuse("LimitExceeded", "Maximum policy size of %d bytes exceeded for role %s", maxInlinePolicies, role)
	}
	return nil
}

// detachFirst: a role goes when its policies have gone. With forceDetachPolicies the provider sees to that itself.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteRole.html
func detachFirst(c *call) error {
	for _, token := range []string{rolePolicyToken, attachmentToken} {
		for _, rec := range c.all(token) {
			if rec.State.text("role") != c.rec.ID {
				continue
			}
			if c.in().yes("forceDetachPolicies") {
				c.drop(rec)
				continue
			}
			if token == attachmentToken {
				return refuse("DeleteConflict", "Cannot delete entity, must detach all policies first.")
			}
			return refuse("DeleteConflict", "Cannot delete entity, must delete policies first.")
		}
	}
	return nil
}

// leaveProfiles takes a role that has gone out of its instance profiles, as the provider does before it deletes one.
func leaveProfiles(c *call) error {
	for _, rec := range c.all(profileToken) {
		if rec.State.text("role") == c.rec.ID {
			delete(c.edit(profileToken, rec.ID).State, "role")
		}
	}
	return nil
}

// viewRolePolicies lists the policies that a role has got by themselves.
func viewRolePolicies(c *call, out props) {
	var inline []any
	for _, rec := range c.all(rolePolicyToken) {
		if rec.State.text("role") == c.rec.ID {
			inline = append(inline, map[string]any{"name": rec.State.text("name"), "policy": rec.State.text("policy")})
		}
	}
	attached := out.texts("managedPolicyArns")
	for _, rec := range c.all(attachmentToken) {
		arn := rec.State.text("policyArn")
		if rec.State.text("role") == c.rec.ID && !slices.Contains(attached, arn) {
			attached = append(attached, arn)
		}
	}
	if inline != nil {
		out["inlinePolicies"] = inline
	}
	out["managedPolicyArns"] = list(attached...)
}
