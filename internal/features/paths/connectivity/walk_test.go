package connectivity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// whole returns a graph of one zone in which every path holds, and its cluster.
func whole() ([]props.Resource, config.ClusterPaths) {
	list := func(items ...any) []any { return items }
	return []props.Resource{
			{Name: "node", Type: awstype.Subnet, ID: "subnet-1", Map: map[string]any{"cidrBlock": "10.0.128.0/20"}},
			{
				Name: "elb",
				Type: awstype.Subnet,
				ID:   "subnet-2",
				Map:  map[string]any{"cidrBlock": "10.0.0.0/20", "tags": map[string]any{"kubernetes.io/role/elb": "1"}},
			},
			{Name: "node-table", Type: awstype.RouteTable, ID: "rtb-1", Map: nil},
			{Name: "public-table", Type: awstype.RouteTable, ID: "rtb-2", Map: nil},
			{
				Name: "node-assoc",
				Type: awstype.RouteTableAssociation,
				ID:   "a-1",
				Map:  map[string]any{"subnetId": "subnet-1", "routeTableId": "rtb-1"},
			},
			{
				Name: "public-assoc",
				Type: awstype.RouteTableAssociation,
				ID:   "a-2",
				Map:  map[string]any{"subnetId": "subnet-2", "routeTableId": "rtb-2"},
			},
			{
				Name: "nat-route",
				Type: awstype.Route,
				ID:   "r-1",
				Map:  map[string]any{"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0", "natGatewayId": "nat-1"},
			},
			{
				Name: "igw-route",
				Type: awstype.Route,
				ID:   "r-2",
				Map:  map[string]any{"routeTableId": "rtb-2", "destinationCidrBlock": "0.0.0.0/0", "gatewayId": "igw-1"},
			},
			{Name: "nat", Type: awstype.NATGateway, ID: "nat-1", Map: map[string]any{"subnetId": "subnet-2"}},
			{Name: "igw", Type: awstype.InternetGateway, ID: "igw-1", Map: map[string]any{"vpcId": "vpc-1"}},
			{Name: "endpoint", Type: awstype.VPCEndpoint, ID: "vpce-1",
				Map: map[string]any{"vpcId": "vpc-1", "state": "available", "serviceName": "svc",
					"subnetIds": list("subnet-1"), "securityGroupIds": list("sg-1"),
					"tags":       map[string]any{"AWSEndpointService": "private-router"},
					"dnsEntries": list(map[string]any{"dnsName": "vpce-1.example"})}},
			{Name: "group", Type: awstype.SecurityGroup, ID: "sg-1", Map: nil},
			{Name: "rule", Type: awstype.SecurityGroupIngressRule, ID: "sgr-1",
				Map: map[string]any{
					"securityGroupId": "sg-1",
					"cidrIpv4":        "10.0.0.0/16",
					"ipProtocol":      "tcp",
					"fromPort":        443.0,
					"toPort":          443.0,
				}},
			{
				Name: "service",
				Type: awstype.VPCEndpointService,
				ID:   "vpce-svc-1",
				Map:  map[string]any{"serviceName": "svc", "networkLoadBalancerArns": list("arn")},
			},
			{
				Name: "zone",
				Type: awstype.HostedZone,
				ID:   "Z1",
				Map:  map[string]any{"vpcs": list(map[string]any{"vpcId": "vpc-1"})},
			},
			{Name: "record", Type: awstype.Record, ID: "Z1_api",
				Map: map[string]any{"zoneId": "Z1", "type": "CNAME", "name": "api.demo.hypershift.local",
					"records": list("vpce-1.example.")}},
		}, config.ClusterPaths{
			Private: true, Public: true, Service: "private-router", Port: 443, Names: []string{"api"},
			VPCID: "vpc-1", NodeSubnets: map[string]string{"a": "subnet-1"}, ELBSubnets: map[string]string{"a": "subnet-2"},
			LocalZoneID: "Z1", LocalZone: "demo.hypershift.local", BaseDomain: "example.com",
		}
}

// broken returns the hops at which ways break.
func broken(resources []props.Resource, c config.ClusterPaths) []status.Hop {
	var hops []status.Hop
	for _, path := range Walk(NewGraph(resources), c) {
		if hop := path.Broken(); hop != nil {
			hops = append(hops, *hop)
		}
	}
	return hops
}

func TestEveryPathWorksInACompleteGraph(t *testing.T) {
	t.Parallel()
	resources, c := whole()
	require.Len(t, Walk(NewGraph(resources), c), 4)
	require.Empty(t, broken(resources, c))
}

func TestEachRemovedResourceBreaksAPath(t *testing.T) {
	t.Parallel()
	// the rule speaks for its group; a service may be another stack's
	beyond := map[string]bool{"group": true, "service": true}
	resources, c := whole()
	for i, gone := range resources {
		rest := append(append([]props.Resource{}, resources[:i]...), resources[i+1:]...)
		require.Equal(t, beyond[gone.Name], len(broken(rest, c)) == 0, gone.Name)
	}
}

func TestAPathBreaksAtAResourceThatBlocksIt(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]struct {
		resource, property string
		value              any
	}{
		"no rule allows 10.0.128.0/20 on port 443":                        {"rule", "cidrIpv4", "10.0.0.0/18"},
		"is pendingAcceptance: the service's owner has to accept it":      {"endpoint", "state", "pendingAcceptance"},
		"is not associated with vpc-1":                                    {"zone", "vpcs", []any{}},
		"is not attached to vpc-1":                                        {"igw", "vpcId", ""},
		"no endpoint has the name other":                                  {"record", "records", []any{"other"}},
		"has no tag kubernetes.io/role/elb, by which Kubernetes finds it": {"elb", "tags", nil},
		"the service has no load balancer":                                {"service", "networkLoadBalancerArns", nil},
		"there is no endpoint for private-router in vpc-1":                {"endpoint", "vpcId", "vpc-2"},
	} {
		resources, c := whole()
		for i := range resources {
			if resources[i].Name == change.resource {
				resources[i].Map[change.property] = change.value
			}
		}
		hops := broken(resources, c)
		require.NotEmpty(t, hops, want)
		require.Equal(t, want, hops[0].Why)
	}
}

func TestMissingOperatorResourcesAreBeyondAndNotBroken(t *testing.T) {
	t.Parallel()
	resources, c := whole()
	c.OperatorOwned = true
	var left []props.Resource
	for _, r := range resources {
		if r.Name != "endpoint" && r.Name != "record" {
			left = append(left, r)
		}
	}
	require.Empty(t, broken(left, c))
}

func TestPathsThatTheModeDoesNotNeedAreAbsentAndNotBroken(t *testing.T) {
	t.Parallel()
	_, c := whole()
	c.Private, c.Public, c.NoInternet = false, false, "nat None: nodes reach AWS through endpoints in the VPC"
	for _, path := range Walk(NewGraph(nil), c) {
		require.NotEmpty(t, path.Absent, path.Name)
		require.Empty(t, path.Hops, path.Name)
	}
}

// HyperShift adds no address to the allowed networks: nodes of a public control plane come from their NAT gateway's.
func TestNodesReachAPublicControlPlaneOnlyFromAllowedNetworks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		address string
		allowed []string
		want    status.HopVerdict
	}{
		{"198.18.0.7", []string{"203.0.113.0/24"}, status.Breaks},
		{"198.18.0.7", []string{"203.0.113.0/24", "198.18.0.7/32"}, status.Holds},
		{"198.18.0.7", []string{"0.0.0.0/0"}, status.Holds},
		{"", []string{"203.0.113.0/24"}, status.NotModelled},
		{"198.18.0.7", nil, status.Holds},
	} {
		resources, c := whole()
		c.Private, c.Allowed, c.AllowedKey = false, test.allowed, "key"
		for i := range resources {
			if resources[i].Name == "nat" {
				resources[i].Map["publicIp"] = test.address
			}
		}
		flow := Flow(Walk(NewGraph(resources), c))
		for _, number := range []int{2, 6, 10} {
			require.Equal(t, test.want, flow[number-1].Verdict, "%s in %v, step %d", test.address, test.allowed, number)
		}
		if test.want == status.Breaks {
			require.Contains(t, flow[5].Why, "add 198.18.0.7/32 to key")
		}
	}
}
