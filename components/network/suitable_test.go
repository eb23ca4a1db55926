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
