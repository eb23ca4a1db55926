package connectivity

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// firstPlan returns the resources of a stack's first plan: "cluster" with PrivateLink, PublicAndPrivate, in one zone,
// and "capa" of topology Private with a bastion.
func firstPlan(t *testing.T, kind string) []apitype.ResourceV3 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "planned-"+kind+".json"))
	require.NoError(t, err)
	var resources []apitype.ResourceV3
	require.NoError(t, json.Unmarshal(text, &resources))
	return resources
}

// walkPlan follows the paths through a plan.
func walkPlan(kind string, resources []apitype.ResourceV3) []status.Path {
	graph := NewGraph(Planned(resources))
	if kind == "capa" {
		return WalkMachines(graph, graph.PlannedMachines(config.MachinePaths{
			Name:         "demo",
			LoadBalancer: "demo-apiserver",
			Port:         6443,
			Clients:      []string{"0.0.0.0/0"},
		}))
	}
	return Walk(graph, graph.PlannedCluster(config.ClusterPaths{
		Private: true, Public: true, Service: "kube-apiserver-private", Port: 6443, Names: []string{"api"},
		LocalZone: "blue.hypershift.local", BaseDomain: "example.com",
	}))
}

func brokenNames(paths []status.Path) map[string]string {
	names := map[string]string{}
	for _, path := range paths {
		if hop := path.Broken(); hop != nil {
			names[path.Name] = hop.Why
		}
	}
	return names
}

func TestEveryPathWorksInAFirstPlan(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string][]string{
		"cluster": {
			"api.blue.hypershift.local -> endpoint", "node in us-east-1b -> control plane over PrivateLink",
			"node in us-east-1b -> internet",
			"user -> public load balancer in us-east-1b",
		},
		"capa": {
			"bastion -> node in us-east-1a", "client -> load balancer in us-east-1a -> control plane",
			"node in us-east-1a -> internet",
			"node in us-east-1a -> load balancer",
		},
	} {
		paths := walkPlan(kind, firstPlan(t, kind))
		var names []string
		for _, path := range paths {
			names = append(names, path.Name)
			for _, hop := range path.Hops {
				require.NotContains(t, hop.Why+hop.ID, plugin.UnknownStringValue, path.Name)
			}
		}
		slices.Sort(names)
		require.Equal(t, want, names)
		require.Empty(t, brokenNames(paths), kind)
	}
}

// What a plan lacks breaks the path that needs it: so no resource of the paths is taken for granted.
func TestEachResourceThatAPlanLacksBreaksAPath(t *testing.T) {
	t.Parallel()
	for kind, needed := range map[string][]string{
		"cluster": {"network-private-us-east-1b-nat", "network-public-internet", "network-igw", "network-nat-us-east-1b",
			"private-link", "private-link-api", "private-link-10.0.0.0/16"},
		"capa": {
			"capa-network-private-us-east-1a-nat", "capa-network-public-internet", "capa-groups-apiserver-lb-cidr-0.0.0.0/0",
			"capa-groups-controlplane-api-apiserver-lb", "capa-groups-node-ssh-bastion", "capa-groups-apiserver-lb",
		},
	} {
		for _, name := range needed {
			whole := firstPlan(t, kind)
			rest := slices.DeleteFunc(slices.Clone(whole), func(r apitype.ResourceV3) bool { return r.URN.Name() == name })
			require.Less(t, len(rest), len(whole), name)
			require.NotEmpty(t, brokenNames(walkPlan(kind, rest)), name)
		}
	}
}

func TestAPlanThatRestrictsTheAPIServerToOthersBlocksItsNodes(t *testing.T) {
	t.Parallel()
	resources := slices.DeleteFunc(firstPlan(t, "capa"), func(r apitype.ResourceV3) bool {
		return strings.Contains(r.URN.Name(), "apiserver-lb-nat")
	})
	for i, r := range resources {
		if r.Inputs["cidrIpv4"] == "0.0.0.0/0" && r.URN.Name() == "capa-groups-apiserver-lb-cidr-0.0.0.0/0" {
			resources[i].Inputs = maps.Clone(r.Inputs)
			resources[i].Inputs["cidrIpv4"] = "198.51.100.0/24"
		}
	}
	broken := brokenNames(walkPlan("capa", resources))
	require.Contains(t, broken["node in us-east-1a -> load balancer"], "/32 on port 6443")
}

func TestAPlannedAssociationIsOfTheZoneOfItsAuthorization(t *testing.T) {
	t.Parallel()
	const prefix = "urn:pulumi:a::b::"
	planned := func(
		token, name string,
		inputs map[string]any,
		dependsOn map[resource.PropertyKey][]resource.URN,
	) apitype.ResourceV3 {
		return apitype.ResourceV3{
			URN: resource.URN(prefix + token + "::" + name), Type: tokens.Type(token), ID: resource.ID(name), Custom: true,
			Inputs: inputs, PropertyDependencies: dependsOn,
		}
	}
	zoneOf := func(token, name string) map[resource.PropertyKey][]resource.URN {
		return map[resource.PropertyKey][]resource.URN{"zoneId": {resource.URN(prefix + token + "::" + name)}}
	}
	inputs := map[string]any{"vpcId": "vpc-hub", "zoneId": plugin.UnknownStringValue}
	resources := []apitype.ResourceV3{
		planned(awstype.HostedZone, "local", map[string]any{"name": "blue.hypershift.local"}, nil),
		planned(awstype.VPCAssociationAuthorization, "may", inputs, zoneOf(awstype.HostedZone, "local")),
		planned(awstype.ZoneAssociation, "is", inputs, zoneOf(awstype.VPCAssociationAuthorization, "may")),
	}
	graph := NewGraph(Planned(resources))
	paths := Walk(graph, graph.PlannedCluster(config.ClusterPaths{
		Private: true, LocalZone: "blue.hypershift.local", LocalZoneVPCs: []string{"vpc-hub"},
	}))
	require.NotContains(t, brokenNames(paths), "names in vpc-hub -> blue.hypershift.local")
	graph = NewGraph(Planned(resources[:2]))
	require.Contains(t, brokenNames(Walk(graph, graph.PlannedCluster(config.ClusterPaths{
		Private: true, LocalZone: "blue.hypershift.local", LocalZoneVPCs: []string{"vpc-hub"},
	}))), "names in vpc-hub -> blue.hypershift.local")
}
