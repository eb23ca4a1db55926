package preflight_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/features/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	ownprops "github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// edit changes a record of the account.
func edit(t *aws.Tx, token, id string, change func(state props.Map)) {
	rec := t.Get(store.Key{Scope: stackfile.SeededRegion, Token: token, ID: id}).Clone()
	change(rec.State)
	t.Put(rec)
}

// add adds a record that exists before any stack.
func add(t *aws.Tx, token, id string, state props.Map) {
	t.Put(&store.Entry{Type: token, ID: id, Scope: stackfile.SeededRegion, Origin: store.BySeed, State: state})
}

// reroute replaces the routes of the nodes' subnet.
func reroute(t *aws.Tx, routes ...any) {
	for _, association := range t.List(stackfile.SeededRegion, awstype.RouteTableAssociation) {
		if association.State.String("subnetId") == stackfile.SeededPrivate {
			edit(t, awstype.RouteTable, association.State.String("routeTableId"), func(state props.Map) {
				state["routes"] = routes
			})
		}
	}
}

// nodesACL gives the nodes' subnet a network ACL with the rules.
func nodesACL(t *aws.Tx, rules ...any) {
	add(t, awstype.NetworkACL, stackfile.GivenACL, props.Map{
		"vpcId":     stackfile.OwnersVPC,
		"subnetIds": props.List(stackfile.SeededPrivate),
		"rules":     rules,
	})
}

func aclRule(egress bool, from, to float64) map[string]any {
	return map[string]any{
		"egress":    egress,
		"number":    100.0,
		"action":    "allow",
		"protocol":  "6",
		"cidrBlock": "0.0.0.0/0",
		"fromPort":  from,
		"toPort":    to,
	}
}

// existingNetwork is a network that exists before the stack, as its owner may have made it.
type existingNetwork struct {
	// keys are further keys of existing, and cluster those of the cluster.
	keys, cluster string
	// change makes it differ from the account's seeds, whose subnets have no tags, and whose private ones route to a
	// transit gateway.
	change func(*aws.Tx)
	// refused is what the preview refuses, warned what it warns of; path is the verdict of the nodes' path to the
	// internet, and where it ends.
	refused, warned string
	path            string
	// shut is what preflight finds of an endpoint's security groups.
	shut string
	// tags are what up adds to AWS besides hosted zones.
	tags []string
	// byProgram is true if the program alone refuses it: preflight's comparison does not look at zones that do not exist
	// yet.
	byProgram bool
}

func existingNetworks() map[string]existingNetwork {
	const transit = "not modelled transit gateway: attached in " + stackfile.SeededPrivate
	return map[string]existingNetwork{
		"subnets without tags": {warned: "no tag kubernetes.io/role/elb", path: transit},
		"subnets that get tags": {
			keys: ", tagSubnets: true",
			path: transit,
			tags: strings.Split(stackfile.TaggedPrivate+"|"+stackfile.TaggedPublic, "|"),
		},
		"DNS servers of its own": {
			change:  ownDNS,
			refused: "with the DNS servers 10.0.0.53, which do not resolve names in private zones",
		},
		"DNS servers that are declared": {
			keys:   ", dnsServers: [10.0.0.53]",
			change: ownDNS,
			path:   transit,
		},
		"the CIDR of AWS's default VPC": {
			change:  inDefaultCIDR,
			refused: "which overlaps 172.31.0.0/16, the service network",
		},
		"the CIDR of AWS's default VPC, beside another service network": {
			cluster: stackfile.OtherServices,
			change:  inDefaultCIDR,
			path:    transit,
		},
		"subnets that another account shares, whose zones would be this account's": {change: ofOtherOwner, byProgram: true,
			refused: "belongs to account " + stackfile.OwnerAccount + ", and account " + stackfile.ClusterAccount +
				" cannot create private zones with it"},
		"subnets that another account shares, with its zones": {keys: stackfile.ExistingZonesKeys + ", tagSubnets: true" +
			", sharedVPC: {ingressRoleARN: arn:aws:iam::210987654321:role/ingress, controlPlaneRoleARN: arn:aws:iam::210987654321:role/api}",
			change: ofOtherOwner, path: transit,
			tags: strings.Split(stackfile.TaggedPrivate+"|"+stackfile.TaggedPublic, "|")},
		"an endpoint that shuts the nodes out": {change: endpointFor("10.200.0.0/16", "sts"), path: transit,
			shut: "has the endpoint vpce-0aaaaaaaaaaaaaaa1 for sts, whose security groups do not admit tcp/443 from 10.0."},
		"an endpoint whose groups are not known": {path: transit, change: func(t *aws.Tx) {
			endpointFor("10.200.0.0/16", "sts")(t)
			edit(t, awstype.VPCEndpoint, "vpce-0aaaaaaaaaaaaaaa1", func(state props.Map) {
				state["securityGroupIds"] = []any{}
			})
		}},
		"an endpoint that shuts the nodes out, with names for inbound endpoints alone": {path: transit, change: func(t *aws.Tx) {
			endpointFor("10.200.0.0/16", "s3")(t)
			edit(t, awstype.VPCEndpoint, "vpce-0aaaaaaaaaaaaaaa1", func(state props.Map) {
				state["dnsOptions"] = map[string]any{"privateDnsOnlyForInboundResolverEndpoint": true}
			})
		}},
		"a way out by a peering connection": {change: func(t *aws.Tx) {
			reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "vpcPeeringConnectionId": "pcx-0123456789abcdef0"})
		}, refused: "routes to the internet by the peering connection pcx-0123456789abcdef0"},
		"an endpoint that admits the nodes": {change: endpointFor("10.0.0.0/8", "sts"), path: transit},
		"an endpoint whose rules admit the nodes together": {
			change: endpointFor("10.0.0.0/21,10.0.8.0/21,10.0.16.0/21,10.0.24.0/21", "sts"),
			path:   transit,
		},
		"an endpoint whose rules admit some nodes": {change: endpointFor("10.0.0.0/21,10.0.128.0/21,10.0.16.0/21", "sts"),
			path: transit, shut: "whose security groups do not admit tcp/443 from 10.0."},
		"another service's endpoint": {change: endpointFor("10.200.0.0/16", "sqs"), path: transit},
		"no way out":                 {change: func(t *aws.Tx) { reroute(t) }, refused: "has no route out of the VPC"},
		"AWS Network Firewall beside load balancers, without a NAT gateway": {change: func(t *aws.Tx) {
			firewall(t, map[string]any{"AWSNetworkFirewallManaged": "true"})
		},
			path: "breaks internet gateway: only forwards traffic from public addresses"},
		"a firewall that may have two arms, beside load balancers": {change: func(t *aws.Tx) {
			firewall(t, map[string]any{})
		},
			path: "not modelled firewall endpoint: in " + stackfile.SeededPublic},
		"an appliance with an interface per side": {change: func(t *aws.Tx) {
			reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "networkInterfaceId": stackfile.ApplianceSide})
		}, path: "not modelled gateway: is not readable, or of a kind that is not modelled"},
		"a virtual private gateway": {change: func(t *aws.Tx) {
			reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "gatewayId": "vgw-0123456789abcdef0"})
		}, path: "not modelled virtual private gateway: attached to " + stackfile.OwnersVPC},
		"a network ACL that blocks requests": {change: func(t *aws.Tx) { nodesACL(t, aclRule(true, 80, 80), aclRule(false, 0, 65535)) },
			path: "breaks network ACL: no egress rule of " + stackfile.SeededPrivate},
		"a network ACL that blocks replies": {change: func(t *aws.Tx) {
			reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "gatewayId": "vgw-0123456789abcdef0"})
			nodesACL(t, aclRule(true, 0, 65535), aclRule(false, 443, 443))
		}, path: "breaks network ACL: replies: no ingress rule of " + stackfile.SeededPrivate},
		"a prefix list": {change: func(t *aws.Tx) {
			add(t, awstype.PrefixList, "pl-0123456789abcdef0", props.Map{"entries": props.List("8.0.0.0/8")})
			reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "transitGatewayId": "tgw-0123456789abcdef9"},
				map[string]any{
					"destinationPrefixListId": "pl-0123456789abcdef0",
					"vpcPeeringConnectionId":  "pcx-0123456789abcdef0",
				})
		}, path: "breaks peering connection: only passes traffic to addresses of the peered VPC, not to its gateways"},
	}
}

// firewall adds the endpoint of a firewall in the public subnet, to which the nodes' subnet routes.
func firewall(t *aws.Tx, tags map[string]any) {
	add(t, awstype.VPCEndpoint, stackfile.FirewallEndpoint, props.Map{"vpcId": stackfile.OwnersVPC,
		"vpcEndpointType": "GatewayLoadBalancer", "state": "available",
		"subnetIds": props.List(stackfile.SeededPublic), "serviceName": stackfile.FirewallService, "tags": tags,
		"tagsAll": tags})
	reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "vpcEndpointId": stackfile.FirewallEndpoint})
}

// endpointFor adds an interface endpoint with private DNS names, whose group admits a network.
func endpointFor(cidr, service string) func(*aws.Tx) {
	return func(t *aws.Tx) {
		const group = "sg-0aaaaaaaaaaaaaaa1"
		add(t, awstype.SecurityGroup, group, props.Map{"vpcId": stackfile.OwnersVPC, "name": "endpoints"})
		for i, part := range strings.Split(cidr, ",") {
			add(t, awstype.SecurityGroupIngressRule, fmt.Sprintf("sgr-0aaaaaaaaaaaaaaa%d", i+1), props.Map{
				"securityGroupId": group, "ipProtocol": "tcp", "fromPort": 443.0, "toPort": 443.0, "cidrIpv4": part})
		}
		add(t, awstype.VPCEndpoint, "vpce-0aaaaaaaaaaaaaaa1", props.Map{"vpcId": stackfile.OwnersVPC,
			"vpcEndpointType": "Interface", "state": "available", "privateDnsEnabled": true,
			"serviceName":      "com.amazonaws." + stackfile.SeededRegion + "." + service,
			"securityGroupIds": props.List(group)})
	}
}

// inDefaultCIDR moves the VPC and its subnets to the CIDR of AWS's default VPCs.
func inDefaultCIDR(t *aws.Tx) {
	edit(t, awstype.VPC, stackfile.OwnersVPC, func(state props.Map) { state["cidrBlock"] = "172.31.0.0/16" })
	edit(t, awstype.Subnet, stackfile.SeededPrivate, func(state props.Map) { state["cidrBlock"] = "172.31.0.0/20" })
	edit(t, awstype.Subnet, stackfile.SeededPublic, func(state props.Map) { state["cidrBlock"] = "172.31.16.0/20" })
}

// ofOtherOwner gives the VPC and its subnets another owner, who shares them.
func ofOtherOwner(t *aws.Tx) {
	edit(t, awstype.VPC, stackfile.OwnersVPC, func(state props.Map) { state["ownerId"] = stackfile.OwnerAccount })
	for _, subnet := range []string{stackfile.SeededPrivate, stackfile.SeededPublic} {
		edit(t, awstype.Subnet, subnet, func(state props.Map) { state["ownerId"] = stackfile.OwnerAccount })
	}
}

func ownDNS(t *aws.Tx) {
	add(t, awstype.DHCPOptions, "dopt-0123456789abcdef0", props.Map{
		"domainName":        "corp.example.com",
		"domainNameServers": props.List("10.0.0.53"),
	})
	edit(t, awstype.VPC, stackfile.OwnersVPC, func(state props.Map) { state["dhcpOptionsId"] = "dopt-0123456789abcdef0" })
}

// config returns the config of a cluster in the network.
func (g existingNetwork) config() string {
	network := fmt.Sprintf(
		"existing: {vpcID: %s, subnets: [{zone: us-east-1a, private: %s, public: %s}]%s}",
		stackfile.OwnersVPC,
		stackfile.SeededPrivate,
		stackfile.SeededPublic,
		g.keys,
	)
	secret := repo.Path("stacks", "documents", "testdata", "hypershift", "files", "pull-secret.json")
	return stackfile.Network(hypershift.PublicAndPrivate,
		network) + strings.ReplaceAll(g.cluster, "{env: PULL_SECRET}", secret)
}

// inExisting returns the config of a cluster in the given network.
func inExisting(name, keys string) string {
	return strings.ReplaceAll(existingNetwork{keys: keys}.config(), "demo", name)
}

// existingIn returns what existed before any stack, as it is now.
func existingIn(stack *enginetest.Stack) []offline.Resource {
	var seeds []offline.Resource
	for _, account := range stack.Accounts() {
		for _, resource := range account.Resources() {
			if resource.Seed {
				seeds = append(seeds, resource)
			}
		}
	}
	return seeds
}

// tagsOf returns the tags that stacks have set on subnets, as "subnet key".
func tagsOf(stack *enginetest.Stack) []string {
	var tags []string
	for _, resource := range stack.Resources() {
		if resource.Type == awstype.Tag {
			tags = append(tags, fmt.Sprint(resource.Properties["resourceId"], " ", resource.Properties["key"]))
		}
	}
	slices.Sort(tags)
	return tags
}

// readNetwork returns the network as paths reads it.
func readNetwork(t *testing.T, aws account.Account, vpc string) []ownprops.Resource {
	t.Helper()
	var resources []ownprops.Resource
	list := func(q account.Query) {
		found, err := aws.List(t.Context(), q)
		require.NoError(t, err)
		for _, r := range found {
			one, tags := ownprops.Resource{Type: r.Type, ID: r.ID, Map: ownprops.Map(r.Properties)}, map[string]any{}
			for key, value := range r.Tags {
				tags[key] = value
			}
			one.Map["tags"] = tags
			if r.State != "" {
				one.Map["state"] = r.State
			}
			if r.VPC == vpc || len(q.IDs) > 0 {
				resources = append(resources, one)
			}
		}
	}
	for _, token := range connectivity.ExistingTypes() {
		q := account.Query{Type: token, Inputs: map[string]any{"vpcId": vpc}}
		if token == awstype.VPC {
			q = account.Query{Type: token, IDs: []string{vpc}}
		}
		list(q)
	}
	if ids := connectivity.PrefixListsIn(resources); len(ids) > 0 {
		list(account.Query{Type: awstype.PrefixList, IDs: ids})
	}
	return resources
}

// wayOut returns the verdict of the nodes' path to the internet, with the hop that decides it.
func wayOut(t *testing.T, resources []ownprops.Resource, vpc, private, public string) string {
	t.Helper()
	paths := connectivity.Walk(connectivity.NewGraph(nil).WithExisting(resources), config.ClusterPaths{ExistingVPC: true,
		VPCID:       vpc,
		NodeSubnets: map[string]string{"us-east-1a": private}, ELBSubnets: map[string]string{"us-east-1a": public}})
	i := slices.IndexFunc(paths, func(p status.Path) bool { return p.Name == "node in us-east-1a -> internet" })
	require.GreaterOrEqual(t, i, 0)
	if hop := paths[i].Broken(); hop != nil {
		return fmt.Sprintf("%s %s: %s", hop.Verdict, hop.Kind, hop.Why)
	}
	for _, hop := range paths[i].Hops {
		if hop.Verdict != status.Holds {
			return fmt.Sprintf("%s %s: %s", hop.Verdict, hop.Kind, hop.Why)
		}
	}
	return string(status.Holds)
}

// differencesIn returns what preflight reports about the VPC and the subnets of a config, as "verdict subject:
// message".
func differencesIn(t *testing.T, aws account.Account, text string) []string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName("test")), []byte(text), 0o600))
	file, err := stacks.LoadFile(dir, "test")
	require.NoError(t, err)
	place := inventory.Place{Account: stackfile.ClusterAccount, Region: stackfile.SeededRegion}
	given, err := preflight.ExistingOf(file, place)
	require.NoError(t, err)
	given.Parts = slices.DeleteFunc(given.Parts, func(e config.Existing) bool {
		return !slices.Contains([]config.ExistingKind{config.ExistingVPC, config.ExistingPrivateSubnet,
			config.ExistingPublicSubnet}, e.Kind)
	})
	var lines []string
	for _, f := range preflight.RunExisting(t.Context(), preflight.Plan{
		Stack: "test",
		Own:   place,
		Given: given,
	}, preflight.Accounts{place: aws}).Findings {
		lines = append(lines, fmt.Sprintf("%s %s: %s", f.Severity, f.Subject, f.Problem))
	}
	slices.Sort(lines)
	return lines
}

// TestAnExistingNetworkIsJudgedUsedAndLeftAsItWas: for each network, what the preview reports, what up adds, what paths
// proves, and that destroy leaves exactly what existed before.
func TestAnExistingNetworkIsJudgedUsedAndLeftAsItWas(t *testing.T) {
	t.Parallel()
	for name, given := range sizes.Only(t, existingNetworks(), "subnets that get tags", "a prefix list",
		"an endpoint that shuts the nodes out", "an endpoint that admits the nodes") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := given.config()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
			stack.Configure(config)
			_, _ = stack.PreviewErr() // the provider's first use creates the seeds
			if given.change != nil {
				require.NoError(t, stack.Accounts()[0].Transact(func(tx *aws.Tx) error { given.change(tx); return nil }))
			}
			before, inAWS := existingIn(stack), stack.Account(map[string]any{"region": stackfile.SeededRegion})
			differs := strings.Join(differencesIn(t, inAWS, config), "\n")
			require.Equal(t, given.refused != "" && !given.byProgram || given.shut != "",
				strings.Contains(differs, string(finding.Error)+" "), differs)
			require.Contains(t, differs, given.shut)
			require.Contains(t, differs, given.warned)
			var said strings.Builder
			_, err := stack.PreviewErr(optpreview.ProgressStreams(&said), optpreview.ErrorProgressStreams(&said))
			if given.refused != "" {
				require.Error(t, err)
				require.Contains(t, said.String(), given.refused)
				require.Equal(t, before, existingIn(stack))
				return
			}
			require.NoError(t, err)
			require.Contains(t, said.String(), given.warned)
			if given.warned == "" && len(given.tags) > 0 {
				require.NotContains(t, said.String(), "no tag")
			}
			stack.Up()
			require.Equal(t, given.tags, tagsOf(stack))
			path := wayOut(t, readNetwork(t, inAWS, stackfile.OwnersVPC), stackfile.OwnersVPC, stackfile.SeededPrivate,
				stackfile.SeededPublic)
			require.True(t, strings.HasPrefix(path, given.path), path)
			stack.RequireStable()
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
			require.Equal(t, before, existingIn(stack))
		})
	}
}

// TestTheSecondOwnerOfATagIsTold: two clusters in one subnet need the same role tag. Only the first one's stack sets
// it, so that it is set once and removed by that stack alone; the second one's preview reports that beforehand.
func TestTheSecondOwnerOfATagIsTold(t *testing.T) {
	t.Parallel()
	config := inExisting("demo", ", tagSubnets: true")
	first := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.SeedsFor(t, config)})
	first.Configure(config)
	first.Up()
	second := enginetest.New(t, stacks.Run, enginetest.Options{Beside: first})
	second.Configure(inExisting("other", ", tagSubnets: true"))
	var said strings.Builder
	second.Preview(optpreview.ProgressStreams(&said))
	require.Contains(t, said.String(), stackfile.SeededPublic+" had the tag kubernetes.io/role/elb before the stack used it, and is also used by demo-x1: "+
		"if the stack of such a cluster set the tag, it also removes it when it is destroyed")
	second.Up()
	tags := tagsOf(first)
	require.Contains(t, tags, stackfile.SeededPublic+" kubernetes.io/cluster/other-x1")
	require.Equal(t, slices.Compact(slices.Clone(tags)), tags, "each tag is set by one stack")
	first.Destroy()
	said.Reset()
	second.Preview(optpreview.ProgressStreams(&said))
	require.Contains(
		t,
		said.String(),
		stackfile.SeededPublic+" had the tag kubernetes.io/role/elb before the stack used it, and no longer has it; ask the owner of the subnet to add it again",
	)
	require.Contains(t, tagsOf(second), stackfile.SeededPublic+" kubernetes.io/cluster/other-x1")
	second.Destroy()
	require.Empty(t, tagsOf(second))
}
