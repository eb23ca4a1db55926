package lives

import (
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestARuleAddedToTheDefaultSecurityGroupIsRemovedByTheUpdateAfterARefresh(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	stack.Configure(stackfile.Network(hypershift.Private, "zones: [us-east-1a], nat: Single"))
	stack.Up()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	group := outputs["defaultSecurityGroupID"].Value.(string)
	somebody := enginetest.New(t, func(ctx *pulumi.Context) error {
		_, err := vpc.NewSecurityGroupIngressRule(ctx, "ssh", &vpc.SecurityGroupIngressRuleArgs{
			SecurityGroupId: pulumi.String(group), IpProtocol: pulumi.String("tcp"), FromPort: pulumi.Int(22),
			ToPort:   pulumi.Int(22),
			CidrIpv4: pulumi.String("0.0.0.0/0"),
		})
		return err
	}, enginetest.Options{Project: "somebody", Beside: stack})
	somebody.Configure("config:\n  aws:region: us-east-1\n")
	somebody.Up()

	require.Len(t, stack.Refresh(), 1, "the group differs")
	changes := stack.Up()
	require.Equal(t, []string{"aws:ec2/defaultSecurityGroup:DefaultSecurityGroup network-default"},
		changes.Of(apitype.OpUpdate))
	require.Len(t, changes, 1)
	for _, resource := range stack.Resources() {
		require.NotEqual(t, "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", resource.Type)
	}
	require.Empty(t, stack.Refresh())
}
