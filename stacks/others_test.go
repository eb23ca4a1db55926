package stacks

import (
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
)

func TestWhatOthersAddedToASharedListStays(t *testing.T) {
	t.Parallel()
	state := map[string]lastResource{
		"urn:pulumi:a::b::aws:ec2/vpc:Vpc::vpc": {Type: "aws:ec2/vpc:Vpc", Outputs: map[string]any{
			"arn": "arn:aws:ec2:us-east-1:123456789012:vpc/vpc-own",
		}},
	}
	own := route53.ZoneVpcArray{route53.ZoneVpcArgs{VpcId: pulumi.String("vpc-own")}}
	require.Equal(t, route53.ZoneVpcArrayInput(own), withOtherVPCs(own, map[string]any{
		"vpcs": []any{map[string]any{"vpcId": "vpc-own", "vpcRegion": "us-east-1"}},
	}, state))
	all := make(chan []route53.ZoneVpc, 1)
	withOtherVPCs(own, map[string]any{"vpcs": []any{
		map[string]any{"vpcId": "vpc-hub", "vpcRegion": "eu-west-1"}, map[string]any{"vpcId": "vpc-own"},
	}}, state).(route53.ZoneVpcArrayOutput).ApplyT(func(vpcs []route53.ZoneVpc) int {
		all <- vpcs
		return 0
	})
	region := "eu-west-1"
	require.Equal(t, []route53.ZoneVpc{{VpcId: "vpc-own"}, {VpcId: "vpc-hub", VpcRegion: &region}}, <-all)

	require.Equal(t, pulumi.ToStringArray([]string{"openshift", "sts.amazonaws.com", "theirs"}),
		withOtherTexts(pulumi.ToStringArray([]string{"openshift", "sts.amazonaws.com"}),
			[]any{"sts.amazonaws.com", "theirs"}))
	require.Equal(t, pulumi.ToStringMap(map[string]string{"Name": "a", "kubernetes.io/cluster/other": "shared"}),
		withOtherClusters(pulumi.ToStringMap(map[string]string{"Name": "a"}),
			map[string]any{"Name": "b", "kubernetes.io/cluster/other": "shared", "kubernetes.io/cluster/further": "shared",
				"cost": "1"}, map[string]lastResource{"urn:pulumi:a::b::pulumi:pulumi:Stack::b-a": {
				Type: "pulumi:pulumi:Stack", Outputs: map[string]any{"clusters": []any{"further"}},
			}}), "a cluster that the file no longer lists loses its tag")
}
