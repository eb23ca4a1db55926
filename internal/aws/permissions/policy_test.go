package permissions

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func TestEveryActionIsOneOfAService(t *testing.T) {
	t.Parallel()
	for _, token := range Tokens() {
		list, _ := grants(token)
		for _, g := range list {
			for _, action := range g.Actions {
				require.Regexp(t, regexp.MustCompile(`^(ec2|elasticloadbalancing|iam|route53|kms|s3|cloudfront|sqs|events|sns|logs|ram|ssm):[A-Z][A-Za-z0-9]+$`), action, token)
			}
		}
	}
}

// in returns a need in us-east-1 of an account that the config names.
func in(token string, inputs map[string]any) Need {
	return Need{
		Token:        token,
		Account:      "111111111111",
		AccountNamed: true,
		Region:       "us-east-1",
		Partition:    "aws",
		Inputs:       inputs,
	}
}

func policiesOf(t *testing.T, needs ...Need) []policy.Needed {
	t.Helper()
	policies, err := Policies(needs)
	require.NoError(t, err)
	return policies
}

// resourcesOf returns the resources that an action is allowed on.
func resourcesOf(policies []policy.Needed, action string) []string {
	var resources []string
	for _, p := range policies {
		for _, s := range p.Document.Statement {
			for _, a := range s.Action {
				if a == action {
					resources = append(resources, s.Resource...)
				}
			}
		}
	}
	return resources
}

func TestARoleIsNamedWithItsPath(t *testing.T) {
	t.Parallel()
	policies := policiesOf(t,
		in(awstype.Role, map[string]any{"name": "demo-ingress", "path": "/team/"}),
		in("aws:iam/rolePolicy:RolePolicy", map[string]any{"role": "demo-ingress"}),
		in("aws:iam/rolePolicyAttachment:RolePolicyAttachment", map[string]any{
			"role":      "demo-ingress",
			"policyArn": "arn:aws:iam::aws:policy/X",
		}),
		in("aws:iam/instanceProfile:InstanceProfile", map[string]any{
			"name": "demo",
			"path": "/team/",
			"role": "demo-ingress",
		}))
	const role = "arn:aws:iam::111111111111:role/team/demo-ingress"
	for _, action := range []string{"iam:CreateRole", "iam:PutRolePolicy", "iam:AttachRolePolicy", "iam:PassRole"} {
		require.Equal(t, []string{role}, resourcesOf(policies, action), action)
	}
	require.Equal(t, []string{"arn:aws:iam::111111111111:instance-profile/team/demo"},
		resourcesOf(policies, "iam:CreateInstanceProfile"))
	require.Contains(t, policies[0].Document.JSON(), `"Condition":{"ArnEquals":{"iam:PolicyARN":["arn:aws:iam::aws:policy/X"]}}`)
	require.Contains(t, policies[0].Document.JSON(), `"iam:PassedToService":["ec2.amazonaws.com","ec2.amazonaws.com.cn"]`)
}

func TestAPoolOfAddressesIsNamedWhoeverOwnsIt(t *testing.T) {
	t.Parallel()
	const pool = "ipam-pool-0123456789abcdef0"
	policies := policiesOf(t, in("aws:ec2/getIpamPreviewNextCidr:getIpamPreviewNextCidr",
		map[string]any{"ipamPoolId": pool}))
	require.Equal(t, []string{"arn:aws:ec2::*:ipam-pool/" + pool}, resourcesOf(policies, "ec2:AllocateIpamPoolCidr"))
}

func TestAnUnknownNameAllowsAnyNameOfTheStack(t *testing.T) {
	t.Parallel()
	policies := policiesOf(t,
		in(awstype.Bucket, map[string]any{"bucket": "one"}), in(awstype.Bucket, map[string]any{"bucket": "two"}),
		in("aws:s3/bucketPolicy:BucketPolicy", nil))
	require.Equal(t, []string{"arn:aws:s3:::one", "arn:aws:s3:::two"}, resourcesOf(policies, "s3:PutBucketPolicy"))
	policies = policiesOf(t, in("aws:s3/bucketPolicy:BucketPolicy", map[string]any{"bucket": "elsewhere"}))
	require.Equal(t, []string{"arn:aws:s3:::elsewhere"}, resourcesOf(policies, "s3:PutBucketPolicy"))
}

func TestStatementsOnAllResourcesAreLimitedToTheRegion(t *testing.T) {
	t.Parallel()
	policies := policiesOf(t, in("aws:ec2/vpc:Vpc", nil), in("aws:route53/getZone:getZone", nil))
	for _, s := range policies[0].Document.Statement {
		if s.Resource[0] != "*" {
			continue
		}
		if strings.HasPrefix(s.Action[0], "ec2:") {
			require.Equal(t, policy.Condition{"StringEquals": {"aws:RequestedRegion": {"us-east-1"}}}, s.Condition)
		} else {
			require.Empty(t, s.Condition, "Route 53 has no regions")
		}
	}
}

func TestEachAccountHasPoliciesOfItsOwn(t *testing.T) {
	t.Parallel()
	abroad := in(awstype.Role, map[string]any{"name": "shared", "path": "/"})
	abroad.Account = "222222222222"
	unnamed := in(awstype.Role, map[string]any{"name": "own", "path": "/"})
	unnamed.Account, unnamed.AccountNamed = "123456789012", false
	policies := policiesOf(t, abroad, unnamed)
	require.Len(t, policies, 2)
	require.Empty(t, policies[0].Account, "an account that the config does not name")
	require.Equal(t, []string{"arn:aws:iam::*:role/own"}, resourcesOf(policies[:1], "iam:CreateRole"))
	require.Equal(t, "222222222222", policies[1].Account)
	require.Equal(t, []string{"arn:aws:iam::222222222222:role/shared"}, resourcesOf(policies[1:], "iam:CreateRole"))
}

func TestPoliciesOfAnySizeAreSplitAndLoseNothing(t *testing.T) {
	t.Parallel()
	var needs []Need
	for i := range 400 {
		needs = append(needs, in(awstype.Role, map[string]any{
			"name": fmt.Sprintf("a-role-of-some-length-%d", i),
			"path": "/",
		}))
	}
	policies := policiesOf(t, needs...)
	require.Greater(t, len(policies), 1)
	for _, p := range policies {
		require.LessOrEqual(t, len(p.Document.JSON()), MaxPolicySize)
	}
	require.Len(t, unique(resourcesOf(policies, "iam:CreateRole")), 400)
	require.Len(t, unique(resourcesOf(policies, "iam:DeleteRole")), 400)
}

func TestThePoliciesOfAStackDoNotDependOnTheOrderOfItsNeeds(t *testing.T) {
	t.Parallel()
	one, other := in("aws:ec2/vpc:Vpc", nil), in(awstype.Role, map[string]any{"name": "r", "path": "/"})
	require.Equal(t, policiesOf(t, one, other), policiesOf(t, other, one))
}

func TestATypeWithoutPermissionsIsRefused(t *testing.T) {
	t.Parallel()
	_, err := Policies([]Need{in("aws:lambda/function:Function", nil)})
	require.ErrorContains(t, err, "the IAM permissions for aws:lambda/function:Function are unknown")
}

func TestTheDocsHaveTheReasonOfEveryServiceOnAllResources(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/appendix/policies.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "## The policies of `hypershift-aws permissions`")
	require.True(t, found)
	var documented []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z0-9]+) \| .{10,} \|$`).FindAllStringSubmatch(section, -1) {
		if row[1] != "service" {
			documented = append(documented, row[1])
		}
	}
	var granted []string
	for _, token := range Tokens() {
		list, _ := grants(token)
		for _, g := range list {
			for _, action := range g.Actions {
				if service, _, _ := strings.Cut(action, ":"); g.On.Everything() {
					granted = append(granted, service)
				}
			}
		}
	}
	require.Equal(t, unique(granted), documented)
}
