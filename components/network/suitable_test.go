package network

import (
	"testing"

	"github.com/stretchr/testify/require"
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
