package iam

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func getOIDCProvider(c *aws.Call, args iam.LookupOpenIdConnectProviderArgs) (*iam.LookupOpenIdConnectProviderResult, error) {
	for _, rec := range c.All(awstype.OIDCProvider) {
		s := rec.State
		if rec.ID == aws.Deref(args.Arn) || args.Url != nil && s["url"] == props.AsURL.Of(*args.Url) {
			return &iam.LookupOpenIdConnectProviderResult{Id: rec.ID, Arn: rec.ID, Url: s.String("url"),
				ClientIdLists: s.Strings("clientIdLists"), ThumbprintLists: s.Strings("thumbprintLists"), Tags: aws.TagsOf(s)}, nil
		}
	}
	if arn := aws.Deref(args.Arn); arn != "" {
		return nil, fmt.Errorf("reading IAM OIDC Provider (%s): %w", arn,
			c.Types.Kinds[awstype.OIDCProvider].NotFound.For(arn))
	}
	return nil, fmt.Errorf("finding IAM OIDC Provider by url (%s): not found", aws.Deref(args.Url))
}

func lookupFunctions() []*aws.Function {
	return []*aws.Function{
		aws.NewFunction("aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider", getOIDCProvider),
		aws.NewFunction("aws:iam/getRole:getRole", getRole),
		aws.NewFunction("aws:iam/getRoles:getRoles", getRoles),
		aws.NewFunction("aws:iam/getInstanceProfile:getInstanceProfile", getInstanceProfile),
		aws.NewFunction("aws:iam/getPolicy:getPolicy", getPolicy),
	}
}

// roles returns the account's roles, including service-linked ones.
func roles(c *aws.Call) []*store.Record {
	return slices.Concat(c.All(awstype.Role), c.All(awstype.ServiceLinkedRole))
}

func getRole(c *aws.Call, args iam.LookupRoleArgs) (*iam.LookupRoleResult, error) {
	for _, rec := range roles(c) {
		s := rec.State
		if !sameFold(s.String("name"), args.Name) {
			continue
		}
		return &iam.LookupRoleResult{Id: s.String("name"), Name: s.String("name"), Arn: s.String("arn"), Path: s.String("path"),
			AssumeRolePolicy: s.String("assumeRolePolicy"), CreateDate: s.String("createDate"), Description: s.String("description"),
			MaxSessionDuration: 3600, PermissionsBoundary: s.String("permissionsBoundary"), UniqueId: s.String("uniqueId"),
			Tags: aws.TagsOf(s)}, nil
	}
	return nil, fmt.Errorf("reading IAM Role (%s): operation error IAM: GetRole, api error %w", args.Name,
		c.Types.Kinds[awstype.Role].NotFound.For(args.Name))
}

func getRoles(c *aws.Call, args iam.GetRolesArgs) (*iam.GetRolesResult, error) {
	pattern, err := regexp.Compile(aws.Deref(args.NameRegex))
	if err != nil {
		return nil, fmt.Errorf("reading IAM Roles: nameRegex: %w", err)
	}
	result := &iam.GetRolesResult{Id: c.Region, NameRegex: args.NameRegex, PathPrefix: args.PathPrefix,
		Arns: []string{}, Names: []string{}}
	for _, rec := range roles(c) {
		s := rec.State
		if strings.HasPrefix(s.String("path"), aws.Deref(args.PathPrefix)) && pattern.MatchString(s.String("name")) {
			result.Arns, result.Names = append(result.Arns, s.String("arn")), append(result.Names, s.String("name"))
		}
	}
	return result, nil
}

func getInstanceProfile(c *aws.Call, args iam.LookupInstanceProfileArgs) (*iam.LookupInstanceProfileResult, error) {
	rec := c.Find(awstype.InstanceProfile, args.Name)
	if rec == nil {
		return nil, fmt.Errorf("reading IAM Instance Profile (%s): operation error IAM: GetInstanceProfile, api error %w",
			args.Name, c.Types.Kinds[awstype.InstanceProfile].NotFound.For(args.Name))
	}
	s := rec.State
	result := &iam.LookupInstanceProfileResult{Id: rec.ID, Name: rec.ID, Arn: s.String("arn"), Path: s.String("path"),
		CreateDate: s.String("createDate")}
	if role := c.Find(awstype.Role, s.String("role")); role != nil {
		result.RoleName, result.RoleArn, result.RoleId = role.ID, role.State.String("arn"), role.State.String("uniqueId")
	}
	return result, nil
}

// getPolicy finds a policy of the account or an AWS managed policy. The latter have no document here.
func getPolicy(c *aws.Call, args iam.LookupPolicyArgs) (*iam.LookupPolicyResult, error) {
	if aws.Deref(args.Arn) == "" && aws.Deref(args.Name) == "" {
		return nil, errors.New("one of `arn,name` must be specified")
	}
	if arn := aws.Deref(args.Arn); existsInPartition(c, arn) {
		path, name := SplitName(arn[strings.Index(arn, ":policy/")+len(":policy"):])
		return &iam.LookupPolicyResult{Id: arn, Arn: arn, Name: name, Path: path, Policy: "{}",
			PolicyId: ids.StableCode("ANPA", arn), Tags: map[string]string{}}, nil
	}
	for _, rec := range c.All(awstype.Policy) {
		s := rec.State
		if rec.ID == aws.Deref(args.Arn) || aws.Deref(args.Arn) == "" && s.String("name") == aws.Deref(args.Name) {
			return &iam.LookupPolicyResult{Id: rec.ID, Arn: rec.ID, Name: s.String("name"), Path: s.String("path"),
				Description: s.String("description"), Policy: s.String("policy"), PolicyId: s.String("policyId"), Tags: aws.TagsOf(s)}, nil
		}
	}
	return nil, fmt.Errorf("reading IAM Policy (%s): %w", cmp.Or(aws.Deref(args.Arn), aws.Deref(args.Name)),
		c.Types.Kinds[awstype.Policy].NotFound.For(cmp.Or(aws.Deref(args.Arn), aws.Deref(args.Name))))
}

// existsInPartition reports whether an AWS managed policy exists for the account: each partition has its own, and China has no ROSA.
func existsInPartition(c *aws.Call, arn string) bool {
	if c.Partition == "aws-cn" && strings.Contains(arn, ":policy/service-role/ROSA") {
		return false
	}
	return aws.ManagedByAWS(arn) && strings.HasPrefix(arn, "arn:"+c.Partition+":")
}

// SplitName splits a path into directory and name.
func SplitName(path string) (dir, name string) {
	i := strings.LastIndex(path, "/")
	return path[:i+1], path[i+1:]
}
