package lives

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/graph"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// TestADeniedLookupIsExplainedInOneLine denies each lookup that a stack makes, one after the other. A stack may do
// without some.
func TestADeniedLookupIsExplainedInOneLine(t *testing.T) {
	t.Parallel()
	capa, err := json.Marshal(stackfile.InSeededVPC(false, map[string]any{"sshKeyName": "ops"}))
	require.NoError(t, err)
	withoutKey := func(file string) map[string]string { // a key is checked by a hook, which needs the engine
		return stackfile.Settings(t, strings.Replace(file, stackfile.KMSKeyARN, "none", 1))
	}
	balancer := offline.Seed{Kind: offline.SeedLoadBalancer, Name: stackfile.RouterARN}
	for name, c := range map[string]struct {
		config   map[string]string
		seeds    []offline.Seed
		required []string
	}{
		"cluster": {
			config: withoutKey(stackfile.Cluster{
				Access: hypershift.PublicAndPrivate, NAT: network.Single, Zones: stackfile.ZoneNames(1),
				More: "    iam: {spotServiceLinkedRole: true}\n",
			}.String()),
			seeds: stackfile.Seeds(), required: []string{"aws:route53/getZone:getZone", "aws:iam/getRoles:getRoles",
				"aws:index/getPartition:getPartition"},
		},
		"privateLink": {
			config: withoutKey(stackfile.Link(hypershift.Private, stackfile.ZoneNames(2), stackfile.StackOwned())),
			seeds:  append(stackfile.Seeds(), balancer),
			required: []string{
				"aws:ec2/getVpcEndpoint:getVpcEndpoint", "aws:ec2/getSecurityGroups:getSecurityGroups",
				"aws:lb/getLoadBalancer:getLoadBalancer",
				"aws:ec2/getSubnet:getSubnet", "aws:index/getAvailabilityZones:getAvailabilityZones",
			},
		},
		"access of other VPCs": {
			config: withoutKey(stackfile.AccessibleByStack()), seeds: stackfile.SeedsFor(t, stackfile.AccessibleByStack()),
			required: []string{"aws:ec2/getVpc:getVpc", "aws:ec2/getSubnet:getSubnet"},
		},
		"privateLink by tags": {
			config: withoutKey(stackfile.Link(hypershift.Private, stackfile.ZoneNames(2), `{owner: stack, loadBalancers: {tags: {a: b}}}`)), seeds: append(stackfile.Seeds(), balancer),
			required: []string{"aws:lb/getLbs:getLbs"},
		},
		"capa": {
			config: map[string]string{
				"aws:region":          "us-east-1",
				"hypershift-aws:kind": "capa",
				"hypershift-aws:capa": string(capa),
			},
			seeds: append(stackfile.SeededVPC(nil), offline.Seed{Kind: offline.SeedKeyPair, Name: "ops"}, offline.Seed{Kind: offline.SeedImage, Name: stackfile.OwnImage, InstanceType: "t3.large"}),
			required: []string{
				"aws:ec2/getAmi:getAmi", "aws:ec2/getInstanceType:getInstanceType",
				"aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings",
				"aws:ec2/getKeyPair:getKeyPair", "aws:ec2/getVpcDhcpOptions:getVpcDhcpOptions",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(denied string) ([]string, error) {
				return graph.RunDenying(t, stacks.Run, offline.Options{Dir: t.TempDir(), Seeds: c.seeds}, c.config, denied)
			}
			lookups, otherwise := run("")
			require.Subset(t, lookups, c.required)
			for _, token := range lookups {
				_, err := run(token)
				without := err == nil || otherwise != nil && err.Error() == otherwise.Error()
				if !slices.Contains(c.required, token) && without {
					continue
				}
				require.ErrorContains(t, err, "AccessDenied", token)
				require.NotContains(t, err.Error(), "rpc error", token)
				require.NotContains(t, err.Error(), "invocation of", token)
			}
		})
	}
}
