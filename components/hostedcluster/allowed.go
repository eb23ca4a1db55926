package hostedcluster

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// allowedPath is the path of the networks that may connect to the control plane over the internet.
const allowedPath = "spec.networking.apiServer.allowedCIDRBlocks"

// AllowedCIDRs returns the networks that may reach the control plane over the internet; none if all may. HyperShift
// adds nothing to them, so they
// must include the nodes' addresses. https://github.com/openshift/hypershift/blob/main/support/netutil/networking.go
func (s *Settings) AllowedCIDRs() []string {
	if s.EndpointAccess.OrDefault() != hypershift.Public {
		return nil
	}
	blocks, _ := within(s.Spec, "networking", "apiServer")["allowedCIDRBlocks"].([]any)
	var cidrs []string
	for _, block := range blocks {
		cidrs = append(cidrs, fmt.Sprint(block))
	}
	return cidrs
}

// notAllowed returns the addresses, as CIDRs, that are in none of the networks.
func notAllowed(cidrs, addresses []string) []string {
	var missing []string
	for _, address := range slices.Compact(slices.Sorted(slices.Values(addresses))) {
		ip, err := netip.ParseAddr(address)
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(cidrs, func(cidr string) bool {
			prefix, err := netip.ParsePrefix(cidr)
			return err == nil && prefix.Contains(ip)
		}) {
			missing = append(missing, netip.PrefixFrom(ip, ip.BitLen()).String())
		}
	}
	return missing
}

// lockedOut returns the fault if nodes with these addresses may not connect to their control plane.
func (s *Settings) lockedOut(addresses []string) error {
	allowed := s.AllowedCIDRs()
	missing := notAllowed(allowed, addresses)
	if len(allowed) == 0 || len(missing) == 0 {
		return nil
	}
	return &fault.Fault{
		Path: s.ConfigKey(-1, allowedPath), Value: allowed,
		Problem: "do not have the addresses of the NAT gateways, from which nodes reach their control plane in mode Public",
		Remedy:  "add " + strings.Join(missing, ", "),
	}
}

// allow makes a HostedCluster's allowed networks depend on the addresses of its nodes: with one that is not among them,
// the object is not sent.
func (b *builder) allow(spec any) {
	addresses := b.args.NodeAddresses
	for _, key := range []string{"networking", "apiServer"} {
		fields, _ := spec.(pulumi.Map)
		spec = fields[key]
	}
	fields, restricted := spec.(pulumi.Map)
	if addresses == nil || !restricted || len(b.args.Settings.AllowedCIDRs()) == 0 {
		return
	}
	allowed := fields["allowedCIDRBlocks"]
	fields["allowedCIDRBlocks"] = pulumi.All(allowed, addresses).ApplyT(func(all []any) (any, error) {
		byZone, _ := all[1].(map[string]string)
		if err := b.args.Settings.lockedOut(slices.Collect(maps.Values(byZone))); err != nil {
			return nil, b.refused(err)
		}
		return all[0], nil
	})
}
