package hostedcluster_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

// Networks that HyperShift's API accepts one by one, and that its operator or OpenShift's refuse together.
func TestNetworksInsideTheClusterAreJudgedTogether(t *testing.T) {
	t.Parallel()
	replicas := 5
	networking := func(fields map[string]any) func(*hostedcluster.Settings) {
		return func(s *hostedcluster.Settings) { s.Spec = map[string]any{"networking": fields} }
	}
	ovn := func(field, cidr string) func(*hostedcluster.Settings) {
		return func(s *hostedcluster.Settings) {
			s.Spec = map[string]any{"operatorConfiguration": map[string]any{"clusterNetworkOperator": map[string]any{
				"ovnKubernetesConfig": map[string]any{"ipv4": map[string]any{field: cidr}}}}}
		}
	}
	for name, test := range map[string]struct {
		change func(*hostedcluster.Settings)
		want   string
	}{
		"the defaults": {func(*hostedcluster.Settings) {}, ""},
		"two cluster networks": {func(s *hostedcluster.Settings) {
			s.ClusterCIDRs = []string{"10.132.0.0/16", "10.140.0.0/16"}
		}, ""},
		"dual stack": {func(s *hostedcluster.Settings) {
			s.ClusterCIDRs, s.ServiceCIDRs = []string{"10.132.0.0/14", "fd01::/48"}, []string{"172.31.0.0/16", "fd02::/112"}
		}, ""},
		"services at the instance metadata": {func(s *hostedcluster.Settings) { s.ServiceCIDRs = []string{"169.254.0.0/20"} },
			`serviceCIDRs[0]: "169.254.0.0/20" overlaps 169.254.0.0/16, the link-local network`},
		"pods on the loopback network": {func(s *hostedcluster.Settings) { s.ClusterCIDRs = []string{"127.0.0.0/12"} },
			`clusterCIDRs[0]: "127.0.0.0/12" overlaps 127.0.0.0/8, the loopback network`},
		"multicast for services": {networking(map[string]any{"serviceNetwork": []any{
			map[string]any{"cidr": "224.0.0.0/16"}}}),
			`spec.networking.serviceNetwork[0]: "224.0.0.0/16" overlaps 224.0.0.0/4, the network of multicast`},
		"OVN-Kubernetes' masquerade network as its join subnet": {ovn("internalJoinSubnet", "169.254.0.0/17"),
			`internalJoinSubnet: "169.254.0.0/17" overlaps 169.254.0.0/16`},
		"link-local IPv6 for pods": {func(s *hostedcluster.Settings) {
			s.ClusterCIDRs, s.ServiceCIDRs = []string{"10.132.0.0/14", "fe80::/48"}, []string{"172.31.0.0/16", "fd02::/112"}
		}, `clusterCIDRs[1]: "fe80::/48" overlaps fe80::/10`},
		"class E for pods": {func(s *hostedcluster.Settings) { s.ClusterCIDRs = []string{"240.0.0.0/14"} }, ""},
		"IPv6 first": {func(s *hostedcluster.Settings) {
			s.ClusterCIDRs, s.ServiceCIDRs = []string{"fd01::/48"}, []string{"172.31.0.0/16"}
		}, `clusterCIDRs[0]: "fd01::/48" is a network of IPv6`},
		"IPv6 for pods only": {func(s *hostedcluster.Settings) { s.ClusterCIDRs = []string{"10.132.0.0/14", "fd01::/48"} },
			"serviceCIDRs has other families of addresses than the cluster networks"},
		"two service networks": {func(s *hostedcluster.Settings) {
			s.ServiceCIDRs = []string{"172.30.0.0/16", "10.5.0.0/16"}
		},
			`serviceCIDRs: "2 networks" are more than OpenShift allows`},
		"less than one node": {func(s *hostedcluster.Settings) { s.ClusterCIDRs = []string{"10.132.0.0/24"} },
			`clusterCIDRs[0]: "10.132.0.0/24" is smaller than the part that each node gets, a /23`},
		"the same with a smaller part": {networking(map[string]any{"clusterNetwork": []any{
			map[string]any{"cidr": "10.132.0.0/24", "hostPrefix": int64(26)}}}), ""},
		"fewer parts than nodes": {func(s *hostedcluster.Settings) {
			s.ClusterCIDRs = []string{"10.132.0.0/21"}
			s.NodePools = []hostedcluster.NodePool{{Zone: "us-east-1a", Replicas: &replicas}}
		}, `"10.132.0.0/21" has parts of /23 for 4 nodes, and the node pools have 5`},
		"a small join subnet": {ovn("internalJoinSubnet", "100.99.0.0/23"),
			`ipv4.internalJoinSubnet: "100.99.0.0/23" is too small: the cluster networks have parts for 512 nodes`},
		"a large join subnet": {ovn("internalJoinSubnet", "100.99.0.0/22"), ""},
		"another network plugin": {networking(map[string]any{"networkType": "Other",
			"clusterNetwork": []any{map[string]any{"cidr": "10.132.0.0/24"}}}), ""},
		"the API server's address in the VPC": {networking(map[string]any{
			"apiServer": map[string]any{"advertiseAddress": "10.0.0.9"},
		}),
			`spec.networking.apiServer.advertiseAddress: "10.0.0.9/32" overlaps 10.0.0.0/16, a machine network`},
		"machines elsewhere": {networking(map[string]any{"machineNetwork": []any{map[string]any{"cidr": "10.99.0.0/16"}}}),
			"spec.networking.machineNetwork does not contain the network of the nodes, 10.0.0.0/16"},
		"machines in a part": {networking(map[string]any{
			"machineNetwork": []any{map[string]any{"cidr": "10.0.128.0/17"}},
		}), ""},
	} {
		s := settings()
		test.change(s)
		_, err := s.Objects(site())
		if test.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, test.want, name)
	}
	unknown, s := site(), settings()
	unknown.MachineCIDRs = []string{hostedcluster.UnknownMachines}
	networking(map[string]any{"machineNetwork": []any{map[string]any{"cidr": "10.9.0.0/16"}}})(s)
	_, err := s.Objects(unknown)
	require.NoError(t, err, "the nodes of an existing VPC are not known when its file is read")
}

func TestTagsOfInstancesAreJudgedAsTheSetThatTheyGet(t *testing.T) {
	t.Parallel()
	tags := func(prefix string, n int) map[string]string {
		made := map[string]string{}
		for i := range n {
			made[fmt.Sprintf("%s%02d", prefix, i)] = "x"
		}
		return made
	}
	infraID := settings().Cluster.InfraID
	for name, test := range map[string]struct {
		cluster, pool map[string]string
		want          string
	}{
		"as many as fit":        {tags("c", 15), tags("p", 25), ""},
		"more than fit":         {tags("c", 24), tags("p", 25), `nodePools[0].resourceTags: "50" are, with the cluster's, more tags than an instance can have`},
		"the same keys in both": {tags("c", 24), tags("c", 20), ""},
		"the cluster's, shared": {nil, map[string]string{
			"kubernetes.io/cluster/" + infraID: "shared",
		}, "nodePools[0].resourceTags: "},
		"the cluster's, owned": {nil, map[string]string{"kubernetes.io/cluster/" + infraID: "owned"}, ""},
		"another cluster's":    {map[string]string{"kubernetes.io/cluster/other": "owned"}, nil, `resourceTags: "kubernetes.io/cluster/other" is a key by which operators find`},
		"Cluster API's": {nil, map[string]string{
			"sigs.k8s.io/cluster-api-provider-aws/role": "x",
		}, "nodePools[0].resourceTags: "},
		"no tags":                   {nil, nil, ""},
		"a key that ends like that": {nil, map[string]string{"example.com/kubernetes.io/cluster/x": "y"}, ""},
	} {
		s := settings()
		s.Cluster.Tags, s.ResourceTags = nil, test.cluster
		s.NodePools = []hostedcluster.NodePool{{Zone: "us-east-1a", ResourceTags: test.pool}}
		_, err := s.Objects(site())
		if test.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, test.want, name)
	}
}

func TestWhatHyperShiftsOperatorRefusesIsRefusedBefore(t *testing.T) {
	t.Parallel()
	var services []any
	for _, service := range []string{"APIServer", "OAuthServer", "Konnectivity", "Ignition"} {
		services = append(services, map[string]any{"service": service, "servicePublishingStrategy": map[string]any{
			"type": "Route", "route": map[string]any{"hostname": strings.ToLower(service)[:1] + ".example.com"}}})
	}
	route := func(i int) map[string]any {
		return services[i].(map[string]any)["servicePublishingStrategy"].(map[string]any)["route"].(map[string]any)
	}
	s := settings()
	s.Spec = map[string]any{"services": services}
	_, err := s.Objects(site())
	require.NoError(t, err)
	route(3)["hostname"] = route(1)["hostname"]
	_, err = s.Objects(site())
	require.ErrorContains(t, err, `spec.services[3]: "o.example.com" is the host name of OAuthServer too`)

	s.Spec = map[string]any{
		"configuration": map[string]any{"network": map[string]any{"serviceNodePortRange": "9000-8000"}},
	}
	_, err = s.Objects(site())
	require.ErrorContains(t, err, `spec.configuration.network.serviceNodePortRange: "9000-8000" begins with its last port`)
}
