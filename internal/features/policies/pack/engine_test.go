package pack_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/features/policies/pack"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
)

func TestThePackHasEveryRuleThatItCanCheck(t *testing.T) {
	t.Parallel()
	rules, err := pack.New()
	require.NoError(t, err)
	var want, got []string
	for _, rule := range policy.Rules() {
		if !rule.NeedsOptions() {
			want = append(want, rule.ID)
		}
	}
	for _, p := range rules.Policies() {
		got = append(got, p.Name())
	}
	assert.Equal(t, want, got)
}

// openGroup is a program with a network with a security group that lets the internet in.
func openGroup(ctx *pulumi.Context) error {
	tags := pulumi.StringMap{"team": pulumi.String("platform")}
	network, err := ec2.NewVpc(ctx, "vpc", &ec2.VpcArgs{CidrBlock: pulumi.String("10.0.0.0/16"), Tags: tags})
	if err != nil {
		return err
	}
	group, err := ec2.NewSecurityGroup(ctx, "group", &ec2.SecurityGroupArgs{
		VpcId:       network.ID(),
		Description: pulumi.String("a test"),
		Tags:        tags,
	})
	if err != nil {
		return err
	}
	_, err = vpc.NewSecurityGroupIngressRule(ctx, "ssh", &vpc.SecurityGroupIngressRuleArgs{
		SecurityGroupId: group.ID(), CidrIpv4: pulumi.String("0.0.0.0/0"), IpProtocol: pulumi.String("tcp"),
		FromPort: pulumi.Int(22), ToPort: pulumi.Int(22),
	})
	return err
}

func TestTheEngineReceivesPolicyViolations(t *testing.T) { //nolint:paralleltest // it sets PATH
	folder := t.TempDir()
	require.NoError(t, pack.Write(folder, harness.Executable(t)))
	t.Setenv("PATH", filepath.Join(folder, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	stack := enginetest.New(t, openGroup, enginetest.Options{})
	stack.Configure("config:\n  aws:region: us-east-1\n")
	var said strings.Builder
	stack.Preview(optpreview.PolicyPacks(folder), optpreview.ProgressStreams(&said))
	assert.Contains(t, said.String(), "open-ingress")
	assert.Contains(t, said.String(), "0.0.0.0/0 may reach tcp port 22")
	assert.NotContains(t, said.String(), "missing-tags")
}
