package capa

import (
	"cmp"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// The defaults of Args.
const (
	DefaultNamespace    = "default"
	DefaultPods         = "192.168.0.0/16"
	DefaultServices     = "10.96.0.0/12"
	DefaultPodsIPv6     = "fd01::/48"
	DefaultServicesIPv6 = "fd02::/112"
	DefaultInstanceType = "t3.large"
	DefaultReplicas     = 3
	DefaultImageOrg     = "819546954734"
	DefaultBaseOS       = "ubuntu-24.04"
	DefaultImageFormat  = "capa-ami-{{.BaseOS}}-?{{.K8sVersion}}-*"
)

// anywhere are all IPv4 addresses, and anywhereIPv6 all IPv6 addresses.
const (
	anywhere     = "0.0.0.0/0"
	anywhereIPv6 = "::/0"
)

// APIPort is the port of the API server, its load balancer and its target group. CAPA fixes it for network load
// balancers.
const APIPort = 6443

// WithDefaults returns a copy of args in which every default is filled in.
func (args *Args) WithDefaults() *Args {
	a := *args
	a.Namespace = cmp.Or(a.Namespace, DefaultNamespace)
	a.Topology = a.Topology.OrDefault()
	a.Pods, a.Services = cmp.Or(a.Pods, DefaultPods), cmp.Or(a.Services, DefaultServices)
	if a.Network.IPv6 {
		a.PodsIPv6, a.ServicesIPv6 = cmp.Or(a.PodsIPv6, DefaultPodsIPv6), cmp.Or(a.ServicesIPv6, DefaultServicesIPv6)
	}
	a.APIAccess.Scheme = a.APIAccess.Scheme.OrDefault()
	if len(a.APIAccess.CIDRs) == 0 {
		a.APIAccess.CIDRs = everybody(a.Network.IPv6)
	}
	a.Image.Org, a.Image.BaseOS = cmp.Or(a.Image.Org, DefaultImageOrg), cmp.Or(a.Image.BaseOS, DefaultBaseOS)
	a.Image.Format = cmp.Or(a.Image.Format, DefaultImageFormat)
	a.Identity = a.Identity.withDefaults()
	if a.ControlPlane.Replicas == 0 {
		a.ControlPlane.Replicas = DefaultReplicas
	}
	a.ControlPlane.InstanceType = cmp.Or(a.ControlPlane.InstanceType, DefaultInstanceType)
	if a.Workers == nil {
		a.Workers = []WorkersArgs{{Name: "md"}}
	}
	a.Workers = slices.Clone(a.Workers)
	for i := range a.Workers {
		w := &a.Workers[i]
		w.InstanceType = cmp.Or(w.InstanceType, DefaultInstanceType)
		if w.Replicas == nil {
			one := 1
			w.Replicas = &one
		}
	}
	if len(a.CNI.Rules) == 0 {
		a.CNI.Rules = calicoRules(a.PodsIPv6 != "")
	}
	return &a
}

// everybody returns the networks of all addresses.
func everybody(ipv6 bool) []string {
	if ipv6 {
		return []string{anywhere, anywhereIPv6}
	}
	return []string{anywhere}
}

// calicoRules returns the rules that CAPA creates by default, and in a dual-stack cluster the one that its guide adds:
// Calico encapsulates IPv6 in VXLAN only. Sources: api/v1beta2/defaults.go,
// docs/book/src/topics/ipv6-enabled-cluster.md.
func calicoRules(dualStack bool) []CNIRule {
	rules := []CNIRule{
		{Description: "bgp (calico)", Protocol: "tcp", FromPort: 179, ToPort: 179},
		{Description: "IP-in-IP (calico)", Protocol: "4"},
	}
	if dualStack {
		rules = append(rules, CNIRule{Description: "VXLAN (calico)", Protocol: "udp", FromPort: 4789, ToPort: 4789})
	}
	return rules
}

// GroupsSource is where a cluster's security groups come from.
type GroupsSource int

const (
	// GroupsCreated are created by NewInfrastructure.
	GroupsCreated GroupsSource = iota
	// GroupsExisting exist already, and are given by their IDs.
	GroupsExisting
	// GroupsCreatedByCAPA are created by CAPA's controllers.
	GroupsCreatedByCAPA
)

// Source returns where the groups come from.
func (c SecurityGroupsChoice) Source() GroupsSource {
	switch {
	case c.IDs != nil:
		return GroupsExisting
	case c.Create != nil && !*c.Create:
		return GroupsCreatedByCAPA
	}
	return GroupsCreated
}

// ID returns the security group ID for a role, or nil if none is set.
func (ids *SecurityGroupIDs) ID(role Role) pulumi.StringInput {
	return map[Role]pulumi.StringInput{
		APIServerLB:  ids.APIServerLB,
		LB:           ids.LB,
		ControlPlane: ids.ControlPlane,
		Node:         ids.Node,
	}[role]
}

// NATOrDefault returns the NAT strategy, or the default if args do not set it.
func (args *Args) NATOrDefault() network.NATStrategy {
	if args.Network.NAT == "" && (args.Network.Existing != nil || args.Topology == Public || args.Network.RoutesInternet()) {
		return network.None
	}
	return args.Network.NAT.OrDefault()
}

// zoneNames returns the zones of the machines, in the order of args.
func (args *Args) zoneNames() []string {
	var names []string
	if args.Network.Existing != nil {
		for _, subnets := range args.Network.Existing.Subnets {
			names = append(names, subnets.Zone)
		}
		return names
	}
	for _, zone := range args.Network.Zones {
		names = append(names, zone.Name)
	}
	return names
}

// zonesOf returns the zones of a pool.
func (args *Args) zonesOf(pool WorkersArgs) []string {
	if len(pool.Zones) > 0 {
		return pool.Zones
	}
	return args.zoneNames()
}

// restricted reports whether the API server is not open to everybody.
func (a APIAccess) restricted() bool {
	return len(a.CIDRs) > 0 && !slices.Contains(a.CIDRs, anywhere)
}

// has reports whether one of the load balancers has a scheme.
func (a APIAccess) has(scheme Scheme) bool { return a.Secondary || a.Scheme.OrDefault() == scheme }

// LoadBalancerName returns the name of the API server's load balancer.
func (args *Args) LoadBalancerName() string { return args.Name + "-apiserver" }

// secondaryLoadBalancerName returns the name of the API server's second load balancer, "" if there is none.
func (args *Args) secondaryLoadBalancerName() string {
	if !args.APIAccess.Secondary {
		return ""
	}
	return args.Name + "-secondary"
}
