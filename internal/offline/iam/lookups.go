package iam

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func getOIDCProvider(
	c *aws.Call,
	args iam.LookupOpenIdConnectProviderArgs,
) (*iam.LookupOpenIdConnectProviderResult, error) {
	for _, rec := range c.All(awstype.OIDCProvider) {
		if rec.ID == aws.Deref(args.Arn) || args.Url != nil && rec.State["url"] == props.AsURL.Of(*args.Url) {
			return aws.Describe[iam.LookupOpenIdConnectProviderResult](c, rec, props.Map{"arn": rec.ID})
		}
	}
	if arn := aws.Deref(args.Arn); arn != "" {
		return nil, fmt.Errorf("reading IAM OIDC Provider (%s): %w", arn,
			c.Types.Kinds[awstype.OIDCProvider].NotFound.For(arn))
	}
	return nil, fmt.Errorf("finding IAM OIDC Provider by url (%s): not found", aws.Deref(args.Url))
}

// Functions returns the functions that look up IAM's resources.
func Functions() []*aws.Function {
	return []*aws.Function{
		aws.NewFunction("aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider", getOIDCProvider),
		aws.NewFunction("aws:iam/getRole:getRole", getRole),
		aws.NewFunction("aws:iam/getRoles:getRoles", getRoles),
		aws.NewFunction("aws:iam/getInstanceProfile:getInstanceProfile", getInstanceProfile),
		aws.NewFunction("aws:iam/getPolicy:getPolicy", getPolicy),
	}
}

// roles returns the account's roles, including service-linked ones.
func roles(c *aws.Call) []*store.Entry {
	return slices.Concat(c.All(awstype.Role), c.All(awstype.ServiceLinkedRole))
}

func getRole(c *aws.Call, args iam.LookupRoleArgs) (*iam.LookupRoleResult, error) {
	for _, rec := range roles(c) {
		if name := rec.State["name"]; sameFold(rec.State.String("name"), args.Name) {
			return aws.Describe[iam.LookupRoleResult](c, rec, props.Map{"id": name, "maxSessionDuration": 3600.0})
		}
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
	further := props.Map{"name": rec.ID}
	if role := c.Find(awstype.Role, rec.State.String("role")); role != nil {
		further["roleName"], further["roleArn"], further["roleId"] = role.ID, role.State["arn"], role.State["uniqueId"]
	}
	return aws.Describe[iam.LookupInstanceProfileResult](c, rec, further)
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
		if rec.ID == aws.Deref(args.Arn) || aws.Deref(args.Arn) == "" && aws.Matches(rec.State, "name", args.Name) {
			return aws.Describe[iam.LookupPolicyResult](c, rec, props.Map{"arn": rec.ID})
		}
	}
	return nil, fmt.Errorf("reading IAM Policy (%s): %w", cmp.Or(aws.Deref(args.Arn), aws.Deref(args.Name)),
		c.Types.Kinds[awstype.Policy].NotFound.For(cmp.Or(aws.Deref(args.Arn), aws.Deref(args.Name))))
}

// existsInPartition reports whether an AWS managed policy exists for the account: each partition has its own, and China
// has no ROSA.
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
