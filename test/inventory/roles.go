package inventory

const (
	sharedRole    = "cluster.iam.sharedRole"
	existingRoles = "cluster.iam.existing.roles"
)

// roleItems returns the IAM resources of the hosted cluster.
func roleItems() []Item {
	const stage = ClusterPrerequisites
	return []Item{
		{Stage: stage, What: "OIDC provider", Without: []string{"cluster.oidc.issuerURL"}, Resources: `iam\.OpenIdConnectProvider oidc-provider`},
		{
			Stage: stage, What: "roles of seven components", Without: []string{sharedRole, existingRoles},
			Resources: `iam\.Role(Policy)? roles-(openshift-ingress|openshift-image-registry|aws-ebs-csi-driver-controller|cloud-controller|node-pool|control-plane-operator|cloud-network-config-controller)`,
		},
		{
			Stage: stage, What: "role of the KMS provider", Option: "cluster.kmsKeyARN",
			Without:   []string{sharedRole, existingRoles},
			Resources: `iam\.Role(Policy)? roles-kms-provider`,
		},
		{
			Stage: stage, What: "role of Karpenter", Option: "cluster.iam.karpenter",
			Without:   []string{sharedRole, existingRoles},
			Resources: `iam\.Role(Policy)? roles-karpenter`,
		},
		{Stage: stage, What: "shared role instead of all of these", Option: sharedRole, Resources: `iam\.Role(Policy)? roles-shared-role`},
		{
			Stage: stage, What: "AWS managed policies for ROSA on the roles, instead of inline ones",
			Option:    "cluster.iam.managedPolicies",
			Resources: `iam\.RolePolicyAttachment (roles|workers)-[a-z-]+-aws-service-role-ROSA\w+`,
		},
		{
			Stage: stage, What: "additional policies on the roles", Option: "cluster.iam.extraPolicies",
			Resources: `iam\.RolePolicyAttachment (roles|workers)-[a-z-]+-(extra|aws-[A-Z]\w+)`,
		},
		{
			Stage: stage, What: "the account's role for spot instances", Option: "cluster.iam.spotServiceLinkedRole",
			Resources: `iam\.ServiceLinkedRole roles-spot`,
		},
		{
			Stage: stage, What: "roles of workloads", Option: "cluster.iam.workloadRoles",
			Resources: `iam\.Role(Policy|PolicyAttachment)? roles-shop-\w+-role`,
		},
		{
			Stage: stage, What: "queue of spot interruptions and its two rules", Option: "cluster.interruptionQueue",
			Resources: `(sqs|cloudwatch)\.\w+ interruptions-\w+`,
		},
		{
			Stage: stage, What: "role and instance profile of the nodes",
			Without:   []string{"cluster.iam.existing.instanceProfile"},
			Resources: `iam\.(Role|RolePolicy|InstanceProfile) workers-(role|profile)`,
		},
	}
}
