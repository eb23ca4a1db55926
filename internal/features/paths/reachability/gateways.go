package reachability

import (
	"fmt"
	"net/netip"
	"slices"
)

// through follows packets through a gateway.
func (w walk) through(flow Flow, at Step, gateway Gateway, from string, l leg, hops int) []Flow {
	switch gateway.Kind {
	case InternetGateway:
		if !w.Public && l.source != nat {
			at.Why = "only forwards traffic from public addresses, which the subnet's machines do not have"
			return []Flow{flow.blocked(at)}
		}
		if w.Gateways[flow.nat].Private {
			at.Why = "drops traffic of the private NAT gateway " + flow.nat + ", which has no public address"
			return []Flow{flow.blocked(at)}
		}
		if to := flow.Packets[l.target]; !slices.ContainsFunc(Internet(nil), func(public Range) bool {
			return public.First <= to.Last && to.First <= public.Last
		}) {
			at.Why = "drops traffic to private addresses"
			return []Flow{flow.blocked(at)}
		}
		at.Why = "attached to " + w.VPCID
		flow = flow.with(at)
		flow.at, flow.exit = internet, InternetGateway
		return []Flow{flow}
	case GatewayEndpoint:
		at.Why = "to the AWS service"
		flow = flow.with(at)
		flow.at, flow.exit = elsewhere, GatewayEndpoint
		return []Flow{flow}
	case VirtualPrivateGateway: // it is in no subnet, so that replies pass the network ACL of the client's subnet only
		at.Why, at.Unknown = "attached to "+w.VPCID+"; the networks behind it are not modelled", true
		flow = flow.with(at)
		flow.at, flow.exit = elsewhere, VirtualPrivateGateway
		return []Flow{flow}
	case PeeringConnection:
		return w.toPeer(flow, at, l)
	case TransitGateway:
		return w.toTransit(flow, at, gateway, from, l)
	case FirewallEndpoint:
		return w.toFirewall(flow, at, gateway, from, l, hops)
	case NATGateway:
		return w.toNAT(flow, at, gateway, from, l, hops)
	}
	at.Why = "is of a kind that is not modelled"
	return []Flow{flow.unknown(at)}
}

// toNAT follows packets through a NAT gateway, which sends them on from its own address.
func (w walk) toNAT(flow Flow, at Step, gateway Gateway, from string, l leg, hops int) []Flow {
	subnet, known := w.subnet(gateway.Subnets[0])
	if l.reply || l.source != client || !known {
		at.Why = "replies, and packets of other NAT gateways, are not followed through it"
		return []Flow{flow.unknown(at)}
	}
	at.Why = "in " + subnet.ID
	var flows []Flow
	for _, entered := range w.into(flow, subnet, from, l) {
		if entered.Outcome == Blocked {
			flows = append(flows, entered)
			continue
		}
		entered = entered.with(at)
		entered.nat, entered.Packets[nat] = at.ID, CIDRRange(subnet.CIDR)
		if gateway.Address.IsValid() {
			entered.Packets[nat] = CIDRRange(netip.PrefixFrom(gateway.Address, 32))
		}
		flows = append(flows, w.send(entered, subnet.ID, leg{nat, server, fields, false}, hops+1)...)
	}
	return flows
}

// maxVPC is the largest number of addresses of a CIDR of a VPC.
const maxVPC = 1 << 16

// toPeer follows packets through a peering connection, which passes those to addresses of the peered VPC alone, not to
// its gateways. The peered VPC may have any addresses, but no CIDR with more than maxVPC. Source: the guide of VPC
// Peering, "Edge to edge routing through a gateway or private connection".
func (w walk) toPeer(flow Flow, at Step, l leg) []Flow {
	if to := flow.Packets[l.target]; to.Last-to.First >= maxVPC &&
		slices.ContainsFunc(Internet(w.CIDRs), func(public Range) bool {
			return public.First <= to.First && to.Last <= public.Last
		}) {
		at.Why = "only passes traffic to addresses of the peered VPC, not to its gateways"
		return []Flow{flow.blocked(at)}
	}
	at.Why, at.Unknown = "with another VPC, which is not modelled", true
	flow = flow.with(at)
	flow.at, flow.exit = elsewhere, PeeringConnection
	return []Flow{flow}
}

// toFirewall follows packets into a firewall endpoint, and out of it if the firewall passes them.
func (w walk) toFirewall(flow Flow, at Step, gateway Gateway, from string, l leg, hops int) []Flow {
	subnet, known := w.subnet(gateway.Subnets[0])
	if !known {
		at.Why = "its subnet is not readable"
		return []Flow{flow.unknown(at)}
	}
	at.Why, at.Unknown, at.Arms = "in "+subnet.ID+"; the firewall's own rules are not modelled", true, !gateway.OneArm
	var flows []Flow
	for _, entered := range w.into(flow, subnet, from, l) {
		if entered.Outcome == Blocked {
			flows = append(flows, entered)
			continue
		}
		flows = append(flows, w.send(entered.with(at), subnet.ID, l, hops+1)...)
	}
	return flows
}

// toTransit follows packets into the attachment of a transit gateway in the subnet's zone. The attachment's inbound
// rules are evaluated by the packets' source. Source: the guide of AWS Transit Gateway, "Network ACLs for transit
// gateways".
func (w walk) toTransit(flow Flow, at Step, gateway Gateway, from string, l leg) []Flow {
	here, _ := w.subnet(from)
	i := slices.IndexFunc(gateway.Subnets, func(id string) bool {
		subnet, known := w.subnet(id)
		return known && subnet.Zone == here.Zone
	})
	if i < 0 {
		at.Why = fmt.Sprintf("its attachment has no subnet in zone %s, so that it passes no traffic of %s", here.Zone, from)
		return []Flow{flow.blocked(at)}
	}
	subnet, _ := w.subnet(gateway.Subnets[i])
	at.Why, at.Unknown = "attached in "+subnet.ID+"; its own route tables, and what is behind it, are not modelled", true
	var flows []Flow
	for _, entered := range w.acl(flow, subnet, true, l) {
		if entered.Outcome != Blocked {
			entered = entered.with(at)
			entered.at, entered.exit, entered.via = elsewhere, TransitGateway, subnet.ID
		}
		flows = append(flows, entered)
	}
	return flows
}

// enter follows packets from the internet gateway to the leg's target: by the gateway's own route table if it has one.
func (w walk) enter(flow Flow, l leg, hops int) []Flow {
	if w.Edge == "" {
		return w.arrive(flow, "", l)
	}
	return w.route(flow, w.Edge, "", l, hops)
}

// arrive follows packets into the subnets that have their target's addresses.
func (w walk) arrive(flow Flow, from string, l leg) []Flow {
	var flows []Flow
	rest := []Packets{flow.Packets}
	for _, subnet := range w.Subnets {
		var next []Packets
		for _, packets := range rest {
			in, inside, out := packets.split(l.target, CIDRRange(subnet.CIDR))
			next = append(next, out...)
			if !inside {
				continue
			}
			entering := flow
			entering.Packets = in
			for _, entered := range w.into(entering, subnet, from, l) {
				entered.at = subnet.ID
				flows = append(flows, entered)
			}
		}
		rest = next
	}
	for _, packets := range rest {
		lost := flow
		lost.Packets = packets
		flows = append(flows, lost.blocked(Step{
			Kind:  "subnet",
			Reply: l.reply,
			Why:   "no subnet of the VPC has the addresses " + packets[l.target].String(),
		}))
	}
	return flows
}

// into follows packets from a subnet into another one. Within a subnet no network ACL is evaluated.
func (w walk) into(flow Flow, subnet Subnet, from string, l leg) []Flow {
	if subnet.ID == from {
		return []Flow{flow}
	}
	return w.acl(flow, subnet, true, l)
}

// admit follows replies from outside the VPC into a subnet.
func (w walk) admit(flow Flow, id string, l leg) []Flow {
	subnet, _ := w.subnet(id)
	flows := w.acl(flow, subnet, true, l)
	for i := range flows {
		flows[i].at = id
	}
	return flows
}

// acl splits packets by the rules of a subnet's network ACL.
func (w walk) acl(flow Flow, subnet Subnet, ingress bool, l leg) []Flow {
	acl, known := w.ACLs[subnet.ACL]
	if !known {
		return []Flow{flow.with(Step{
			Kind:    "network ACL",
			ID:      subnet.ACL,
			Subnet:  subnet.ID,
			Reply:   l.reply,
			Unknown: true,
			Why:     "that of " + subnet.ID + " is not readable",
		})}
	}
	rules, word, remote := acl.Egress, "egress", l.target
	if ingress {
		rules, word, remote = acl.Ingress, "ingress", l.source
	}
	rules = slices.SortedFunc(slices.Values(rules), Rule.compare)
	var flows []Flow
	rest := []Packets{flow.Packets}
	for _, rule := range rules {
		var next []Packets
		for _, packets := range rest {
			in, inside, out := w.matched(packets, rule, remote, l.port)
			next = append(next, out...)
			if !inside {
				continue
			}
			decided := flow
			decided.Packets = in
			flows = append(flows, decided.judged(rule, word, subnet, l.reply, in[remote], remote == w.outer))
		}
		rest = next
	}
	for _, packets := range rest {
		denied := flow
		denied.Packets = packets
		flows = append(flows, denied.blocked(Step{Kind: "network ACL", ID: subnet.ACL, Subnet: subnet.ID,
			Rule: word + " rule *", Reply: l.reply,
			Why: fmt.Sprintf("no %s rule of %s allows %s on %s", word, subnet.ID, packets[remote], w.ports(packets, l.port))}))
	}
	return flows
}

// judged returns the flow after a rule of an ACL that matches it. exception is true if the rule matches by the end that
// is not the cluster's.
func (f Flow) judged(rule Rule, word string, subnet Subnet, reply bool, remote Range, exception bool) Flow {
	name := fmt.Sprintf("%s rule %d", word, rule.Number)
	step := Step{Kind: "network ACL", ID: subnet.ACL, Subnet: subnet.ID, Rule: name, Reply: reply}
	if !rule.Allow {
		step.Exception = exception && rule.CIDR.Bits() > 0
		step.Why = fmt.Sprintf("%s of %s denies %s on port %s", name, subnet.ID, remote, rule.Ports.Ports())
		return f.blocked(step)
	}
	step.Why = fmt.Sprintf("%s of %s allows %s on port %s", name, subnet.ID, rule.CIDR, rule.Ports.Ports())
	return f.with(step)
}

// matched splits packets into those that a rule matches and others.
func (w walk) matched(packets Packets, rule Rule, remote, port field) (in Packets, inside bool, out []Packets) {
	in, inside, out = packets.split(remote, CIDRRange(rule.CIDR))
	if !inside {
		return in, false, out
	}
	if port == fields {
		if int(rule.Ports.First) <= w.Port && w.Port <= int(rule.Ports.Last) {
			return in, true, out
		}
		return in, false, []Packets{packets}
	}
	within, inside, others := in.split(port, rule.Ports)
	return within, inside, append(out, others...)
}

func (w walk) ports(packets Packets, port field) string {
	if port == fields {
		return fmt.Sprintf("port %d", w.Port)
	}
	r := packets[port]
	return fmt.Sprintf("ports %d-%d", r.First, r.Last)
}
