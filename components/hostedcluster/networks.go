package hostedcluster

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

// HyperShift's defaults for how much of a cluster network a node gets.
const (
	defaultIPv4HostPrefix = 23
	defaultIPv6HostPrefix = 64
)

// podNetwork is a cluster network with the length of the part that each node gets.
type podNetwork struct {
	path       string
	prefix     netip.Prefix
	hostPrefix int
}

// podNetworks returns the cluster networks, of the keys or of Spec, that are CIDRs.
func (s *Settings) podNetworks() []podNetwork {
	key := s.networkKey("clusterCIDRs")
	entries, _ := within(s.Spec, "networking")["clusterNetwork"].([]any)
	var list []podNetwork
	for i, cidr := range s.Networks().WithDefaults().ClusterCIDRs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			continue
		}
		network := podNetwork{fmt.Sprintf("%s[%d]", key, i), prefix, defaultIPv4HostPrefix}
		if prefix.Addr().Is6() {
			network.hostPrefix = defaultIPv6HostPrefix
		}
		if i < len(entries) {
			entry, _ := entries[i].(map[string]any)
			if length, given := entry["hostPrefix"].(int64); given && length != 0 {
				network.hostPrefix = int(length)
			}
		}
		list = append(list, network)
	}
	return list
}

// validatePodNetworks returns the faults of the networks inside the cluster that HyperShift's API accepts, and that its
// operator or OpenShift's network operator refuse once the control plane starts. They cannot be changed then.
// https://github.com/openshift/cluster-network-operator/blob/master/pkg/network/ovn_kubernetes.go
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go
func (o objectBuilder) validatePodNetworks() error {
	var faults fault.Faults
	pods, inside := o.podNetworks(), o.Networks().WithDefaults()
	services := o.networkKey("serviceCIDRs")
	families := func(cidrs []string) (four, six int) {
		for _, cidr := range cidrs {
			if prefix, err := netip.ParsePrefix(cidr); err == nil && prefix.Addr().Is4() {
				four++
			} else if err == nil {
				six++
			}
		}
		return four, six
	}
	podsFour, podsSix := families(inside.ClusterCIDRs)
	four, six := families(inside.ServiceCIDRs)
	for _, of := range []struct{ key, first string }{
		{o.networkKey("clusterCIDRs"), inside.ClusterCIDRs[0]}, {services, inside.ServiceCIDRs[0]},
	} {
		if first, err := netip.ParsePrefix(of.first); err == nil && first.Addr().Is6() {
			faults.Add(of.key+"[0]", of.first, "is a network of IPv6, but the nodes' network is of IPv4, and HyperShift refuses a mixture",
				"list a network of IPv4 first")
		}
	}
	if inside.JoinCIDR == layout.NoCIDR || len(faults) > 0 {
		return faults.Err() // the rest is OVN-Kubernetes'
	}
	switch {
	case four > 1 || six > 1:
		faults.Add(services, fmt.Sprintf("%d networks", four+six), "are more than OpenShift allows",
			"use one, or one of IPv4 and one of IPv6")
	case (podsFour > 0) != (four > 0) || (podsSix > 0) != (six > 0):
		faults.Add(services, nil, "has other families of addresses than the cluster networks",
			"use IPv4 in both, or IPv4 and IPv6 in both")
	}
	parts := 0
	for _, pod := range pods {
		if pod.hostPrefix < pod.prefix.Bits() {
			faults.Add(pod.path, pod.prefix.String(),
				fmt.Sprintf("is smaller than the part that each node gets, a /%d", pod.hostPrefix),
				fmt.Sprintf("use a network of /%d at most, such as %s", pod.hostPrefix-7, layout.DefaultClusterCIDR))
		} else if pod.prefix.Addr().Is4() {
			parts += 1 << (pod.hostPrefix - pod.prefix.Bits())
		}
	}
	faults.Join("", o.validateNodes(pods, parts))
	for _, ovn := range []struct{ field, cidr string }{
		{"internalJoinSubnet", inside.JoinCIDR}, {"internalTransitSwitchSubnet", inside.TransitCIDR},
	} {
		// One address per node, and three that are reserved.
		subnet, err := netip.ParsePrefix(ovn.cidr)
		if err == nil && subnet.Addr().Is4() && parts >= 1<<(32-subnet.Bits())-3 {
			faults.Add(ovnIPv4+ovn.field, ovn.cidr, fmt.Sprintf("is too small: the cluster networks have parts for %d nodes, and each needs an address here", parts),
				"use a larger network, or smaller cluster networks")
		}
	}
	return faults.Err()
}

// validateNodes returns a fault if the node pools always have more nodes than the cluster networks have parts.
func (o objectBuilder) validateNodes(pods []podNetwork, parts int) error {
	nodes := 0
	for _, pool := range o.pools() {
		if pool.AutoScaling != nil {
			nodes += pool.AutoScaling.Min
		} else {
			nodes += pool.replicas()
		}
	}
	first := slices.IndexFunc(pods, func(p podNetwork) bool { return p.prefix.Addr().Is4() })
	if parts == 0 || first < 0 || nodes <= parts {
		return nil
	}
	return &fault.Fault{Path: pods[first].path, Value: pods[first].prefix.String(),
		Problem: fmt.Sprintf("has parts of /%d for %d nodes, and the node pools have %d", pods[first].hostPrefix, parts,
			nodes),
		Remedy: "use a larger network: HyperShift cannot change it later"}
}

// validateCIDRs returns a fault for each CIDR that is not a network address.
func validateCIDRs(cidrs []string) error {
	var faults fault.Faults
	for i, cidr := range cidrs {
		prefix, err := netip.ParsePrefix(cidr)
		switch path := fmt.Sprintf("[%d]", i); {
		case err != nil:
			faults.Add(path, cidr, "is not a CIDR", "use one such as 10.132.0.0/14")
		case prefix.Masked() != prefix:
			faults.Add(path, cidr, "is not a network address", "use "+prefix.Masked().String())
		}
	}
	return faults.Err()
}

// validateOverlaps returns a fault for each network that overlaps one before it, of which HyperShift's API refuses only
// equal ones, and for each network inside the cluster that overlaps one that hosts use themselves.
func (o objectBuilder) validateOverlaps() error {
	type network struct {
		path, what, cidr string
	}
	var networks []network
	for _, cidr := range o.site.MachineCIDRs {
		networks = append(networks, network{"", "a machine network", cidr})
	}
	inside := o.Networks().WithDefaults()
	for i, cidr := range inside.ClusterCIDRs {
		networks = append(networks, network{fmt.Sprintf("%s[%d]", o.networkKey("clusterCIDRs"),
			i), "a cluster network", cidr})
	}
	for i, cidr := range inside.ServiceCIDRs {
		networks = append(networks, network{fmt.Sprintf("%s[%d]", o.networkKey("serviceCIDRs"),
			i), "a service network", cidr})
	}
	networks = append(networks, network{ovnIPv4 + "internalJoinSubnet", "OVN-Kubernetes' join subnet", inside.JoinCIDR},
		network{ovnIPv4 + "internalTransitSwitchSubnet", "OVN-Kubernetes' transit subnet", inside.TransitCIDR},
		network{"spec.networking.apiServer.advertiseAddress", layout.AdvertiseUse, inside.AdvertiseCIDR()})
	var faults fault.Faults
	for i, n := range networks {
		prefix, err := netip.ParsePrefix(n.cidr)
		if err != nil {
			continue
		}
		for _, host := range layout.HostReserved() {
			if n.path != "" && host.Prefix.Overlaps(prefix) {
				faults.Add(n.path, n.cidr, fmt.Sprintf("overlaps %s, %s", host.Prefix, host.Use),
					"use a private network, such as one of 10.0.0.0/8")
			}
		}
		for _, before := range networks[:i] {
			if other, err := netip.ParsePrefix(before.cidr); err == nil && other.Overlaps(prefix) {
				faults.Add(n.path, n.cidr, fmt.Sprintf("overlaps %s, %s", before.cidr, before.what),
					"use a network that does not overlap it")
			}
		}
	}
	return faults.Err()
}

// ovnIPv4 is the path of OVN-Kubernetes' own networks in the settings.
const ovnIPv4 = "spec.operatorConfiguration.clusterNetworkOperator.ovnKubernetesConfig.ipv4."

// UnknownMachines represents the CIDRs of nodes that are not known yet, such as those of an existing VPC.
const UnknownMachines = "192.0.2.0/24"

// validateMachineNetwork returns a fault if Spec gives the machines networks in which some nodes are not: HyperShift
// then keeps these from the PrivateLink endpoint, whose security group admits the machine networks only.
func (o objectBuilder) validateMachineNetwork() error {
	entries, given := within(o.Spec, "networking")["machineNetwork"].([]any)
	if !given {
		return nil
	}
	var missing []string
	for _, nodes := range o.site.MachineCIDRs {
		vpc, err := netip.ParsePrefix(nodes)
		if err == nil && nodes != UnknownMachines && !slices.ContainsFunc(entries, func(entry any) bool {
			of, _ := entry.(map[string]any)
			text, _ := of["cidr"].(string)
			machines, err := netip.ParsePrefix(text)
			return err != nil || machines.Overlaps(vpc) // HyperShift's API refuses what is not a CIDR
		}) {
			missing = append(missing, nodes)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return &fault.Fault{Path: "spec.networking.machineNetwork", Problem: "does not contain the network of the nodes, " +
		strings.Join(missing, ", "), Remedy: "add it, or leave machineNetwork out"}
}
