package config

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// withNetwork returns a config with the given lines as the keys of its network.
func withNetwork(access, lines string) string {
	return `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    baseDomain: example.com
    endpointAccess: ` + access + `
    oidc: {bucketName: demo-oidc}
    network:
      ` + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n      ") + "\n"
}

const (
	existingLines = `existing:
  vpcID: vpc-0123456789abcdef0
  subnets:
    - {zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa0, public: subnet-0aaaaaaaaaaaaaaa1}
`
	proxyService = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"
)

func TestABadOptionOfANetworkIsRefusedWithItsLineItsPathAndARemedy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ access, lines, want string }{
		{"Public", "existing: {vpcID: vpc-1, subnets: [{zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa0, public: subnet-0aaaaaaaaaaaaaaa1}]}",
			`:10: hypershift-aws:cluster.network.existing.vpcID: "vpc-1" is not the ID of a VPC; use one such as vpc-0123456789abcdef0`},
		{"Public", "existing: {vpcID: vpc-0123456789abcdef0}", "existing.subnets is empty; list each zone with its subnets"},
		{"Public", existingLines + "    - {zone: us-east-1a, private: subnet-0bbbbbbbbbbbbbbb0, public: subnet-0bbbbbbbbbbbbbbb1}",
			`:14: hypershift-aws:cluster.network.existing.subnets[1]: "us-east-1a" duplicates zone [0]`},
		{"Public", existingLines + "    - {zone: eu-west-1a, private: subnet-0bbbbbbbbbbbbbbb0, public: subnet-0bbbbbbbbbbbbbbb1}",
			`existing.subnets[1]: "eu-west-1a" is not a zone of region us-east-1`},
		{"Public", existingLines + "    - {zone: us-east-1b, private: subnet-0aaaaaaaaaaaaaaa0, public: subnet-0bbbbbbbbbbbbbbb1}",
			`existing.subnets[1].private: "subnet-0aaaaaaaaaaaaaaa0" is already used as subnets[0].private; use a different subnet for each`},
		{"Public", existingLines + "    - {zone: us-east-1b}\npublicOnly: true",
			"existing.subnets[1].public is missing; use the zone's subnet for load balancers on the internet, or use endpointAccess Private"},
		{"Public", existingLines + "    - {zone: us-east-1b, public: subnet-0bbbbbbbbbbbbbbb0}",
			"existing.subnets[1].private is missing; use the zone's subnet for nodes"},
		{"Public", existingLines + "    - {zone: us-east-1b, private: subnet-b, public: subnet-0bbbbbbbbbbbbbbb0}", `existing.subnets[1].private: "subnet-b" is not the ID of a subnet`},
		{"Public", existingLines + "  privateZoneID: /hostedzone/Z1", "is not the ID of a hosted zone; use one such as Z0123456789ABCDEFGHIJ, without /hostedzone/"},
		{"Public", existingLines + "  localZoneID: Z0123456789",
			"is not used with endpointAccess Public, which has no local zone; leave it out"},
		{"Public", existingLines + "vpcCIDR: 10.0.0.0/16", "network.vpcCIDR applies to a VPC that is created, but existing is set; set only one of the two"},
		{"Public", existingLines + "secondaryCIDR: 100.65.0.0/16", "network.secondaryCIDR applies to a VPC that is created"},
		{"Public", existingLines + "dhcpDomainName: example.com", `network.dhcpDomainName: "example.com" applies to a VPC that is created`},
		{"Public", "dhcpDomainName: Example.com", `network.dhcpDomainName: "Example.com" is not a domain name; use lower-case labels`},
		{"Public", existingLines + "zones: [us-east-1a]", "network.zones applies to a VPC that is created"},
		{"Public", existingLines + "nat: PerZone", `network.nat: "PerZone" creates NAT gateways, but an existing VPC is not changed`},
		{"Public", existingLines + "transitGateway: {id: tgw-01234567}",
			"network.transitGateway attaches a VPC that is created, but existing is set; ask the owner of the VPC to attach it"},
		{"Public", "gatewayEndpoints: [dynamodb, s3]", `network.gatewayEndpoints[1]: "s3" always has a gateway endpoint; leave it out`},
		{"Public", "gatewayEndpoints: [dynamodb, dynamodb]", `network.gatewayEndpoints[1]: "dynamodb" duplicates [0]; list each service once`},
		{"Public", "gatewayEndpoints: [sts]", `network.gatewayEndpoints[0]: "sts" is not a service with gateway endpoints; use dynamodb, or interfaceEndpoints`},
		{"Public", existingLines + "gatewayEndpoints: [dynamodb]", `network.gatewayEndpoints: "dynamodb" applies to a VPC that is created, but existing is set`},
		{"Public", "transitGateway: {}", "network.transitGateway.id is missing; set the ID of the transit gateway"},
		{"Public", "transitGateway: {id: vpc-01234567}", `network.transitGateway.id: "vpc-01234567" is not the ID of a transit gateway`},
		{"Public", "publicOnly: true\ntransitGateway: {id: tgw-01234567}",
			"network.transitGateway is for private subnets, but the network has none"},
		{"Public", "nat: Single\ntransitGateway: {id: tgw-01234567}", `network.transitGateway.cidrs: "0.0.0.0/0" overlaps the route to the NAT gateways of nat Single; leave nat out`},
		{"Public", "transitGateway: {id: tgw-01234567, cidrs: [10.0.64.0/20]}", `transitGateway.cidrs[0]: "10.0.64.0/20" overlaps 10.0.0.0/16, the VPC's own network`},
		{"Public", "transitGateway: {id: tgw-01234567, cidrs: [192.168.0.0/16, 192.168.0.0/16]}", `transitGateway.cidrs[1]: "192.168.0.0/16" duplicates [0]`},
		{"Public", "transitGateway: {id: tgw-01234567, cidrs: [192.168.0.1/16]}", `transitGateway.cidrs[0]: "192.168.0.1/16" is not an IPv4 CIDR`},
		{"Public", "nat: nat-0123456789abcdef0", `network.nat: "nat-0123456789abcdef0" is a NAT gateway, which is part of the VPC that it was created in`},
		{"Public", existingLines + "firewallEndpoint: {serviceName: " + proxyService + "}",
			"network.firewallEndpoint creates endpoints and routes in a VPC that is created, but existing is set; ask the owner of the VPC to create the endpoints"},
		{"Public", "firewallEndpoint: {}", "network.firewallEndpoint.serviceName is missing; set the name of the firewall's endpoint service"},
		{"Public", "firewallEndpoint: {serviceName: vpce-0123456789abcdef0}",
			`network.firewallEndpoint.serviceName: "vpce-0123456789abcdef0" is an endpoint, which is part of the VPC that it was created in`},
		{"Public", "firewallEndpoint: {serviceName: firewall}", `network.firewallEndpoint.serviceName: "firewall" is not the name of an endpoint service`},
		{"Public", "publicOnly: true\nfirewallEndpoint: {serviceName: " + proxyService + "}",
			"network.firewallEndpoint is for private subnets, but the network has none"},
		{"Public", "nat: Single\nfirewallEndpoint: {serviceName: " + proxyService + "}",
			`network.firewallEndpoint.cidrs: "0.0.0.0/0" overlaps the route to the NAT gateways of nat Single; leave nat out`},
		{"Public", "firewallEndpoint: {serviceName: " + proxyService + "}\ntransitGateway: {id: tgw-01234567}",
			`network.firewallEndpoint.cidrs: "0.0.0.0/0" is also routed to transitGateway, and a route table has one route to a network`},
		{"Public", "firewallEndpoint: {serviceName: " + proxyService + ", cidrs: [10.0.0.0/20]}",
			`firewallEndpoint.cidrs[0]: "10.0.0.0/20" overlaps 10.0.0.0/16, the VPC's own network`},
		{"Public", "publicIPv4Pool: pool", `network.publicIPv4Pool: "pool" is not the ID of a pool of public addresses; use one such as ipv4pool-ec2-0123456789abcdef0`},
		{"Public", "zones: [us-east-1a]\npublicOnly: true\npublicIPv4Pool: ipv4pool-ec2-01234567",
			"is for the addresses of NAT gateways, but the network has none"},
		{"Public", "zones: [us-east-1a]\nelasticIPs: {us-east-1a: eipalloc-01234567}\npublicIPv4Pool: ipv4pool-ec2-01234567",
			`network.publicIPv4Pool: "ipv4pool-ec2-01234567" is not used: elasticIPs has the address of each NAT gateway`},
		{"Public", "natAddressCount: 9", "network.natAddressCount: \"9\" is not a number of addresses that a NAT gateway can have; use 1 to 8"},
		{"Private", "zones: [us-east-1a]\nnat: None\ninterfaceEndpoints: [sts]\nnatAddressCount: 2",
			"network.natAddressCount: \"2\" is for NAT gateways, but the network has none; leave it out, or use nat PerZone or Single"},
		{"Public", existingLines + "ipam: {pool: ipam-pool-01234567}",
			"network.ipam applies to a VPC that is created, but existing is set"},
		{"Public", "ipam: {}", "network.ipam.pool is missing; set the ID of the pool"},
		{"Public", "ipam: {pool: 10.0.0.0/8}", `network.ipam.pool: "10.0.0.0/8" is not the ID of an IPAM pool`},
		{"Public", "ipam: {pool: ipam-pool-01234567, netmaskLength: 25}",
			`network.ipam.netmaskLength: "25" is not the length of a VPC's CIDR that has subnets for eight zones; use 16 to 24`},
		{"Public", "vpcCIDR: 10.1.0.0/18\nipam: {pool: ipam-pool-01234567, netmaskLength: 16}",
			`network.ipam.netmaskLength: "16" differs from that of vpcCIDR, 10.1.0.0/18; leave it out`},
		{"Public", "endpointPolicies: {sts: '{}'}", "network.endpointPolicies[sts] is for a service without an endpoint of this network; add it to interfaceEndpoints"},
		{"Public", "endpointPolicies: {s3: 'all'}", "network.endpointPolicies[s3] is not a policy: "},
		{"Public", "endpointPolicies: {s3: '{}'}", "network.endpointPolicies[s3] has no Statement; add one with Effect, Principal, Action, and Resource"},
		{"Public", `endpointPolicies: {s3: '{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}'}`,
			`network.endpointPolicies[s3] has in statement 1 no Principal; use "Principal": "*"`},
		{"Public", `endpointPolicies: {s3: '{"Statement": {"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": "*", "Resource": "*"}}'}`,
			"has in statement 1 a Principal, which AWS does not compare for gateway endpoints"},
		{"Public", `endpointPolicies: {s3: '{"Statement": {"Effect": "Maybe", "Principal": "*", "Action": "*", "Resource": "*"}}'}`, `the Effect "Maybe"; use Allow or Deny`},
		{"Public", `endpointPolicies: {s3: '{"Statement": {"Effect": "Deny", "Principal": "*", "Resource": "*"}}'}`, "has in statement 1 no Action"},
		{"Public", `endpointPolicies: {s3: '{"Statement": {"Effect": "Deny", "Principal": "*", "Action": "*"}}'}`, "has in statement 1 no Resource"},
		{"Public", "endpointSecurityGroups: [sg-01234567]", "network.endpointSecurityGroups are for interface endpoints, but the network has none"},
		{"Public", "interfaceEndpoints: [sts]\nendpointSecurityGroups: [group]", `network.endpointSecurityGroups[0]: "group" is not the ID of a security group`},
		{"Public", "interfaceEndpoints: [sts]\nendpointSecurityGroups: [sg-01234561, sg-01234562, sg-01234563, sg-01234564, sg-01234565]",
			"are more security groups than an endpoint can have besides its own one; use at most 4"},
		{"Public", existingLines + "publicOnly: true", `existing.subnets[0].private: "subnet-0aaaaaaaaaaaaaaa0" is not used in a public-only network; leave it out`},
		{"Public", existingLines + "elasticIPs: {us-east-1a: eipalloc-01234567}", "network.elasticIPs[us-east-1a]: \"eipalloc-01234567\" is for a NAT gateway, but the network has none"},
		{"Public", existingLines + "securityGroups: [nodes]", `securityGroups[0]: "nodes" is not the ID of a security group; use one such as sg-0123456789abcdef0`},
		{"Public", existingLines + "securityGroups: [sg-01234567, sg-01234567]", `securityGroups[1]: "sg-01234567" duplicates [0]`},
		{"Public", "securityGroups: [sg-01234567]", "securityGroups require an existing VPC; use them together with existing, or leave them out"},
		{"Public", "zones: [us-east-1a]\nelasticIPs: {us-east-1b: eipalloc-01234567}",
			`elasticIPs[us-east-1b]: "eipalloc-01234567" is for a zone without a NAT gateway; use addresses for us-east-1a`},
		{"Public", "zones: [us-east-1b, us-east-1a]\nnat: Single\nelasticIPs: {us-east-1a: eipalloc-01234567}", "use addresses for us-east-1b"},
		{"Public", "zones: [us-east-1a]\nelasticIPs: {us-east-1a: 198.51.100.7}", `is not the allocation ID of an elastic IP; use one such as eipalloc-0123456789abcdef0`},
		{"Public", "zones: [us-east-1a, us-east-1b]\nelasticIPs: {us-east-1a: eipalloc-01234567, us-east-1b: eipalloc-01234567}", "is already the address of us-east-1a"},
		{"Public", "interfaceEndpoints: [nodes, sts]", `interfaceEndpoints[1]: "sts" duplicates [0]; list each service once`},
		{"Public", "interfaceEndpoints: [sts, nodes]", `interfaceEndpoints[1]: "nodes" duplicates [0]`},
		{"Public", "flowLogs: {destination: Kinesis}", `flowLogs.destination: "Kinesis" is not a destination of flow logs; use CloudWatch or S3`},
		{"Public", "flowLogs: {traffic: SOME}", `flowLogs.traffic: "SOME" is not a type of traffic; use ALL, ACCEPT or REJECT`},
		{"Public", "flowLogs: {retentionDays: 31}", `flowLogs.retentionDays: "31" is not a retention period of CloudWatch Logs; use one of [1 3 5 7 14 30`},
		{"Public", "flowLogs: {destination: S3}", "flowLogs.bucketARN is missing; set the ARN of the bucket"},
		{"Public", "flowLogs: {destination: S3, bucketARN: logs}", `flowLogs.bucketARN: "logs" is not the ARN of a bucket`},
		{"Public", "flowLogs: {destination: S3, bucketARN: 'arn:aws:s3:::logs', retentionDays: 30}",
			"is not used with destination S3; leave it out, and add a lifecycle rule to the bucket"},
		{"Public", "flowLogs: {bucketARN: 'arn:aws:s3:::logs'}", "is not used with destination CloudWatch"},
		{"Public", "secondaryCIDR: 10.0.128.0/18", `secondaryCIDR: "10.0.128.0/18" overlaps 10.0.0.0/16, the VPC's first CIDR`},
		{"Public", "secondaryCIDR: 192.168.0.0/16", `secondaryCIDR: "192.168.0.0/16" is in 192.168.0.0/16, which AWS does not add to a VPC in 10.0.0.0/16; use a CIDR in 100.64.0.0/10`},
		{"Public", "vpcCIDR: 10.1.0.0/16\nsecondaryCIDR: 10.0.0.0/16", "is in 10.0.0.0/16, which AWS does not add to a VPC in 10.1.0.0/16; use a CIDR from 10.2.0.0 upwards"},
		{"Public", "secondaryCIDR: 100.64.0.0/16", "OVN-Kubernetes' join subnet"},
		{"Public", "secondaryCIDR: 100.65.0.0/25", "is too small: the subnets of its address plan"},
		{"Private", "publicOnly: true", `publicOnly: "true" puts nodes into public subnets, but endpointAccess Private has none`},
		{"Public", "publicOnly: true\nnat: Single", "creates NAT gateways for private subnets, but publicOnly has none"},
		{"Public", "publicOnly: true\nsecondaryCIDR: 100.65.0.0/16",
			"creates no private subnets, but secondaryCIDR adds some"},
		{"Public", "publicOnly: 1", `publicOnly: "1" is a number; expected a boolean`},
		{"Public", "proxy: {}", "proxy.httpAddress is missing; set http://<host>:<port>, or the proxy's endpointService"},
		{"Public", "proxy: {httpAddress: proxy}", "proxy.httpAddress is not the URL of a proxy; use http://<host>:<port>"},
		{"Public", "proxy: {httpAddress: 'http://proxy.example.com'}", "is not a URL with only a host and a port"},
		{"Public", "proxy: {httpAddress: 'http://user:secret@proxy.example.com:3128'}",
			"contains credentials, which would be readable in the stack's outputs"},
		{"Public", "proxy: {httpAddress: 'http://proxy:3128', httpsAddress: 'ftp://proxy:3128'}",
			"proxy.httpsAddress is not the URL of a proxy"},
		{"Public", "proxy: {httpAddress: 'http://proxy:3128', ca: proxy.pem}",
			"proxy.ca is not a PEM bundle of certificates"},
		{"Public", "proxy: {endpointService: squid}", `proxy.endpointService: "squid" is not the name of an endpoint service`},
		{"Public", "proxy: {endpointService: " + proxyService + ", httpAddress: 'http://proxy:3128'}",
			"conflicts with endpointService, which has its own address"},
		{"Public", "bastion: {sshCIDRs: [0.0.0.0/0], sshKey: ssh-ed25519 AAAA}", `bastion.sshCIDRs[0]: "0.0.0.0/0" opens SSH to the internet`},
		{"Public", "bastion: {sshCIDRs: [0.0.0.0/1, 128.0.0.0/1], sshKey: ssh-ed25519 AAAA}", `bastion.sshCIDRs[1]: "128.0.0.0/1" opens SSH to the internet`},
		{"Public", "bastion: {sshCIDRs: [203.0.113.7/24], sshKey: ssh-ed25519 AAAA}",
			"is not a network address; use 203.0.113.0/24"},
		{"Public", "bastion: {sshCIDRs: [home], sshKey: ssh-ed25519 AAAA}", `"home" is not an IPv4 CIDR; use one such as 203.0.113.0/24`},
		{"Public", "bastion: {sshCIDRs: [203.0.113.0/24]}", "bastion.sshKey is missing, but sshCIDRs is set; set the public key, ssh-ed25519 …, or leave sshCIDRs out"},
		{"Public", "bastion: {sshKey: -----BEGIN OPENSSH PRIVATE KEY-----}",
			"bastion.sshKey is not a public key that EC2 supports"},
		{"Private", "nat: None\ninterfaceEndpoints: [nodes, ssm]\nbastion: {}", "bastion cannot be reached through Systems Manager, because its network has neither a NAT gateway nor the interface endpoints; add ssm, ssmmessages, ec2messages to interfaceEndpoints"},
		{"Public", "shared: {}", "network.shared requires the account that owns the VPC; set accounts.vpcOwner"},
		{"Public", "shared: {permissionsBoundary: boundary}", `shared.permissionsBoundary: "boundary" is not the ARN of a managed policy; use arn:aws:iam::<account>:policy/<name>`},
		{"Public", "shared: {permissionsBoundary: 'arn:aws-cn:iam::210987654321:policy/b'}",
			"is not in partition aws; use one of aws"},
		{"Public", "shared: {privateZonesIn: Both}", `shared.privateZonesIn: "Both" is not an account for private zones; use Owner or Cluster`},
	} {
		t.Run(test.lines, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, withNetwork(test.access, test.lines))
			require.ErrorContains(t, err, test.want)
			for _, f := range fault.In(err) {
				require.NotZero(t, f.Line, f.Path)
				require.NotEmpty(t, f.Remedy, f.Path)
				require.NotContains(t, f.Error(), "secret", "a proxy's password")
			}
		})
	}
}

func TestANetworkWithoutNATGatewaysHasNoStrategy(t *testing.T) {
	t.Parallel()
	for _, lines := range []string{existingLines, "publicOnly: true", "proxy: {httpAddress: 'http://proxy:3128'}"} {
		file, err := load(t, withNetwork("Public", lines))
		require.NoError(t, err)
		require.Empty(t, As[*Cluster](file).Network.NAT)
	}
}

func TestTheDomainNameOfTheDHCPOptionsReachesTheNetwork(t *testing.T) {
	t.Parallel()
	file, err := load(t, withNetwork("Public", "dhcpDomainName: nodes.example.com"))
	require.NoError(t, err)
	require.Equal(t, pulumi.String("nodes.example.com"), As[*Cluster](file).Network.DHCPDomainName)
}

func TestExistingResourcesOfANetworkAreListed(t *testing.T) {
	t.Parallel()
	file, err := load(t, withNetwork("PublicAndPrivate", existingLines+`  privateZoneID: Z0123456789
  localZoneID: Z1123456789
securityGroups: [sg-01234567]
proxy: {endpointService: `+proxyService+`}`))
	require.NoError(t, err)
	require.Equal(t, []Existing{
		{Kind: ExistingPublicZone, Name: "example.com"},
		{Kind: ExistingVPC, Name: "vpc-0123456789abcdef0", CIDR: "10.0.0.0/16"},
		{Kind: ExistingPrivateSubnet, Name: "subnet-0aaaaaaaaaaaaaaa0", Zone: "us-east-1a", VPC: "vpc-0123456789abcdef0"},
		{Kind: ExistingPublicSubnet, Name: "subnet-0aaaaaaaaaaaaaaa1", Zone: "us-east-1a", VPC: "vpc-0123456789abcdef0"},
		{Kind: ExistingSecurityGroup, Name: "sg-01234567", VPC: "vpc-0123456789abcdef0"},
		{Kind: ExistingPrivateZone, Name: "Z0123456789", Domain: "demo.example.com", VPC: "vpc-0123456789abcdef0"},
		{Kind: ExistingPrivateZone, Name: "Z1123456789", Domain: "demo.hypershift.local", VPC: "vpc-0123456789abcdef0"},
		{Kind: ExistingEndpointService, Name: proxyService},
	}, file.Existing(nil))
}

func TestTheVPCMustNotOverlapTheNetworksOfTheSameConfig(t *testing.T) {
	t.Parallel()
	in := func(network, more string) error {
		_, err := load(t, strings.NewReplacer("network: {zones", "network: {vpcCIDR: "+network+", zones",
			"      clusterCIDRs: [10.140.0.0/14]\n", more).Replace(withHostedCluster))
		return err
	}
	require.ErrorContains(t, in("172.31.0.0/16", ""),
		"network.vpcCIDR: \"172.31.0.0/16\" overlaps 172.31.0.0/16, the service network")
	require.NoError(t, in("172.31.0.0/16", "      serviceCIDRs: [10.200.0.0/16]\n"))
	require.ErrorContains(t, in("10.200.0.0/16", "      serviceCIDRs: [10.200.0.0/16]\n"),
		"network.vpcCIDR: \"10.200.0.0/16\" overlaps 10.200.0.0/16, the service network")
	ovn := "        operatorConfiguration: {clusterNetworkOperator: {ovnKubernetesConfig: {ipv4: {internalJoinSubnet: 10.9.0.0/16}}}}\n"
	joined := strings.Replace(withHostedCluster, "network: {zones", "network: {vpcCIDR: 10.9.0.0/16, zones", 1)
	_, err := load(t, joined+ovn)
	require.ErrorContains(t, err, "overlaps 10.9.0.0/16, OVN-Kubernetes' join subnet")
	_, err = load(t, joined)
	require.NoError(t, err)
}

func TestASubnetOfANodePoolIsInItsZone(t *testing.T) {
	t.Parallel()
	const pools = `    network: {existing: {vpcID: vpc-0123456789abcdef0, subnets: [
      {zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa0}, {zone: us-east-1b, private: subnet-0bbbbbbbbbbbbbbb0}]}}
    hostedCluster:
      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64
      pullSecret: {env: PULL_SECRET}
      nodePools:
        - {name: own, zone: us-east-1b, subnetID: subnet-0bbbbbbbbbbbbbbb0}
        - {name: large, zone: us-east-1b, subnetID: subnet-0ccccccccccccccc0}
        - {name: more, zone: us-east-1b, subnetID: subnet-0ccccccccccccccc0}
        - {name: first, subnetID: subnet-0ddddddddddddddd0}
`
	text := strings.Replace(withNetwork("Public", ""), "    network:\n", pools, 1)
	file, err := load(t, text)
	require.NoError(t, err)
	cluster := As[*Cluster](file)
	further, at := cluster.PoolSubnets()
	require.Equal(t, []network.FurtherSubnet{
		{Zone: "us-east-1b", ID: pulumi.String("subnet-0ccccccccccccccc0")},
		{Zone: "us-east-1a", ID: pulumi.String("subnet-0ddddddddddddddd0")},
	}, further)
	require.Equal(t, []int{1, 3}, at)
	require.Contains(t, cluster.Existing(nil), Existing{Kind: ExistingPrivateSubnet, Name: "subnet-0ccccccccccccccc0",
		Zone: "us-east-1b", VPC: "vpc-0123456789abcdef0"})

	found := cluster.InPools(fault.Faults{{Path: "existing.further[1]", Problem: "is in zone us-east-1c"},
		{Path: "existing.vpcID", Problem: "is absent"}})
	require.Equal(t, "hostedCluster.nodePools[3].subnetID", found[0].Path)
	require.Equal(t, "network.existing.vpcID", found[1].Path)

	_, err = load(t, strings.Replace(text, "subnetID: subnet-0ddddddddddddddd0", "subnetID: subnet-0bbbbbbbbbbbbbbb0", 1))
	require.ErrorContains(t, err, `hostedCluster.nodePools[3].subnetID: "subnet-0bbbbbbbbbbbbbbb0" is in zone us-east-1b of `+
		`network.existing.subnets, and the pool is in us-east-1a; set zone: us-east-1b`)
	_, err = load(t, strings.Replace(text, "{zone: us-east-1b, private", "{zone: us-east-1a, private", 1))
	require.ErrorContains(t, err, "duplicates zone [0]; list each zone once; node pools name further subnets of it as subnetID")
}

func TestTheAccountOfAParentZoneNeedsAParentZone(t *testing.T) {
	t.Parallel()
	management := strings.Replace(wholeManagement, "    operator:",
		"    accounts: {parentZone: {profile: dns}}\n    operator:", 1)
	f, err := load(t, management)
	require.NoError(t, err)
	require.Equal(t, "dns", f.NamedProviderSettings()[ParentZoneAccountProvider]["profile"])
	for _, existing := range f.Existing(nil) {
		require.Equal(t, existing.Name == "example.com", existing.Provider == ParentZoneAccountProvider, existing.Name)
	}
	_, err = load(t, strings.Replace(management, ", parentZone: example.com", "", 1))
	require.ErrorContains(t, err, "management.accounts.parentZone is not used: only zone.parentZone is in that account")
	_, err = load(t, strings.Replace(management, "profile: dns", "profile: dns, ignoreTags: {keys: [team]}", 1))
	require.ErrorContains(t, err, "management.accounts.parentZone.ignoreTags.keys[0]")
	const account = "    accounts: {parentZone: {profile: dns}}\n"
	for lines, want := range map[string]string{
		"publicZone: {}":                        "accounts.parentZone is not used: only network.publicZone.parentZone is in that account",
		"publicZone: {parentZone: example.org}": `network.publicZone.parentZone: "example.org" is not above "example.com"`,
	} {
		_, err := load(t, withNetwork("Public", lines)+account)
		require.ErrorContains(t, err, want)
	}
}
