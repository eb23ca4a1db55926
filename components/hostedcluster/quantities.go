package hostedcluster

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
)

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

// validateOverlaps returns a fault for each network that overlaps one before it; HyperShift's API refuses only equal
// ones.
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

func validateQuantity(text string) error {
	if text == "" {
		return nil
	}
	if size, err := resource.ParseQuantity(text); err != nil || size.Sign() <= 0 {
		return &fault.Fault{Value: text, Problem: "is not a positive quantity", Remedy: "use one such as 8Gi"}
	}
	return nil
}
