package permissions

import "strings"

const (
	userToken = "aws:iam/user:User"
	userARN   = "arn:{partition}:iam::{account}:user{path}{name}"
	policyARN = "arn:{partition}:iam::{account}:policy{path}{name}"
)

// identityEntries are OIDC providers, users and managed policies.
func identityEntries() []entry {
	user := of(userToken, "user", "name", userARN)
	return []entry{
		{
			token:  "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
			create: []string{"iam:CreateOpenIDConnectProvider", "iam:TagOpenIDConnectProvider"},
			read:   []string{"iam:GetOpenIDConnectProvider"},
			update: []string{
				"iam:UpdateOpenIDConnectProviderThumbprint", "iam:AddClientIDToOpenIDConnectProvider",
				"iam:RemoveClientIDFromOpenIDConnectProvider", "iam:UntagOpenIDConnectProvider",
			},
			remove: []string{"iam:DeleteOpenIDConnectProvider"},
			on:     issuer,
		},
		{
			token:   "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider",
			read:    []string{"iam:GetOpenIDConnectProvider"},
			on:      issuer,
			besides: []grant{{actions: []string{"iam:ListOpenIDConnectProviders"}}},
		},
		{
			token:  "aws:iam/policy:Policy",
			create: []string{"iam:CreatePolicy", "iam:TagPolicy"},
			read:   []string{"iam:GetPolicy", "iam:GetPolicyVersion"},
			update: []string{"iam:CreatePolicyVersion", "iam:DeletePolicyVersion", "iam:ListPolicyVersions", "iam:UntagPolicy"},
			remove: []string{"iam:DeletePolicy"},
			on:     arn(policyARN),
		},
		{
			token: "aws:iam/getPolicy:getPolicy",
			read:  []string{"iam:GetPolicy", "iam:GetPolicyVersion"},
			on:    given("arn", "arn:{partition}:iam::{account}:policy/*"),
		},
		{
			token:  userToken,
			create: []string{"iam:CreateUser", "iam:TagUser"},
			read:   []string{"iam:GetUser"},
			update: []string{
				"iam:UpdateUser", "iam:UntagUser", "iam:PutUserPermissionsBoundary", "iam:DeleteUserPermissionsBoundary",
			},
			remove: []string{"iam:DeleteUser", "iam:ListGroupsForUser"},
			on:     arn(userARN),
		},
		{
			token:  "aws:iam/userPolicy:UserPolicy",
			create: []string{"iam:PutUserPolicy"},
			read:   []string{"iam:GetUserPolicy"},
			remove: []string{"iam:DeleteUserPolicy"},
			on:     user,
		},
		{
			token:  "aws:iam/accessKey:AccessKey",
			create: []string{"iam:CreateAccessKey"},
			read:   []string{"iam:ListAccessKeys"},
			update: []string{"iam:UpdateAccessKey"},
			remove: []string{"iam:DeleteAccessKey"},
			on:     user,
		},
	}
}

// issuer is the OIDC provider of a URL, whose ARN has it without its scheme.
func issuer(n Need, _ []Need) []string {
	url := strings.TrimPrefix(n.text("url", "*"), "https://")
	return []string{n.fill("arn:{partition}:iam::{account}:oidc-provider/") + url}
}
