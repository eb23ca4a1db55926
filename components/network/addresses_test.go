package network

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// created returns the args of a network that is created, and an account for it.
func created() (*GuestNetworkArgs, *account) {
	args := inExisting(hypershift.Private)
	args.Existing, args.Zones = nil, []Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}}
	a := &account{lookups: goodAccount()}
	a.but(answers{
		"getCallerIdentity": {"accountId": "123456789012", "arn": "arn:aws:iam::123456789012:root", "userId": "u"},
		"getVpcs":           {"ids": []any{}}, "getEips": {"allocationIds": []any{}},
	})
	a.lookups["getRecords"] = map[string]any{"resourceRecordSets": []any{map[string]any{"type": "SOA",
		"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}
	return args, a
}

// ipamPoolIn returns an answer for an IPAM pool.
func ipamPoolIn(locale, scope string) map[string]any {
	return map[string]any{
		"ipamPoolId":    "ipam-pool-01234567",
		"addressFamily": "ipv4",
		"locale":        locale,
		"ipamScopeType": scope,
		"ipamScopeId":   "ipam-scope-1",
	}
}

func TestAPoolOfPublicAddressesIsRefusedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pool    string
		answers answers
		want    string
	}{
		"another account's": {pool: "ipv4pool-ec2-01234567",
			want: `publicIPv4Pool: "ipv4pool-ec2-01234567" cannot be looked up: no matching PublicIpv4Pool found; use a pool of this account`},
		"exhausted": {pool: "ipv4pool-ec2-01234567",
			answers: answers{"getPublicIpv4Pool": {"totalAddressCount": 16.0, "totalAvailableAddressCount": 1.0}},
			want:    "has 1 free addresses of 16, but NAT gateways need 2; provision more addresses, use another pool, nat Single, or elasticIPs for the other zones"},
		"of a local zone": {pool: "ipv4pool-ec2-01234567",
			answers: answers{"getPublicIpv4Pool": {"networkBorderGroup": "us-east-1-bos-1"}},
			want:    "has addresses of us-east-1-bos-1; use a pool of us-east-1"},
		"not shared": {pool: "ipam-pool-01234567",
			want: `publicIPv4Pool: "ipam-pool-01234567" cannot be looked up: no matching VpcIpamPool found; use a pool of this account, or one that its owner shares`},
		"of private": {
			pool:    "ipam-pool-01234567",
			answers: answers{"getVpcIpamPool": ipamPoolIn("us-east-1", "private")},
			want:    "has private addresses",
		},
		"of another region": {pool: "ipam-pool-01234567",
			answers: answers{"getVpcIpamPool": ipamPoolIn("eu-west-1", "public")},
			want:    "has the locale eu-west-1, and allocates no addresses in us-east-1"},
		"an exhausted public": {pool: "ipam-pool-01234567",
			answers: answers{"getVpcIpamPool": ipamPoolIn("us-east-1", "public")},
			want:    "its next free address: no matching IpamPreviewNextCidr found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args, a := created()
			a.but(test.answers)
			args.PublicIPv4Pool = pulumi.String(test.pool)
			made, err := a.run(t, args)
			require.ErrorContains(t, err, test.want)
			require.Empty(t, made)
		})
	}
}

func TestAPoolWithoutFreeAddressesIsEnoughForAddressesThatExist(t *testing.T) {
	t.Parallel()
	args, a := created()
	a.but(answers{
		"getEips":           {"allocationIds": []any{"eipalloc-01234567"}},
		"getPublicIpv4Pool": {"totalAddressCount": 2.0, "totalAvailableAddressCount": 0.0},
	})
	args.PublicIPv4Pool = pulumi.String("ipv4pool-ec2-01234567")
	_, err := a.run(t, args)
	require.NoError(t, err)
	require.Equal(t, "ipv4pool-ec2-01234567",
		a.inputs["aws:ec2/eip:Eip network-eip-us-east-1a"]["publicIpv4Pool"].StringValue())
}

func TestAnIPAMPoolIsRefusedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers answers
		change  func(*GuestNetworkArgs)
		want    string
	}{
		"not shared": {
			want: `ipam.pool: "ipam-pool-01234567" cannot be looked up: no matching VpcIpamPool found; use a pool of this account, or one that its owner shares with the account by AWS RAM`,
		},
		"of another region": {
			answers: answers{"getVpcIpamPool": ipamPoolIn("eu-west-1", "private")},
			want:    "has the locale eu-west-1",
		},
		"of public": {
			answers: answers{"getVpcIpamPool": ipamPoolIn("us-east-1", "public")},
			want:    "has public addresses; use a pool in a private scope",
		},
		"of IPv6": {
			answers: answers{"getVpcIpamPool": {"addressFamily": "ipv6"}},
			want:    "has addresses of ipv6; use a pool of IPv4 addresses",
		},
		"of larger ones": {answers: answers{
			"getVpcIpamPool": {
				"addressFamily":              "ipv4",
				"locale":                     "us-east-1",
				"allocationMinNetmaskLength": 20.0,
				"allocationMaxNetmaskLength": 24.0,
			},
		},
			want: `ipam.netmaskLength: "16" is not a length that ipam-pool-01234567 allocates, from 20 to 24`},
		"of tagged VPCs": {answers: answers{
			"getVpcIpamPool": {
				"addressFamily":          "ipv4",
				"locale":                 "us-east-1",
				"allocationResourceTags": map[string]any{"team": "platform"},
			},
		},
			want: "allocates CIDRs only to VPCs with the tags map[team:platform]; add them to tags"},
		"exhausted": {
			answers: answers{"getVpcIpamPool": ipamPoolIn("us-east-1", "private")},
			want:    "has no /16 that is free and overlaps none of 10.132.0.0/14, 172.31.0.0/16",
		},
		"of a reserved network": {answers: answers{
			"getVpcIpamPool":         ipamPoolIn("us-east-1", "private"),
			"getIpamPreviewNextCidr": {"cidr": "10.133.0.0/16"},
		},
			want: `ipam.pool: "10.133.0.0/16" overlaps 10.132.0.0/14, the cluster network`},
		"of a routed network": {answers: answers{"getVpcIpamPool": ipamPoolIn("us-east-1", "private"),
			"getIpamPreviewNextCidr": {"cidr": "10.7.0.0/16"},
			"getTransitGateway":      {"ownerId": "123456789012"}},
			change: func(args *GuestNetworkArgs) {
				args.TransitGateway = &TransitGateway{ID: pulumi.String("tgw-01234567"), CIDRs: []string{"10.7.64.0/18"}}
			}, want: `transitGateway.cidrs[0]: "10.7.64.0/18" overlaps 10.7.0.0/16, the VPC's own network`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args, a := created()
			a.but(test.answers)
			args.IPAM = &IPAM{Pool: "ipam-pool-01234567"}
			if test.change != nil {
				test.change(args)
			}
			made, err := a.run(t, args)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, made, "aws:ec2/vpc:Vpc network-vpc")
		})
	}
}

// TestAVPCKeepsTheCIDRThatItsPoolAllocated: the pool is not asked again, whatever it would allocate next.
func TestAVPCKeepsTheCIDRThatItsPoolAllocated(t *testing.T) {
	t.Parallel()
	args, a := created()
	a.but(answers{"getVpcs": {"ids": []any{"vpc-01234567"}}, "getVpc": {"cidrBlock": "10.40.0.0/16"}})
	args.IPAM = &IPAM{Pool: "ipam-pool-01234567"}
	_, err := a.run(t, args)
	require.NoError(t, err)
	require.Equal(t, "10.40.0.0/16", a.inputs["aws:ec2/vpc:Vpc network-vpc"]["cidrBlock"].StringValue())
	require.Equal(t, "ipam-pool-01234567", a.inputs["aws:ec2/vpc:Vpc network-vpc"]["ipv4IpamPoolId"].StringValue())
	require.Equal(t, "10.40.128.0/20", a.inputs["aws:ec2/subnet:Subnet network-private-us-east-1a"]["cidrBlock"].StringValue())

	// Its tag Name was changed by someone else: another CIDR would replace it.
	args, a = created()
	a.but(answers{
		"getVpcs map[" + hypershift.ClusterTagPrefix + args.Cluster.InfraID + ":owned]": {"ids": []any{"vpc-01234567"}},
		"getVpc": {"cidrBlock": "10.40.0.0/16"},
	})
	args.IPAM = &IPAM{Pool: "ipam-pool-01234567"}
	_, err = a.run(t, args)
	require.NoError(t, err)
	require.Equal(t, "10.40.0.0/16", a.inputs["aws:ec2/vpc:Vpc network-vpc"]["cidrBlock"].StringValue())

	args, a = created()
	a.but(answers{"getVpcs": {"ids": []any{"vpc-01234567"}}, "getVpc": {"cidrBlock": "10.40.0.0/16"}})
	args.IPAM = &IPAM{Pool: "ipam-pool-01234567", NetmaskLength: 18}
	_, err = a.run(t, args)
	require.ErrorContains(t, err, `ipam.netmaskLength: "18" differs from that of 10.40.0.0/16, which the pool has allocated to the VPC`)
}

func TestAGivenCIDRIsAllocatedByThePool(t *testing.T) {
	t.Parallel()
	args, a := created()
	args.IPAM, args.VPCCIDR = &IPAM{Pool: "ipam-pool-01234567"}, "10.50.0.0/18"
	_, err := a.run(t, args)
	require.NoError(t, err)
	require.Equal(t, "10.50.0.0/18", a.inputs["aws:ec2/vpc:Vpc network-vpc"]["cidrBlock"].StringValue())
	require.Equal(t, "ipam-pool-01234567", a.inputs["aws:ec2/vpc:Vpc network-vpc"]["ipv4IpamPoolId"].StringValue())
}
