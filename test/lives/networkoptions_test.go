package lives

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestEveryOptionOfANetworkIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for _, option := range sizes.Named(t, stackfile.NetworkOptions(), func(o stackfile.NetworkOption) string {
		return o.Name
	}, "secondary-cidr") {
		t.Run(option.Name, func(t *testing.T) {
			t.Parallel()
			config := stackfile.Network(option.Access, option.Network)
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
			stack.Configure(config)
			stack.Up()
			common := stackfile.CommonTags()
			golden.RequireGraph(t, "networkoptions/"+option.Name, stack.Graph(common, "network"))
			stack.RequireStable()
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
		})
	}
}

func TestTheMachineNetworksContainAllNodes(t *testing.T) {
	t.Parallel()
	for network, want := range map[string][]any{
		"zones: [us-east-1a]":                               {"10.0.0.0/16"},
		"zones: [us-east-1a], secondaryCIDR: 100.65.0.0/16": {"10.0.0.0/16", "100.65.0.0/16"},
		fmt.Sprintf(stackfile.ExistingVPC, ""):              {"10.0.0.0/16"},
	} {
		config := stackfile.Network(hypershift.PublicAndPrivate, network)
		stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
		stack.Configure(config)
		stack.Up()
		outputs, err := stack.Outputs(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, outputs["machineCIDRs"].Value, network)
		require.Equal(t, want[0], outputs["infra"].Value.(map[string]any)["machineCIDR"],
			"what HyperShift's document has room for")
	}
}

// Each of these can be added to an existing network, and removed from it again, without moving anything.
func TestOptionsAreChangedInPlace(t *testing.T) {
	t.Parallel()
	for name, more := range sizes.Only(t, map[string]string{
		"secondary CIDR": ", secondaryCIDR: 100.65.0.0/16",
		"flow logs":      ", flowLogs: {}",
		"endpoints":      ", interfaceEndpoints: [nodes]",
		"bastion":        ", bastion: {}",
	}, "endpoints", "secondary CIDR") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := stackfile.Network(hypershift.PublicAndPrivate, stackfile.TwoZones)
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, before)})
			stack.Configure(before)
			stack.Up()
			made := len(stack.Resources())
			stack.Configure(stackfile.Network(hypershift.PublicAndPrivate, stackfile.TwoZones+more))
			changes := stack.Up()
			require.NotEmpty(t, changes)
			require.Empty(t, changes.Replaced())
			stack.Configure(before)
			require.Empty(t, stack.Up().Replaced())
			require.Len(t, stack.Resources(), made)
		})
	}
}

// TestTagsAreChangedOfANetworkWithGivenAddresses: its NAT gateway, which uses the address, has the former tags.
func TestTagsAreChangedOfANetworkWithGivenAddresses(t *testing.T) {
	t.Parallel()
	before := stackfile.Network(hypershift.Public,
		"zones: [us-east-1a], elasticIPs: {us-east-1a: eipalloc-0123456789abcdef0}")
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, before)})
	stack.Configure(before)
	stack.Up()
	stack.Configure(strings.Replace(before, "team: platform", "team: other", 1))
	require.Empty(t, stack.Up().Replaced())
}

// TestTheTargetOfARouteIsChangedInPlace: AWS refuses a second route to the same network, and the engine creates before
// it deletes.
func TestTheTargetOfARouteIsChangedInPlace(t *testing.T) {
	t.Parallel()
	const moved = "192.168.0.0/16"
	ways := map[string]string{
		"nat":                "",
		"transit gateway":    ", transitGateway: {id: tgw-0123456789abcdef0}",
		"firewall":           ", firewallEndpoint: {serviceName: " + stackfile.FirewallService + "}",
		"network by transit": ", nat: Single, transitGateway: {id: tgw-0123456789abcdef0, cidrs: [" + moved + "]}",
		"network by firewalls": ", nat: Single, firewallEndpoint: {serviceName: " + stackfile.FirewallService + ", cidrs: [" +
			moved + "]}",
	}
	for from, before := range sizes.Only(t, ways, "nat") {
		for to, after := range sizes.Only(t, ways, "firewall") {
			if from == to || strings.HasPrefix(from, "network") != strings.HasPrefix(to, "network") {
				continue
			}
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				first, second := stackfile.Network(hypershift.PublicAndPrivate,
					stackfile.TwoZones+before), stackfile.Network(hypershift.PublicAndPrivate, stackfile.TwoZones+after)
				stack := enginetest.New(t, stacks.Run, enginetest.Options{
					Seeds: append(stackfile.SeedsFor(t, first), stackfile.SeedsFor(t, second)...),
				})
				stack.Configure(first)
				stack.Up()
				stack.Configure(second)
				require.Empty(t, stack.Up().Replaced())
				stack.RequireStable()
				fresh := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, second)})
				fresh.Configure(second)
				fresh.Up()
				require.Equal(t, fresh.Graph(nil, "network"), stack.Graph(nil, "network"))
				stack.Destroy()
				require.Empty(t, stack.Resources(), "what destroy left in the account")
			})
		}
	}
}

func TestHyperShiftReadsTheProxyAndTheNodesSubnets(t *testing.T) {
	t.Parallel()
	ca := stackfile.NewCA(t)
	config := stackfile.Network(hypershift.Public, `zones: [us-east-1a], publicOnly: true, `+
		`proxy: {httpAddress: "http://10.0.0.5:3128", httpsAddress: "https://10.0.0.5:3129", ca: "`+strings.ReplaceAll(ca, "\n", `\n`)+`"}`)
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
	stack.Configure(config)
	stack.Up()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	infra := outputs["infra"].Value.(map[string]any)
	require.Equal(t, "http://10.0.0.5:3128", infra["proxyAddr"])
	require.Equal(t, "https://10.0.0.5:3129", infra["secureProxyAddr"])
	require.Equal(t, ca, infra["proxyCA"])
	require.Equal(t, true, infra["publicOnly"])
	public := outputs["publicSubnetIDs"].Value.(map[string]any)["us-east-1a"]
	require.NotEmpty(t, public)
	require.Equal(t, []any{map[string]any{"name": "us-east-1a", "subnetID": public}}, infra["zones"])
}

func TestTheCLIFindsFilesRelativeToTheStacksFile(t *testing.T) {
	t.Parallel()
	dir, ca := t.TempDir(), stackfile.NewCA(t)
	config := stackfile.Network(hypershift.Private, "zones: [us-east-1a], nat: Single, proxy: {httpAddress: 'http://proxy.example.com:3128', caFile: certificates/proxy.pem}")
	for name, text := range map[string]string{
		"Pulumi.yaml":                     "name: hypershift-aws\nruntime: go\nstackConfigDir: clusters\n",
		"clusters/Pulumi.test.yaml":       config,
		"clusters/certificates/proxy.pem": ca,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	cli := harness.NewCLI(t, dir)
	require.Contains(t, cli.Run("--offline", "permissions"), "ec2:CreateVpc")
	cli.Run("--offline", "up", "--yes")
	var infra documents.Infra
	require.NoError(t, json.Unmarshal([]byte(cli.Run("--offline", "outputs", "--format", "infra-json")), &infra))
	require.Equal(t, ca, infra.ProxyCA)
}

func TestAProxysServiceHasTheAddressOfItsEndpoint(t *testing.T) {
	t.Parallel()
	config := stackfile.Network(hypershift.Private, "proxy: {endpointService: com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0}")
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
	stack.Configure(config)
	stack.Up()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	require.Regexp(t, `^http://vpce-[0-9a-f-]+\..*:3128$`, outputs["infra"].Value.(map[string]any)["proxyAddr"])
}

// TestACIDRThatAnotherVPCGotFirstIsNotTakenAgain: the pool shows the same CIDR to two programs until one of them has
// created its VPC.
func TestACIDRThatAnotherVPCGotFirstIsNotTakenAgain(t *testing.T) {
	t.Parallel()
	const pool = "ipam-pool-0123456789abcdef8"
	type result = pulumi.ResourceTransformationResult
	fails, taken := true, false
	program := func(ctx *pulumi.Context) error {
		if taken {
			if _, err := ec2.NewVpc(ctx, "other", &ec2.VpcArgs{
				CidrBlock:      pulumi.String("10.8.0.0/16"),
				Ipv4IpamPoolId: pulumi.String(pool),
			}); err != nil {
				return err
			}
		}
		_, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
			Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com",
			Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}, IPAM: &network.IPAM{Pool: pool}},
		}, pulumi.Transformations([]pulumi.ResourceTransformation{func(args *pulumi.ResourceTransformationArgs) *result {
			if vpc, is := args.Props.(*ec2.VpcArgs); is && fails {
				vpc.CidrBlock = pulumi.String("10.200.0.0/16")
			}
			return &result{Props: args.Props, Opts: args.Opts}
		}}))
		return err
	}
	seeds := append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedIPAMPool, Name: pool, CIDR: "10.8.0.0/14"})
	stack := enginetest.New(t, program, enginetest.Options{Seeds: seeds})
	stack.Configure("config:\n  aws:region: us-east-1\n")
	for _, taken = range []bool{false, true} {
		_, err := stack.UpErr()
		require.ErrorContains(t, err, "10.200.0.0/16 is not in the IPAM pool")
	}
	fails = false
	stack.Up()
	vpcs := map[string]string{}
	for _, r := range stack.State() {
		if r.Type == awstype.VPC {
			vpcs[r.URN.Name()], _ = r.Outputs["cidrBlock"].(string)
		}
	}
	require.Equal(t, map[string]string{"other": "10.8.0.0/16", "network-vpc": "10.9.0.0/16"}, vpcs)
	stack.RequireStable()
}
