package network

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// Layouts of VPCs that people have published, described as existing networks: which are suitable, and the graph of what
// is created in them.
func TestTheLayoutsOfPeoplesVPCsAreSuitableOrRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	cidrs := func(list ...string) map[string]any {
		var associated []any
		for _, cidr := range list {
			associated = append(associated, map[string]any{"cidrBlock": cidr, "state": "associated"})
		}
		return map[string]any{"cidrBlockAssociations": associated}
	}
	withoutPublic := func(args *GuestNetworkArgs) { args.Existing.Subnets[0].Public = nil }
	isolated := answers{"getRouteTable rtb-main": {"routes": []any{}}}
	endpoints := answers{
		"getRouteTable rtb-main": {"routes": []any{}},
		"getVpcEndpoint com.amazonaws.us-east-1.s3": {"id": "vpce-s3", "vpcEndpointType": "Gateway",
			"routeTableIds": []any{"rtb-main"}},
		"getVpcEndpoint com.amazonaws.us-east-1.sts": {"id": "vpce-sts", "vpcEndpointType": "Interface",
			"privateDnsEnabled": true},
	}
	public := []string{"aws:route53/record:Record network-private-zone-soa", "aws:route53/zone:Zone network-private-zone"}
	private := []string{"aws:route53/record:Record network-local-zone-soa",
		"aws:route53/record:Record network-private-zone-soa", "aws:route53/zone:Zone network-local-zone",
		"aws:route53/zone:Zone network-private-zone"}
	for name, test := range map[string]struct {
		access hypershift.EndpointAccess
		vpc    answers
		args   func(*GuestNetworkArgs)
		made   []string
		want   string
	}{
		// https://github.com/rh-mobb/terraform-aws-rosavpc
		"private subnets without a way out": {access: hypershift.Private, vpc: isolated, args: withoutPublic,
			want: "has no route out of the VPC in rtb-main; use a subnet with a route for 0.0.0.0/0, nat None, or a proxy"},
		"the same behind a proxy": {access: hypershift.Private, vpc: isolated, made: private,
			args: func(args *GuestNetworkArgs) {
				withoutPublic(args)
				args.Proxy = &Proxy{HTTPAddress: pulumi.String("http://proxy.example.com:3128")}
			}},
		"a transit gateway": {access: hypershift.Private, args: withoutPublic, made: private,
			vpc: answers{"getRouteTable rtb-main": tableTo("rtb-main", "transitGatewayId", "tgw-1")}},
		// https://github.com/kubernetes/kops/blob/master/tests/integration/update_cluster/unmanaged/in-v1alpha2.yaml
		"two zones with public subnets of /22": {access: hypershift.Public, made: public,
			vpc: answers{
				"getVpc":                       cidrs("172.20.0.0/16"),
				"getSubnet " + givenPrivate:    {"cidrBlock": "172.20.32.0/19"},
				"getSubnet " + givenPublic:     {"cidrBlock": "172.20.4.0/22"},
				"getSubnet " + otherPrivate:    {"cidrBlock": "172.20.64.0/19"},
				"getSubnet " + otherPublic:     subnetIn("us-east-1b", "172.20.8.0/22"),
				"getRouteTable " + otherPublic: tableTo("rtb-public", "gatewayId", "igw-1"),
			},
			args: func(args *GuestNetworkArgs) {
				args.Existing.Subnets = append(args.Existing.Subnets, ExistingSubnets{Zone: "us-east-1b",
					Private: pulumi.String(otherPrivate), Public: pulumi.String(otherPublic)})
				args.ClusterNetworks.AdvertiseAddress = "172.29.0.1"
			}},
		"the same with HyperShift's address of the API server": {access: hypershift.Public,
			vpc:  answers{"getVpc": cidrs("172.20.0.0/16")},
			want: "has the CIDR 172.20.0.0/16, which overlaps 172.20.0.1/32, the API server's address on each node"},
		// https://github.com/rh-mobb/rosa-hcp-dedicated-vpc, and the zero-egress modules of ROSA
		"no way out, with S3 and STS": {access: hypershift.Private, vpc: endpoints, made: private,
			args: func(args *GuestNetworkArgs) { withoutPublic(args); args.NAT = None }},
		"NAT without a public subnet, Private": {access: hypershift.Private, args: withoutPublic, made: private},
		"NAT without a public subnet, PublicAndPrivate": {
			access: hypershift.PublicAndPrivate,
			args:   withoutPublic,
			made:   private,
		},
		// https://github.com/kubernetes/kops/issues/7098, and 8470
		"node subnets in a second CIDR": {access: hypershift.Private, made: private,
			vpc: answers{"getSubnet " + givenPrivate: {"cidrBlock": "10.9.0.0/20"}}, args: withoutPublic},
		// EKS with nodes in 100.64.0.0/16
		"nodes in shared address space": {access: hypershift.Private, args: withoutPublic,
			vpc: answers{"getVpc": cidrs("10.0.0.0/16", "100.64.0.0/16"),
				"getSubnet " + givenPrivate: {"cidrBlock": "100.64.0.0/20"}},
			want: "has the CIDR 100.64.0.0/16, which overlaps 100.64.0.0/16, OVN-Kubernetes' join subnet"},
		"the same with another join subnet": {access: hypershift.Private, made: private,
			vpc: answers{"getVpc": cidrs("10.0.0.0/16", "100.64.0.0/16"),
				"getSubnet " + givenPrivate: {"cidrBlock": "100.64.0.0/20"}},
			args: func(args *GuestNetworkArgs) { withoutPublic(args); args.ClusterNetworks.JoinCIDR = "100.99.0.0/16" }},
		// https://github.com/terraform-aws-modules/terraform-aws-vpc/issues/620
		"a firewall before the public subnet": {access: hypershift.Public,
			vpc: answers{
				"getRouteTable " + givenPublic: {"routes": []any{map[string]any{"cidrBlock": anywhere, "vpcEndpointId": "vpce-1"}}},
			},
			want: "internet gateway"},
	} {
		a, args := &account{lookups: goodAccount()}, inExisting(test.access)
		a.but(answers{"getRecords": {"resourceRecordSets": []any{map[string]any{"type": "SOA",
			"resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}})
		a.but(test.vpc)
		if test.args != nil {
			test.args(args)
		}
		made, err := a.run(t, args)
		if test.want != "" {
			require.ErrorContains(t, err, test.want, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, test.made, made, name)
	}
}

// otherPublic is a public subnet of a second zone.
const otherPublic = "subnet-0ccccccccccccccc1"
