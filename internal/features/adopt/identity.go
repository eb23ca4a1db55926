package adopt

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

var bucketIssuer = regexp.MustCompile(`^([a-z0-9][a-z0-9-]+)\.s3\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?/(.+)$`)

var keyARN = regexp.MustCompile(`arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+`)

// rosaPolicy is part of the ARNs of AWS managed policies for ROSA.
const rosaPolicy = ":iam::aws:policy/service-role/ROSA"

// identity finds the issuer, the key and the options of the roles.
func (c *Cluster) identity(ctx context.Context, s *Survey) error {
	match := bucketIssuer.FindStringSubmatch(s.issuer)
	switch {
	case s.Management != "" && "https://"+s.issuer == s.IssuerBaseURL+"/"+s.InfraID:
		c.Management = s.Management
	case match != nil && match[3] == s.InfraID:
		c.OIDC.BucketName, c.OIDC.BucketRegion = pulumi.String(match[1]), pulumi.String(match[2])
	case s.issuer != "":
		c.OIDC.IssuerURL = pulumi.String("https://" + s.issuer)
		c.Unsure["oidc"] = "the issuer is not in a bucket: its OIDC provider is used, and stays outside the stack; use --management if a management stack has it"
	default:
		c.OIDC.BucketName = pulumi.String("oidc-bucket")
		c.Unsure["oidc"] = "there is no OIDC provider whose issuer ends in /" + s.InfraID + ": use its bucket"
	}
	c.Management = s.Management
	for _, name := range s.sortedNames() {
		c.readRole(ctx, s, s.roles[name])
	}
	if s.IAM != nil && s.IAM.KMSKeyARN != "" {
		c.kmsKey = s.IAM.KMSKeyARN
	}
	switch {
	case c.kmsKey == "" && c.Management != "" && s.hasNoKMSRole():
		c.KMSKeyARN = pulumi.String(config.NoKMSKey) // otherwise the cluster would take the management stack's
	case c.kmsKey != s.KMSKeyARN: // otherwise it is the management stack's
		c.KMSKeyARN = pulumi.String(c.kmsKey)
	}
	return nil
}

// hasNoKMSRole reports whether the cluster's roles were found, and none of them is for a KMS key.
func (s *Survey) hasNoKMSRole() bool {
	for name := range s.roles {
		if kind, _ := splitRoleName(name); kind == iam.RoleKMSProvider {
			return false
		}
	}
	return len(s.roles) > 0
}

// readRole derives the options of all roles from one role.
func (c *Cluster) readRole(ctx context.Context, s *Survey, role inventory.Resource) {
	name := role.Text("name")
	kind, shared := kindOf(name)
	if kind == "" && !shared {
		return
	}
	_, prefix := splitRoleName(name)
	if shared {
		c.IAM.SharedRole, prefix = true, strings.TrimSuffix(name, "-"+iam.SharedRoleSuffix)
	}
	if prefix != s.InfraID && kind != iam.RoleWorker {
		c.IAM.RoleNamePrefix = prefix
	}
	if path := role.Text("path"); path != "/" {
		c.IAM.Path = path
	}
	if boundary := role.Text("permissionsBoundary"); boundary != "" {
		c.IAM.PermissionsBoundary = pulumi.String(boundary)
	}
	c.IAM.Karpenter = c.IAM.Karpenter || kind == iam.RoleKarpenter
	for _, a := range s.list(ctx, s.account, awstype.RolePolicyAttachment, map[string]any{"role": name}) {
		if a.Text("role") != name {
			continue
		}
		arn := a.Text("policyArn")
		if strings.Contains(arn, rosaPolicy) {
			c.IAM.ManagedPolicies = true
			continue
		}
		extra := kind
		if extra == "" {
			extra = iam.RoleIngress // the one role has the policies of all
		}
		c.IAM.ExtraPolicies[extra] = append(c.IAM.ExtraPolicies[extra], arn)
	}
	if kind == iam.RoleKMSProvider || shared {
		for _, p := range s.list(ctx, s.account, awstype.RolePolicy, map[string]any{"role": name}) {
			if p.Text("role") == name {
				if arn := keyARN.FindString(p.Text("policy")); arn != "" {
					c.kmsKey = arn
				}
			}
		}
	}
}

// kindOf returns the kind of role that a name belongs to, "" for none, and whether it is that of one role for all
// kinds.
func kindOf(name string) (kind iam.RoleName, shared bool) {
	kind, _ = splitRoleName(name)
	return kind, kind == "" && strings.HasSuffix(name, "-"+iam.SharedRoleSuffix)
}

// splitRoleName returns the kind of role that a name belongs to, and the prefix before its suffix.
func splitRoleName(name string) (iam.RoleName, string) {
	for _, kind := range append(iam.RoleNames(), iam.RoleWorker) {
		if prefix, is := strings.CutSuffix(name, "-"+kind.Suffix()); is {
			return kind, prefix
		}
	}
	return "", ""
}

// tags returns the common tags of VPC, subnets and roles, without those that a stack sets itself.
func (c *Cluster) tags(_ context.Context, s *Survey) error {
	common := map[string]string{}
	for key, value := range s.VPC.Tags {
		everywhere := !slices.ContainsFunc(s.Subnets, func(r inventory.Resource) bool {
			return s.owns(r) && r.Tags[key] != value
		})
		own := key == iam.ManagedPoliciesTag && c.IAM.ManagedPolicies
		if everywhere && !own && hypershift.ValidateTags(map[string]string{key: value}) == nil {
			common[key] = value
		}
	}
	c.Tags = common
	return nil
}
