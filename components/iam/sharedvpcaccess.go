package iam

// SharedVPC selects the roles of a shared VPC's owner that the operators assume.
type SharedVPC struct {
	// VPCOwnerAccountID is the ID of the account that owns the VPC, 12 digits. Required.
	VPCOwnerAccountID string `yaml:"-" pulumi:"vpcOwnerAccountID,optional"`
	// ZonesInCluster is true if the role for the records of the private hosted zones is in the cluster's account. Default
	// false: it is in the VPC owner's account.
	ZonesInCluster bool `yaml:"-" pulumi:"zonesInCluster,optional"`
}

// assumedRoles lists the shared VPC's roles that a component assumes. The ARNs are composed, because the roles on both sides refer to each
// other.
func (b *roleSetBuilder) assumedRoles(name RoleName) []string {
	shared := b.args.SharedVPC
	if shared == nil || name != RoleIngress && name != RoleControlPlaneOperator {
		return nil
	}
	arn := func(account, suffix string) string {
		path := b.args.options().Path
		if path == "" {
			path = "/"
		}
		return b.location.In(account).GlobalARN("iam", "role"+path+b.args.options().name(b.args.Cluster, suffix))
	}
	zonesIn := shared.VPCOwnerAccountID
	if shared.ZonesInCluster {
		zonesIn = b.location.Account
	}
	arns := []string{arn(zonesIn, sharedRoute53Suffix)}
	if name == RoleControlPlaneOperator {
		arns = append(arns, arn(shared.VPCOwnerAccountID, sharedEndpointSuffix))
	}
	return arns
}
