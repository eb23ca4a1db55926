package hostedcluster

import (
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// validateCIDRs returns a fault for each that is no network address.
func validateCIDRs(cidrs []string) error {
	var faults fault.Faults
	for i, cidr := range cidrs {
		prefix, err := netip.ParsePrefix(cidr)
		switch path := fmt.Sprintf("[%d]", i); {
		case err != nil:
			faults.Add(path, cidr, "is not a CIDR", "give one such as 10.132.0.0/14")
		case prefix.Masked() != prefix:
			faults.Add(path, cidr, "is not a network address", "give "+prefix.Masked().String())
		}
	}
	return faults.Err()
}

func validateQuantity(text string) error {
	if text == "" {
		return nil
	}
	if size, err := resource.ParseQuantity(text); err != nil || size.Sign() <= 0 {
		return &fault.Fault{Value: text, Problem: "is no size", Remedy: "give one such as 8Gi"}
	}
	return nil
}
