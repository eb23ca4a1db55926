package iam

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
)

// SharedVPC selects the roles of a shared VPC's owner that the operators assume.
type SharedVPC struct {
	// VPCOwnerAccountID is the ID of the account that owns the VPC, 12 digits. Required.
	VPCOwnerAccountID pulumi.StringInput `yaml:"-" pulumi:"vpcOwnerAccountID"`
	// ZonesInCluster is true if the role for the records of the private hosted zones is in the cluster's account. Default
	// false: it is in the VPC owner's account.
	ZonesInCluster bool `yaml:"-" pulumi:"zonesInCluster,optional"`
}

func validateAccount(id string) error {
	if awsid.IsAccount(id) {
		return nil
	}
	return &fault.Fault{Value: id, Problem: "is not the ID of an account", Remedy: "use its 12 digits"}
}

// assumesRoles reports whether a component assumes roles of the shared VPC.
func (b *roleSetBuilder) assumesRoles(name RoleName) bool {
	return b.args.SharedVPC != nil && (name == RoleIngress || name == RoleControlPlaneOperator)
}

// assumeRoles returns the policy with which a component assumes the shared VPC's roles. The ARNs are composed, because the roles on both sides
// refer to each other.
func (b *roleSetBuilder) assumeRoles(name RoleName) func(scope) policy.Document {
	return func(s scope) policy.Document {
		arn := func(account, suffix string) string {
			path := b.args.options().Path
			if path == "" {
				path = "/"
			}
			return b.location.In(account).GlobalARN("iam", "role"+path+b.args.options().name(b.args.Cluster, suffix))
		}
		zonesIn := s.vpcAccount
		if b.args.SharedVPC.ZonesInCluster {
			zonesIn = b.location.Account
		}
		arns := []string{arn(zonesIn, sharedRoute53Suffix)}
		if name == RoleControlPlaneOperator {
			arns = append(arns, arn(s.vpcAccount, sharedEndpointSuffix))
		}
		return assumeRolesPolicy(arns)
	}
}
