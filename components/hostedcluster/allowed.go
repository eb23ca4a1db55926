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

// APIAccess limits who may connect to the control plane over the internet.
type APIAccess struct {
	// CIDRs are the networks that may connect. In mode Public, where nodes connect over the internet too, the stack adds
	// the addresses of its NAT gateways, also those of later zones; nodes in public subnets, whose addresses AWS chooses
	// when they start, cannot connect to a limited API. With an existing VPC, list the addresses from which its nodes
	// reach the internet. Default: everybody may connect.
	CIDRs []string `yaml:"cidrs" pulumi:"cidrs,optional"`
}

// validateAPIAccess returns the faults of the networks that may connect.
func (o objectBuilder) validateAPIAccess() error {
	var faults fault.Faults
	for i, cidr := range o.APIAccess.CIDRs {
		faults.Join(fmt.Sprintf("apiAccess.cidrs[%d]", i), checkAllowed(cidr))
	}
	raw := within(o.Spec, "networking", "apiServer")["allowedCIDRBlocks"]
	if blocks, is := raw.([]any); is {
		for i, block := range blocks {
			faults.Join(o.ConfigKey(-1, fmt.Sprintf("%s[%d]", allowedPath, i)), checkAllowed(fmt.Sprint(block)))
		}
	}
	if len(o.APIAccess.CIDRs) > 0 && raw != nil {
		faults.Add("apiAccess.cidrs", nil, "conflicts with "+allowedPath, "set only one of the two")
	}
	if allowed := o.AllowedCIDRs(); o.NodePublicIPs && len(allowed) > 0 &&
		!slices.ContainsFunc(allowed, func(cidr string) bool { return strings.HasSuffix(cidr, "/0") }) {
		path := "apiAccess.cidrs"
		if len(o.APIAccess.CIDRs) == 0 {
			path = o.ConfigKey(-1, allowedPath)
		}
		faults.Add(path, strings.Join(allowed, ", "),
			"locks the nodes out: they are in public subnets, and connect from addresses that AWS chooses when they start",
			"leave it out, use endpointAccess PublicAndPrivate, or put the nodes behind NAT gateways (publicOnly: false)")
	}
	return faults.Err()
}

// checkAllowed returns a fault unless a CIDR is a network of IPv4: Kubernetes' cloud controller allows each to the load
// balancer as an IPv4 range, and AWS refuses any other, after which the load balancer admits nobody. Source:
// updateInstanceSecurityGroupForNLBTraffic in pkg/providers/v1/aws_loadbalancer.go of kubernetes/cloud-provider-aws.
func checkAllowed(cidr string) error {
	prefix, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil:
		return &fault.Fault{Value: cidr, Problem: "is not a CIDR",
			Remedy: "use an address and a length, such as 203.0.113.0/24"}
	case !prefix.Addr().Is4():
		return &fault.Fault{Value: cidr, Problem: "is a network of IPv6, and the API's load balancer has IPv4 only",
			Remedy: "use the IPv4 addresses from which people connect, such as 203.0.113.0/24"}
	case prefix.Masked() != prefix:
		return &fault.Fault{Value: cidr, Problem: "is not a network address", Remedy: "use " + prefix.Masked().String()}
	}
	return nil
}

// AllowedCIDRs returns the networks that may reach the control plane over the internet; none if all may, and if nodes
// use PrivateLink. HyperShift adds nothing to them, so they must include the nodes' addresses. https://github.com/openshift/hypershift/blob/main/support/netutil/networking.go
func (s *Settings) AllowedCIDRs() []string {
	if s.EndpointAccess.OrDefault() != hypershift.Public {
		return nil
	}
	if len(s.APIAccess.CIDRs) > 0 {
		return s.APIAccess.CIDRs
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
		Remedy:  "add " + strings.Join(missing, ", ") + ", or use apiAccess.cidrs, to which the stack adds them",
	}
}

// allow makes a HostedCluster's allowed networks depend on the addresses of its nodes. They are added to those of
// APIAccess; if they are not among those of the spec, the object is not sent.
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
		if settings := b.args.Settings; len(settings.APIAccess.CIDRs) > 0 {
			list, _ := all[0].([]any)
			for _, address := range notAllowed(settings.APIAccess.CIDRs, slices.Collect(maps.Values(byZone))) {
				list = append(slices.Clip(list), address)
			}
			return list, nil
		}
		if err := b.args.Settings.lockedOut(slices.Collect(maps.Values(byZone))); err != nil {
			return nil, b.refused(err)
		}
		return all[0], nil
	})
}
