package awstype

// The tokens of roles and their policies, and the ARN of a role.
const (
	Role                 = "aws:iam/role:Role"
	RolePolicy           = "aws:iam/rolePolicy:RolePolicy"
	roleARN              = "arn:{partition}:iam::{account}:role{path}{name}"
	InstanceProfile      = "aws:iam/instanceProfile:InstanceProfile"
	RolePolicyAttachment = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
	ServiceLinkedRole    = "aws:iam/serviceLinkedRole:ServiceLinkedRole"
)

func roleTypes() []Type {
	role := Scope{ARNs: []string{roleARN}, Owner: Role, Input: "role", Key: "name"}
	serviceLinked := on("arn:{partition}:iam::{account}:role/aws-service-role/{awsServiceName}/*")
	return []Type{
		{
			Token: Role, Label: "IAM role", Tagged: true,
			Guard: Guard{Needed: "operators and nodes call AWS with it", Fixed: []string{"name", "path"},
				Losses: bothLosses(policyLosses("assumeRolePolicy", "be assumed by"), boundaryLosses),
				InputKeys: map[string]string{
					"name": "infraID", "assumeRolePolicy": "oidc, operator.issuerURL or operator.namespace",
					"permissionsBoundary": "iam.permissionsBoundary",
				}},
			Permissions: Permissions{
				Create: []string{"iam:CreateRole", "iam:TagRole"},
				Read:   []string{"iam:GetRole", "iam:ListRolePolicies", "iam:ListAttachedRolePolicies", "iam:GetRolePolicy"},
				Update: []string{
					"iam:UpdateAssumeRolePolicy", "iam:UpdateRole", "iam:UpdateRoleDescription", "iam:UntagRole",
					"iam:PutRolePermissionsBoundary", "iam:DeleteRolePermissionsBoundary",
				},
				Delete: []string{"iam:DeleteRole", "iam:ListInstanceProfilesForRole"},
				On:     on(roleARN),
			},
			Reads: Reads{
				List:     []string{"iam:ListRoles"},
				Complete: []string{"iam:GetRole", "iam:ListRoleTags"},
				Named:    []string{"iam:GetRole"},
			},
			Sweep: Sweep{
				Global: true,
				Delete: []string{
					"iam:ListAttachedRolePolicies", "iam:DetachRolePolicy", "iam:ListRolePolicies", "iam:DeleteRolePolicy",
					"iam:ListInstanceProfilesForRole", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteRole",
				},
				Note: "with its policies; also found by `hypershift.openshift.io/infra-id`, the only tag that HyperShift and the stacks set on it",
			},
			Find: importedAs("{name}"), Deletion: Deletion{Rank: 97}, Price: Free,
			Adopt: adoptedByImportID("name").must("infraID or iam"),
		},
		{
			Token: RolePolicy, Label: "role policy",
			Guard: Guard{Needed: "it has permissions of a role that stays", Fixed: []string{"name", "role"},
				Keys: "iam", Within: []string{"role"}, Losses: grantLosses("policy"),
				InputKeys: map[string]string{"policy": "networkStack, operator.infraID or what else it is made of"}},
			Reads: Reads{Named: []string{"iam:ListRolePolicies", "iam:GetRolePolicy"}},
			Permissions: Permissions{
				Create: []string{"iam:PutRolePolicy"},
				Read:   []string{"iam:GetRolePolicy"},
				Delete: []string{"iam:DeleteRolePolicy"},
				On:     role,
			},
			Find: importedAs("{role}:{name}").partOf("role"), Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: adoptedByImportID("role", "name").noted("a document that differs is updated in place"),
		},
		{
			Token: RolePolicyAttachment, Label: "role policy attachment",
			Guard: Guard{Needed: "it has permissions of a role that stays", Fixed: []string{"policyArn", "role"},
				Keys: "iam", Within: []string{"role"}},
			Reads: Reads{Named: []string{"iam:ListAttachedRolePolicies"}},
			Permissions: Permissions{
				Create: []string{"iam:AttachRolePolicy"},
				Delete: []string{"iam:DetachRolePolicy"},
				On:     role,
				When:   Condition{Operator: "ArnEquals", Key: "iam:PolicyARN", Input: "policyArn"},
				Others: []Grant{{Actions: []string{"iam:ListAttachedRolePolicies"}, On: role}},
			},
			Find: importedAs("{role}/{policyArn}").partOf("role"), Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: adoptedByImportID("role", "policyArn"),
		},
		{
			Token: InstanceProfile, Label: "instance profile",
			Guard: Guard{Needed: "nodes are started with it", Fixed: []string{"name", "path"}, Within: []string{"role"}},
			Permissions: Permissions{
				Create: []string{"iam:CreateInstanceProfile", "iam:TagInstanceProfile", "iam:AddRoleToInstanceProfile"},
				Read:   []string{"iam:GetInstanceProfile"},
				Update: []string{"iam:UntagInstanceProfile"},
				Delete: []string{"iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"},
				On:     on("arn:{partition}:iam::{account}:instance-profile{path}{name}"),
				Others: []Grant{
					{Actions: []string{"iam:PassRole"}, On: role, When: passedTo("ec2")},
					{Actions: []string{"iam:GetRole"}, On: role},
				},
			},
			Reads: Reads{
				List:     []string{"iam:ListInstanceProfiles"},
				Complete: []string{"iam:GetInstanceProfile"},
				Named:    []string{"iam:GetInstanceProfile"},
			},
			Sweep: Sweep{
				Global: true,
				Delete: []string{"iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"},
				Note:   "also found by `hypershift.openshift.io/infra-id`, the only tag that HyperShift and the stacks set on it",
			},
			Find: importedAs("{name}"), Deletion: Deletion{Rank: 95}, Price: Free,
			Seconds: Seconds{Create: 8},
			Adopt:   adoptedByImportID("name").must("infraID or iam"),
		},
		{
			// It belongs to the account: the program imports the existing one, and never deletes it.
			Token: ServiceLinkedRole, Label: "service-linked role",
			Guard: Guard{Unneeded: "stacks never delete it"},
			Permissions: Permissions{
				Create: []string{"iam:CreateServiceLinkedRole"},
				On:     serviceLinked,
				When:   Condition{Operator: "StringEquals", Key: "iam:AWSServiceName", Input: "awsServiceName"},
				Others: []Grant{{Actions: []string{"iam:GetRole"}, On: serviceLinked}},
			},
			Find: Find{Replaceable: true}, Price: Free,
			Adopt: adoptedBySetting("the account's, which the stack takes itself"),
		},
	}
}
