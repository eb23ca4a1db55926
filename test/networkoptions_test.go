package test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
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
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// withNetwork returns the config of a cluster stack with the given keys of its network, as YAML in braces.
func withNetwork(access hypershift.EndpointAccess, network string) string {
	return fmt.Sprintf(`config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    endpointAccess: %s
    tags: {team: platform}
    network: {%s}
    oidc: {bucketName: demo-oidc}
`, access, network)
}

// seedsFor returns what a config refers to as existing.
func seedsFor(t *testing.T, text string) []offline.Seed {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName("test")), []byte(text), 0o600))
	file, err := stacks.LoadFile(dir, "test")
	require.NoError(t, err)
	return seedsIn(file)
}

const (
	existingVPC = `existing: {vpcID: vpc-0123456789abcdef0, subnets: [` +
		`{zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa0, public: subnet-0aaaaaaaaaaaaaaa1}, ` +
		`{zone: us-east-1b, private: subnet-0bbbbbbbbbbbbbbb0, public: subnet-0bbbbbbbbbbbbbbb1}]%s}`
	sshKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl operator"
	twoZones = "zones: [us-east-1a, us-east-1b]"
	// firewallService is the endpoint service of a Gateway Load Balancer, and openPolicy an endpoint's policy that allows everything.
	firewallService = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"
	openPolicy      = `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}]}`
)

// networkOption is an option of a network, in a mode that can have it.
type networkOption struct {
	name    string
	access  hypershift.EndpointAccess
	network string
}

func networkOptions() []networkOption {
	return []networkOption{
		{"existing", hypershift.PublicAndPrivate, fmt.Sprintf(existingVPC, "")},
		{"existing-zones", hypershift.PublicAndPrivate, fmt.Sprintf(existingVPC,
			", privateZoneID: Z0123456789ABCDEFGHIJ, localZoneID: Z0123456789ABCDEFGHIK") + ", securityGroups: [sg-0123456789abcdef0]"},
		{"existing-isolated", hypershift.Private, fmt.Sprintf(existingVPC, "") + ", nat: None, interfaceEndpoints: [nodes]"},
		{"existing-public-only", hypershift.Public, "existing: {vpcID: vpc-0123456789abcdef0, subnets: [" +
			"{zone: us-east-1a, public: subnet-0aaaaaaaaaaaaaaa1}]}, publicOnly: true"},
		{"elastic-ips", hypershift.Public, twoZones + ", elasticIPs: {us-east-1a: eipalloc-0123456789abcdef0}"},
		{"transit-gateway", hypershift.Private, twoZones + ", transitGateway: {id: tgw-0123456789abcdef0}"},
		{"transit-gateway-networks", hypershift.PublicAndPrivate, twoZones + ", nat: Single, transitGateway: {id: tgw-0123456789abcdef0, cidrs: [192.168.0.0/16, 172.16.0.0/12]}"},
		{"firewall-endpoint", hypershift.Private, twoZones + ", firewallEndpoint: {serviceName: " + firewallService + "}"},
		{"firewall-endpoint-networks", hypershift.PublicAndPrivate, twoZones + ", nat: Single, firewallEndpoint: {serviceName: " + firewallService +
			", cidrs: [192.168.0.0/16]}, transitGateway: {id: tgw-0123456789abcdef0, cidrs: [172.16.0.0/12]}"},
		{"public-pool", hypershift.Public, twoZones + ", elasticIPs: {us-east-1a: eipalloc-0123456789abcdef0}, publicIPv4Pool: ipv4pool-ec2-0123456789abcdef0"},
		{"public-ipam-pool", hypershift.Private, "zones: [us-east-1a], publicIPv4Pool: ipam-pool-0123456789abcdef0"},
		{"ipam", hypershift.PublicAndPrivate, twoZones + ", nat: Single, ipam: {pool: ipam-pool-0123456789abcdef1, netmaskLength: 18}, secondaryCIDR: 100.65.0.0/16"},
		{"endpoint-policies", hypershift.PublicAndPrivate, "zones: [us-east-1a], interfaceEndpoints: [sts], gatewayEndpoints: [dynamodb], " +
			"endpointPolicies: {sts: '" + openPolicy + "', s3: '" + openPolicy + "', dynamodb: '" + openPolicy + "'}"},
		{"endpoint-groups", hypershift.Private, fmt.Sprintf(existingVPC, "") + ", nat: None, interfaceEndpoints: [nodes], endpointSecurityGroups: [sg-0123456789abcdef0]"},
		{"endpoint-preset", hypershift.PublicAndPrivate, twoZones + ", nat: None, interfaceEndpoints: [nodes, kms]"},
		{"gateway-endpoints", hypershift.PublicAndPrivate, twoZones + ", nat: Single, gatewayEndpoints: [dynamodb]"},
		{"flow-logs", hypershift.Private, "nat: Single, flowLogs: {}"},
		{"flow-logs-to-s3", hypershift.Private, "nat: Single, flowLogs: {destination: S3, bucketARN: 'arn:aws:s3:::logs/demo', traffic: REJECT}"},
		{"secondary-cidr", hypershift.Private, twoZones + ", secondaryCIDR: 100.65.0.0/16, interfaceEndpoints: [sts]"},
		{"public-only", hypershift.PublicAndPrivate, twoZones + ", publicOnly: true"},
		{"proxy", hypershift.Public, twoZones + ", proxy: {httpAddress: 'http://proxy.example.com:3128'}"},
		{"proxy-service", hypershift.PublicAndPrivate, twoZones +
			", proxy: {endpointService: com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0}"},
		{"bastion", hypershift.Private, "nat: Single, bastion: {}"},
		{"bastion-ssh", hypershift.Public, "nat: Single, bastion: {sshCIDRs: [203.0.113.0/24], sshKey: " + sshKey + "}"},
	}
}

func TestEveryOptionOfANetworkIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for _, option := range sizes.Named(t, networkOptions(), func(o networkOption) string { return o.name }, "secondary-cidr") {
		t.Run(option.name, func(t *testing.T) {
			t.Parallel()
			config := withNetwork(option.access, option.network)
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
			stack.Configure(config)
			stack.Up()
			common := (hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}).EC2Tags("")
			golden.Require(t, "testdata/networkoptions/"+option.name+".txt", stack.Graph(common, "network"))
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
		fmt.Sprintf(existingVPC, ""):                        {"10.0.0.0/16"},
	} {
		config := withNetwork(hypershift.PublicAndPrivate, network)
		stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
		stack.Configure(config)
		stack.Up()
		outputs, err := stack.Outputs(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, outputs["machineCIDRs"].Value, network)
		require.Equal(t, want[0], outputs["infra"].Value.(map[string]any)["machineCIDR"], "what HyperShift's document has room for")
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
			before := withNetwork(hypershift.PublicAndPrivate, twoZones)
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, before)})
			stack.Configure(before)
			stack.Up()
			made := len(stack.Resources())
			stack.Configure(withNetwork(hypershift.PublicAndPrivate, twoZones+more))
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
	before := withNetwork(hypershift.Public, "zones: [us-east-1a], elasticIPs: {us-east-1a: eipalloc-0123456789abcdef0}")
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, before)})
	stack.Configure(before)
	stack.Up()
	stack.Configure(strings.Replace(before, "team: platform", "team: other", 1))
	require.Empty(t, stack.Up().Replaced())
}

// TestTheTargetOfARouteIsChangedInPlace: AWS refuses a second route to the same network, and the engine creates before it deletes.
func TestTheTargetOfARouteIsChangedInPlace(t *testing.T) {
	t.Parallel()
	const moved = "192.168.0.0/16"
	ways := map[string]string{
		"nat":                  "",
		"transit gateway":      ", transitGateway: {id: tgw-0123456789abcdef0}",
		"firewall":             ", firewallEndpoint: {serviceName: " + firewallService + "}",
		"network by transit":   ", nat: Single, transitGateway: {id: tgw-0123456789abcdef0, cidrs: [" + moved + "]}",
		"network by firewalls": ", nat: Single, firewallEndpoint: {serviceName: " + firewallService + ", cidrs: [" + moved + "]}",
	}
	for from, before := range sizes.Only(t, ways, "nat") {
		for to, after := range sizes.Only(t, ways, "firewall") {
			if from == to || strings.HasPrefix(from, "network") != strings.HasPrefix(to, "network") {
				continue
			}
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				first, second := withNetwork(hypershift.PublicAndPrivate, twoZones+before), withNetwork(hypershift.PublicAndPrivate, twoZones+after)
				stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(seedsFor(t, first), seedsFor(t, second)...)})
				stack.Configure(first)
				stack.Up()
				stack.Configure(second)
				require.Empty(t, stack.Up().Replaced())
				stack.RequireStable()
				fresh := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, second)})
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
	ca := newCA(t)
	config := withNetwork(hypershift.Public, `zones: [us-east-1a], publicOnly: true, `+
		`proxy: {httpAddress: "http://10.0.0.5:3128", httpsAddress: "https://10.0.0.5:3129", ca: "`+strings.ReplaceAll(ca, "\n", `\n`)+`"}`)
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
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
	dir, ca := t.TempDir(), newCA(t)
	config := withNetwork(hypershift.Private, "zones: [us-east-1a], nat: Single, proxy: {httpAddress: 'http://proxy.example.com:3128', caFile: certificates/proxy.pem}")
	for name, text := range map[string]string{
		"Pulumi.yaml":                     "name: hypershift-aws\nruntime: go\nstackConfigDir: clusters\n",
		"clusters/Pulumi.test.yaml":       config,
		"clusters/certificates/proxy.pem": ca,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	cli := newCLI(t, dir)
	require.Contains(t, cli.run("--offline", "permissions"), "ec2:CreateVpc")
	cli.run("--offline", "up", "--yes")
	var infra documents.Infra
	require.NoError(t, json.Unmarshal([]byte(cli.run("--offline", "outputs", "--format", "infra-json")), &infra))
	require.Equal(t, ca, infra.ProxyCA)
}

func TestAProxysServiceHasTheAddressOfItsEndpoint(t *testing.T) {
	t.Parallel()
	config := withNetwork(hypershift.Private, "proxy: {endpointService: com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0}")
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
	stack.Configure(config)
	stack.Up()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	require.Regexp(t, `^http://vpce-[0-9a-f-]+\..*:3128$`, outputs["infra"].Value.(map[string]any)["proxyAddr"])
}

// newCA returns the PEM text of a certificate that signs itself.
func newCA(t *testing.T) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "proxy"}, IsCA: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestACIDRThatAnotherVPCGotFirstIsNotTakenAgain: the pool shows the same CIDR to two programs until one of them has created its VPC.
func TestACIDRThatAnotherVPCGotFirstIsNotTakenAgain(t *testing.T) {
	t.Parallel()
	const pool = "ipam-pool-0123456789abcdef8"
	fails, taken := true, false
	program := func(ctx *pulumi.Context) error {
		if taken {
			if _, err := ec2.NewVpc(ctx, "other", &ec2.VpcArgs{CidrBlock: pulumi.String("10.8.0.0/16"), Ipv4IpamPoolId: pulumi.String(pool)}); err != nil {
				return err
			}
		}
		_, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
			Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com",
			Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}, IPAM: &network.IPAM{Pool: pool}},
		}, pulumi.Transformations([]pulumi.ResourceTransformation{func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
			if vpc, is := args.Props.(*ec2.VpcArgs); is && fails {
				vpc.CidrBlock = pulumi.String("10.200.0.0/16")
			}
			return &pulumi.ResourceTransformationResult{Props: args.Props, Opts: args.Opts}
		}}))
		return err
	}
	seeds := append(seeds(), offline.Seed{Kind: offline.SeedIPAMPool, Name: pool, CIDR: "10.8.0.0/14"})
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
