package stacks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// IAMConfig is hypershift-aws:cluster.iam: how the cluster's roles are made, or which are there already.
type IAMConfig struct {
	// Existing are roles and an instance profile that the account has.
	Existing ExistingIAMConfig `yaml:"existing"`
	// PermissionsBoundary is the ARN of a policy that limits every role. Default none.
	PermissionsBoundary string `yaml:"permissionsBoundary"`
	// Path is the IAM path of roles and the instance profile. Default "/".
	Path string `yaml:"path"`
	// RoleNamePrefix begins their names. Default: the infra ID.
	RoleNamePrefix string `yaml:"roleNamePrefix"`
	// ManagedPolicies gives the roles AWS's policies for ROSA, and all resources the tag that these ask
	// for. Default false.
	ManagedPolicies bool `yaml:"managedPolicies"`
	// Karpenter makes a role for Karpenter. Default false.
	Karpenter bool `yaml:"karpenter"`
	// SpotServiceLinkedRole makes the account's role for spot instances where it has none. Default false.
	SpotServiceLinkedRole bool `yaml:"spotServiceLinkedRole"`
	// ExtraPolicies are ARNs of managed policies by the role that gets them: iam.RoleNames, and worker
	// for the nodes'. Default none.
	ExtraPolicies map[string][]string `yaml:"extraPolicies"`
	// SharedRole makes one role for all components. Default false.
	SharedRole bool `yaml:"sharedRole"`
}

// ExistingIAMConfig is hypershift-aws:cluster.iam.existing.
type ExistingIAMConfig struct {
	// Roles are ARNs by the keys of HyperShift's documents, such as ingressARN. Default none: roles are made.
	Roles map[string]string `yaml:"roles"`
	// InstanceProfile is the name of the nodes' instance profile. Default none: it is made.
	InstanceProfile string `yaml:"instanceProfile"`
}

// workerPolicies is the key in extraPolicies of the nodes' role.
const workerPolicies = "worker"

// complete adds the tag without which ROSA's managed policies reach nothing, as HyperShift's CLI does.
func (c *IAMConfig) complete(tags *map[string]string) {
	if !c.ManagedPolicies {
		return
	}
	if _, given := (*tags)[iam.ManagedPoliciesTag]; given {
		return
	}
	tagged := maps.Clone(*tags)
	if tagged == nil {
		tagged = map[string]string{}
	}
	tagged[iam.ManagedPoliciesTag] = iam.ManagedPoliciesTagValue
	*tags = tagged
}

// validateIAM returns every fault in the config of roles. What the component is given by other components
// or by the management stack stands in here.
func (c *ClusterConfig) validateIAM(region string) error {
	var faults, own fault.Faults
	for _, key := range slices.Sorted(maps.Keys(c.IAM.Existing.Roles)) {
		if !strings.HasSuffix(key, "ARN") {
			own.Add("existing.roles["+key+"]", key, "is not the key of a role's ARN", "the keys are "+strings.Join(roleKeys(), ", "))
		}
	}
	given := pulumi.String("given")
	roles := c.roleSetArgs("given")
	roles.OIDCProviderARN, roles.WorkerRoleARN = given, given
	roles.PublicZoneARN, roles.PrivateZoneARN, roles.LocalZoneARN = given, given, given
	if c.Management != "" && roles.KMSKeyARN == "" {
		roles.KMSKeyARN = "arn:aws:kms:us-east-1:123456789012:key/given"
	}
	own = append(own, under("", fault.In(roles.Validate()),
		"existing", "permissionsBoundary", "path", "roleNamePrefix", "extraPolicies", "sharedRole")...)
	own = append(own, under("", fault.In(c.workerProfileArgs().Validate()),
		"existing.instanceProfile", "extraPolicies["+workerPolicies+"]")...)
	if region != "" {
		own.Join("", c.IAM.validatePartition(hypershift.Partition(region)))
	}
	faults.Join("iam", own.Err())
	if tag := c.Tags[iam.ManagedPoliciesTag]; c.IAM.ManagedPolicies && tag != iam.ManagedPoliciesTagValue {
		faults.Add("tags["+iam.ManagedPoliciesTag+"]", tag, "keeps ROSA's managed policies from the cluster's resources",
			"leave the tag out, or iam.managedPolicies")
	}
	return faults.Err()
}

// validatePartition returns a fault for each ARN of another partition, in which the account is not.
func (c *IAMConfig) validatePartition(partition string) error {
	var faults fault.Faults
	if c.PermissionsBoundary != "" && iam.ValidatePolicyARN(c.PermissionsBoundary, "") == nil {
		faults.Join("permissionsBoundary", iam.ValidatePolicyARN(c.PermissionsBoundary, partition))
	}
	for _, role := range slices.Sorted(maps.Keys(c.ExtraPolicies)) {
		for i, arn := range c.ExtraPolicies[role] {
			if iam.ValidatePolicyARN(arn, "") == nil {
				faults.Join(fmt.Sprintf("extraPolicies[%s][%d]", role, i), iam.ValidatePolicyARN(arn, partition))
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Existing.Roles)) {
		arn := c.Existing.Roles[key]
		if iam.ValidateRoleARN(arn) == nil && !strings.HasPrefix(arn, "arn:"+partition+":") {
			faults.Add("existing.roles["+key+"]", arn, "is a role of another partition than "+partition, "give one of "+partition)
		}
	}
	return faults.Err()
}

// roleKeys are the keys of existing.roles.
func roleKeys() []string {
	var keys []string
	for _, name := range iam.RoleNames() {
		keys = append(keys, string(name)+"ARN")
	}
	return keys
}

// existingIAM lists what the config of roles refers to as existing.
func (c *ClusterConfig) existingIAM(m *Management) []Existing {
	var existing []Existing
	if !c.takesIssuer() || m != nil {
		if m == nil {
			m = &Management{}
		}
		roles := map[string][]iam.RoleName{}
		for key, arn := range c.IAM.Existing.Roles {
			roles[arn] = append(roles[arn], iam.RoleName(strings.TrimSuffix(key, "ARN")))
		}
		issuer := c.oidcProviderArgs(*m).Issuer()
		for _, arn := range slices.Sorted(maps.Keys(roles)) {
			account, _, _ := strings.Cut(arn, ":role/")
			provider := account + ":oidc-provider/" + strings.TrimPrefix(issuer, "https://")
			existing = append(existing, Existing{
				Kind: ExistingRole, Name: arn, Document: iam.TrustPolicy(provider, issuer, roles[arn]...).JSON(),
			})
		}
	}
	if name := c.IAM.Existing.InstanceProfile; name != "" {
		existing = append(existing, Existing{Kind: ExistingInstanceProfile, Name: name})
	}
	policies := []string{c.IAM.PermissionsBoundary}
	for _, role := range slices.Sorted(maps.Keys(c.IAM.ExtraPolicies)) {
		policies = append(policies, c.IAM.ExtraPolicies[role]...)
	}
	for i, arn := range policies {
		if arn != "" && !strings.Contains(arn, ":iam::aws:") && !slices.Contains(policies[:i], arn) {
			existing = append(existing, Existing{Kind: ExistingPolicy, Name: arn})
		}
	}
	return existing
}

func (c *IAMConfig) roleOptions() iam.RoleOptions {
	return iam.RoleOptions{
		RoleNamePrefix:      c.RoleNamePrefix,
		Path:                c.Path,
		PermissionsBoundary: c.PermissionsBoundary,
		ManagedPolicies:     c.ManagedPolicies,
	}
}

func (c *ClusterConfig) workerProfileArgs() *iam.WorkerProfileArgs {
	return &iam.WorkerProfileArgs{
		Cluster:       c.cluster(),
		RoleOptions:   c.IAM.roleOptions(),
		ExtraPolicies: c.IAM.ExtraPolicies[workerPolicies],
		Existing:      c.IAM.Existing.InstanceProfile,
	}
}

// roleSetArgs are those of the role set that the config gives.
func (c *ClusterConfig) roleSetArgs(issuerURL string) *iam.RoleSetArgs {
	args := &iam.RoleSetArgs{
		Cluster:               c.cluster(),
		EndpointAccess:        c.EndpointAccess,
		IssuerURL:             pulumi.String(issuerURL),
		RoleOptions:           c.IAM.roleOptions(),
		Karpenter:             c.IAM.Karpenter,
		SpotServiceLinkedRole: c.IAM.SpotServiceLinkedRole,
		SharedRole:            c.IAM.SharedRole,
		ExtraPolicies:         map[iam.RoleName][]string{},
		Existing:              map[iam.RoleName]string{},
	}
	if c.KMSKeyARN != NoKMSKey {
		args.KMSKeyARN = c.KMSKeyARN
	}
	for role, arns := range c.IAM.ExtraPolicies {
		if role != workerPolicies {
			args.ExtraPolicies[iam.RoleName(role)] = arns
		}
	}
	for key, arn := range c.IAM.Existing.Roles {
		if name, ok := strings.CutSuffix(key, "ARN"); ok {
			args.Existing[iam.RoleName(name)] = arn
		}
	}
	return args
}
