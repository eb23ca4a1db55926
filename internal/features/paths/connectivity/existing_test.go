package connectivity

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func list(items ...any) []any { return items }

func object(pairs ...any) map[string]any {
	found := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		found[pairs[i].(string)] = pairs[i+1]
	}
	return found
}

// existingVPC returns a VPC outside the stack as AWS lists it: nodes in subnet-1 behind a NAT gateway in subnet-2, and
// a third subnet.
func existingVPC() map[string]*props.Resource {
	local := object("destinationCidrBlock", "10.0.0.0/16", "gatewayId", "local", "state", "active")
	to := func(target, id string) map[string]any {
		return object("destinationCidrBlock", "0.0.0.0/0", target, id, "state", "active")
	}
	rule := func(egress bool) map[string]any {
		return object("egress", egress, "number", 100.0, "action", "allow", "protocol", "-1", "cidrBlock", "0.0.0.0/0")
	}
	subnet := func(id, zone, cidr string) *props.Resource {
		return &props.Resource{
			Type: awstype.Subnet,
			ID:   id,
			Map:  props.Map{"vpcId": "vpc-1", "cidrBlock": cidr, "availabilityZone": zone},
		}
	}
	return map[string]*props.Resource{
		"vpc":    {Type: awstype.VPC, ID: "vpc-1", Map: props.Map{"cidrBlocks": list(object("cidrBlock", "10.0.0.0/16"))}},
		"nodes":  subnet("subnet-1", "a", "10.0.0.0/20"),
		"public": subnet("subnet-2", "a", "10.0.16.0/20"),
		"third":  subnet("subnet-3", "a", "10.0.32.0/20"),
		"node table": {Type: awstype.RouteTable, ID: "rtb-1",
			Map: props.Map{"routes": list(local, to("natGatewayId", "nat-1")),
				"associations": list(object("id", "a", "subnetId", "subnet-1"))}},
		"public table": {Type: awstype.RouteTable, ID: "rtb-2",
			Map: props.Map{"routes": list(local, to("gatewayId", "igw-1")),
				"associations": list(object("id", "b", "subnetId", "subnet-2"))}},
		"main table": {
			Type: awstype.RouteTable,
			ID:   "rtb-3",
			Map: props.Map{
				"routes":       list(local, to("natGatewayId", "nat-1")),
				"associations": list(object("id", "c", "main", true)),
			},
		},
		"node acl": {
			Type: awstype.NetworkACL,
			ID:   "acl-1",
			Map:  props.Map{"subnetIds": list("subnet-1"), "rules": list(rule(true), rule(false))},
		},
		"acl": {
			Type: awstype.NetworkACL,
			ID:   "acl-2",
			Map:  props.Map{"subnetIds": list("subnet-2", "subnet-3"), "rules": list(rule(true), rule(false))},
		},
		"nat": {
			Type: awstype.NATGateway,
			ID:   "nat-1",
			Map:  props.Map{"subnetId": "subnet-2", "privateIp": "10.0.16.9", "state": "available"},
		},
		"igw": {Type: awstype.InternetGateway, ID: "igw-1", Map: props.Map{"vpcId": "vpc-1"}},
		"firewall": {
			Type: awstype.VPCEndpoint,
			ID:   "vpce-f",
			Map:  props.Map{"vpcEndpointType": "GatewayLoadBalancer", "subnetIds": list("subnet-3"), "state": "available"},
		},
		"transit": {
			Type: awstype.TransitGatewayAttachment,
			ID:   "tgw-attach-1",
			Map:  props.Map{"transitGatewayId": "tgw-1", "subnetIds": list("subnet-3"), "state": "available"},
		},
		"list": {Type: awstype.PrefixList, ID: "pl-1", Map: props.Map{"entries": list("0.0.0.0/1", "128.0.0.0/1")}},
	}
}

// addRule adds a rule before the others of a network ACL.
func addRule(acl *props.Resource, egress bool, action, protocol, cidr string, ports ...float64) {
	rule := object("egress", egress, "number", 90.0, "action", action, "protocol", protocol, "cidrBlock", cidr)
	if len(ports) == 2 {
		rule["fromPort"], rule["toPort"] = ports[0], ports[1]
	}
	acl.Map["rules"] = append(slices.Clone(acl.Map["rules"].([]any)), rule)
}

func routed(table *props.Resource, route map[string]any) {
	table.Map["routes"] = append(table.Map["routes"].([]any)[:1:1], route)
}

func TestThePathsThroughAnExistingVPC(t *testing.T) {
	t.Parallel()
	anywhere := func(target, id string) map[string]any {
		return object("destinationCidrBlock", "0.0.0.0/0", target, id, "state", "active")
	}
	for name, test := range map[string]struct {
		change func(map[string]*props.Resource)
		// outward and inward are the last hops of "node -> internet" and "user -> public load balancer" that are not simply
		// passed.
		outward, inward string
	}{
		"a NAT gateway": {change: func(map[string]*props.Resource) {}},
		"an ACL without rules for replies": {change: func(all map[string]*props.Resource) {
			addRule(all["node acl"], false, "deny", "6", "0.0.0.0/0", 1024, 65535)
		}, outward: "breaks network ACL acl-1 replies: ingress rule 90 of subnet-1 denies"},
		"an ACL that denies one network": {change: func(all map[string]*props.Resource) {
			addRule(all["node acl"], true, "deny", "-1", "8.8.8.0/24")
		},
			outward: "holds network ACL  except that egress rule 90 of subnet-1 denies 8.8.8.0/24 on port 0-65535"},
		"an ACL that denies UDP": {change: func(all map[string]*props.Resource) {
			addRule(all["node acl"], true, "deny", "17", "0.0.0.0/0", 0, 65535)
		}},
		"a public ACL that denies users": {change: func(all map[string]*props.Resource) {
			addRule(all["acl"], false, "deny", "6", "0.0.0.0/0", 443, 443)
		}, inward: "breaks network ACL acl-2 ingress rule 90 of subnet-2 denies",
			outward: "breaks network ACL acl-2 ingress rule 90 of subnet-2 denies"},
		"a transit gateway": {change: func(all map[string]*props.Resource) {
			routed(all["node table"], anywhere("transitGatewayId", "tgw-1"))
		},
			outward: "not modelled transit gateway tgw-1 attached in subnet-3; its own route tables, and what is behind it, are not modelled"},
		"a transit gateway without attachment": {change: func(all map[string]*props.Resource) {
			routed(all["node table"], anywhere("transitGatewayId", "tgw-2"))
		},
			outward: "not modelled gateway tgw-2 is not readable, or of a kind that is not modelled"},
		"a transit gateway whose attachment waits": {change: func(all map[string]*props.Resource) {
			routed(all["node table"], anywhere("transitGatewayId", "tgw-1"))
			all["transit"].Map["state"] = "pendingAcceptance"
		}, outward: "breaks transit gateway tgw-1 is pendingAcceptance"},
		"a virtual private gateway": {change: func(all map[string]*props.Resource) {
			routed(all["node table"], anywhere("gatewayId", "vgw-1"))
		},
			outward: "not modelled virtual private gateway vgw-1 attached to vpc-1; the networks behind it are not modelled"},
		"a firewall": {change: func(all map[string]*props.Resource) {
			routed(all["node table"], anywhere("gatewayId", "vpce-f"))
		},
			outward: "not modelled firewall endpoint vpce-f in subnet-3; the firewall's own rules are not modelled"},
		"a firewall before the load balancers": {change: func(all map[string]*props.Resource) {
			routed(all["public table"], anywhere("gatewayId", "vpce-f"))
			routed(all["main table"], anywhere("gatewayId", "igw-1"))
			all["edge table"] = &props.Resource{Type: awstype.RouteTable, ID: "rtb-4", Map: props.Map{
				"routes": list(object("destinationCidrBlock", "10.0.0.0/16", "gatewayId", "local"),
					object("destinationCidrBlock", "10.0.16.0/20", "gatewayId", "vpce-f")),
				"associations": list(object("id", "e", "gatewayId", "igw-1"))}}
		}, inward: "not modelled firewall endpoint vpce-f replies: in subnet-3; the firewall's own rules are not modelled",
			outward: "not modelled firewall endpoint vpce-f replies: in subnet-3; the firewall's own rules are not modelled"},
		"a route of a prefix list": {change: func(all map[string]*props.Resource) {
			routed(all["node table"], object("destinationPrefixListId", "pl-1", "natGatewayId", "nat-1"))
		}},
		"a prefix list that cannot be read": {change: func(all map[string]*props.Resource) {
			routed(all["node table"], object("destinationPrefixListId", "pl-9", "natGatewayId", "nat-1"))
		}, outward: "not modelled route table rtb-1 has routes to [pl-9], whose CIDRs are not readable"},
		"a route to nothing": {change: func(all map[string]*props.Resource) {
			routed(all["node table"], object("destinationCidrBlock", "0.0.0.0/0", "natGatewayId", "nat-9", "state", "blackhole"))
		}, outward: "breaks route table rtb-1 0.0.0.0/0 to nat-9 is a blackhole: the target does not exist"},
		"a private NAT gateway": {change: func(all map[string]*props.Resource) {
			all["nat"].Map["connectivityType"] = "private"
		},
			outward: "breaks internet gateway igw-1 drops traffic of the private NAT gateway nat-1"},
		"ACLs that cannot be read": {change: func(all map[string]*props.Resource) {
			delete(all, "acl")
			delete(all, "node acl")
		}, outward: "not modelled network ACL  replies: that of subnet-1 is not readable",
			inward: "not modelled network ACL  replies: that of subnet-2 is not readable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := existingVPC()
			test.change(all)
			var resources []props.Resource
			for _, r := range all {
				resources = append(resources, *r)
			}
			paths := Walk(NewGraph(nil).WithExisting(resources), config.ClusterPaths{ExistingVPC: true, Public: true,
				VPCID: "vpc-1", BaseDomain: "example.com",
				NodeSubnets: map[string]string{"a": "subnet-1"}, ELBSubnets: map[string]string{"a": "subnet-2"}})
			requireHop(t, paths[2], test.inward)
			requireHop(t, paths[3], test.outward)
		})
	}
}

// requireHop requires that the last hop that does not simply pass packets is the wanted one.
func requireHop(t *testing.T, path status.Path, want string) {
	t.Helper()
	var last string
	for _, hop := range path.Hops {
		if hop.Verdict == status.Breaks || hop.Verdict == status.NotModelled || strings.HasPrefix(hop.Why, "except") {
			last = string(hop.Verdict) + " " + hop.Kind + " " + hop.ID + " " + hop.Why
		}
	}
	if want == "" {
		require.Empty(t, last, path.Name)
		require.Greater(t, len(path.Hops), 2)
	}
	require.True(t, strings.HasPrefix(last, want), "%s: %s", path.Name, last)
}

func TestNodesReachAnEndpointInAnExistingVPCUnlessAnACLDeniesItsPort(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*props.Resource){
		"": func(*props.Resource) {},
		"breaks network ACL acl-2 ingress rule 90 of subnet-3 denies": func(acl *props.Resource) {
			addRule(acl, false, "deny", "6", "10.0.0.0/20", 443, 443)
		},
		"breaks network ACL acl-2 replies: egress rule 90 of subnet-3 denies": func(acl *props.Resource) {
			addRule(acl, true, "deny", "6", "10.0.0.0/18", 1024, 65535)
		},
	} {
		resources, c := whole()
		for i := range resources {
			if resources[i].Name == "endpoint" {
				resources[i].Map["subnetIds"] = list("subnet-3")
			}
		}
		all := existingVPC()
		change(all["acl"])
		var given []props.Resource
		for _, r := range all {
			given = append(given, *r)
		}
		c.ExistingVPC, c.Public, c.MachineCIDR = true, false, "10.0.0.0/16"
		requireHop(t, Walk(NewGraph(resources).WithExisting(given), c)[0], want)
	}
}

func TestARuleWithAPrefixListAllowsItsNetworks(t *testing.T) {
	t.Parallel()
	resources, c := whole()
	for i := range resources {
		if resources[i].Name == "rule" {
			delete(resources[i].Map, "cidrIpv4")
			resources[i].Map["prefixListId"] = "pl-2"
		}
	}
	require.Equal(t, []string{"pl-2"}, PrefixListsIn(resources))
	require.Empty(t, broken(resources, c))
	requireHop(t, Walk(NewGraph(resources), c)[0],
		"not modelled security group sg-1 allows port 443 to pl-2, whose CIDRs are not readable")
	graph := NewGraph(resources).withPrefixLists([]props.Resource{{
		Type: awstype.PrefixList,
		ID:   "pl-2",
		Map:  props.Map{"entries": list("10.0.0.0/16")},
	}})
	require.Nil(t, Walk(graph, c)[0].Broken())
}
