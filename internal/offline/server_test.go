package offline

import (
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestEachConnectionKeepsItsOwnConfiguration(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	here := attach(t, server, props.Map{"region": "us-east-1", "allowedAccountIds": `["111111111111"]`})
	there := attach(t, server, props.Map{"region": "eu-west-1", "allowedAccountIds": `["222222222222"]`})

	_, mine := here.create(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16"})
	_, theirs := there.create(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16"})
	require.Regexp(t, `^arn:aws:ec2:us-east-1:111111111111:vpc/vpc-0[0-9a-f]{16}$`, mine["arn"])
	require.Regexp(t, `^arn:aws:ec2:eu-west-1:222222222222:vpc/vpc-0[0-9a-f]{16}$`, theirs["arn"])
}

func TestAccountsAndRegionsDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	here := attach(t, server, props.Map{"region": "us-east-1"})
	id := here.vpc()
	for name, config := range map[string]props.Map{
		"another region":  {"region": "us-west-2"},
		"another account": {"region": "us-east-1", "allowedAccountIds": `["222222222222"]`},
	} {
		found, _, _ := attach(t, server, config).read(awstype.VPC, id, nil)
		require.Empty(t, found, name)
	}
	found, _, _ := attach(t, server, props.Map{"region": "us-east-1"}).read(awstype.VPC, id, nil)
	require.Equal(t, id, found, "the same account over another connection")
}

func TestAMissingRegionIsRefused(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	e := start(t)
	config, err := props.Marshal(props.Map{"profile": "x"})
	require.NoError(t, err)
	checked, err := e.client.CheckConfig(t.Context(), &pulumirpc.CheckRequest{News: config})
	require.NoError(t, err)
	require.Len(t, checked.GetFailures(), 1)
	require.Equal(t, "region", checked.GetFailures()[0].GetProperty())
	require.Contains(t, checked.GetFailures()[0].GetReason(), "missing region")
}

func TestTheRegionMayComeFromTheEnvironment(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "eu-north-1")
	region, err := attach(t, serve(t, Options{}), props.Map{}).invoke("aws:index/getRegion:getRegion", nil)
	require.NoError(t, err)
	require.Equal(t, "eu-north-1", region["name"])
}

func TestUnknownConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	config, err := props.Marshal(props.Map{"region": "us-east-1", "regoin": "x"})
	require.NoError(t, err)
	checked, err := start(t).client.CheckConfig(t.Context(), &pulumirpc.CheckRequest{News: config})
	require.NoError(t, err)
	require.Len(t, checked.GetFailures(), 1)
	require.Equal(t, "regoin", checked.GetFailures()[0].GetProperty())
}

func TestConfigurationThatIsNotKnownYetPasses(t *testing.T) {
	t.Parallel()
	config, err := props.Marshal(props.Map{"region": props.Unknown{}, "assumeRole": props.Unknown{}})
	require.NoError(t, err)
	checked, err := start(t).client.CheckConfig(t.Context(), &pulumirpc.CheckRequest{News: config})
	require.NoError(t, err)
	require.Empty(t, checked.GetFailures())
}

func TestAnUnsupportedTypeIsNamed(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, err := e.client.Check(t.Context(), &pulumirpc.CheckRequest{Type: "aws:sns/topic:Topic", Name: "it"})
	require.ErrorContains(t, err, `resource type "aws:sns/topic:Topic" is not part of the offline account`)
	_, err = e.invoke("aws:sns/getTopic:getTopic", nil)
	require.ErrorContains(t, err, `function "aws:sns/getTopic:getTopic" is not part of the offline account`)
}

func TestTheVersionSatisfiesAnyProgramOfItsMajor(t *testing.T) {
	t.Parallel()
	info, err := start(t).client.GetPluginInfo(t.Context(), &emptypb.Empty{})
	require.NoError(t, err)
	require.Equal(t, "6.999.0", info.GetVersion())
}

func TestCloseEndsConnections(t *testing.T) {
	t.Parallel()
	server, err := Serve(Options{Dir: t.TempDir()})
	require.NoError(t, err)
	e := attach(t, server, props.Map{"region": "us-east-1"})
	require.NoError(t, server.Close())
	_, err = e.client.GetPluginInfo(t.Context(), &emptypb.Empty{})
	require.Error(t, err)
}
