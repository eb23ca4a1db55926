package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/input"
)

// WorkerProfile returns the args of the component for the nodes' instance profile.
func (c *Cluster) WorkerProfile() *iam.WorkerProfileArgs {
	return &iam.WorkerProfileArgs{Cluster: c.Cluster, Options: &c.IAM}
}

// RoleSet returns the args of the component for the cluster's roles, without the outputs of other components.
func (c *Cluster) RoleSet(issuerURL pulumi.StringInput) *iam.RoleSetArgs {
	args := &iam.RoleSetArgs{
		Cluster: c.Cluster, EndpointAccess: c.EndpointAccess, IssuerURL: issuerURL, Options: &c.IAM,
	}
	if c.hasKMSKey() {
		args.KMSKeyARN = c.KMSKeyARN
	}
	return args
}

// GivenRoles returns the existing roles of the cluster whose ARNs are known, with what the cluster needs of them.
func (c *Cluster) GivenRoles() ([]iam.GivenRole, error) {
	roles := c.RoleSet(placeholder)
	if c.Management != "" && !c.hasKMSKey() && c.KMSKeyARN == nil {
		roles.KMSKeyARN = pulumi.String(placeholderKey) // the management stack may have one
	}
	if c.InterruptionQueue {
		roles.InterruptionQueueARN = placeholder
	}
	if c.Network.Shared != nil {
		roles.SharedVPC = &iam.SharedVPC{}
	}
	return roles.GivenRoles()
}

// validateIAM returns every fault in the config of roles. Placeholders represent the outputs of other components and the management stack.
func (c *Cluster) validateIAM(region string) fault.Faults {
	roles := c.RoleSet(placeholder)
	roles.OIDCProviderARN, roles.WorkerRoleARN = placeholder, placeholder
	roles.PublicZoneARN, roles.PrivateZoneARN, roles.LocalZoneARN, roles.EndpointVPCID = placeholder, placeholder, placeholder, placeholder
	switch {
	case c.Management != "" && roles.KMSKeyARN == nil:
		roles.KMSKeyARN = pulumi.String(placeholderKey)
	case roles.KMSKeyARN != nil && input.IfPlain(roles.KMSKeyARN, validateKMSKey) != nil:
		roles.KMSKeyARN = pulumi.String(placeholderKey) // an invalid value is reported separately
	}
	var faults fault.Faults
	faults.Join("", roles.Validate())
	faults.Join("", c.WorkerProfile().Validate())
	if region != "" {
		faults.Join("", validatePartition(c.IAM, hypershift.Partition(region)))
	}
	return claim("iam", faults.Err())
}

// validatePartition returns a fault for each ARN of another partition than the account's.
func validatePartition(options iam.RoleOptions, partition string) error {
	var faults fault.Faults
	if boundary := input.Text(options.PermissionsBoundary); iam.ValidateAnyPolicyARN(boundary) == nil {
		faults.Join("permissionsBoundary", iam.ValidatePolicyARN(boundary, partition))
	}
	for _, role := range slices.Sorted(maps.Keys(options.ExtraPolicies)) {
		for i, arn := range options.ExtraPolicies[role] {
			if iam.ValidatePolicyARN(arn, "") == nil {
				faults.Join(fmt.Sprintf("extraPolicies[%s][%d]", role, i), iam.ValidatePolicyARN(arn, partition))
			}
		}
	}
	if options.Existing == nil {
		return faults.Err()
	}
	for _, role := range slices.Sorted(maps.Keys(options.Existing.Roles)) {
		arn := input.Text(options.Existing.Roles[role])
		if iam.ValidateRoleARN(arn) == nil && !strings.HasPrefix(arn, "arn:"+partition+":") {
			faults.Add(fmt.Sprintf("existing.roles[%sARN]", role), arn, "is not in partition "+partition, "use one of "+partition)
		}
	}
	return faults.Err()
}
