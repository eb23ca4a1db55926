package test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/account"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	ownprops "github.com/hypershift-aws/hypershift-aws/internal/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
)

const (
	ownersVPC    = "vpc-0123456789abcdef0"
	givenPrivate = "subnet-0aaaaaaaaaaaaaaa0"
	givenPublic  = "subnet-0aaaaaaaaaaaaaaa1"
	givenRegion  = "us-east-1"
)

// edit changes a record of the account.
func edit(t *aws.Tx, token, id string, change func(state props.Map)) {
	rec := t.Get(store.Key{Scope: givenRegion, Token: token, ID: id}).Clone()
	change(rec.State)
	t.Put(rec)
}

// add adds a record that exists before any stack.
func add(t *aws.Tx, token, id string, state props.Map) {
	t.Put(&store.Record{Type: token, ID: id, Scope: givenRegion, Origin: store.BySeed, State: state})
}

// reroute replaces the routes of the nodes' subnet.
func reroute(t *aws.Tx, routes ...any) {
	for _, association := range t.List(givenRegion, awstype.RouteTableAssociation) {
		if association.State.String("subnetId") == givenPrivate {
			edit(t, awstype.RouteTable, association.State.String("routeTableId"), func(state props.Map) { state["routes"] = routes })
		}
	}
}

// nodesACL gives the nodes' subnet a network ACL with the rules.
func nodesACL(t *aws.Tx, rules ...any) {
	add(t, awstype.NetworkACL, "acl-0123456789abcdef0", props.Map{"vpcId": ownersVPC, "subnetIds": props.List(givenPrivate), "rules": rules})
}

func aclRule(egress bool, from, to float64) map[string]any {
	return map[string]any{"egress": egress, "number": 100.0, "action": "allow", "protocol": "6", "cidrBlock": "0.0.0.0/0", "fromPort": from, "toPort": to}
}

// givenNetwork is a network that exists before the stack, as its owner may have made it.
type givenNetwork struct {
	// keys are further keys of existing.
	keys string
	// change makes it differ from the account's seeds, whose subnets have no tags, and whose private ones route to a transit gateway.
	change func(*aws.Tx)
	// refused is what the preview refuses, warned what it warns of; path is the verdict of the nodes' path to the internet, and where it ends.
	refused, warned string
	path            string
	// tags are what up adds to AWS besides hosted zones.
	tags []string
}

func givenNetworks() map[string]givenNetwork {
	const transit = "not modelled transit gateway: attached in " + givenPrivate
	return map[string]givenNetwork{
		"subnets without tags": {warned: "no tag kubernetes.io/role/elb on " + givenPublic, path: transit},
		"subnets that get tags": {keys: ", tagSubnets: true", path: transit, tags: []string{
			givenPrivate + " kubernetes.io/cluster/demo-x1", givenPrivate + " kubernetes.io/role/internal-elb",
			givenPublic + " kubernetes.io/cluster/demo-x1", givenPublic + " kubernetes.io/role/elb",
		}},
		"DNS servers of its own":        {change: ownDNS, refused: "with the DNS servers 10.0.0.53, which do not resolve names in private zones"},
		"DNS servers that are declared": {keys: ", dnsServers: [10.0.0.53]", change: ownDNS, path: transit},
		"the CIDR of AWS's default VPC": {change: func(t *aws.Tx) {
			edit(t, awstype.VPC, ownersVPC, func(state props.Map) { state["cidrBlock"] = "172.31.0.0/16" })
		}, refused: "has the CIDR 172.31.0.0/16, which overlaps 172.31.0.0/16, the service network"},
		"no way out": {change: func(t *aws.Tx) { reroute(t) }, refused: "has no route out of the VPC"},
		"a firewall's endpoint beside load balancers, without a NAT gateway": {change: func(t *aws.Tx) {
			add(t, awstype.VPCEndpoint, "vpce-0123456789abcdef0", props.Map{"vpcId": ownersVPC, "vpcEndpointType": "GatewayLoadBalancer", "state": "available",
				"subnetIds": props.List(givenPublic), "serviceName": firewallService})
			reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "vpcEndpointId": "vpce-0123456789abcdef0"})
		}, path: "breaks internet gateway: only forwards traffic from public addresses"},
		"a virtual private gateway": {change: func(t *aws.Tx) {
			reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "gatewayId": "vgw-0123456789abcdef0"})
		}, path: "not modelled virtual private gateway: attached to " + ownersVPC},
		"a network ACL that blocks requests": {change: func(t *aws.Tx) { nodesACL(t, aclRule(true, 80, 80), aclRule(false, 0, 65535)) },
			path: "breaks network ACL: no egress rule of " + givenPrivate},
		"a network ACL that blocks replies": {change: func(t *aws.Tx) {
			reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "gatewayId": "vgw-0123456789abcdef0"})
			nodesACL(t, aclRule(true, 0, 65535), aclRule(false, 443, 443))
		}, path: "breaks network ACL: replies: no ingress rule of " + givenPrivate},
		"a prefix list": {change: func(t *aws.Tx) {
			add(t, awstype.PrefixList, "pl-0123456789abcdef0", props.Map{"entries": props.List("8.0.0.0/8")})
			reroute(t, map[string]any{"cidrBlock": "0.0.0.0/0", "transitGatewayId": "tgw-0123456789abcdef9"},
				map[string]any{"destinationPrefixListId": "pl-0123456789abcdef0", "vpcPeeringConnectionId": "pcx-0123456789abcdef0"})
		}, path: "not modelled gateway: is not readable, or of a kind that is not modelled"},
	}
}

func ownDNS(t *aws.Tx) {
	add(t, awstype.DHCPOptions, "dopt-0123456789abcdef0", props.Map{"domainName": "corp.example.com", "domainNameServers": props.List("10.0.0.53")})
	edit(t, awstype.VPC, ownersVPC, func(state props.Map) { state["dhcpOptionsId"] = "dopt-0123456789abcdef0" })
}

// inGiven returns the config of a cluster in the given network.
func inGiven(name, keys string) string {
	network := fmt.Sprintf("existing: {vpcID: %s, subnets: [{zone: us-east-1a, private: %s, public: %s}]%s}", ownersVPC, givenPrivate, givenPublic, keys)
	return strings.ReplaceAll(withNetwork(hypershift.PublicAndPrivate, network), "demo", name)
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

// wayOut returns the verdict of the nodes' path to the internet, with the hop that decides it.
func wayOut(t *testing.T, stack *enginetest.Stack) string {
	t.Helper()
	var resources []ownprops.Resource
	aws := stack.Account(map[string]any{"region": givenRegion})
	list := func(q account.Query) {
		found, err := aws.List(t.Context(), q)
		require.NoError(t, err)
		for _, r := range found {
			one := ownprops.Resource{Type: r.Type, ID: r.ID, Map: ownprops.Map(r.Properties)}
			if r.State != "" {
				one.Map["state"] = r.State
			}
			resources = append(resources, one)
		}
	}
	for _, token := range connectivity.GivenTypes() {
		q := account.Query{Type: token, Inputs: map[string]any{"vpcId": ownersVPC}}
		if token == awstype.VPC {
			q = account.Query{Type: token, IDs: []string{ownersVPC}}
		}
		list(q)
	}
	if ids := connectivity.PrefixListsIn(resources); len(ids) > 0 {
		list(account.Query{Type: awstype.PrefixList, IDs: ids})
	}
	paths := connectivity.Walk(connectivity.NewGraph(nil).WithGiven(resources), connectivity.Cluster{GivenVPC: true, VPCID: ownersVPC,
		NodeSubnets: map[string]string{"us-east-1a": givenPrivate}, ELBSubnets: map[string]string{"us-east-1a": givenPublic}})
	i := slices.IndexFunc(paths, func(p connectivity.Path) bool { return p.Name == "node in us-east-1a -> internet" })
	require.GreaterOrEqual(t, i, 0)
	if hop := paths[i].Broken(); hop != nil {
		return fmt.Sprintf("%s %s: %s", hop.Verdict, hop.Kind, hop.Why)
	}
	for _, hop := range paths[i].Hops {
		if hop.Verdict != connectivity.Holds {
			return fmt.Sprintf("%s %s: %s", hop.Verdict, hop.Kind, hop.Why)
		}
	}
	return string(connectivity.Holds)
}

// TestAGivenNetworkIsJudgedUsedAndLeftAsItWas: for each network, what the preview reports, what up adds, what check path proves, and that
// destroy leaves exactly what existed before.
func TestAGivenNetworkIsJudgedUsedAndLeftAsItWas(t *testing.T) {
	t.Parallel()
	for name, given := range givenNetworks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := inGiven("demo", given.keys)
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
			stack.Configure(config)
			_, _ = stack.PreviewErr() // the provider's first use creates the seeds
			if given.change != nil {
				require.NoError(t, stack.Accounts()[0].Transact(func(tx *aws.Tx) error { given.change(tx); return nil }))
			}
			before := existingIn(stack)
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
			require.True(t, strings.HasPrefix(wayOut(t, stack), given.path), wayOut(t, stack))
			stack.RequireStable()
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
			require.Equal(t, before, existingIn(stack))
		})
	}
}

// TestTheSecondOwnerOfATagIsTold: two clusters in one subnet need the same role tag. Only the first one's stack sets it, so that it is set once
// and removed by that stack alone; the second one's preview reports that beforehand.
func TestTheSecondOwnerOfATagIsTold(t *testing.T) {
	t.Parallel()
	config := inGiven("demo", ", tagSubnets: true")
	first := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: seedsFor(t, config)})
	first.Configure(config)
	first.Up()
	second := enginetest.New(t, stacks.Run, enginetest.Options{Beside: first})
	second.Configure(inGiven("other", ", tagSubnets: true"))
	var said strings.Builder
	second.Preview(optpreview.ProgressStreams(&said))
	require.Contains(t, said.String(), givenPublic+" had the tag kubernetes.io/role/elb before the stack used it, and is also used by demo-x1: "+
		"if the stack of such a cluster set the tag, it also removes it when it is destroyed")
	second.Up()
	tags := tagsOf(first)
	require.Contains(t, tags, givenPublic+" kubernetes.io/cluster/other-x1")
	require.Equal(t, slices.Compact(slices.Clone(tags)), tags, "each tag is set by one stack")
	first.Destroy()
	said.Reset()
	second.Preview(optpreview.ProgressStreams(&said))
	require.Contains(t, said.String(), givenPublic+" had the tag kubernetes.io/role/elb before the stack used it, and has it no longer; let the owner of the subnet add it again")
	require.Contains(t, tagsOf(second), givenPublic+" kubernetes.io/cluster/other-x1")
	second.Destroy()
	require.Empty(t, tagsOf(second))
}
