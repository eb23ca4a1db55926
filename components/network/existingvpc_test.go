package network

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func TestInAnExistingVPCOnlyHostedZonesAreCreated(t *testing.T) {
	t.Parallel()
	for access, want := range map[hypershift.EndpointAccess][]string{
		hypershift.Public: {"aws:route53/record:Record network-private-zone-soa",
			"aws:route53/zone:Zone network-private-zone"},
		hypershift.Private: {
			"aws:route53/record:Record network-local-zone-soa", "aws:route53/record:Record network-private-zone-soa",
			"aws:route53/zone:Zone network-local-zone", "aws:route53/zone:Zone network-private-zone",
		},
	} {
		a := &account{lookups: goodAccount()}
		a.lookups["getRecords"] = map[string]any{"resourceRecordSets": []any{map[string]any{"type": "SOA",
			"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}
		made, err := a.run(t, inExisting(access))
		require.NoError(t, err)
		require.Equal(t, want, made, access)
	}
}

func TestAnUnsuitableExistingVPCIsRefusedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	zone := map[string]any{"zoneId": "Z0123456789", "name": "demo.example.com", "privateZone": true}
	for name, test := range map[string]struct {
		change answers
		args   func(*GuestNetworkArgs)
		want   string
	}{
		"no such VPC":     {change: answers{"getVpc": nil}, want: `existing.vpcID: "vpc-0123456789abcdef0" cannot be looked up: `},
		"DNS support off": {change: answers{"getVpc": {"enableDnsSupport": false}}, want: "has enableDnsSupport turned off"},
		"DNS hostnames off": {change: answers{"getVpc": {"enableDnsHostnames": false}},
			want: "enable it: aws ec2 modify-vpc-attribute --vpc-id vpc-0123456789abcdef0 --enable-dns-hostnames"},
		"a CIDR of the cluster's": {
			change: answers{"getVpc": {"cidrBlockAssociations": []any{
				map[string]any{"cidrBlock": "10.0.0.0/16", "state": "associated"},
				map[string]any{"cidrBlock": "10.132.0.0/16", "state": "associated"},
			}}},
			want: "has the CIDR 10.132.0.0/16, which overlaps 10.132.0.0/14, the cluster network",
		},
		"no DHCP options": {change: answers{"getVpcDhcpOptions": nil}, want: `"dopt-1" is the VPC's DHCP options set, which cannot be looked up`},
		"own name servers": {
			change: answers{"getVpcDhcpOptions": {"domainNameServers": []any{"10.0.0.52", "10.0.0.53"}}},
			want:   "with the DNS servers 10.0.0.52, 10.0.0.53",
		},
		"one server too many": {
			change: answers{"getVpcDhcpOptions": {"domainNameServers": []any{"10.0.0.52", "10.0.0.53"}}},
			args:   func(args *GuestNetworkArgs) { args.Existing.DNSServers = []string{"10.0.0.52"} },
			want:   "with the DNS servers 10.0.0.53, which do not resolve names in private zones",
		},
		"the OVN subnet of the config": {
			args: func(args *GuestNetworkArgs) { args.ClusterNetworks.JoinCIDR = "10.9.0.0/16" },
			want: "has the CIDR 10.9.0.0/16, which overlaps 10.9.0.0/16, OVN-Kubernetes' join subnet",
		},
		"another cluster's Karpenter": {
			change: answers{"getSubnet " + givenPrivate: {"tags": map[string]any{"karpenter.sh/discovery": "other-y2"}}},
			args:   func(args *GuestNetworkArgs) { args.Karpenter = true },
			want:   `"subnet-0aaaaaaaaaaaaaaa0" has the tag karpenter.sh/discovery with the value other-y2, so that it belongs to another cluster's Karpenter`,
		},
		"no room for tags": {
			change: answers{"getSubnet " + givenPublic: {"tags": manyTags(49)}},
			args:   func(args *GuestNetworkArgs) { args.Existing.TagSubnets = true },
			want: `existing.subnets[0].public: "subnet-0aaaaaaaaaaaaaaa1" has 49 tags, to which tagSubnets adds 2 ` +
				`(kubernetes.io/cluster/demo-x1, kubernetes.io/role/elb), but AWS allows 50`,
		},
		"capital domain name": {change: answers{"getVpcDhcpOptions": {"domainName": "Corp.example.com"}}, want: `with the domain name "Corp.example.com"`},
		"two domain names": {
			change: answers{"getVpcDhcpOptions": {"domainName": "a.com b.com"}},
			want:   "use one domain name in lower case, such as ec2.internal",
		},
		"no such subnet": {change: answers{"getSubnet " + givenPrivate: nil}, want: `existing.subnets[0].private: "subnet-0aaaaaaaaaaaaaaa0" cannot be looked up`},
		"another VPC's subnet": {change: answers{"getSubnet " + givenPrivate: {"vpcId": "vpc-other"}},
			want: `existing.subnets[0].private: "subnet-0aaaaaaaaaaaaaaa0" is in vpc-other; use a subnet of vpc-0123456789abcdef0`},
		"another zone's subnet": {change: answers{"getSubnet " + givenPublic: {"availabilityZone": "us-east-1c"}},
			want: `existing.subnets[0].public: "subnet-0aaaaaaaaaaaaaaa1" is in zone us-east-1c; use a subnet in us-east-1a`},
		"too few addresses": {
			change: answers{"getSubnet " + givenPrivate: {"availableIpAddressCount": 7.0}},
			want:   "has 7 free addresses; use a subnet with at least 8",
		},
		"no IPv4": {change: answers{"getSubnet " + givenPrivate: {"cidrBlock": ""}}, want: "has no IPv4 CIDR"},
		"two domain names with a comma": {
			change: answers{"getVpcDhcpOptions": {"domainName": "a.com,b.com"}},
			want:   "use one domain name in lower case, such as ec2.internal",
		},
		"half a way out": {change: answers{"getRouteTable rtb-main": {"routeTableId": "rtb-main",
			"routes": []any{map[string]any{"cidrBlock": "0.0.0.0/1", "natGatewayId": "nat-1"}}}},
			want: "has no route out of the VPC in rtb-main"},
		"a way out by a peering connection": {change: answers{"getRouteTable rtb-main": {"routeTableId": "rtb-main",
			"routes": []any{map[string]any{"cidrBlock": anywhere, "vpcPeeringConnectionId": "pcx-1"}}}},
			want: "routes to the internet by the peering connection pcx-1, which only carries traffic to addresses of the peered VPC"},
		"a prefix list without the internet": {change: answers{
			"getRouteTable rtb-main":    tableBy("rtb-main", "pl-1"),
			"getManagedPrefixList pl-1": {"entries": []any{map[string]any{"cidr": "10.0.0.0/8"}}}},
			want: "has no route out of the VPC in rtb-main"},
		"a public way out beside a default route": {change: answers{"getRouteTable rtb-main": {"routeTableId": "rtb-main",
			"routes": []any{
				map[string]any{"cidrBlock": anywhere, "natGatewayId": "nat-1"},
				map[string]any{"cidrBlock": "0.0.0.0/1", "gatewayId": "igw-1"},
				map[string]any{"cidrBlock": "128.0.0.0/1", "gatewayId": "igw-1"}}}},
			want: "routes to the internet gateway igw-1"},
		"no way out": {change: answers{"getRouteTable rtb-main": {"routes": []any{}}},
			want: "has no route out of the VPC in rtb-main; use a subnet with a route for 0.0.0.0/0, nat None, or a proxy"},
		"a public way out": {
			change: answers{"getRouteTable rtb-main": tableTo("rtb-main", "gatewayId", "igw-1")},
			want:   "routes to the internet gateway igw-1",
		},
		"no route table": {change: answers{"getRouteTable rtb-main": nil}, want: "its route table: "},
		"no internet gateway": {change: answers{
			"getRouteTable " + givenPublic: tableTo("rtb-public", "natGatewayId", "nat-1"),
		},
			want: "has no route to an internet gateway in rtb-public"},
		"another group's VPC": {
			change: answers{"getSecurityGroup": {"vpcId": "vpc-other"}},
			args:   func(args *GuestNetworkArgs) { args.SecurityGroups = input.Strings("sg-01234567") },
			want:   `securityGroups[0]: "sg-01234567" is in vpc-other; use a security group in vpc-0123456789abcdef0`,
		},
		"no such group": {
			args: func(args *GuestNetworkArgs) { args.SecurityGroups = input.Strings("sg-01234567") },
			want: `securityGroups[0]: "sg-01234567" cannot be looked up`,
		},
		"no such zone": {
			args: func(args *GuestNetworkArgs) { args.Existing.PrivateZoneID = pulumi.String("Z0123456789") },
			want: `existing.privateZoneID: "Z0123456789" cannot be looked up`,
		},
		"another domain's zone": {
			change: answers{"getZone Z0123456789": {"zoneId": "Z0123456789", "name": "other.example.com", "privateZone": true}},
			args:   func(args *GuestNetworkArgs) { args.Existing.PrivateZoneID = pulumi.String("Z0123456789") },
			want:   "is the zone other.example.com, not the private zone demo.example.com",
		},
		"a public zone": {
			change: answers{"getZone Z0123456789": {"zoneId": "Z0123456789", "name": "demo.example.com", "privateZone": false}},
			args:   func(args *GuestNetworkArgs) { args.Existing.PrivateZoneID = pulumi.String("Z0123456789") },
			want:   "not the private zone demo.example.com",
		},
		"a zone of another VPC": {
			change: answers{"getZone Z0123456789": zone},
			args:   func(args *GuestNetworkArgs) { args.Existing.PrivateZoneID = pulumi.String("Z0123456789") },
			want:   "is not associated with vpc-0123456789abcdef0",
		},
		"an endpoint in the way": {
			change: answers{"getVpcEndpoint com.amazonaws.us-east-1.sts": {"id": "vpce-1", "privateDnsEnabled": true}},
			args:   func(args *GuestNetworkArgs) { args.InterfaceEndpoints = []string{"kms", nodesPreset} },
			want:   `interfaceEndpoints[1]: "sts" already has an endpoint with private DNS names in the VPC, vpce-1; leave it out`,
		},
		"no endpoints and no way out": {
			change: answers{"getVpcEndpoint com.amazonaws.us-east-1.ec2": {"id": "vpce-1", "privateDnsEnabled": true}},
			args:   func(args *GuestNetworkArgs) { args.NAT, args.EndpointAccess = None, hypershift.Private },
			want:   `leaves the nodes without sts, for which the VPC has no endpoint; set interfaceEndpoints: [sts]`,
		},
		"several endpoints in the way": {
			change: answers{
				"getVpcEndpoint com.amazonaws.us-east-1.sts": {
					"error": "multiple EC2 VPC Endpoints matched; use additional constraints",
				},
			},
			args: func(args *GuestNetworkArgs) { args.InterfaceEndpoints = []string{"sts"} },
			want: `interfaceEndpoints[0]: "sts" already has several endpoints in the VPC; leave it out`,
		},
		"no public zone": {change: answers{"getZone example.com": nil}, want: `baseDomain: "example.com" has no public zone that can be looked up`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, args := &account{lookups: goodAccount()}, inExisting(hypershift.PublicAndPrivate)
			a.but(test.change)
			if test.args != nil {
				test.args(args)
			}
			made, err := a.run(t, args)
			require.ErrorContains(t, err, test.want)
			require.Empty(t, made)
		})
	}
}

// manyTags returns tags of a subnet, and one of AWS's own, which does not count.
func manyTags(n int) map[string]any {
	tags := map[string]any{"aws:cloudformation:stack-name": "network"}
	for i := range n {
		tags[fmt.Sprintf("team%d", i)] = "network"
	}
	return tags
}

func TestAnExistingVPCMayUseWhatTheClusterDoesNot(t *testing.T) {
	t.Parallel()
	a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Public)
	a.but(answers{
		"getVpc": {
			"cidrBlockAssociations": []any{map[string]any{"cidrBlock": "172.31.0.0/16", "state": "associated"}},
		},
		"getSubnet " + givenPrivate: {"cidrBlock": "172.31.0.0/20"},
		"getSubnet " + givenPublic:  {"cidrBlock": "172.31.16.0/20"},
		"getVpcDhcpOptions":         {"domainNameServers": []any{"172.31.0.53"}},
	})
	a.lookups["getRecords"] = map[string]any{"resourceRecordSets": []any{map[string]any{"type": "SOA",
		"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}
	args.Existing.DNSServers = []string{"172.31.0.53"}
	_, err := a.run(t, args)
	require.ErrorContains(t, err, "has the CIDR 172.31.0.0/16, which overlaps 172.31.0.0/16, the service network")
	args.ClusterNetworks.ServiceCIDRs = []string{"10.200.0.0/16"}
	_, err = a.run(t, args)
	require.NoError(t, err)
}

func TestOnlyTheTagsThatSubnetsLackAreSet(t *testing.T) {
	t.Parallel()
	a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Public)
	a.but(answers{
		"getSubnet " + givenPublic: {
			"tags": map[string]any{"kubernetes.io/role/elb": "1", "kubernetes.io/cluster/other-y2": "shared"},
		},
	})
	a.lookups["getRecords"] = map[string]any{"resourceRecordSets": []any{map[string]any{"type": "SOA",
		"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}
	args.Existing.TagSubnets, args.Karpenter = true, true
	made, err := a.run(t, args)
	require.NoError(t, err)
	var tags []string
	for _, name := range made {
		if in := a.inputs[name]; strings.HasPrefix(name, "aws:ec2/tag:Tag ") {
			tags = append(tags, in["resourceId"].StringValue()+" "+in["key"].StringValue()+"="+in["value"].StringValue())
		}
	}
	require.Equal(t, []string{
		givenPrivate + " karpenter.sh/discovery=demo-x1", givenPrivate + " kubernetes.io/cluster/demo-x1=shared",
		givenPrivate + " kubernetes.io/role/internal-elb=1", givenPublic + " kubernetes.io/cluster/demo-x1=shared",
	}, tags)
}

func TestMissingTagsAreNamedWithWhatFails(t *testing.T) {
	t.Parallel()
	args := inExisting(hypershift.Public)
	args.Karpenter = true
	c := &vpcCheck{args: args.Base(), vpc: &foundVPC{}}
	for _, subnet := range c.args.existingSubnets() {
		subnet.Tags = map[string]string{"kubernetes.io/cluster/other-y2": "owned"}
		c.vpc.subnets = append(c.vpc.subnets, subnet)
	}
	warnings := c.tagWarnings()
	for i, want := range []string{
		"no tag kubernetes.io/role/elb on " + givenPublic + ": the AWS Load Balancer Controller finds no subnet",
		"no tag kubernetes.io/role/internal-elb on " + givenPrivate + ": ",
		"no tag karpenter.sh/discovery on " + givenPrivate + ": AutoNode finds no subnet",
		givenPrivate + " has the tags of other clusters (other-y2) and not that of demo-x1: Kubernetes' cloud controller ignores it",
		givenPublic + " has the tags of other clusters (other-y2)",
	} {
		require.Contains(t, warnings[i], want)
	}
	require.Len(t, warnings, 5)
}

func TestAllFaultsOfAnExistingVPCAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	a := &account{lookups: goodAccount()}
	a.but(answers{
		"getVpc":                    {"enableDnsSupport": false, "enableDnsHostnames": false},
		"getVpcDhcpOptions":         nil,
		"getSubnet " + givenPrivate: {"availabilityZone": "us-east-1c", "availableIpAddressCount": 1.0},
		"getRouteTable rtb-main":    {"routes": []any{}},
		"getSubnet " + givenPublic:  {"vpcId": "vpc-other"},
		"getZone example.com":       nil,
	})
	_, err := a.run(t, inExisting(hypershift.PublicAndPrivate))
	require.Len(t, fault.In(err), 8)
}

func TestAnExistingClusterMayHaveUsedTheFreeAddresses(t *testing.T) {
	t.Parallel()
	soa := map[string]any{
		"type":            "SOA",
		"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}},
	}
	apps := map[string]any{"type": "A", "name": `\\052.apps.demo.example.com.`}
	full := answers{"getSubnet " + givenPrivate: {"availableIpAddressCount": 0.0}}
	given := func(args *GuestNetworkArgs) { args.Existing.PrivateZoneID = pulumi.String("ZGIVEN") }
	zone := answers{
		"getZone ZGIVEN":           {"zoneId": "ZGIVEN", "name": "demo.example.com", "privateZone": true},
		"getZone demo.example.com": {"zoneId": "ZGIVEN"},
	}
	for name, c := range map[string]struct {
		change func(*GuestNetworkArgs)
		has    []answers
		want   string
	}{
		"its zone, with the tags that the user chose before": {
			change: func(args *GuestNetworkArgs) { args.Cluster.Tags = map[string]string{"team": "other"} },
			has: []answers{{"getZone map[kubernetes.io/cluster/demo-x1:owned]": {"zoneId": "ZOWN", "name": "demo.example.com"},
				"getRecords": {"resourceRecordSets": []any{soa}}}},
		},
		"a given zone with records": {
			change: given,
			has:    []answers{zone, {"getRecords": {"resourceRecordSets": []any{soa, apps}}}},
		},
		"a given zone without": {
			change: given,
			has:    []answers{zone, {"getRecords": {"resourceRecordSets": []any{soa}}}},
			want:   "has 0 free addresses",
		},
		"no zone": {change: func(*GuestNetworkArgs) {}, want: "has 0 free addresses"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Public)
			for _, answers := range append(c.has, full) {
				a.but(answers)
			}
			c.change(args)
			_, err := a.run(t, args)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

// A cluster of another kind is found by the tags of its subnets.
func TestASubnetIsInUseByTheTagsThatItGetsWhateverTheUserTags(t *testing.T) {
	t.Parallel()
	args := inExisting(hypershift.Public)
	args.Cluster.Tags = map[string]string{"team": "other"}
	c := &vpcCheck{args: args.Base()}
	for _, subnet := range c.args.existingSubnets() {
		subnet.Tags = map[string]string{"Name": "shared"}
		require.False(t, isTagged(c, subnet))
		subnet.Tags = args.Cluster.DiscoveryTags(subnet.Public, subnet.Nodes)
		require.True(t, isTagged(c, subnet))
	}
}

func TestAnIsolatedExistingVPCIsJudgedByTheFactsOfItsEndpoints(t *testing.T) {
	t.Parallel()
	gateway := map[string]any{"id": "vpce-s3", "vpcEndpointType": "Gateway", "routeTableIds": []any{"rtb-main"}}
	several := map[string]any{"error": "multiple EC2 VPC Endpoints matched; use additional constraints to reduce matches"}
	denied := map[string]any{"error": "api error UnauthorizedOperation: You are not authorized"}
	private := map[string]any{"id": "vpce-s3i", "vpcEndpointType": "Interface", "privateDnsEnabled": true}
	for name, test := range map[string]struct {
		s3, sts map[string]any
		want    string
	}{
		"a gateway and STS":            {gateway, map[string]any{"id": "vpce-1", "privateDnsEnabled": true}, ""},
		"several for STS":              {gateway, several, ""},
		"several for S3":               {several, private, ""},
		"an interface for S3":          {private, private, ""},
		"private DNS off is a warning": {gateway, map[string]any{"id": "vpce-1"}, ""},
		"no endpoint for S3":           {nil, private, `nat: "None" leaves the nodes without S3, for which the VPC has no endpoint`},
		"a gateway of other tables": {map[string]any{
			"id":              "vpce-s3",
			"vpcEndpointType": "Gateway",
			"routeTableIds":   []any{"rtb-other"},
		}, private,
			"its gateway endpoint vpce-s3 is not associated with the route tables of the node subnets, rtb-main; " +
				"associate them: aws ec2 modify-vpc-endpoint --vpc-endpoint-id vpce-s3 --add-route-table-ids rtb-main"},
		"an interface for S3 with names for inbound endpoints alone": {map[string]any{"id": "vpce-s3i",
			"vpcEndpointType": "Interface", "privateDnsEnabled": true, "dnsOptions": []any{
				map[string]any{"dnsRecordIpType": "ipv4", "privateDnsOnlyForInboundResolverEndpoint": true}}}, private,
			"without S3"},
		"S3 cannot be read": {denied, private,
			`nat: "None" needs the VPC's endpoint for s3, which cannot be looked up: api error UnauthorizedOperation`},
		"STS cannot be read": {gateway, denied,
			`nat: "None" needs the VPC's endpoint for sts, which cannot be looked up: api error UnauthorizedOperation`},
		"an interface for S3 without names": {map[string]any{
			"id":              "vpce-s3i",
			"vpcEndpointType": "Interface",
		}, private, "without S3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Private)
			args.NAT = None
			a.but(answers{
				"getRouteTable rtb-main":                     {"routes": []any{}},
				"getVpcEndpoint com.amazonaws.us-east-1.s3":  test.s3,
				"getVpcEndpoint com.amazonaws.us-east-1.sts": test.sts,
				"getRecords": {"resourceRecordSets": []any{map[string]any{"type": "SOA",
					"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}},
			})
			_, err := a.run(t, args)
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.want)
			}
		})
	}
}

// The default network of a created VPC says nothing about an existing one.
func TestAnExistingVPCIsJudgedByItsOwnCIDRs(t *testing.T) {
	t.Parallel()
	a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Private)
	args.ClusterNetworks.ServiceCIDRs = []string{"10.0.0.0/16"}
	a.but(answers{
		"getVpc": {"cidrBlockAssociations": []any{map[string]any{"cidrBlock": "172.31.0.0/16", "state": "associated"}}},
		"getRecords": {"resourceRecordSets": []any{map[string]any{"type": "SOA",
			"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}},
	})
	_, err := a.run(t, args)
	require.NoError(t, err)
}

// What participants of a shared VPC may not do, HyperShift does by roles of its owner.
func TestAVPCOfAnotherAccountNeedsItsOwnersRolesForPrivateLink(t *testing.T) {
	t.Parallel()
	zones := answers{
		"getZone Z0123456789":           {"zoneId": "Z0123456789", "name": "demo.example.com", "privateZone": true},
		"getZone demo.example.com":      {"zoneId": "Z0123456789"},
		"getZone Z1123456789":           {"zoneId": "Z1123456789", "name": "demo.hypershift.local", "privateZone": true},
		"getZone demo.hypershift.local": {"zoneId": "Z1123456789"},
		"getVpc":                        {"ownerId": "210987654321"},
		"getCallerIdentity": {
			"accountId": "123456789012",
			"arn":       "arn:aws:iam::123456789012:root",
			"userId":    "u",
		},
	}
	run := func(change func(*GuestNetworkArgs)) error {
		a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Private)
		a.but(zones)
		args.Existing.PrivateZoneID, args.Existing.LocalZoneID = pulumi.String("Z0123456789"), pulumi.String("Z1123456789")
		change(args)
		_, err := a.run(t, args)
		return err
	}
	require.ErrorContains(t, run(func(*GuestNetworkArgs) {}), `existing.vpcID: "vpc-0123456789abcdef0" belongs to account 210987654321, `+
		`and account 123456789012 cannot create the PrivateLink endpoint in it; `)
	roles := &ExistingSharedVPC{
		IngressRoleARN:      pulumi.String("arn:aws:iam::210987654321:role/ingress"),
		ControlPlaneRoleARN: pulumi.String("arn:aws:iam::210987654321:role/endpoint"),
	}
	require.NoError(t, run(func(args *GuestNetworkArgs) { args.Existing.SharedVPC = roles }))
	require.ErrorContains(t, run(func(args *GuestNetworkArgs) {
		args.Existing.SharedVPC = &ExistingSharedVPC{IngressRoleARN: pulumi.String("ingress")}
	}), `existing.sharedVPC.ingressRoleARN: "ingress" is not the ARN of a role`)
}

func TestNodesInTwoCIDRsOfAnExistingVPCAreInTheMachineNetworksOfBoth(t *testing.T) {
	t.Parallel()
	for name, further := range map[string]func(*ExistingVPC){
		"the subnet of another zone": func(e *ExistingVPC) {
			e.Subnets = append([]ExistingSubnets{{Zone: "us-east-1b", Private: pulumi.String(otherPrivate)}}, e.Subnets...)
		},
		"a further subnet of a zone": func(e *ExistingVPC) {
			e.Further = []FurtherSubnet{{Zone: "us-east-1b", ID: pulumi.String(otherPrivate)}}
		},
	} {
		a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Private)
		further(args.Existing)
		a.but(answers{
			"getSubnet " + otherPrivate: {"cidrBlock": "10.9.0.0/20"},
			"getRecords": {"resourceRecordSets": []any{map[string]any{"type": "SOA",
				"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}},
		})
		var cidrs []string
		require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
			made, err := NewGuestNetwork(ctx, "network", args)
			if err != nil {
				return err
			}
			for _, cidr := range made.NodeCIDRs {
				cidrs = append(cidrs, input.Text(cidr))
			}
			return nil
		}, pulumi.WithMocks("hypershift-aws", "test", a)), name)
		require.Equal(t, []string{"10.0.0.0/16", "10.9.0.0/16"}, cidrs, "in the order of the VPC's CIDRs")
	}
}

func TestAFurtherSubnetOfAnExistingVPCIsCheckedAsThoseOfTheZones(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		zone, id string
		subnet   map[string]any
		want     string
	}{
		"of another zone": {"us-east-1a", otherPrivate, nil, `existing.further[0]: "subnet-0bbbbbbbbbbbbbbb0" is in zone us-east-1b; use a subnet in us-east-1a`},
		"of another VPC": {"us-east-1b", otherPrivate, map[string]any{"vpcId": "vpc-0fffffffffffffff0"},
			`existing.further[0]: "subnet-0bbbbbbbbbbbbbbb0" is in vpc-0fffffffffffffff0; use a subnet of ` + givenVPC},
		"twice":     {"us-east-1a", givenPrivate, nil, `existing.further[0]: "subnet-0aaaaaaaaaaaaaaa0" is already used as subnets[0].private`},
		"no subnet": {"us-east-1a", "vpc-1", nil, `existing.further[0]: "vpc-1" is not the ID of a subnet`},
	} {
		a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Private)
		args.Existing.Further = []FurtherSubnet{{Zone: test.zone, ID: pulumi.String(test.id)}}
		a.but(answers{"getSubnet " + otherPrivate: test.subnet})
		if test.subnet == nil {
			a.lookups["getSubnet "+otherPrivate] = subnetIn("us-east-1b", "10.0.144.0/20")
		}
		_, err := a.run(t, args)
		require.ErrorContains(t, err, test.want, name)
	}
}

func TestAPrivateZoneOfTheOwnersAccountNeedNotBeReadable(t *testing.T) {
	t.Parallel()
	a, args := &account{lookups: goodAccount()}, inExisting(hypershift.Private)
	args.Existing.PrivateZoneID, args.Existing.LocalZoneID = pulumi.String("Z0PRIVATE00000"),
		pulumi.String("Z0LOCAL0000000")
	denied := map[string]any{"error": "operation error Route 53: GetHostedZone, api error AccessDenied: User is not authorized"}
	a.but(answers{"getVpc": {"ownerId": "210987654321"}, "getCallerIdentity": {"accountId": "123456789012"},
		"getZone Z0PRIVATE00000": denied, "getZone Z0LOCAL0000000": denied})
	_, err := a.run(t, args)
	require.ErrorContains(t, err, `existing.privateZoneID: "Z0PRIVATE00000" cannot be looked up`)
	require.ErrorContains(t, err, "lists what a stack reads; or, if it is another account's, ")
	args.Existing.SharedVPC = &ExistingSharedVPC{
		IngressRoleARN:      pulumi.String("arn:aws:iam::210987654321:role/ingress"),
		ControlPlaneRoleARN: pulumi.String("arn:aws:iam::210987654321:role/endpoint"),
	}
	_, err = a.run(t, args)
	require.NoError(t, err)
}

// tableBy returns a route table whose only route is for a prefix list.
func tableBy(id, list string) map[string]any {
	return map[string]any{"routeTableId": id, "routes": []any{
		map[string]any{"destinationPrefixListId": list, "transitGatewayId": "tgw-1"},
	}}
}

func TestRoutesThatHaveAllPublicAddressesTogetherAreAWayOut(t *testing.T) {
	t.Parallel()
	halves := func(target, id string) map[string]any {
		return map[string]any{"routes": []any{
			map[string]any{"cidrBlock": "0.0.0.0/1", target: id}, map[string]any{"cidrBlock": "128.0.0.0/1", target: id},
		}}
	}
	for name, change := range map[string]answers{
		"halves":        {"getRouteTable rtb-main": halves("transitGatewayId", "tgw-1")},
		"public halves": {"getRouteTable " + givenPublic: halves("gatewayId", "igw-1")},
		"a prefix list": {
			"getRouteTable rtb-main": tableBy("rtb-main", "pl-1"), "getManagedPrefixList pl-1": {"entries": []any{
				map[string]any{"cidr": "0.0.0.0/1"}, map[string]any{"cidr": "128.0.0.0/1"},
			}}},
		"a prefix list that cannot be read": {"getRouteTable rtb-main": tableBy("rtb-main", "pl-1")},
	} {
		a := &account{lookups: goodAccount()}
		a.lookups["getRecords"] = map[string]any{"resourceRecordSets": []any{map[string]any{"type": "SOA",
			"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}
		a.but(change)
		_, err := a.run(t, inExisting(hypershift.PublicAndPrivate))
		require.NoError(t, err, name)
	}
}
