package hostedcluster

import (
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
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
		networks = append(networks, network{fmt.Sprintf("clusterCIDRs[%d]", i), "a cluster network", cidr})
	}
	for i, cidr := range inside.ServiceCIDRs {
		networks = append(networks, network{fmt.Sprintf("serviceCIDRs[%d]", i), "a service network", cidr})
	}
	const ovn = "spec.operatorConfiguration.clusterNetworkOperator.ovnKubernetesConfig.ipv4."
	networks = append(networks, network{ovn + "internalJoinSubnet", "OVN-Kubernetes' join subnet", inside.JoinCIDR},
		network{ovn + "internalTransitSwitchSubnet", "OVN-Kubernetes' transit subnet", inside.TransitCIDR})
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

func validateQuantity(text string) error {
	if text == "" {
		return nil
	}
	if size, err := resource.ParseQuantity(text); err != nil || size.Sign() <= 0 {
		return &fault.Fault{Value: text, Problem: "is not a positive quantity", Remedy: "use one such as 8Gi"}
	}
	return nil
}
