package awstype

// The tokens of OIDC providers and users, and the ARNs of users and policies.
const (
	OIDCProvider = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
	User         = "aws:iam/user:User"
	userARN      = "arn:{partition}:iam::{account}:user{path}{name}"
	policyARN    = "arn:{partition}:iam::{account}:policy{path}{name}"
	issuerARN    = "arn:{partition}:iam::{account}:oidc-provider/{url}"
	Policy       = "aws:iam/policy:Policy"
	UserPolicy   = "aws:iam/userPolicy:UserPolicy"
	AccessKey    = "aws:iam/accessKey:AccessKey"
)

// operatorCredentials says what users and their access keys are needed for.
const operatorCredentials = "HyperShift's operator and external-dns call AWS with it"

// identityKeys are the config keys that decide whether the operator has a user.
const identityKeys = "operator.identity or zone"

func identityTypes() []Type {
	user := Scope{ARNs: []string{userARN}, Owner: User, Input: "user", Key: "name"}
	return []Type{
		{
			Token: OIDCProvider, Label: "OIDC provider", Tagged: true,
			Guard: Guard{Needed: "AWS accepts the tokens of operators because of it", Fixed: []string{"url"},
				Losses:    listLosses("clientIdLists", "it would no longer accept tokens for %v"),
				InputKeys: map[string]string{"url": "oidc or infraID"}, Keys: "oidc"},
			Permissions: Permissions{
				Create: []string{"iam:CreateOpenIDConnectProvider", "iam:TagOpenIDConnectProvider"},
				Read:   []string{"iam:GetOpenIDConnectProvider"},
				Update: []string{
					"iam:UpdateOpenIDConnectProviderThumbprint", "iam:AddClientIDToOpenIDConnectProvider",
					"iam:RemoveClientIDFromOpenIDConnectProvider", "iam:UntagOpenIDConnectProvider",
				},
				Delete: []string{"iam:DeleteOpenIDConnectProvider"},
				On:     on(issuerARN),
			},
			Reads: Reads{
				List:     []string{"iam:ListOpenIDConnectProviders"},
				Complete: []string{"iam:GetOpenIDConnectProvider"},
				Named:    []string{"iam:ListOpenIDConnectProviders"},
			},
			Sweep: Sweep{
				Global: true,
				Delete: []string{"iam:DeleteOpenIDConnectProvider"},
				Note:   "also found by `hypershift.openshift.io/infra-id`, the only tag that HyperShift and the stacks set on it",
			},
			Find: importedAs(issuerARN), Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: adoptedByImportID("url").must("oidc or management"),
		},
		{
			Token: Policy, Label: "IAM policy",
			Guard: Guard{Unneeded: "the attachments of it are guarded"},
			Reads: Reads{Named: []string{"iam:GetPolicy"}},
			Permissions: Permissions{
				Create: []string{"iam:CreatePolicy", "iam:TagPolicy"},
				Read:   []string{"iam:GetPolicy", "iam:GetPolicyVersion"},
				Update: []string{"iam:CreatePolicyVersion", "iam:DeletePolicyVersion", "iam:ListPolicyVersions", "iam:UntagPolicy"},
				Delete: []string{"iam:DeletePolicy"},
				On:     on(policyARN),
			},
			// after the roles and users that it is attached to
			Find: importedAs(policyARN), Deletion: Deletion{Rank: 98}, Price: Free,
			Adopt: adoptedByImportID("name", "path"),
		},
		{
			Token: User, Label: "IAM user", Tagged: true,
			Guard: Guard{Needed: operatorCredentials, Remedy: NewIdentity, Fixed: []string{"name"},
				InputKeys: map[string]string{
					"name": "operator.namePrefix", "permissionsBoundary": "iam.permissionsBoundary",
				}, Keys: identityKeys, Losses: boundaryLosses},
			Reads: Reads{Named: []string{"iam:GetUser"}},
			Lost:  Lost{Actions: []string{"iam:ListUsers", "iam:ListUserTags"}},
			Permissions: Permissions{
				Create: []string{"iam:CreateUser", "iam:TagUser"},
				Read:   []string{"iam:GetUser"},
				Update: []string{
					"iam:UpdateUser", "iam:UntagUser", "iam:PutUserPermissionsBoundary", "iam:DeleteUserPermissionsBoundary",
				},
				Delete: []string{"iam:DeleteUser", "iam:ListGroupsForUser"},
				On:     on(userARN),
			},
			Find: importedAs("{name}"), Deletion: Deletion{Rank: 97}, Price: Free,
			Adopt: adoptedByImportID("name"),
		},
		{
			Token: UserPolicy, Label: "user policy",
			Guard: Guard{Needed: "it has the permissions of a user that stays", Remedy: NewIdentity,
				Fixed: []string{"name", "user"}, Keys: identityKeys, Within: []string{"user"},
				Losses: grantLosses("policy"), InputKeys: map[string]string{"policy": "operator.infraID"}},
			Reads: Reads{Named: []string{"iam:GetUserPolicy"}},
			Permissions: Permissions{
				Create: []string{"iam:PutUserPolicy"},
				Read:   []string{"iam:GetUserPolicy"},
				Delete: []string{"iam:DeleteUserPolicy"},
				On:     user,
			},
			Find: importedAs("{user}:{name}").partOf("user"), Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: adoptedByImportID("user", "name"),
		},
		{
			Token: AccessKey, Label: "access key",
			Guard: Guard{Needed: operatorCredentials, Remedy: NewIdentity,
				Fixed: []string{"user"}, Keys: identityKeys, Within: []string{"user"}},
			Reads: Reads{Named: []string{"iam:ListAccessKeys"}},
			Permissions: Permissions{
				Create: []string{"iam:CreateAccessKey"},
				Read:   []string{"iam:ListAccessKeys"},
				Update: []string{"iam:UpdateAccessKey"},
				Delete: []string{"iam:DeleteAccessKey"},
				On:     user,
			},
			Find:     Find{Remedy: "its secret is lost: if it exists, delete it from its user"},
			Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: Adoption{By: AdoptNever, Note: "AWS does not return its secret: the stack creates a second key, and the first stays"},
		},
	}
}

// Types that other packages name.
const (
	KMSKey   = "aws:kms/key:Key"
	KMSAlias = "aws:kms/alias:Alias"
)

func keyTypes() []Type {
	const keys = "arn:{partition}:kms:{region}:{account}:key/*" // AWS chooses the IDs
	return []Type{
		{
			Token: KMSKey, Label: "KMS key", Tagged: true,
			Guard: Guard{Needed: "what etcd stores cannot be read without it",
				Fixed:  []string{"customKeyStoreId", "customerMasterKeySpec", "keyUsage", "multiRegion"},
				Losses: policyLosses("policy", "be used by"), InputKeys: map[string]string{"policy": "etcdKey.accounts"},
				Protected: ForUsers},
			Permissions: Permissions{
				Create: []string{"kms:PutKeyPolicy", "kms:EnableKeyRotation", "kms:TagResource"},
				Read:   []string{"kms:DescribeKey", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus", "kms:ListResourceTags"},
				Update: []string{
					"kms:UpdateKeyDescription", "kms:DisableKeyRotation", "kms:EnableKey", "kms:DisableKey", "kms:UntagResource",
				},
				Delete: []string{"kms:ScheduleKeyDeletion"},
				On:     on(keys),
				Others: []Grant{{Actions: []string{"kms:CreateKey"}}},
			},
			Find: tagged("kms:key", "arn:{partition}:kms:{region}:{account}:key/{id}"), Deletion: Deletion{Rank: 98},
			Price: "kmsKey",
			Adopt: adoptedBySearch().owned().noted("the key of the alias, else the key with the stack's tag"),
		},
		{
			Token: KMSAlias, Label: "KMS alias",
			Guard: Guard{Unneeded: "clusters use the key by its ARN"},
			Reads: Reads{Named: []string{"kms:ListAliases"}},
			Permissions: Permissions{
				Create: []string{"kms:CreateAlias"},
				Update: []string{"kms:UpdateAlias"},
				Delete: []string{"kms:DeleteAlias"},
				On:     on(keys, "arn:{partition}:kms:{region}:{account}:{name}"),
				Others: []Grant{{Actions: []string{"kms:ListAliases"}}},
			},
			Find: importedAs("{name}").partOf("targetKeyId"), Deletion: Deletion{Rank: 95}, Price: Free,
			Adopt: adoptedByImportID("name"),
		},
	}
}
