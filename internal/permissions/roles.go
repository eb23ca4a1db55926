package permissions

const (
	roleToken = "aws:iam/role:Role"
	roleARN   = "arn:{partition}:iam::{account}:role{path}{name}"
)

// roleEntries are roles with their policies, and the instance profiles that hold them.
func roleEntries() []entry {
	role := of(roleToken, "role", "name", roleARN)
	return []entry{
		{
			token:  roleToken,
			create: []string{"iam:CreateRole", "iam:TagRole"},
			read:   []string{"iam:GetRole", "iam:ListRolePolicies", "iam:ListAttachedRolePolicies", "iam:GetRolePolicy"},
			update: []string{
				"iam:UpdateAssumeRolePolicy", "iam:UpdateRole", "iam:UpdateRoleDescription", "iam:UntagRole",
				"iam:PutRolePermissionsBoundary", "iam:DeleteRolePermissionsBoundary",
			},
			remove: []string{"iam:DeleteRole", "iam:ListInstanceProfilesForRole"},
			on:     arn(roleARN),
		},
		{
			token:  "aws:iam/rolePolicy:RolePolicy",
			create: []string{"iam:PutRolePolicy"},
			read:   []string{"iam:GetRolePolicy"},
			remove: []string{"iam:DeleteRolePolicy"},
			on:     role,
		},
		{
			token:   "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
			create:  []string{"iam:AttachRolePolicy"},
			remove:  []string{"iam:DetachRolePolicy"},
			on:      role,
			when:    equals("ArnEquals", "iam:PolicyARN", "policyArn"),
			besides: []grant{{actions: []string{"iam:ListAttachedRolePolicies"}, on: role}},
		},
		{
			token:  "aws:iam/instanceProfile:InstanceProfile",
			create: []string{"iam:CreateInstanceProfile", "iam:TagInstanceProfile", "iam:AddRoleToInstanceProfile"},
			read:   []string{"iam:GetInstanceProfile"},
			update: []string{"iam:UntagInstanceProfile"},
			remove: []string{"iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"},
			on:     arn("arn:{partition}:iam::{account}:instance-profile{path}{name}"),
			besides: []grant{
				{actions: []string{"iam:PassRole"}, on: role, when: passedTo("ec2")},
				{actions: []string{"iam:GetRole"}, on: role},
			},
		},
		{
			// It is the account's, and this program never deletes it.
			token:  "aws:iam/serviceLinkedRole:ServiceLinkedRole",
			create: []string{"iam:CreateServiceLinkedRole"},
			on:     arn("arn:{partition}:iam::{account}:role/aws-service-role/{awsServiceName}/*"),
			when:   equals("StringEquals", "iam:AWSServiceName", "awsServiceName"),
			besides: []grant{{
				actions: []string{"iam:GetRole"},
				on:      arn("arn:{partition}:iam::{account}:role/aws-service-role/{awsServiceName}/*"),
			}},
		},
		{token: "aws:iam/getRole:getRole", read: []string{"iam:GetRole"}, on: anyPath("role")},
		{token: "aws:iam/getRoles:getRoles", read: []string{"iam:ListRoles"}},
		{
			token: "aws:iam/getInstanceProfile:getInstanceProfile",
			read:  []string{"iam:GetInstanceProfile"},
			on:    anyPath("instance-profile"),
		},
	}
}
