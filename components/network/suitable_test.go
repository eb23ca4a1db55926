package network

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

func TestTheDomainNameOfADHCPOptionsSetIsReplacedByTheRegionsDefault(t *testing.T) {
	t.Parallel()
	err := (&BaseNetworkArgs{Existing: &ExistingVPC{}}).CheckVPC(VPCFacts{
		ID: "vpc-1", Region: "eu-west-1", DNSSupport: true, DNSHostnames: true, DHCPOptions: "dopt-1",
		DNSServers: []string{amazonDNS}, DomainName: "Example.com",
	})
	require.ErrorContains(t, err, `"dopt-1" is the VPC's DHCP options set, with the domain name "Example.com", which is not valid in a node's name`)
	require.ErrorContains(t, err, "use one domain name in lower case, such as eu-west-1.compute.internal")
}

func TestTheVPCsOwnResolverMayBeNamedByItsAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		servers []string
		refused string
	}{
		{[]string{amazonDNS}, ""},
		{[]string{"10.9.0.2"}, ""},
		{[]string{"169.254.169.253"}, ""},
		{[]string{"10.9.0.2", "10.1.1.1"}, ""}, // the second is asked only if the first doesn't answer
		{[]string{"10.1.1.1", "10.9.0.2"}, "with the DNS servers 10.1.1.1, which"},
		{[]string{"100.70.0.2"}, "with the DNS servers 100.70.0.2, which"}, // the resolver is in the primary CIDR
		{[]string{"10.9.0.3"}, "with the DNS servers 10.9.0.3, which"},
		{[]string{"10.7.7.7", "10.9.0.2"}, ""}, // forwards, as existing.dnsServers says
	} {
		err := (&BaseNetworkArgs{Existing: &ExistingVPC{DNSServers: []string{"10.7.7.7"}}}).CheckVPC(VPCFacts{ID: "vpc-1",
			Region: "eu-west-1", DNSSupport: true, DNSHostnames: true, CIDRs: []string{"10.9.0.0/16", "100.70.0.0/16"},
			DHCPOptions: "dopt-1", DNSServers: test.servers})
		if test.refused == "" {
			require.NoError(t, err, test.servers)
			continue
		}
		require.ErrorContains(t, err, test.refused, test.servers)
	}
}

func TestDHCPOptionsWithoutTheRegionsDomainNameAreADoubt(t *testing.T) {
	t.Parallel()
	for name, doubted := range map[string]bool{
		"": true, "eu-west-1.compute.internal": false, "us-west-2.compute.internal": true, "ec2.internal": true,
		"nodes.example.com": false,
	} {
		doubts := (&BaseNetworkArgs{}).VPCDoubts(VPCFacts{Region: "eu-west-1", DHCPOptions: "dopt-1", DomainName: name})
		require.Equal(t, doubted, len(doubts) == 1, name)
	}
}

func TestAnUnusualVPCIsADoubt(t *testing.T) {
	t.Parallel()
	args := &BaseNetworkArgs{Existing: &ExistingVPC{DNSServers: []string{"10.7.7.7"}}}
	for name, test := range map[string]struct {
		servers, cidrs []string
		want           string
	}{
		"its resolver":         {[]string{amazonDNS}, []string{"10.9.0.0/16"}, ""},
		"servers that forward": {[]string{"10.9.0.2", "10.7.7.7"}, []string{"10.9.0.0/16"}, ""},
		"another server behind it": {[]string{"10.9.0.2", "8.8.8.8"}, []string{"10.9.0.0/16"},
			"with the DNS servers 8.8.8.8 behind the VPC's resolver"},
		"a CIDR of the internet": {[]string{amazonDNS}, []string{"10.9.0.0/16", "11.0.0.0/16"},
			"has the CIDR 11.0.0.0/16, which is in the public address space"},
		"a CIDR of the shared address": {[]string{amazonDNS}, []string{"100.70.0.0/16"}, ""},
	} {
		doubts := args.VPCDoubts(VPCFacts{ID: "vpc-1", Region: "eu-west-1", CIDRs: test.cidrs, DHCPOptions: "dopt-1",
			DNSServers: test.servers, DomainName: "eu-west-1.compute.internal"})
		if test.want == "" {
			require.Empty(t, doubts, name)
			continue
		}
		require.Len(t, doubts, 1, name)
		require.Contains(t, doubts[0].Is, test.want, name)
	}
	created := &GuestNetworkArgs{Options: Options{VPCCIDR: "11.0.0.0/16"}, SecondaryCIDR: "100.70.0.0/16"}
	require.ErrorContains(t, created.Doubts(), `vpcCIDR: "11.0.0.0/16" is in the public address space`)

	unknown := layout.ClusterNetworks{AdvertiseAddress: layout.NoCIDR}
	created = &GuestNetworkArgs{Options: Options{VPCCIDR: "172.20.0.0/16"}, ClusterNetworks: unknown}
	require.NoError(t, unknown.Validate())
	require.ErrorContains(t, created.Doubts(), `vpcCIDR: "172.20.0.0/16" overlaps 172.20.0.1, HyperShift's default for the API server's address`)
	require.Len(t, created.Base().VPCDoubts(VPCFacts{
		CIDRs: []string{"172.20.0.0/16"},
	}), 1, "a cluster may have another address")
	created.ClusterNetworks = layout.ClusterNetworks{}
	require.NoError(t, created.Doubts(), "it is refused, and no doubt")
}

func TestASubnetOnAnOutpostIsRefused(t *testing.T) {
	t.Parallel()
	subnet := SubnetFacts{ID: "subnet-1", VPC: "vpc-1", Zone: "us-east-1a", Route: "nat-1", Nodes: true}
	args := &BaseNetworkArgs{Existing: &ExistingVPC{}}
	require.NoError(t, args.CheckSubnet(subnet, "vpc-1", "us-east-1a"))
	subnet.Outpost = "arn:aws:outposts:us-east-1:123456789012:outpost/op-1"
	require.ErrorContains(t, args.CheckSubnet(subnet, "vpc-1", "us-east-1a"), `"subnet-1" is on the Outpost arn:aws:outposts:`)
}

func TestTheWayOutIsThatOfTheRoutesForAllPublicAddresses(t *testing.T) {
	t.Parallel()
	to := func(target string, cidrs ...string) TableRoute { return TableRoute{cidrs, target} }
	for name, test := range map[string]struct {
		routes []TableRoute
		want   string
	}{
		"no route":        {nil, ""},
		"the VPC alone":   {[]TableRoute{to("local", "10.0.0.0/16")}, ""},
		"a default route": {[]TableRoute{to("local", "10.0.0.0/16"), to("nat-1", "0.0.0.0/0")}, "nat-1"},
		"two halves":      {[]TableRoute{to("tgw-1", "0.0.0.0/1"), to("tgw-1", "128.0.0.0/1")}, "tgw-1"},
		"half":            {[]TableRoute{to("tgw-1", "0.0.0.0/1")}, ""},
		"IPv6 alone":      {[]TableRoute{to("eigw-1", "::/0"), to("eigw-1", "::/1"), to("eigw-1", "8000::/1")}, ""},
		"halves go first": {[]TableRoute{to("nat-1", anywhere), to("igw-1", "0.0.0.0/1"), to("igw-1", "128.0.0.0/1")},
			"igw-1"},
		"a single host":        {[]TableRoute{to("nat-1", "0.0.0.0/0"), to("igw-1", "3.80.0.1/32")}, "nat-1"},
		"a large exception":    {[]TableRoute{to("nat-1", "0.0.0.0/0"), to("vgw-1", "52.0.0.0/6")}, "nat-1"},
		"a public VPC":         {[]TableRoute{to("local", "11.0.0.0/16"), to("tgw-1", "0.0.0.0/0")}, "tgw-1"},
		"a prefix list of all": {[]TableRoute{to("tgw-1", "0.0.0.0/2", "64.0.0.0/2", "128.0.0.0/2", "192.0.0.0/2")}, "tgw-1"},
		"what is not private": {[]TableRoute{to("tgw-1", "0.0.0.0/5", "8.0.0.0/7", "11.0.0.0/8", "12.0.0.0/6", "16.0.0.0/4",
			"32.0.0.0/3", "64.0.0.0/2", "128.0.0.0/3", "160.0.0.0/5", "168.0.0.0/6", "172.0.0.0/12", "172.32.0.0/11",
			"172.64.0.0/10", "172.128.0.0/9", "173.0.0.0/8", "174.0.0.0/7", "176.0.0.0/4", "192.0.0.0/9", "192.128.0.0/11",
			"192.160.0.0/13", "192.169.0.0/16", "192.170.0.0/15", "192.172.0.0/14", "192.176.0.0/12", "192.192.0.0/10",
			"193.0.0.0/8", "194.0.0.0/7", "196.0.0.0/6", "200.0.0.0/5", "208.0.0.0/4")}, "tgw-1"},
	} {
		require.Equal(t, test.want, WayOut(test.routes), name)
	}
}
