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
