package stackfile

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// ARNs of policies and of a role that exist already.
const (
	BoundaryARN = "arn:aws:iam::123456789012:policy/team/boundary"
	ExtraARN    = "arn:aws:iam::123456789012:policy/extra"
	SpotRoleARN = "arn:aws:iam::123456789012:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot"
)

// IAM returns the config of a Private cluster of one zone whose key iam is the given one.
func IAM(keys string) string {
	return Cluster{
		Access: hypershift.Private,
		NAT:    network.Single,
		Zones:  ZoneNames(1),
		More:   "    iam: {" + keys + "}\n",
	}.String()
}

// InterruptionQueue returns the config of a cluster with Karpenter and a queue of spot interruptions.
func InterruptionQueue() string {
	return IAM("karpenter: true") + "    interruptionQueue: true\n"
}

// SeededRole returns the ARN of an existing role.
func SeededRole(name iam.RoleName) string {
	return fmt.Sprintf("arn:aws:iam::123456789012:role/given/%s", name)
}

// SeededRoles returns seeds of all roles, trusted by the issuer of the cluster demo, and of what the options
// refer to.
func SeededRoles() []offline.Seed {
	const issuer = "demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"
	given := append(Seeds(),
		offline.Seed{Kind: offline.SeedPolicy, Name: BoundaryARN},
		offline.Seed{Kind: offline.SeedPolicy, Name: ExtraARN},
		offline.Seed{Kind: offline.SeedInstanceProfile, Name: "given-nodes"},
	)
	for _, name := range iam.RoleNames() {
		trust := iam.TrustPolicy("arn:aws:iam::123456789012:oidc-provider/"+issuer, "https://"+issuer, name)
		given = append(given, offline.Seed{Kind: offline.SeedRole, Name: SeededRole(name), Document: trust.JSON()})
	}
	return given
}

// ExistingRoles writes existing.roles with the given roles.
func ExistingRoles(names ...iam.RoleName) string {
	var pairs []string
	for _, name := range names {
		pairs = append(pairs, fmt.Sprintf("%sARN: %q", name, SeededRole(name)))
	}
	return "roles: {" + strings.Join(pairs, ", ") + "}"
}

// IAMOptions returns the keys of iam in a stack for each option.
func IAMOptions() map[string]string {
	return map[string]string{
		"boundary-path-prefix": `permissionsBoundary: "` + BoundaryARN + `", path: /hypershift/, roleNamePrefix: team-`,
		"managed-policies":     "managedPolicies: true",
		"karpenter":            "karpenter: true",
		"workload-roles":       `workloadRoles: [{namespace: shop, serviceAccount: orders, policy: '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::orders/*"}]}'}, {namespace: shop, serviceAccount: stock, roleName: stock, policy: '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "arn:aws:sqs:us-east-1:123456789012:stock"}]}'}]`,
		"extra-policies":       `extraPolicies: {nodePoolManagement: ["` + ExtraARN + `", "arn:aws:iam::aws:policy/ReadOnlyAccess"], worker: ["` + ExtraARN + `"]}`,
		"shared-role":          "sharedRole: true, karpenter: true",
		"shared-role-managed":  "sharedRole: true, managedPolicies: true",
		"existing-some":        "existing: {" + ExistingRoles(iam.RoleIngress, iam.RoleStorage) + "}",
		"existing-all": "existing: {" + ExistingRoles(iam.RoleNames()...) +
			", instanceProfile: given-nodes}, karpenter: true",
	}
}
