package permissions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// deployed is a stack that is created, changed and deleted with the policies that `permissions` prints.
type deployed struct {
	config, changed string
	seeds           []offline.Seed
}

// deployedStacks returns a stack of each kind, and of the options with resources of their own.
func deployedStacks(t *testing.T) map[string]deployed {
	t.Helper()
	retagged := func(text string) string {
		return strings.Replace(text, "tags: {team: platform}", "tags: {owner: others}", 1)
	}
	stack := func(config string) deployed { return deployed{config: config, changed: retagged(config)} }
	kind := func(kind, section string) string {
		return fmt.Sprintf("config:\n  aws:region: us-east-1\n  hypershift-aws:kind: %s\n  hypershift-aws:%s:\n%s", kind, kind, section)
	}
	cluster := stackfile.Cluster{Access: hypershift.PublicAndPrivate, NAT: network.PerZone, Zones: stackfile.ZoneNames(2),
		More: "    iam: {karpenter: true, spotServiceLinkedRole: true, permissionsBoundary: \"" + stackfile.BoundaryARN +
			"\", managedPolicies: true}\n    interruptionQueue: true\n"}
	const networkSection = "    name: demo\n    infraID: demo-x1\n    baseDomain: example.com\n    endpointAccess: Private\n    tags: {team: platform}\n" +
		"    network: {zones: [us-east-1a], nat: Single}\n"
	roles := deployed{seeds: stackfile.SeededRoles()}
	roles.config = cluster.String()
	roles.changed = retagged(strings.NewReplacer("nat: PerZone", "nat: Single",
		", permissionsBoundary: \""+stackfile.BoundaryARN+"\"", "").Replace(roles.config))
	linked := stack(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:2], stackfile.StackOwned()))
	linked.seeds = append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedLoadBalancer, Name: stackfile.RouterARN})
	given := stack(stackfile.Network(hypershift.Private,
		fmt.Sprintf(stackfile.ExistingVPC, "")+", nat: None, interfaceEndpoints: [nodes]"))
	capa := stackfile.Example(t, "capa-private")
	return map[string]deployed{
		"cluster":         roles,
		"network options": stack(stackfile.Network(hypershift.Private, stackfile.TwoZones+", secondaryCIDR: 100.65.0.0/16, interfaceEndpoints: [sts], flowLogs: {}, bastion: {}")),
		"transit gateway": stack(stackfile.Network(hypershift.Private,
			stackfile.TwoZones+", transitGateway: {id: tgw-0123456789abcdef0}")),
		"existing VPC": given,
		"pools of IPAM": stack(stackfile.Network(hypershift.Private,
			"zones: [us-east-1a], nat: Single, publicIPv4Pool: ipam-pool-0123456789abcdef0, ipam: {pool: ipam-pool-0123456789abcdef1, netmaskLength: 18}")),
		"SSH": stack(stackfile.Network(hypershift.Public,
			"nat: Single, bastion: {sshCIDRs: [203.0.113.0/24], sshKey: "+stackfile.SSHKey+"}")),
		"shared VPC": stack(stackfile.SharedVPC(hypershift.PublicAndPrivate,
			"zones: [us-east-1a], nat: Single, shared: {}", stackfile.OwnerAccount)),
		"PrivateLink":          linked,
		"access of other VPCs": stack(stackfile.AccessibleByStack()),
		"management":           stack(stackfile.Management(stackfile.Managements()["whole"])),
		"management, keys":     stack(stackfile.Management(stackfile.Managements()["access-keys"])),
		"capa":                 stack(capa),
		"network":              stack(kind("network", networkSection)),
	}
}

// deployment is what a stack's operations needed.
type deployment struct {
	policies []policy.Document
	requests []offline.APIRequest
}

// deploy runs each operation of a stack with exactly the policies that `permissions` prints for its file.
func deploy(t *testing.T, d deployed) deployment {
	t.Helper()
	if d.seeds == nil {
		d.seeds = stackfile.SeedsFor(t, d.config)
	}
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: d.seeds})
	var result deployment
	// permit evaluates requests from now on by the policies for the files so far.
	permit := func() {
		byAccount := map[string][]policy.Document{}
		printed, err := permissions.Policies(stack.Uses())
		require.NoError(t, err)
		result.policies = nil
		for _, p := range printed {
			byAccount[p.Account] = append(byAccount[p.Account], p.Document)
			result.policies = append(result.policies, p.Document)
		}
		result.requests = append(result.requests, stack.Server().Requests()...)
		stack.Server().Watch(func(account string) []policy.Document {
			if own, named := byAccount[account]; named {
				return own
			}
			return byAccount[""]
		})
	}
	stack.Configure(d.config)
	stack.Preview()
	permit()
	stack.Preview()
	stack.Up()
	stack.RequireStable()
	result.requests = append(result.requests, stack.Server().Requests()...)
	stack.Server().Watch(nil) // what changes is known after the preview of the changed file
	stack.Configure(d.changed)
	stack.Preview()
	permit()
	stack.Up()
	stack.Refresh()
	stack.Destroy()
	for _, left := range stack.Resources() {
		require.Equal(t, awstype.ServiceLinkedRole, left.Type, "it is the account's, and stays")
	}
	result.requests = append(result.requests, stack.Server().Requests()...)
	return result
}

// TestEachOperationSucceedsWithThePrintedPolicies evaluates every request that the provider sends to AWS's API in front
// of the account.
func TestEachOperationSucceedsWithThePrintedPolicies(t *testing.T) {
	t.Parallel()
	for name, d := range sizes.Only(t, deployedStacks(t), "cluster") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := deploy(t, d)
			sent := map[string]bool{}
			for _, r := range result.requests {
				sent[string(r.Operation)] = true
				require.True(t, r.Tolerated || offline.Allowed(r, result.policies), "%s of %s on %s", r.Action, r.Token, r.Resource)
			}
			for _, operation := range []string{"creating", "reading", "deleting"} {
				require.True(t, sent[operation], operation)
			}
			require.Equal(t, d.changed != d.config, sent["updating"], "updating")
		})
	}
}

func TestAnUpdateIsRefusedWithoutOneOfItsActions(t *testing.T) {
	t.Parallel()
	d := deployedStacks(t)["network"]
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, d.config)})
	stack.Configure(d.config)
	stack.Preview()
	printed, err := permissions.Policies(stack.Uses())
	require.NoError(t, err)
	var policies []policy.Document
	for _, p := range printed {
		policies = append(policies, p.Document)
	}
	without := lacking(policies, "ec2:CreateSubnet")
	stack.Server().Watch(func(string) []policy.Document { return without })
	_, err = stack.UpErr()
	require.ErrorContains(t, err, "is not authorized to perform: ec2:CreateSubnet on resource")
	stack.Server().Watch(func(string) []policy.Document { return policies })
	stack.Up()
}

// lacking returns policies without an action.
func lacking(policies []policy.Document, action string) []policy.Document {
	var without []policy.Document
	for _, document := range policies {
		var statements []policy.Statement
		for _, s := range document.Statement {
			s.Action = slices.DeleteFunc(slices.Clone(s.Action), func(a string) bool { return a == action })
			if len(s.Action) > 0 {
				statements = append(statements, s)
			}
		}
		without = append(without, policy.New(statements...))
	}
	return without
}
