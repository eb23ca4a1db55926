package account

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func TestAnImportIDIsComposedOfTheInputs(t *testing.T) {
	t.Parallel()
	place := inventory.Place{Partition: "aws", Account: "123456789012", Region: "us-east-1"}
	for want, q := range map[string]Query{
		"demo-worker": {Type: "aws:iam/role:Role", Inputs: map[string]any{"name": "demo-worker"}},
		"demo:demo": {
			Type:   "aws:iam/rolePolicy:RolePolicy",
			Inputs: map[string]any{"role": "demo", "name": "demo"},
		},
		"rtb-1_0.0.0.0/0": {
			Type:   "aws:ec2/route:Route",
			Inputs: map[string]any{"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0"},
		},
		"subnet-1/rtb-1": {
			Type:   "aws:ec2/routeTableAssociation:RouteTableAssociation",
			Inputs: map[string]any{"routeTableId": "rtb-1", "subnetId": "subnet-1"},
		},
		"Z1_api.demo.test_CNAME": {
			Type:   "aws:route53/record:Record",
			Inputs: map[string]any{"zoneId": "Z1", "name": "api.demo.test", "type": "CNAME"},
		},
		"arn:aws:iam::123456789012:oidc-provider/b.s3.amazonaws.com/demo": {
			Type:   "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
			Inputs: map[string]any{"url": "https://b.s3.amazonaws.com/demo"}},
		"Z1:vpc-1:eu-west-1": {Type: "aws:route53/zoneAssociation:ZoneAssociation",
			Inputs: map[string]any{"zoneId": "Z1", "vpcId": "vpc-1", "vpcRegion": "eu-west-1"}},
		"https://sqs.us-east-1.amazonaws.com/123456789012/demo": {
			Type:   "aws:sqs/queue:Queue",
			Inputs: map[string]any{"name": "demo"},
		},
	} {
		require.Equal(t, want, q.ImportID(place))
	}
	require.Empty(t, Query{Type: "aws:iam/role:Role"}.ImportID(place), "a name that is not given")
}

// TestATypeWithoutTagsIsPartOfSomething: without tags, only the resource that it is part of identifies its owner.
func TestATypeWithoutTagsIsPartOfSomething(t *testing.T) {
	t.Parallel()
	for _, info := range awstype.All() {
		if len(info.Find.ImportID) > 0 {
			taggable := slices.ContainsFunc(slices.Concat(info.Permissions.Create, info.Permissions.Update),
				func(action string) bool {
					return strings.Contains(action, "Tag")
				})
			require.Equal(t, taggable, len(info.Find.PartOf) == 0, info.Token)
		}
	}
}

func TestAResourceIsNotSearchedForByTagsThatUsersChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		token      string
		key, value string
		findable   bool
	}{
		{token: awstype.VPC, key: "team", value: "platform"},
		{token: awstype.VPC, key: "kubernetes.io/cluster/demo-x1", value: "owned", findable: true},
		{token: awstype.VPC, key: "kubernetes.io/cluster/demo-x1", value: "shared"},
		{token: "aws:kms/key:Key", key: "team", value: "platform"},
		{
			token:    "aws:kms/key:Key",
			key:      "hypershift-aws/stack",
			value:    "hypershift-aws/management/oidc-bucket",
			findable: true,
		},
		{token: awstype.Role, key: "team", value: "platform"},
		{token: awstype.Role, key: "hypershift.openshift.io/infra-id", value: "demo-x1", findable: true},
	} {
		q := Query{Type: c.token, Inputs: map[string]any{"tagsAll": map[string]any{c.key: c.value}}}
		require.Equal(t, c.findable, q.Findable(), "%s with %s=%s", c.token, c.key, c.value)
	}
	require.False(t, Query{Type: awstype.VPC}.Searched(), "without tags it would find everybody's")
}

func TestATypeThatCannotBeSearchedHasARemedy(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"aws:iam/accessKey:AccessKey",
		"aws:cloudfront/originAccessControl:OriginAccessControl"} {
		q := Query{Type: token, Inputs: map[string]any{"tags": map[string]any{"a": "b"}}}
		require.False(t, q.Findable(), token)
		require.NotEqual(t, Query{Type: "aws:x/y:Y"}.Remedy(), q.Remedy(), token)
	}
}
