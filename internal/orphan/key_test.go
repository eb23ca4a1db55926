package orphan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnImportIDFollowsFromWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	place := Place{Partition: "aws", Account: "123456789012", Region: "us-east-1"}
	for want, trace := range map[string]Trace{
		"demo-worker":            {Type: "aws:iam/role:Role", Inputs: map[string]any{"name": "demo-worker"}},
		"demo:demo":              {Type: "aws:iam/rolePolicy:RolePolicy", Inputs: map[string]any{"role": "demo", "name": "demo"}},
		"rtb-1_0.0.0.0/0":        {Type: "aws:ec2/route:Route", Inputs: map[string]any{"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0"}},
		"subnet-1/rtb-1":         {Type: "aws:ec2/routeTableAssociation:RouteTableAssociation", Inputs: map[string]any{"routeTableId": "rtb-1", "subnetId": "subnet-1"}},
		"Z1_api.demo.test_CNAME": {Type: "aws:route53/record:Record", Inputs: map[string]any{"zoneId": "Z1", "name": "api.demo.test", "type": "CNAME"}},
		"arn:aws:iam::123456789012:oidc-provider/b.s3.amazonaws.com/demo": {
			Type: "aws:iam/openIdConnectProvider:OpenIdConnectProvider", Inputs: map[string]any{"url": "https://b.s3.amazonaws.com/demo"}},
		"Z1:vpc-1:eu-west-1": {Type: "aws:route53/zoneAssociation:ZoneAssociation",
			Inputs: map[string]any{"zoneId": "Z1", "vpcId": "vpc-1", "vpcRegion": "eu-west-1"}},
		"https://sqs.us-east-1.amazonaws.com/123456789012/demo": {Type: "aws:sqs/queue:Queue", Inputs: map[string]any{"name": "demo"}},
	} {
		require.Equal(t, want, trace.ImportID(place))
	}
	require.Empty(t, Trace{Type: "aws:iam/role:Role"}.ImportID(place), "a name that is not given")
}

func TestWhatHasNoTagsIsLookedForOnlyAsPartOfSomething(t *testing.T) {
	t.Parallel()
	taggable := map[string]bool{
		"aws:iam/role:Role": true, "aws:iam/instanceProfile:InstanceProfile": true, "aws:iam/user:User": true,
		"aws:iam/policy:Policy": true, "aws:iam/openIdConnectProvider:OpenIdConnectProvider": true,
		"aws:s3/bucketV2:BucketV2": true, "aws:s3/bucket:Bucket": true, "aws:sqs/queue:Queue": true,
		"aws:ec2/keyPair:KeyPair": true, "aws:cloudwatch/eventRule:EventRule": true, "aws:cloudwatch/logGroup:LogGroup": true,
	}
	for token, k := range keys() {
		require.Equal(t, taggable[token], len(k.of) == 0, token)
	}
}

func TestATypeWithTagsButWithoutAnyIsNotSearchedFor(t *testing.T) {
	t.Parallel()
	require.False(t, Trace{Type: "aws:ec2/vpc:Vpc"}.Searched(), "it would find everybody's")
	require.True(t, Trace{Type: "aws:ec2/vpc:Vpc", Inputs: map[string]any{"tagsAll": map[string]any{"a": "b"}}}.Searched())
}

func TestWhatHasNeitherKeyNorTagsIsSaidToNeedSomebody(t *testing.T) {
	t.Parallel()
	for token := range unfindable() {
		trace := Trace{Type: token, Inputs: map[string]any{"tags": map[string]any{"a": "b"}}}
		require.False(t, trace.Findable(), token)
		require.NotEqual(t, Trace{Type: "aws:x/y:Y"}.Remedy(), trace.Remedy(), token)
	}
}
