package lives

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

const (
	endpointServiceType = "aws:ec2/vpcEndpointService:VpcEndpointService"
	endpointType        = "aws:ec2/vpcEndpoint:VpcEndpoint"
	groupType           = "aws:ec2/securityGroup:SecurityGroup"
	recordType          = "aws:route53/record:Record"
)

// linkIDs returns the IDs of all resources of PrivateLink in AWS.
func linkIDs(stack *enginetest.Stack) map[string]string {
	found := map[string]string{}
	for _, token := range []string{endpointServiceType, endpointType, groupType, recordType,
		"aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"} {
		for name, id := range ids(stack, token) {
			if strings.HasPrefix(name, "private-link") {
				found[token+" "+name] = id
			}
		}
	}
	return found
}

// inAWS returns the IDs of all resources in the accounts.
func inAWS(stack *enginetest.Stack) map[string]bool {
	found := map[string]bool{}
	for _, resource := range stack.Resources() {
		found[resource.ID] = true
	}
	return found
}

func TestAPrivateLinkChangesOwnersWithoutAReplacement(t *testing.T) {
	t.Parallel()
	for name, config := range sizes.Only(t, map[string]func(section string) string{
		"two accounts": func(section string) string {
			return stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:2], section)
		},
		"one account": func(section string) string {
			section = strings.ReplaceAll(section, stackfile.ManagementAccount, "123456789012")
			return stackfile.Cluster{
				Access: hypershift.Private,
				NAT:    network.Single,
				Zones:  stackfile.ZoneNames(2),
				More:   "    privateLink: " + section + "\n",
			}.String()
		},
	}, "two accounts") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handOver(t, config)
		})
	}
}

func handOver(t *testing.T, config func(section string) string) {
	t.Helper()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(stackfile.Seeds(),
		offline.Seed{Kind: offline.SeedLoadBalancer, Name: stackfile.RouterARN},
		offline.Seed{
			Kind: offline.SeedLoadBalancer,
			Name: strings.Replace(stackfile.RouterARN, stackfile.ManagementAccount, "123456789012", 1),
		})})
	stack.Configure(config(stackfile.StackOwned()))
	stack.Up()
	made := linkIDs(stack)
	require.Len(t, made, 6, "service, endpoint, group, rule and two records")

	stack.Configure(config(stackfile.OperatorOwned))
	require.NoError(t, plan.Guard(planOf(t, stack), enginetest.StackName, nil, nil))
	changes := stack.Up()
	require.Empty(t, changes.Of(apitype.OpDelete, apitype.OpCreate, apitype.OpUpdate))
	require.Empty(t, changes.Replaced())
	require.Equal(t, made, linkIDs(stack), "the stack looks at them still")
	for _, r := range stack.Custom() {
		require.Equal(t, strings.HasPrefix(r.URN.Name(), "private-link"), r.External, "%s", r.URN)
	}
	require.Empty(t, stack.Up(), "a second up")

	stack.Configure(config(stackfile.StackOwned()))
	planned := planOf(t, stack)
	require.Equal(t, 6, planned.Counts().Imported)
	require.Contains(t, plan.Text(planned, plan.Layout{}), "\n6 to import, ")
	require.NotContains(t, plan.Text(planned, plan.Layout{}), "replace")
	changes = stack.Up()
	require.Empty(t, changes.Of(apitype.OpDelete, apitype.OpCreate, apitype.OpUpdate, apitype.OpDeleteReplaced))
	require.Equal(t, made, linkIDs(stack))
	there := inAWS(stack)
	for name, id := range made {
		require.True(t, there[id], "%s %s does not exist in AWS", name, id)
	}
	for _, r := range stack.Custom() {
		require.False(t, r.External, "%s", r.URN)
	}
	require.Empty(t, stack.Up(), "a second up")
	stack.Destroy()
	require.Empty(t, stack.Resources())
}
