package offline

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
)

func iamFunctions() []*function {
	return []*function{
		answering("aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider", getOIDCProvider),
		answering("aws:iam/getRole:getRole", getRole),
		answering("aws:iam/getRoles:getRoles", getRoles),
		answering("aws:iam/getInstanceProfile:getInstanceProfile", getInstanceProfile),
		answering("aws:iam/getPolicy:getPolicy", getPolicy),
	}
}

// roles are those of the account, the services' own among them.
func (c *call) roles() []*record {
	return slices.Concat(c.all(roleToken), c.all(serviceLinkedRoleToken))
}

func getRole(c *call, args iam.LookupRoleArgs) (*iam.LookupRoleResult, error) {
	for _, rec := range c.roles() {
		s := rec.State
		if !sameFold(s.text("name"), args.Name) {
			continue
		}
		return &iam.LookupRoleResult{Id: s.text("name"), Name: s.text("name"), Arn: s.text("arn"), Path: s.text("path"),
			AssumeRolePolicy: s.text("assumeRolePolicy"), CreateDate: s.text("createDate"), Description: s.text("description"),
			MaxSessionDuration: 3600, PermissionsBoundary: s.text("permissionsBoundary"), UniqueId: s.text("uniqueId"),
			Tags: tagsOf(s)}, nil
	}
	return nil, fmt.Errorf("reading IAM Role (%s): operation error IAM: GetRole, api error %w", args.Name,
		c.types.kinds[roleToken].missing.about(args.Name))
}

func getRoles(c *call, args iam.GetRolesArgs) (*iam.GetRolesResult, error) {
	pattern, err := regexp.Compile(deref(args.NameRegex))
	if err != nil {
		return nil, fmt.Errorf("reading IAM Roles: nameRegex: %w", err)
	}
	result := &iam.GetRolesResult{Id: c.region, NameRegex: args.NameRegex, PathPrefix: args.PathPrefix,
		Arns: []string{}, Names: []string{}}
	for _, rec := range c.roles() {
		s := rec.State
		if strings.HasPrefix(s.text("path"), deref(args.PathPrefix)) && pattern.MatchString(s.text("name")) {
			result.Arns, result.Names = append(result.Arns, s.text("arn")), append(result.Names, s.text("name"))
		}
	}
	return result, nil
}

func getInstanceProfile(c *call, args iam.LookupInstanceProfileArgs) (*iam.LookupInstanceProfileResult, error) {
	rec := c.find(profileToken, args.Name)
	if rec == nil {
		return nil, fmt.Errorf("reading IAM Instance Profile (%s): operation error IAM: GetInstanceProfile, api error %w",
			args.Name, c.types.kinds[profileToken].missing.about(args.Name))
	}
	s := rec.State
	result := &iam.LookupInstanceProfileResult{Id: rec.ID, Name: rec.ID, Arn: s.text("arn"), Path: s.text("path"),
		CreateDate: s.text("createDate")}
	if role := c.find(roleToken, s.text("role")); role != nil {
		result.RoleName, result.RoleArn, result.RoleId = role.ID, role.State.text("arn"), role.State.text("uniqueId")
	}
	return result, nil
}

// getPolicy finds a policy of the account or one of AWS's own. Of the latter the account knows no document.
func getPolicy(c *call, args iam.LookupPolicyArgs) (*iam.LookupPolicyResult, error) {
	if deref(args.Arn) == "" && deref(args.Name) == "" {
		return nil, errors.New("one of `arn,name` must be specified")
	}
	if arn := deref(args.Arn); c.reaches(arn) {
		path, name := splitName(arn[strings.Index(arn, ":policy/")+len(":policy"):])
		return &iam.LookupPolicyResult{Id: arn, Arn: arn, Name: name, Path: path, Policy: "{}",
			PolicyId: stableCode("ANPA", arn), Tags: map[string]string{}}, nil
	}
	for _, rec := range c.all(policyToken) {
		s := rec.State
		if rec.ID == deref(args.Arn) || deref(args.Arn) == "" && s.text("name") == deref(args.Name) {
			return &iam.LookupPolicyResult{Id: rec.ID, Arn: rec.ID, Name: s.text("name"), Path: s.text("path"),
				Description: s.text("description"), Policy: s.text("policy"), PolicyId: s.text("policyId"), Tags: tagsOf(s)}, nil
		}
	}
	return nil, fmt.Errorf("reading IAM Policy (%s): %w", cmp.Or(deref(args.Arn), deref(args.Name)),
		c.types.kinds[policyToken].missing.about(cmp.Or(deref(args.Arn), deref(args.Name))))
}

// reaches says whether one of AWS's own policies is there for the account: each partition has its own, and
// China has no ROSA.
func (c *call) reaches(arn string) bool {
	if c.partition == "aws-cn" && strings.Contains(arn, ":policy/service-role/ROSA") {
		return false
	}
	return managedByAWS(arn) && strings.HasPrefix(arn, "arn:"+c.partition+":")
}

// splitName takes the name from the end of a path.
func splitName(path string) (dir, name string) {
	i := strings.LastIndex(path, "/")
	return path[:i+1], path[i+1:]
}
