package capa

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// The sizes of the IPv6 networks that kubeadm and the controller manager accept: a /64 for each node, of which there
// are at most 65536, and at most 20 bits for Services. Source: kubeadm's validation.ValidateNetworking.
const (
	largestPodsIPv6, smallestPodsIPv6         = 48, 64
	largestServicesIPv6, smallestServicesIPv6 = 108, 124
)

// validateIPv6CIDRs returns the faults of the second family of the pod and Service networks.
func (args *Args) validateIPv6CIDRs() error {
	var faults fault.Faults
	if args.PodsIPv6 == "" && args.ServicesIPv6 == "" {
		return nil
	}
	parsed := map[string]netip.Prefix{}
	for _, network := range []struct {
		path, cidr, other string
		largest, smallest int
	}{
		{"podsIPv6", args.PodsIPv6, "servicesIPv6", largestPodsIPv6, smallestPodsIPv6},
		{"servicesIPv6", args.ServicesIPv6, "podsIPv6", largestServicesIPv6, smallestServicesIPv6},
	} {
		prefix, err := parseIPv6CIDR(network.cidr)
		switch {
		case network.cidr == "":
			faults.Add(network.path, nil, "is missing, and "+network.other+" is set", "set both, or leave both out")
		case !args.Network.IPv6 && args.Network.Existing == nil:
			faults.Add(network.path, network.cidr, "is for a dual-stack cluster, and the VPC that is created has no IPv6",
				"set network.ipv6, or leave it out")
		case err != nil:
			faults.Join(network.path, err)
		case prefix.Bits() < network.largest || prefix.Bits() > network.smallest:
			faults.Add(network.path, network.cidr, fmt.Sprintf("has a size that kubeadm refuses: /%d", prefix.Bits()),
				fmt.Sprintf("use a CIDR from /%d to /%d", network.largest, network.smallest))
		default:
			parsed[network.path] = prefix
		}
	}
	if pods, services := parsed["podsIPv6"], parsed["servicesIPv6"]; pods.IsValid() && services.IsValid() &&
		pods.Overlaps(services) {
		faults.Add("servicesIPv6", args.ServicesIPv6, "overlaps podsIPv6, which are "+args.PodsIPv6,
			"use a CIDR that does not overlap it")
	}
	return faults.Err()
}

// isIPv6 reports whether a CIDR is an IPv6 one.
func isIPv6(cidr string) bool { return strings.Contains(cidr, ":") }

// parseIPv6CIDR reads an IPv6 network, in the form in which AWS returns it.
func parseIPv6CIDR(cidr string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil || !prefix.Addr().Is6():
		return prefix, &fault.Fault{
			Value:   cidr,
			Problem: "is not an IPv6 CIDR",
			Remedy:  "use an address and a length, such as " + DefaultPodsIPv6,
		}
	case prefix.Masked().String() != cidr:
		return prefix, &fault.Fault{
			Value:   cidr,
			Problem: "is not a network address in its shortest form",
			Remedy:  "use " + prefix.Masked().String(),
		}
	}
	return prefix, nil
}
