// Package layout divides a VPC's CIDR into subnets. It is arithmetic only and makes no calls.
package layout

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// DefaultVPCCIDR is the VPC's default CIDR, the same as that of HyperShift's CLI.
const DefaultVPCCIDR = "10.0.0.0/16"

// Slots is the maximum number of zones in a VPC. The VPC is divided into sixteen equal parts: eight public subnets, followed by eight
// private ones.
const Slots = 8

// The prefix lengths of a VPC's CIDR. A /16 has /20 subnets, the same as those of HyperShift's CLI; a /20 has /24 subnets.
const (
	LargestVPC  = 16
	SmallestVPC = 20
)

// Layout is the division of a VPC into subnets. A subnet's CIDR depends on the VPC's CIDR and on its slot, never on the
// number of zones.
type Layout struct{ vpc netip.Prefix }

// New returns the layout of the VPC with the given IPv4 CIDR, "" for DefaultVPCCIDR. It returns a fault if the CIDR is not a
// network address, is not from /16 to /20, or overlaps one of the reserved networks.
func New(vpcCIDR string, reserved []Reserved) (Layout, error) {
	if vpcCIDR == "" {
		vpcCIDR = DefaultVPCCIDR
	}
	refuse := func(problem, remedy string) (Layout, error) {
		return Layout{}, &fault.Fault{Value: vpcCIDR, Problem: problem, Remedy: remedy}
	}
	vpc, err := netip.ParsePrefix(vpcCIDR)
	if err != nil || !vpc.Addr().Is4() {
		return refuse("is not an IPv4 CIDR", "use an address and a length, such as "+DefaultVPCCIDR)
	}
	if vpc.Masked() != vpc {
		return refuse("is not a network address", "use "+vpc.Masked().String())
	}
	if vpc.Bits() > SmallestVPC {
		return refuse("is too small for eight zones", fmt.Sprintf("use a CIDR from /%d to /%d", LargestVPC, SmallestVPC))
	}
	if vpc.Bits() < LargestVPC {
		return refuse("is larger than AWS allows for a VPC", fmt.Sprintf("use a CIDR from /%d to /%d", LargestVPC, SmallestVPC))
	}
	for _, taken := range reserved {
		if taken.Prefix.Overlaps(vpc) {
			return refuse(fmt.Sprintf("overlaps %s, %s", taken.Prefix, taken.Use), "use a CIDR that does not overlap, such as "+DefaultVPCCIDR)
		}
	}
	return Layout{vpc: vpc}, nil
}

// VPC returns the VPC's CIDR.
func (l Layout) VPC() string { return l.vpc.String() }

// Public returns the CIDR of the slot's public subnet.
func (l Layout) Public(slot int) string { return l.part(slot) }

// Private returns the CIDR of the slot's private subnet.
func (l Layout) Private(slot int) string { return l.part(Slots + slot) }

// Slot returns the slot of a subnet, and whether the subnet is part of this layout.
func (l Layout) Slot(subnetCIDR string) (int, bool) {
	for slot := range Slots {
		if subnetCIDR == l.Public(slot) || subnetCIDR == l.Private(slot) {
			return slot, true
		}
	}
	return 0, false
}

func (l Layout) part(i int) string {
	bits := l.vpc.Bits() + 4
	base := l.vpc.Addr().As4()
	address := binary.BigEndian.Uint32(base[:]) + uint32(i)<<(32-bits)
	var out [4]byte
	binary.BigEndian.PutUint32(out[:], address)
	return netip.PrefixFrom(netip.AddrFrom4(out), bits).String()
}

// Reserved is a network that a VPC must not overlap.
type Reserved struct {
	// Prefix is the network.
	Prefix netip.Prefix
	// Use describes the network in an error message: "the cluster network".
	Use string
}

// The default networks inside a hosted cluster, the same as those of HyperShift's CLI.
const (
	DefaultClusterCIDR = "10.132.0.0/14"
	DefaultServiceCIDR = "172.31.0.0/16"
)

// The default subnets that OVN-Kubernetes uses inside a cluster.
const (
	DefaultJoinCIDR    = "100.64.0.0/16"
	DefaultTransitCIDR = "100.88.0.0/16"
)

// ClusterNetworks are the IPv4 networks inside a hosted cluster, which its VPC must not overlap. The zero value is HyperShift's
// defaults.
type ClusterNetworks struct {
	// ClusterCIDRs are the CIDRs of the pod network. Default 10.132.0.0/14.
	ClusterCIDRs []string `yaml:"-" pulumi:"clusterCIDRs,optional"`
	// ServiceCIDRs are the CIDRs of the service network. Default 172.31.0.0/16.
	ServiceCIDRs []string `yaml:"-" pulumi:"serviceCIDRs,optional"`
	// JoinCIDR is OVN-Kubernetes' join subnet, "none" with another network plugin. Default 100.64.0.0/16.
	JoinCIDR string `yaml:"-" pulumi:"joinCIDR,optional"`
	// TransitCIDR is OVN-Kubernetes' transit subnet, "none" with another network plugin. Default 100.88.0.0/16.
	TransitCIDR string `yaml:"-" pulumi:"transitCIDR,optional"`
}

// NoCIDR is the JoinCIDR and the TransitCIDR of a cluster without OVN-Kubernetes.
const NoCIDR = "none"

// WithDefaults returns n with HyperShift's defaults for what is not set.
func (n ClusterNetworks) WithDefaults() ClusterNetworks {
	if len(n.ClusterCIDRs) == 0 {
		n.ClusterCIDRs = []string{DefaultClusterCIDR}
	}
	if len(n.ServiceCIDRs) == 0 {
		n.ServiceCIDRs = []string{DefaultServiceCIDR}
	}
	n.JoinCIDR, n.TransitCIDR = cmp.Or(n.JoinCIDR, DefaultJoinCIDR), cmp.Or(n.TransitCIDR, DefaultTransitCIDR)
	return n
}

// Validate returns a fault for each network that is not a CIDR.
func (n ClusterNetworks) Validate() error {
	var faults fault.Faults
	check := func(path, cidr string) {
		if _, err := netip.ParsePrefix(cidr); err != nil && cidr != NoCIDR {
			faults.Add(path, cidr, "is not a CIDR", "use one such as "+DefaultClusterCIDR)
		}
	}
	n = n.WithDefaults()
	for i, cidr := range n.ClusterCIDRs {
		check(fmt.Sprintf("clusterCIDRs[%d]", i), cidr)
	}
	for i, cidr := range n.ServiceCIDRs {
		check(fmt.Sprintf("serviceCIDRs[%d]", i), cidr)
	}
	check("joinCIDR", n.JoinCIDR)
	check("transitCIDR", n.TransitCIDR)
	return faults.Err()
}

// Reserved returns the networks that the VPC must not overlap, with those of AWSReserved. A text that is not a CIDR is left out.
func (n ClusterNetworks) Reserved() []Reserved {
	n = n.WithDefaults()
	var reserved []Reserved
	for _, of := range []struct {
		use   string
		cidrs []string
	}{
		{"the cluster network", n.ClusterCIDRs}, {"the service network", n.ServiceCIDRs},
		{"OVN-Kubernetes' join subnet", []string{n.JoinCIDR}}, {"OVN-Kubernetes' transit subnet", []string{n.TransitCIDR}},
	} {
		for _, cidr := range of.cidrs {
			if prefix, err := netip.ParsePrefix(cidr); err == nil {
				reserved = append(reserved, Reserved{prefix, of.use})
			}
		}
	}
	return append(reserved, AWSReserved()...)
}

// HostedReserved returns the networks that the VPC of a hosted cluster with HyperShift's default networks must not overlap.
func HostedReserved() []Reserved { return ClusterNetworks{}.Reserved() }

// AWSReserved returns the networks that AWS does not allow for VPCs.
func AWSReserved() []Reserved {
	return []Reserved{
		{netip.MustParsePrefix("0.0.0.0/8"), "a range that AWS does not allow for VPCs"},
		{netip.MustParsePrefix("127.0.0.0/8"), "the loopback network"},
		{netip.MustParsePrefix("169.254.0.0/16"), "the link-local network"},
		{netip.MustParsePrefix("224.0.0.0/3"), "a range that AWS does not allow for VPCs"},
	}
}
