package lives

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/programguard"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func newLinked(t *testing.T) *enginetest.Stack {
	t.Helper()
	return enginetest.New(t, stacks.Run, enginetest.Options{
		Seeds: append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedLoadBalancer, Name: stackfile.RouterARN}),
	})
}

func TestAStackOwnedPrivateLinkIsCreatedInBothAccountsAndDestroyed(t *testing.T) {
	t.Parallel()
	ports := map[string]string{"private-router": "443", "kube-apiserver-private": "6443"}
	for _, linked := range sizes.First(1, stackfile.LinkedStacks()) {
		name, port := linked.Name(), ports[linked.Service]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := newLinked(t)
			stack.Configure(linked.Config())
			stack.Up()
			graph := stack.Graph(nil, "private-link", "private-link-service")
			golden.RequireGraph(t, "privatelink/"+name, graph)
			require.Contains(t, graph, "fromPort: "+port)
			stack.RequireStable()
			for _, made := range stack.Custom() {
				inManagement := strings.Contains(made.Provider, "::management-account::")
				require.Equal(t, string(made.Type) == endpointServiceType, inManagement, "%s is made by %s", made.URN,
					made.Provider)
			}
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the accounts")
		})
	}
}

// The table in HyperShift's documentation of EndpointAccess: the resources of a cluster's stack in each mode. The load
// balancers themselves are the control plane's; a public one needs the public zone and the subnets for load balancers,
// a private one the endpoint service.
func TestEachModeHasTheResourcesOfHyperShiftsTable(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		access                                           hypershift.EndpointAccess
		publicBalancer, privateBalancer, endpoint, local bool
	}{
		{hypershift.Public, true, false, false, false},
		{hypershift.PublicAndPrivate, true, true, true, true},
		{hypershift.Private, false, true, true, true},
	} {
		t.Run(string(row.access), func(t *testing.T) {
			t.Parallel()
			stack := newLinked(t)
			stack.Configure(stackfile.Link(row.access, stackfile.CoveredZones()[:1], stackfile.StackOwned()))
			stack.Up()
			outputs, err := stack.Outputs(t.Context())
			require.NoError(t, err)
			require.Equal(t, row.publicBalancer, outputs["publicZoneID"].Value != "")
			require.Equal(t, row.publicBalancer, len(outputs["publicSubnetIDs"].Value.(map[string]any)) > 0)
			require.Equal(t, row.privateBalancer, len(ids(stack, endpointServiceType)) == 1)
			require.Equal(t, row.endpoint, linkIDs(stack)[endpointType+" private-link"] != "")
			require.Equal(t, row.local, outputs["localZoneID"].Value != "")
			require.Equal(t, row.local, linkIDs(stack)[recordType+" private-link-api"] != "")
			require.Equal(t, row.endpoint, outputs["endpointID"].Value != nil)
			require.Contains(t, stack.Graph(nil, "roles"), `"ec2:Vpc"`, "the operator is held to the VPC in each mode")
		})
	}
}

// HyperShift's operator finds an endpoint by all of the HostedCluster's resource tags, and gives the API server's name
// to the endpoint that the API server is reached by.
func TestHyperShiftsOperatorAdoptsTheStacksEndpointAndItsNames(t *testing.T) {
	t.Parallel()
	for name, test := range sizes.Only(t, map[string]struct {
		keys string
		// services have an endpoint, names a record of the stack's.
		services, names []string
	}{
		"load balancer": {"", []string{"kube-apiserver-private", "private-router"}, []string{"private-link-apps"}},
		"route": {"      externalDNSDomain: hcp.example.com\n", []string{"private-router"},
			[]string{"private-link-api", "private-link-apps"}},
	}, "load balancer") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := newLinked(t)
			stack.Configure(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.StackOwned()) +
				stackfile.HostedCluster(t, "      unprotected: true\n      resourceTags: {cost-centre: '42'}\n"+test.keys))
			stack.Up()
			var services []string
			for _, made := range stack.Resources() {
				if tags, _ := made.Properties["tags"].(map[string]any); made.Type == endpointType &&
					tags["AWSEndpointService"] != nil {
					services = append(services, fmt.Sprint(tags["AWSEndpointService"]))
					require.Equal(t, "42", tags["cost-centre"])
				}
			}
			require.ElementsMatch(t, test.services, services, "one endpoint for each service, including those of operators")
			var names []string
			for made := range linkIDs(stack) {
				if record, is := strings.CutPrefix(made, recordType+" "); is {
					names = append(names, record)
				}
			}
			require.ElementsMatch(t, test.names, names)
			require.Empty(t, stack.Up(), "a second up")
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the accounts")
		})
	}
}

// planOf returns what the stack's next update would do.
func planOf(t *testing.T, stack *enginetest.Stack) *changes.Plan {
	t.Helper()
	stream, made := make(chan events.EngineEvent), make(chan *changes.Plan)
	go func() {
		p := &plan.Builder{}
		for event := range stream {
			if event.ResourcePreEvent != nil {
				p.Add(event.ResourcePreEvent.Metadata)
			}
		}
		made <- &p.Plan
	}()
	_, err := stack.Stack.Preview(t.Context(), optpreview.EventStreams(stream))
	require.NoError(t, err)
	return <-made
}

func TestRemovingTheSectionKeepsTheOperatorsResources(t *testing.T) {
	t.Parallel()
	stack := newLinked(t)
	stack.Configure(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.StackOwned()))
	stack.Up()
	made := linkIDs(stack)
	stack.Configure(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.OperatorOwned))
	stack.Up()
	stack.Configure(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], ""))
	stack.Up()
	there := inAWS(stack)
	for name, id := range made {
		require.True(t, there[id], "%s %s does not exist in AWS", name, id)
	}
}

func TestRemovingTheSectionOfAnEndpointOfTheStackIsRefused(t *testing.T) {
	t.Parallel()
	guarded := stacks.Options{Guard: programguard.New}
	stack := enginetest.New(t, guarded.Run, enginetest.Options{
		Seeds: append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedLoadBalancer, Name: stackfile.RouterARN}),
	})
	owned := stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.StackOwned())
	without := stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], "")
	stack.Configure(owned)
	stack.Up()
	enginetest.RequireRefused(
		t,
		stack,
		without,
		"VPC endpoint private-link would be deleted",
		"DNS record private-link-api would be deleted",
		"set privateLink back to its previous value",
	)
	stack.Configure(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.OperatorOwned))
	stack.Up()
	stack.Configure(without)
	stack.Up()
	require.Empty(t, stack.Preview())
}

func TestAnEndpointWithoutItsServiceIsReplacedAndThePreviewReportsIt(t *testing.T) {
	t.Parallel()
	stack := newLinked(t)
	stack.Configure(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.StackOwned()))
	stack.Up()
	gone := ids(stack, endpointServiceType)["private-link-service"]
	for _, account := range stack.Accounts() {
		if account.ID() == stackfile.ManagementAccount {
			require.NoError(t, account.Remove(gone))
		}
	}
	stack.Refresh()
	var said strings.Builder
	changes := stack.Preview(optpreview.ProgressStreams(&said))
	require.Equal(t, []string{endpointServiceType + " private-link-service"}, changes.Of(apitype.OpCreate))
	require.Contains(t, changes.Replaced(), endpointType+" private-link")
	require.Contains(t, said.String(), gone+", which no longer exists; an endpoint cannot change its service, so it is replaced")
	stack.Configure(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.OperatorOwned))
	stack.Preview() // the operators' endpoint is left alone, whatever became of its service
	stack.Configure(stackfile.Link(hypershift.Private, stackfile.CoveredZones()[:1], stackfile.StackOwned()))
	stack.Up()
	require.Empty(t, stack.Up())
}

func TestALocalZoneThatIsNotTheVPCsIsRefused(t *testing.T) {
	t.Parallel()
	program := func(ctx *pulumi.Context) error {
		cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
		guest, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
			Cluster: cluster, BaseDomain: "example.com", EndpointAccess: hypershift.Private,
			Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}},
		})
		if err != nil {
			return err
		}
		other, err := ec2.NewVpc(ctx, "other", &ec2.VpcArgs{CidrBlock: pulumi.String("10.0.0.0/16")})
		if err != nil {
			return err
		}
		_, err = privatelink.NewEndpoint(ctx, "endpoint", &privatelink.EndpointArgs{
			Cluster: cluster, ServiceName: pulumi.String("com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"),
			VPCID: other.ID(), LocalZoneID: guest.LocalZone.ID, MachineCIDRs: []pulumi.StringInput{pulumi.String("10.0.0.0/16")},
			Subnets: []privatelink.Subnet{{
				Zone: "us-east-1a",
				ID:   guest.PrivateSubnetIDs.MapIndex(pulumi.String("us-east-1a")),
			}},
		})
		return err
	}
	stack := enginetest.New(t, program, enginetest.Options{})
	stack.Configure("config:\n  aws:region: us-east-1\n")
	_, err := stack.UpErr()
	require.ErrorContains(t, err, "(demo.hypershift.local) is not associated with the endpoint's VPC vpc-")
	require.ErrorContains(t, err, "associate them, or use the zone demo.hypershift.local of that VPC")
	for _, resource := range stack.Resources() {
		require.NotEqual(t, "Interface", resource.Properties["vpcEndpointType"])
		require.NotEqual(t, "demo-x1-vpce-private-router", resource.Properties["name"])
	}
}

func TestAnOperatorThatHasCreatedNothingYetIsNotAnError(t *testing.T) {
	t.Parallel()
	stack := newLinked(t)
	stack.Configure(stackfile.Link(hypershift.PublicAndPrivate, stackfile.CoveredZones()[:2], stackfile.OperatorOwned))
	stack.Up()
	require.Empty(t, linkIDs(stack))
	require.Empty(t, stack.Up())
	stack.Destroy()
	require.Empty(t, stack.Resources())
}

func TestEachModeChangeWithPrivateLinkReplacesNothing(t *testing.T) {
	t.Parallel()
	for _, section := range sizes.First(1, []string{stackfile.StackOwned(), stackfile.OperatorOwned}) {
		t.Run(strings.Fields(section)[1], func(t *testing.T) {
			t.Parallel()
			stack := newLinked(t)
			for _, access := range []hypershift.EndpointAccess{hypershift.Public, hypershift.PublicAndPrivate,
				hypershift.Private, hypershift.Public} {
				stack.Configure(stackfile.Link(access, stackfile.CoveredZones()[:2], section))
				changes := stack.Up()
				require.Empty(t, changes.Replaced(), access)
				require.Empty(t, stack.Up(), "a second up of %s", access)
			}
			stack.Destroy()
			require.Empty(t, stack.Resources())
		})
	}
}

func TestAZoneCanBeGivenByItsID(t *testing.T) {
	t.Parallel()
	stack := harness.NewCluster(t)
	config := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: []string{"use1-az3"}}
	stack.Configure(config.String())
	stack.Up()
	config.Zones = []string{"us-east-1a"} // its name in this account
	stack.Configure(config.String())
	require.Empty(t, stack.Up())
}

func TestFaultsFoundInAWSAreRefusedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	other := strings.Replace(stackfile.RouterARN, "router", "other", 1)
	for name, test := range map[string]struct {
		zones   []string
		section string
		want    []string
	}{
		"a zone that the service does not cover": {[]string{"us-east-1a"}, stackfile.StackOwned(), []string{
			`hypershift-aws:cluster.network.zones[0]: "us-east-1a" is use1-az3 in account 123456789012, which the service behind the load balancers does not cover`,
			"use us-east-1b (use1-az5), us-east-1c (use1-az4) or us-east-1e (use1-az2)",
			"zone ID      guest 123456789012     management 222222222222    covered",
			"use1-az3     us-east-1a             us-east-1e                 no",
		}},
		"a load balancer that is not there": {stackfile.CoveredZones()[:1], strings.Replace(stackfile.StackOwned(), stackfile.RouterARN, other, 1), []string{
			`hypershift-aws:cluster.privateLink.loadBalancers.arns[0]: "` + other + `" is not a load balancer of the management account`,
		}},
		"a load balancer's name that is not there": {stackfile.CoveredZones()[:1], `{owner: stack, loadBalancers: {names: [other]}}`, []string{
			`privateLink.loadBalancers.names[0]: "other" is not a load balancer of the management account`,
		}},
		"tags that no load balancer carries": {stackfile.CoveredZones()[:1], `{owner: stack, loadBalancers: {tags: {a: b}}}`, []string{
			`privateLink.loadBalancers.tags match no load balancer`,
		}},
		"a service that is not there": {stackfile.CoveredZones()[:1], `{serviceName: com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0}`, []string{
			`hypershift-aws:cluster.privateLink.serviceName: "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0" is not an endpoint service that account 123456789012 can see`,
			"check the name, and that the account is among its allowed principals",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(stackfile.Seeds(),
				offline.Seed{Kind: offline.SeedLoadBalancer, Name: stackfile.RouterARN})})
			stack.Configure(stackfile.Link(hypershift.Private, test.zones, test.section))
			_, err := stack.PreviewErr()
			for _, want := range test.want {
				require.ErrorContains(t, err, want)
			}
			require.Empty(t, stack.Resources())
		})
	}
}
