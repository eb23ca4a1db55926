package connectivity

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// endpointOf adds an interface endpoint of STS in the third subnet, whose group allows the nodes.
func endpointOf(all map[string]*props.Resource) *props.Resource {
	all["endpoint"] = &props.Resource{Type: awstype.VPCEndpoint, ID: "vpce-sts", Map: props.Map{"vpcId": "vpc-1",
		"vpcEndpointType": "Interface", "serviceName": "com.amazonaws.us-east-1.sts", "privateDnsEnabled": true,
		"subnetIds": list("subnet-3"), "securityGroupIds": list("sg-e"), "state": "available"}}
	groupRule(all, "in", awstype.SecurityGroupIngressRule, "sg-e", "cidrIpv4", "10.0.0.0/16")
	return all["endpoint"]
}

// groupRule adds a rule for HTTPS to a security group.
func groupRule(all map[string]*props.Resource, name, token, group, peer, value string) {
	all[name] = &props.Resource{Type: token, ID: "sgr-" + name, Map: props.Map{"securityGroupId": group,
		"ipProtocol": "tcp", "fromPort": 443.0, "toPort": 443.0, peer: value}}
}

// gatewayOf adds a gateway endpoint of S3 to the nodes' route table.
func gatewayOf(all map[string]*props.Resource) *props.Resource {
	all["gateway"] = &props.Resource{Type: awstype.VPCEndpoint, ID: "vpce-s3", Map: props.Map{"vpcId": "vpc-1",
		"vpcEndpointType": "Gateway", "serviceName": "com.amazonaws.us-east-1.s3", "routeTableIds": list("rtb-1")}}
	return all["gateway"]
}

func statement(text string) string { return `{"Version":"2012-10-17","Statement":[` + text + `]}` }

func TestWhatNodesOfAnExistingVPCCanReach(t *testing.T) {
	t.Parallel()
	quay := Host{Name: "quay.io", Port: 443}
	sts := Host{Name: "sts.us-east-1.amazonaws.com", Port: 443, Service: "sts",
		Requests: []policy.Request{{Action: "sts:AssumeRoleWithWebIdentity"}}}
	proxy := Host{Name: "10.9.1.1", Address: netip.MustParseAddr("10.9.1.1"), Port: 3128}
	quayBucket := Host{Name: "quayio-production-s3.s3.amazonaws.com", Port: 443, Service: "s3",
		Requests: []policy.Request{{Action: "s3:GetObject", Resource: "arn:aws:s3:::quayio-production-s3/*"}}}
	s3 := Host{Name: "s3.us-east-1.amazonaws.com", Port: 443, Service: "s3",
		Requests: []policy.Request{{Action: "s3:PutObject", Resource: "arn:aws:s3:::demo-x1-image-registry-us-east-1-*/*"}}}
	type all = map[string]*props.Resource
	noNAT := func(a all) { a["node table"].Map["routes"] = a["node table"].Map["routes"].([]any)[:1] }
	for name, test := range map[string]struct {
		host   Host
		change func(all)
		nodes  Nodes
		unread []string
		// want is how the path ends: the hop that breaks it, the first that is not modelled, or the last one.
		want string
	}{
		"the internet by a NAT gateway": {host: quay, want: "holds internet gateway igw-1"},
		"a network ACL that denies replies": {host: quay, change: func(a all) {
			addRule(a["node acl"], false, "deny", "6", "0.0.0.0/0", 1024, 65535)
		}, want: "breaks network ACL acl-1 replies: ingress rule 90"},
		"a transit gateway": {host: quay, change: func(a all) {
			routed(a["node table"], object("destinationCidrBlock", "0.0.0.0/0", "transitGatewayId", "tgw-1", "state", "active"))
			a["transit"].Map["subnetIds"] = list("subnet-3")
		}, want: "not modelled transit gateway tgw-1"},
		"no route": {host: quay, change: noNAT, want: "breaks route table rtb-1 has no route to"},
		"a service by an endpoint": {host: sts, change: func(a all) {
			noNAT(a)
			endpointOf(a)
		}, want: "holds endpoint vpce-sts"},
		"an endpoint without a name": {host: sts, change: func(a all) { endpointOf(a).Map["privateDnsEnabled"] = false },
			want: "holds internet gateway igw-1"},
		"an endpoint without a name, and no way else": {host: sts, change: func(a all) {
			noNAT(a)
			endpointOf(a).Map["privateDnsEnabled"] = false
		}, want: "breaks route table rtb-1"},
		"an endpoint whose group forbids the nodes, beside a NAT gateway": {host: sts, change: func(a all) {
			endpointOf(a)
			groupRule(a, "in", awstype.SecurityGroupIngressRule, "sg-e", "cidrIpv4", "10.0.16.0/20")
		}, want: "breaks security group sg-e no rule allows 10.0.0.0/20 on port 443"},
		"an endpoint whose group allows half of the nodes": {host: sts, change: func(a all) {
			endpointOf(a)
			groupRule(a, "in", awstype.SecurityGroupIngressRule, "sg-e", "cidrIpv4", "10.0.0.0/21")
		}, want: "breaks security group sg-e no rule allows 10.0.8.0/21, a part of 10.0.0.0/20"},
		"an endpoint whose group allows both halves": {host: sts, change: func(a all) {
			endpointOf(a)
			groupRule(a, "in", awstype.SecurityGroupIngressRule, "sg-e", "cidrIpv4", "10.0.0.0/21")
			groupRule(a, "in2", awstype.SecurityGroupIngressRule, "sg-e", "cidrIpv4", "10.0.8.0/21")
		}, want: "holds endpoint vpce-sts"},
		"an endpoint whose group allows the nodes' group": {host: sts, change: func(a all) {
			endpointOf(a)
			groupRule(a, "in", awstype.SecurityGroupIngressRule, "sg-e", "referencedSecurityGroupId", "sg-n")
		}, nodes: Nodes{Groups: []string{"sg-n"}}, want: "holds endpoint vpce-sts"},
		"an endpoint whose subnet's ACL denies replies to nodes": {host: sts, change: func(a all) {
			endpointOf(a)
			addRule(a["acl"], true, "deny", "6", "10.0.0.0/20", 1024, 65535)
		}, want: "breaks network ACL acl-2 replies: egress rule 90"},
		"a policy for another action": {host: sts, change: func(a all) {
			endpointOf(a).Map["policy"] = statement(`{"Effect":"Allow","Principal":"*","Action":"sts:GetCallerIdentity","Resource":"*"}`)
		}, want: "breaks endpoint policy vpce-sts does not allow sts:AssumeRoleWithWebIdentity"},
		"a policy with a condition": {host: sts, change: func(a all) {
			endpointOf(a).Map["policy"] = statement(`{"Effect":"Allow","Principal":"*","Action":"sts:*","Resource":"*",` +
				`"Condition":{"StringEquals":{"aws:PrincipalOrgID":"o-1"}}}`)
		}, want: "not modelled endpoint policy vpce-sts allows sts:AssumeRoleWithWebIdentity to some callers"},
		"AWS's own policy": {host: sts, change: func(a all) {
			endpointOf(a).Map["policy"] = `{"Statement":[{"Action":"*","Effect":"Allow","Principal":"*","Resource":"*"}]}`
		}, want: "holds endpoint vpce-sts"},
		"an endpoint that waits": {host: sts, change: func(a all) { endpointOf(a).Map["state"] = "pendingAcceptance" },
			want: "breaks endpoint vpce-sts is pendingAcceptance"},
		"endpoints that cannot be read": {host: sts, change: noNAT, unread: []string{awstype.VPCEndpoint},
			want: "not modelled endpoint"},
		"rules that cannot be read": {host: sts, change: func(a all) { endpointOf(a); delete(a, "in") },
			unread: []string{awstype.SecurityGroupIngressRule},
			want:   "not modelled security group sg-e its rules cannot be read"},
		"subnets that cannot be read": {host: quay, change: func(a all) { delete(a, "nodes") },
			unread: []string{awstype.Subnet}, want: "not modelled subnet subnet-1 cannot be read"},
		"route tables that cannot be read": {host: quay, change: func(a all) {
			for _, name := range []string{"node table", "public table", "main table"} {
				delete(a, name)
			}
		}, unread: []string{awstype.RouteTable}, want: "not modelled route table"},
		"a gateway endpoint": {
			host:   s3,
			change: func(a all) { noNAT(a); gatewayOf(a) },
			want:   "holds gateway endpoint vpce-s3",
		},
		"a gateway endpoint of other tables": {host: s3, change: func(a all) {
			noNAT(a)
			gatewayOf(a).Map["routeTableIds"] = list("rtb-2")
		}, want: "breaks route table rtb-1"},
		"a gateway endpoint, and an ACL that denies replies": {host: s3, change: func(a all) {
			gatewayOf(a)
			addRule(a["node acl"], false, "deny", "6", "0.0.0.0/0", 1024, 65535)
		}, want: "breaks network ACL acl-1 replies"},
		"a gateway endpoint for other buckets": {host: s3, change: func(a all) {
			gatewayOf(a).Map["policy"] = statement(`{"Effect":"Allow","Principal":"*","Action":"s3:*","Resource":"arn:aws:s3:::mine/*"}`)
		}, want: "breaks endpoint policy vpce-s3 does not allow s3:PutObject on arn:aws:s3:::demo-x1-image-registry"},
		"a group of nodes that is closed": {host: quay, nodes: Nodes{Groups: []string{"sg-n"}, Closed: true},
			want: "breaks security group sg-n no outbound rule allows 0.0.0.0/0 on port 443"},
		"a group of nodes that is open": {host: quay, nodes: Nodes{Groups: []string{"sg-n"}, Closed: true},
			change: func(a all) { groupRule(a, "out", awstype.SecurityGroupEgressRule, "sg-n", "cidrIpv4", "0.0.0.0/0") },
			want:   "holds internet gateway igw-1"},
		"a group of nodes that is open to IPv6": {host: quay, nodes: Nodes{Groups: []string{"sg-n"}, Closed: true},
			change: func(a all) { groupRule(a, "out", awstype.SecurityGroupEgressRule, "sg-n", "cidrIpv6", "::/0") },
			want:   "breaks security group sg-n no outbound rule allows 0.0.0.0/0 on port 443"},
		"an ACL that lets only IPv6 out": {host: quay, change: func(a all) {
			a["node acl"].Map["rules"] = list(object("egress", true, "number", 100.0, "action", "allow", "protocol", "-1",
				"ipv6CidrBlock", "::/0"), object("egress", false, "number", 100.0, "action", "allow", "protocol", "-1",
				"cidrBlock", "0.0.0.0/0"))
		}, want: "breaks network ACL acl-1"},
		"an ACL that denies IPv6": {host: quay, change: func(a all) {
			a["node acl"].Map["rules"] = append(a["node acl"].Map["rules"].([]any), object("egress", true, "number", 1.0,
				"action", "deny", "protocol", "-1", "ipv6CidrBlock", "::/0"))
		}, want: "holds internet gateway igw-1"},
		"an ACL that denies, after the rule that allows": {host: quay, change: func(a all) {
			late(a["node acl"], object("egress", true, "action", "deny", "protocol", "6", "cidrBlock", "0.0.0.0/0",
				"fromPort", 443.0, "toPort", 443.0))
		}, want: "holds internet gateway igw-1"},
		"an ACL that denies some addresses": {host: quay, change: func(a all) {
			addRule(a["node acl"], true, "deny", "6", "34.0.0.0/8", 443, 443)
		}, want: "holds internet gateway igw-1"},
		"an ACL that denies UDP": {host: quay, change: func(a all) {
			addRule(a["node acl"], false, "deny", "17", "0.0.0.0/0", 0, 65535)
		}, want: "holds internet gateway igw-1"},
		"an ACL that lets in replies to Linux alone": {host: quay, change: func(a all) {
			a["node acl"].Map["rules"] = list(tcpAt(true, 443, 443), tcpAt(false, 32768, 60999))
		}, want: "holds internet gateway igw-1"},
		"an ACL that lets in replies to some of Linux's ports": {host: quay, change: func(a all) {
			a["node acl"].Map["rules"] = list(tcpAt(true, 443, 443), tcpAt(false, 49152, 65535))
		}, want: "breaks network ACL acl-1 replies: no ingress rule of subnet-1 allows"},
		"an ACL of the NAT gateway that lets in replies to Linux alone": {host: quay, change: func(a all) {
			a["acl"].Map["rules"] = list(tcpAt(true, 0, 65535), tcpAt(false, 443, 443), tcpAt(false, 32768, 65535))
		}, want: "breaks network ACL acl-2 replies: no ingress rule of subnet-2 allows"},
		"an ACL of the NAT gateway without requests from nodes": {host: quay, change: func(a all) {
			a["acl"].Map["rules"] = list(tcpAt(true, 0, 65535), tcpAt(false, 1024, 65535))
		}, want: "breaks network ACL acl-2 no ingress rule of subnet-2 allows"},
		"an ACL of the NAT gateway without replies to nodes": {host: quay, change: func(a all) {
			a["acl"].Map["rules"] = list(tcpAt(true, 443, 443), tcpAt(false, 0, 65535))
		}, want: "breaks network ACL acl-2 replies: no egress rule of subnet-2 allows"},
		"a default route whose target is deleted": {host: quay, change: func(a all) {
			routed(a["node table"], object("destinationCidrBlock", "0.0.0.0/0", "natGatewayId", "nat-9", "state", "blackhole"))
		}, want: "breaks route table rtb-1"},
		"a part whose target is deleted": {host: quay, change: func(a all) {
			a["node table"].Map["routes"] = append(a["node table"].Map["routes"].([]any), object("destinationCidrBlock",
				"44.0.0.0/8", "transitGatewayId", "tgw-9", "state", "blackhole"))
		}, want: "breaks route table rtb-1"},
		"a NAT gateway in another zone": {host: quay, change: func(a all) {
			a["public"].Map["availabilityZone"] = "b"
		}, want: "holds internet gateway igw-1"},
		"a NAT gateway that fails": {host: quay, change: func(a all) { a["nat"].Map["state"] = "failed" },
			want: "breaks NAT gateway nat-1 is failed"},
		"a private NAT gateway": {host: quay, change: func(a all) { a["nat"].Map["connectivityType"] = "private" },
			want: "breaks internet gateway igw-1 drops traffic of the private NAT gateway nat-1"},
		"a private NAT gateway before a transit gateway": {host: quay, change: func(a all) {
			a["nat"].Map["connectivityType"] = "private"
			routed(a["public table"],
				object("destinationCidrBlock", "0.0.0.0/0", "transitGatewayId", "tgw-1", "state", "active"))
		}, want: "not modelled transit gateway tgw-1"},
		"a NAT gateway in a subnet without an internet gateway": {host: quay, change: func(a all) {
			a["public table"].Map["routes"] = a["public table"].Map["routes"].([]any)[:1]
		}, want: "breaks route table rtb-2 has no route to"},
		"a NAT gateway behind another one": {host: quay, change: func(a all) {
			routed(a["public table"], object("destinationCidrBlock", "0.0.0.0/0", "natGatewayId", "nat-1", "state", "active"))
		}, want: "not modelled NAT gateway nat-1"},
		"an internet gateway of another VPC": {host: quay, change: func(a all) { delete(a, "igw") },
			want: "not modelled gateway igw-1"},
		"a transit gateway without an attachment in the zone": {host: quay, change: func(a all) {
			routed(a["node table"], object("destinationCidrBlock", "0.0.0.0/0", "transitGatewayId", "tgw-1", "state", "active"))
			a["transit"].Map["subnetIds"] = list("subnet-3")
			a["third"].Map["availabilityZone"] = "b"
		}, want: "breaks transit gateway tgw-1 its attachment has no subnet in zone a"},
		"a transit gateway that waits": {host: quay, change: func(a all) {
			routed(a["node table"], object("destinationCidrBlock", "0.0.0.0/0", "transitGatewayId", "tgw-1", "state", "active"))
			a["transit"].Map["state"] = "pendingAcceptance"
		}, want: "breaks transit gateway tgw-1 is pendingAcceptance"},
		"the internet by a peering connection": {host: quay, change: func(a all) {
			routed(a["node table"],
				object("destinationCidrBlock", "0.0.0.0/0", "vpcPeeringConnectionId", "pcx-1", "state", "active"))
		}, want: "breaks peering connection pcx-1 only passes traffic to addresses of the peered VPC"},
		"a proxy in a peered VPC": {host: proxy, change: func(a all) {
			routed(a["node table"],
				object("destinationCidrBlock", "10.9.0.0/16", "vpcPeeringConnectionId", "pcx-1", "state", "active"))
		}, want: "not modelled peering connection pcx-1 with another VPC"},
		"a proxy in a peered VPC, whose replies an ACL denies": {host: proxy, change: func(a all) {
			routed(a["node table"],
				object("destinationCidrBlock", "10.9.0.0/16", "vpcPeeringConnectionId", "pcx-1", "state", "active"))
			a["node acl"].Map["rules"] = list(tcpAt(true, 0, 65535), tcpAt(false, 443, 443))
		}, want: "breaks network ACL acl-1 replies"},
		"a proxy behind a transit gateway": {host: proxy, change: func(a all) {
			routed(a["node table"], object("destinationCidrBlock", "10.0.0.0/8", "transitGatewayId", "tgw-1", "state", "active"))
		}, want: "not modelled transit gateway tgw-1"},
		"a proxy behind a peering connection that was deleted": {host: proxy, change: func(a all) {
			routed(a["node table"],
				object("destinationCidrBlock", "10.9.0.0/16", "vpcPeeringConnectionId", "pcx-1", "state", "blackhole"))
		}, want: "breaks route table rtb-1"},
		"a proxy by the NAT gateway": {host: proxy, want: "breaks internet gateway igw-1 drops traffic to private addresses"},
		"a core network": {host: quay, change: func(a all) {
			routed(a["node table"],
				object("destinationCidrBlock", "0.0.0.0/0", "coreNetworkArn", "arn:aws:networkmanager::1:core-network/c",
					"state", "active"))
		}, want: "not modelled gateway arn:aws:networkmanager"},
		"nodes in a secondary CIDR": {host: quay, change: func(a all) {
			a["vpc"].Map["cidrBlocks"] = list(object("cidrBlock", "10.0.0.0/16"), object("cidrBlock", "100.64.0.0/16"))
			a["nodes"].Map["cidrBlock"] = "100.64.0.0/20"
			a["node table"].Map["routes"] = append(a["node table"].Map["routes"].([]any),
				object("destinationCidrBlock", "100.64.0.0/16", "gatewayId", "local", "state", "active"))
			a["public table"].Map["routes"] = append(a["public table"].Map["routes"].([]any),
				object("destinationCidrBlock", "100.64.0.0/16", "gatewayId", "local", "state", "active"))
		}, want: "holds internet gateway igw-1"},
		"nodes in a secondary CIDR, from which an endpoint is shut": {host: sts, change: func(a all) {
			a["vpc"].Map["cidrBlocks"] = list(object("cidrBlock", "10.0.0.0/16"), object("cidrBlock", "100.64.0.0/16"))
			a["nodes"].Map["cidrBlock"] = "100.64.0.0/20"
			for _, table := range []string{"node table", "public table", "main table"} {
				a[table].Map["routes"] = append(a[table].Map["routes"].([]any),
					object("destinationCidrBlock", "100.64.0.0/16", "gatewayId", "local", "state", "active"))
			}
			endpointOf(a)
		}, want: "breaks security group sg-e no rule allows 100.64.0.0/20 on port 443"},
		"a dual-stack subnet": {host: quay, change: func(a all) {
			a["nodes"].Map["ipv6CidrBlock"] = "2600:1f00::/64"
			a["node table"].Map["routes"] = append(a["node table"].Map["routes"].([]any),
				object("destinationIpv6CidrBlock", "::/0", "egressOnlyGatewayId", "eigw-1", "state", "active"))
		}, want: "holds internet gateway igw-1"},
		"a prefix list of all addresses": {host: quay, change: func(a all) {
			routed(a["node table"], object("destinationPrefixListId", "pl-1", "natGatewayId", "nat-1", "state", "active"))
		}, want: "holds internet gateway igw-1"},
		"a prefix list that cannot be read": {host: quay, change: func(a all) {
			delete(a, "list")
			routed(a["node table"], object("destinationPrefixListId", "pl-1", "natGatewayId", "nat-1", "state", "active"))
		}, want: "not modelled route table rtb-1"},
		"both endpoints of S3, the interface's with its names": {host: s3, change: func(a all) {
			gatewayOf(a)
			endpointOf(a).Map["serviceName"] = "com.amazonaws.us-east-1.s3"
		}, want: "holds endpoint vpce-sts"},
		"both endpoints of S3, the interface's names for inbound endpoints": {host: s3, change: func(a all) {
			gatewayOf(a)
			inbound := endpointOf(a)
			inbound.Map["serviceName"] = "com.amazonaws.us-east-1.s3"
			inbound.Map["dnsOptions"] = object("privateDnsOnlyForInboundResolverEndpoint", true)
			groupRule(a, "in", awstype.SecurityGroupIngressRule, "sg-e", "cidrIpv4", "192.168.0.0/16")
		}, want: "holds gateway endpoint vpce-s3"},
		"a policy of S3 for the company's buckets, and images of quay.io": {host: quayBucket, change: func(a all) {
			gatewayOf(a).Map["policy"] = statement(`{"Effect":"Allow","Principal":"*","Action":"s3:*","Resource":["arn:aws:s3:::corp-*","arn:aws:s3:::corp-*/*"]}`)
		}, want: "breaks endpoint policy vpce-s3 does not allow s3:GetObject on arn:aws:s3:::quayio-production-s3/*"},
		"a policy of S3 for the company's account": {host: quayBucket, change: func(a all) {
			gatewayOf(a).Map["policy"] = statement(`{"Effect":"Allow","Principal":"*","Action":"s3:*","Resource":"*",` +
				`"Condition":{"StringEquals":{"aws:ResourceAccount":"111111111111"}}}`)
		}, want: "not modelled endpoint policy vpce-s3"},
		"a policy of S3 that denies what is not the company's": {host: quayBucket, change: func(a all) {
			gatewayOf(a).Map["policy"] = statement(`{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*"},` +
				`{"Effect":"Deny","Principal":"*","Action":"s3:*","NotResource":["arn:aws:s3:::corp-*","arn:aws:s3:::corp-*/*"]}`)
		}, want: "breaks endpoint policy vpce-s3"},
		"an egress-only gateway alone": {host: quay, change: func(a all) {
			noNAT(a)
			routed(a["node table"], object("destinationIpv6CidrBlock", "::/0", "egressOnlyGatewayId", "eigw-1",
				"state", "active"))
		}, want: "breaks route table rtb-1 has no route to"},
		"a firewall": {host: quay, change: func(a all) {
			noNAT(a)
			routed(a["node table"], object("destinationCidrBlock", "0.0.0.0/0", "vpcEndpointId", "vpce-fw", "state", "active"))
			a["firewall"] = &props.Resource{Type: awstype.VPCEndpoint, ID: "vpce-fw", Map: props.Map{"vpcId": "vpc-1",
				"vpcEndpointType": "GatewayLoadBalancer", "subnetIds": list("subnet-3"), "state": "pendingAcceptance"}}
		}, want: "breaks firewall endpoint vpce-fw is pendingAcceptance"},
		"a group of nodes that is open to some": {host: quay, nodes: Nodes{Groups: []string{"sg-n"}, Closed: true},
			change: func(a all) { groupRule(a, "out", awstype.SecurityGroupEgressRule, "sg-n", "cidrIpv4", "34.0.0.0/8") },
			want:   "not modelled security group sg-n allows port 443 to 34.0.0.0/8 only"},
		"a group of nodes that is open to the endpoint's": {host: sts, nodes: Nodes{Groups: []string{"sg-n"}, Closed: true},
			change: func(a all) {
				endpointOf(a)
				groupRule(a, "out", awstype.SecurityGroupEgressRule, "sg-n", "referencedSecurityGroupId", "sg-e")
			}, want: "holds endpoint vpce-sts"},
		"a group that is open to a prefix list": {host: quay, nodes: Nodes{Groups: []string{"sg-n"}, Closed: true},
			change: func(a all) { groupRule(a, "out", awstype.SecurityGroupEgressRule, "sg-n", "prefixListId", "pl-1") },
			want:   "holds internet gateway igw-1"},
		"a group that is open to a prefix list that cannot be read": {host: quay,
			nodes:  Nodes{Groups: []string{"sg-n"}, Closed: true},
			change: func(a all) { groupRule(a, "out", awstype.SecurityGroupEgressRule, "sg-n", "prefixListId", "pl-9") },
			want:   "not modelled security group sg-n allows port 443 to pl-9, whose CIDRs are not readable"},
		"an endpoint's group with a prefix list that cannot be read": {host: sts, change: func(a all) {
			endpointOf(a)
			groupRule(a, "in", awstype.SecurityGroupIngressRule, "sg-e", "prefixListId", "pl-9")
		}, want: "not modelled security group sg-e allows port 443 to pl-9"},
		"an allow of an ACL before its deny": {host: quay, change: func(a all) {
			addRule(a["node acl"], true, "deny", "-1", "0.0.0.0/0")
			addRule(a["node acl"], true, "allow", "6", "0.0.0.0/0", 443, 443)
			a["node acl"].Map["rules"].([]any)[3].(map[string]any)["number"] = 80.0
		}, want: "holds internet gateway igw-1"},
		"a blackhole beside the default route": {host: quay, change: func(a all) {
			a["node table"].Map["routes"] = append(a["node table"].Map["routes"].([]any), object("destinationCidrBlock",
				"52.0.0.0/8", "networkInterfaceId", "eni-1", "state", "blackhole"))
		}, want: "breaks route table rtb-1 52.0.0.0/8 to eni-1 is a blackhole"},
		"an address that no route has": {host: Host{
			Name:    "192.168.1.1",
			Address: netip.MustParseAddr("192.168.1.1"),
			Port:    3128,
		},
			change: noNAT, want: "breaks route table rtb-1 has no route to 192.168.1.1/32"},
		"an address in the VPC": {host: Host{Name: "10.0.32.9", Address: netip.MustParseAddr("10.0.32.9"), Port: 3128},
			change: noNAT, want: "not modelled security group that of 10.0.32.9 is not read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := existingVPC()
			if test.change != nil {
				test.change(given)
			}
			var resources []props.Resource
			for _, r := range given {
				resources = append(resources, *r)
			}
			graph := NewGraph(resources).WithExisting(resources).WithUnread(test.unread)
			test.nodes.Zone, test.nodes.Subnet = "a", "subnet-1"
			path := Egress(graph, config.ClusterPaths{ExistingVPC: true, VPCID: "vpc-1",
				NodeSubnets: map[string]string{"a": "subnet-1"}}, test.nodes, test.host)
			require.Contains(t, deciding(path), test.want, "%+v", path.Hops)
		})
	}
}

// tcpAt is a rule of a network ACL that allows TCP at ports.
func tcpAt(egress bool, from, to float64) map[string]any {
	number := 100.0
	if !egress {
		number += float64(int(from) / 1000)
	}
	return object("egress", egress, "number", number, "action", "allow", "protocol", "6", "cidrBlock", "0.0.0.0/0",
		"fromPort", from, "toPort", to)
}

// late adds a rule after the others of a network ACL.
func late(acl *props.Resource, rule map[string]any) {
	rule["number"] = 110.0
	acl.Map["rules"] = append(acl.Map["rules"].([]any), rule)
}

// The stack creates no network ACL, so that those of its VPC are AWS's default one, or of others.
func TestAnACLThatOthersAddedToTheStacksVPCBlocks(t *testing.T) {
	t.Parallel()
	quay := Host{Name: "quay.io", Port: 443}
	for name, test := range map[string]struct {
		acl, subnet, want string
	}{
		"none":                       {subnet: "subnet-1", want: "holds internet gateway igw-1"},
		"the nodes'":                 {acl: "node acl", subnet: "subnet-1", want: "breaks network ACL acl-1 egress rule 90"},
		"that of the NAT gateway":    {acl: "acl", subnet: "subnet-1", want: "breaks network ACL acl-2"},
		"a subnet that is still new": {acl: "node acl", subnet: "subnet-new", want: "holds internet gateway igw-1"},
	} {
		inAWS := existingVPC()
		if test.acl != "" {
			addRule(inAWS[test.acl], true, "deny", "6", "0.0.0.0/0", 443, 443)
		}
		var resources []props.Resource
		for _, r := range inAWS {
			resources = append(resources, *r)
		}
		own, cluster := whole()
		for i := range own {
			if own[i].ID == "subnet-1" {
				own[i].ID = test.subnet
			}
			if own[i].String("subnetId") == "subnet-1" {
				own[i].Map["subnetId"] = test.subnet
			}
		}
		path := Egress(NewGraph(own).WithOwn(resources), cluster, Nodes{Zone: "a", Subnet: test.subnet}, quay)
		require.Contains(t, deciding(path), test.want, "%s: %+v", name, path.Hops)
	}
}

// A proxy of others is behind the same network ACL.
func TestAnACLThatOthersAddedToTheStacksVPCBlocksItsProxy(t *testing.T) {
	t.Parallel()
	inAWS := existingVPC()
	addRule(inAWS["node acl"], true, "deny", "6", "192.168.0.0/16", 3128, 3128)
	var resources []props.Resource
	for _, r := range inAWS {
		resources = append(resources, *r)
	}
	own, cluster := whole()
	own = append(own, props.Resource{Type: awstype.Route, ID: "r-corp", Name: "corp", Map: props.Map{
		"routeTableId": "rtb-1", "destinationCidrBlock": "192.168.0.0/16", "transitGatewayId": "tgw-1"}},
		props.Resource{Type: awstype.TransitGatewayAttachment, ID: "tgw-attach-1", Map: props.Map{
			"transitGatewayId": "tgw-1", "vpcId": "vpc-1"}})
	for port, want := range map[int]string{
		3128: "breaks network ACL acl-1 egress rule 90", 8080: "not modelled transit gateway tgw-attach-1",
	} {
		path := Egress(NewGraph(own).WithOwn(resources), cluster, Nodes{Zone: "a", Subnet: "subnet-1"},
			Host{Name: "192.168.7.7", Address: netip.MustParseAddr("192.168.7.7"), Port: port})
		require.Contains(t, deciding(path), want, "%+v", path.Hops)
	}
}

// deciding returns the hop that decides a path.
func deciding(p status.Path) string {
	hop := p.Broken()
	for i := range p.Hops {
		if hop == nil && p.Hops[i].Verdict == status.NotModelled {
			hop = &p.Hops[i]
		}
	}
	for i := len(p.Hops) - 1; hop == nil; i-- {
		if kind := p.Hops[i].Kind; kind != "network ACL" && kind != "security group" && kind != "route table" {
			hop = &p.Hops[i]
		}
	}
	text := string(hop.Verdict) + " " + hop.Kind
	if hop.ID != "" {
		text += " " + hop.ID
	}
	return text + " " + hop.Why
}

// The operator's endpoint, which does not exist yet, is in the nodes' subnets.
func TestTheWayToAnEndpointThatDoesNotExistYetIsFollowed(t *testing.T) {
	t.Parallel()
	given := existingVPC()
	addRule(given["acl"], false, "deny", "6", "10.0.0.0/20", 443, 443)
	var resources []props.Resource
	for _, r := range given {
		resources = append(resources, *r)
	}
	cluster := config.ClusterPaths{ExistingVPC: true, VPCID: "vpc-1", Private: true, OperatorOwned: true, Port: 443,
		NodeSubnets: map[string]string{"a": "subnet-1", "b": "subnet-3"}}
	path := EgressToControlPlane(NewGraph(resources).WithExisting(resources), cluster,
		Nodes{Zone: "a", Subnet: "subnet-1"},
		Host{Name: "api.demo.hypershift.local", Port: 443})
	require.Contains(t, deciding(path), "breaks network ACL acl-2 ingress rule 90 of subnet-3 denies")
}
