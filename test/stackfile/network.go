package stackfile

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// IDs of an existing VPC, its subnets, and its region.
const (
	OwnersVPC     = "vpc-0123456789abcdef0"
	SeededPrivate = "subnet-0aaaaaaaaaaaaaaa0"
	SeededPublic  = "subnet-0aaaaaaaaaaaaaaa1"
	SeededRegion  = "us-east-1"
)

// Parts of stack files, and import IDs.
const (
	// TaggedPrivate and TaggedPublic are the import IDs of the tags that up sets on existing subnets.
	TaggedPrivate = SeededPrivate + " kubernetes.io/cluster/demo-x1|" + SeededPrivate + " kubernetes.io/role/internal-elb"
	TaggedPublic  = SeededPublic + " kubernetes.io/cluster/demo-x1|" + SeededPublic + " kubernetes.io/role/elb"
	// OtherServices is a cluster without AWS's default VPC among its networks.
	OtherServices = `    hostedCluster:
      release: ` + Release + `
      pullSecret: {env: PULL_SECRET}
      serviceCIDRs: [10.200.0.0/16]
`
	FirewallEndpoint  = "vpce-0123456789abcdef0"
	GivenACL          = "acl-0123456789abcdef0"
	ApplianceSide     = "eni-0123456789abcdef0"
	ExistingZonesKeys = ", privateZoneID: Z0123456789ABCDEFGHIJ, localZoneID: Z0123456789ABCDEFGHIK"
)

// Network returns the config of a cluster stack with the given keys of its network, as YAML in braces.
func Network(access hypershift.EndpointAccess, network string) string {
	return fmt.Sprintf(`config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    endpointAccess: %s
    tags: {team: platform}
    network: {%s}
    oidc: {bucketName: demo-oidc}
`, access, network)
}

// SeedsFor returns what a config refers to as existing.
func SeedsFor(t *testing.T, text string) []offline.Seed {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName("test")), []byte(text), 0o600))
	file, err := stacks.LoadFile(dir, "test")
	require.NoError(t, err)
	return SeedsIn(file)
}

// Parts of the key network.
const (
	ExistingVPC = `existing: {vpcID: vpc-0123456789abcdef0, subnets: [` +
		`{zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa0, public: subnet-0aaaaaaaaaaaaaaa1}, ` +
		`{zone: us-east-1b, private: subnet-0bbbbbbbbbbbbbbb0, public: subnet-0bbbbbbbbbbbbbbb1}]%s}`
	SSHKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl operator"
	TwoZones = "zones: [us-east-1a, us-east-1b]"
	// FirewallService is the endpoint service of a Gateway Load Balancer, and openPolicy an endpoint's policy that allows
	// everything.
	FirewallService = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"
	openPolicy      = `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}]}`
)

// NetworkOption is an option of a network, in a mode that can have it.
type NetworkOption struct {
	Name    string
	Access  hypershift.EndpointAccess
	Network string
}

// NetworkOptions returns each option of a network.
func NetworkOptions() []NetworkOption {
	return []NetworkOption{
		{"existing", hypershift.PublicAndPrivate, fmt.Sprintf(ExistingVPC, "")},
		{"existing-zones", hypershift.PublicAndPrivate, fmt.Sprintf(ExistingVPC,
			", privateZoneID: Z0123456789ABCDEFGHIJ, localZoneID: Z0123456789ABCDEFGHIK") +
			", securityGroups: [sg-0123456789abcdef0]"},
		{"existing-isolated", hypershift.Private, fmt.Sprintf(ExistingVPC, "") + ", nat: None, interfaceEndpoints: [nodes]"},
		{"existing-public-only", hypershift.Public, "existing: {vpcID: vpc-0123456789abcdef0, subnets: [" +
			"{zone: us-east-1a, public: subnet-0aaaaaaaaaaaaaaa1}]}, publicOnly: true"},
		{"public-zone", hypershift.Public, "zones: [us-east-1a], publicZone: {}"},
		{"elastic-ips", hypershift.Public, TwoZones + ", elasticIPs: {us-east-1a: eipalloc-0123456789abcdef0}"},
		{"nat-addresses", hypershift.Public, TwoZones + ", natAddressCount: 2, elasticIPs: {us-east-1a: eipalloc-0123456789abcdef0}"},
		{"transit-gateway", hypershift.Private, TwoZones + ", transitGateway: {id: tgw-0123456789abcdef0}"},
		{"transit-gateway-networks", hypershift.PublicAndPrivate, TwoZones + ", nat: Single, transitGateway: {id: tgw-0123456789abcdef0, cidrs: [192.168.0.0/16, 172.16.0.0/12]}"},
		{"firewall-endpoint", hypershift.Private, TwoZones + ", firewallEndpoint: {serviceName: " + FirewallService + "}"},
		{"firewall-endpoint-networks", hypershift.PublicAndPrivate,
			TwoZones + ", nat: Single, firewallEndpoint: {serviceName: " + FirewallService +
				", cidrs: [192.168.0.0/16]}, transitGateway: {id: tgw-0123456789abcdef0, cidrs: [172.16.0.0/12]}"},
		{"public-pool", hypershift.Public, TwoZones + ", elasticIPs: {us-east-1a: eipalloc-0123456789abcdef0}, publicIPv4Pool: ipv4pool-ec2-0123456789abcdef0"},
		{"public-ipam-pool", hypershift.Private, "zones: [us-east-1a], publicIPv4Pool: ipam-pool-0123456789abcdef0"},
		{"ipam", hypershift.PublicAndPrivate, TwoZones + ", nat: Single, ipam: {pool: ipam-pool-0123456789abcdef1, netmaskLength: 18}, secondaryCIDR: 100.65.0.0/16"},
		{"endpoint-policies", hypershift.PublicAndPrivate,
			"zones: [us-east-1a], interfaceEndpoints: [sts], gatewayEndpoints: [dynamodb], " +
				"endpointPolicies: {sts: '" + openPolicy + "', s3: '" + openPolicy + "', dynamodb: '" + openPolicy + "'}"},
		{"endpoint-groups", hypershift.Private, fmt.Sprintf(ExistingVPC, "") + ", nat: None, interfaceEndpoints: [nodes], endpointSecurityGroups: [sg-0123456789abcdef0]"},
		{"endpoint-preset", hypershift.PublicAndPrivate, TwoZones + ", nat: None, interfaceEndpoints: [nodes, kms]"},
		{"gateway-endpoints", hypershift.PublicAndPrivate, TwoZones + ", nat: Single, gatewayEndpoints: [dynamodb]"},
		{"flow-logs", hypershift.Private, "nat: Single, flowLogs: {}"},
		{"flow-logs-to-s3", hypershift.Private, "nat: Single, flowLogs: {destination: S3, bucketARN: 'arn:aws:s3:::logs/demo', traffic: REJECT}"},
		{"secondary-cidr", hypershift.Private, TwoZones + ", secondaryCIDR: 100.65.0.0/16, interfaceEndpoints: [sts]"},
		{"public-only", hypershift.PublicAndPrivate, TwoZones + ", publicOnly: true"},
		{"proxy", hypershift.Public, TwoZones + ", proxy: {httpAddress: 'http://proxy.example.com:3128'}"},
		{"proxy-service", hypershift.PublicAndPrivate, TwoZones +
			", proxy: {endpointService: com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0}"},
		{"bastion", hypershift.Private, "nat: Single, bastion: {}"},
		{"bastion-ssh", hypershift.Public, "nat: Single, bastion: {sshCIDRs: [203.0.113.0/24], sshKey: " + SSHKey + "}"},
	}
}

// NewCA returns the PEM text of a certificate that signs itself.
func NewCA(t *testing.T) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "proxy"}, IsCA: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
