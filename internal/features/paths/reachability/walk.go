package reachability

import (
	"fmt"
	"slices"
)

// Outcome says what happens to packets.
type Outcome string

const (
	// Delivered means that the packets, and the replies to them, arrive.
	Delivered Outcome = "delivered"
	// Blocked means that the last step stops them.
	Blocked Outcome = "blocked"
	// NotModelled means that nothing known stops the packets, but that the steps with this outcome cannot be followed.
	NotModelled Outcome = "not modelled"
)

// Step is a decision about where packets go, or whether they pass.
type Step struct {
	// Kind is "subnet", "network ACL", "route table" or the kind of a gateway, and ID its ID.
	Kind, ID string
	// Rule is the rule or route that decided, "egress rule 100" or "0.0.0.0/0 to nat-…"; "" for a gateway.
	Rule string
	// Reply is true for replies.
	Reply bool
	// Unknown is true if the step passes packets on conditions that are not modelled.
	Unknown bool
	// Arms is true for a firewall by whose second interface packets may leave, so that what follows may not happen. Subnet
	// is the one whose network ACL decided, "" for other kinds.
	Arms   bool
	Subnet string
	// Exception is true for a rule that denies some addresses of the end that the question is not about: of servers if it
	// is asked outward.
	Exception bool
	// Why describes it.
	Why string
}

// Flow is packets that all take the same way.
type Flow struct {
	Packets Packets
	Steps   []Step
	Outcome Outcome

	at   string // the subnet, internet or elsewhere that the packets have reached
	exit Kind   // the kind of gateway through which they left the VPC
	via  string // the ID of that gateway, and the NAT gateway on the way
	nat  string
}

// Certain reports whether a blocked flow is blocked wherever firewalls on its way send packets. That is certain if
// every firewall's behavior is known, or if replies are stopped at the network ACL of the packets' own subnet, whose
// firewall is elsewhere.
func (f Flow) Certain(home string) bool {
	i := slices.IndexFunc(f.Steps, func(s Step) bool { return s.Arms })
	if i < 0 || i == len(f.Steps)-1 {
		return true
	}
	last := f.Steps[len(f.Steps)-1]
	return last.Reply && last.Subnet == home
}

// Places outside of subnets.
const (
	internet  = "the internet"
	elsewhere = "elsewhere"
)

// maxHops is how many routes a packet may take: routes that form a loop take more.
const maxHops = 12

// Connection is the question: can the clients connect to the servers?
type Connection struct {
	// From and To are the addresses of the clients and the servers, and Port is the TCP port of the servers.
	From, To []Range
	Port     int
	// ClientPorts are the ports of the clients.
	ClientPorts Range
	// Public is true if the end that is in the VPC has public addresses.
	Public bool
}

// walk is one question to a network.
type walk struct {
	*Network
	Connection
	outer field // the end that is not the cluster's
}

// leg is one direction of a part of a way. port is the field that a packet is sent to, or fields for the server's port.
type leg struct {
	source, target, port field
	reply                bool
}

// Outward returns what becomes of connections from the addresses of a subnet.
func (n *Network) Outward(subnet string, c Connection) []Flow {
	w := walk{n, c, server}
	var flows []Flow
	for _, flow := range w.start() {
		for _, there := range w.send(flow, subnet, leg{client, server, fields, false}, 0) {
			flows = append(flows, w.answer(there, subnet)...)
		}
	}
	return flows
}

// Inward returns what becomes of connections from the internet to the addresses of a subnet, To, by an internet
// gateway.
func (n *Network) Inward(subnet string, c Connection) []Flow {
	w := walk{n, c, client}
	var flows []Flow
	for _, flow := range w.start() {
		for _, there := range w.enter(flow, leg{client, server, fields, false}, 0) {
			if there.Outcome == Blocked {
				flows = append(flows, there)
				continue
			}
			for _, back := range w.send(there, subnet, leg{server, client, clientPort, true}, 0) {
				flows = append(flows, w.end(back, back.at == internet, "replies leave the VPC by "+back.via))
			}
		}
	}
	return flows
}

// start returns the packets of the question.
func (w walk) start() []Flow {
	var flows []Flow
	for _, from := range w.From {
		for _, to := range w.To {
			flows = append(flows, Flow{Packets: Packets{client: from, server: to, clientPort: w.ClientPorts, natPort: natPorts}})
		}
	}
	return flows
}

// answer follows the replies of packets that have arrived back to the client's subnet.
func (w walk) answer(there Flow, subnet string) []Flow {
	if there.Outcome == Blocked {
		return []Flow{there}
	}
	back := leg{server, client, clientPort, true}
	var replies []Flow
	switch {
	case there.exit == TransitGateway && there.nat == "": // the attachment's subnet routes replies
		replies = w.send(there, there.via, back, 0)
	case there.at == elsewhere:
		replies = w.admit(there, subnet, back)
	case there.at == internet && there.nat != "":
		for _, flow := range w.enter(there, leg{server, nat, natPort, true}, 0) {
			if flow.Outcome == Blocked {
				replies = append(replies, flow)
				continue
			}
			replies = append(replies, w.send(flow, w.Gateways[there.nat].Subnets[0], back, 0)...)
		}
	case there.at == internet:
		replies = w.enter(there, back, 0)
	default:
		replies = w.send(there, there.at, back, 0)
	}
	for i, flow := range replies {
		replies[i] = w.end(flow, flow.at == subnet, "replies go to "+flow.at)
	}
	return replies
}

// end sets the outcome of packets whose replies have been followed.
func (w walk) end(flow Flow, arrived bool, otherwise string) Flow {
	unknown := slices.ContainsFunc(flow.Steps, func(s Step) bool { return s.Unknown })
	switch {
	case flow.Outcome == Blocked:
	case !arrived:
		flow = flow.with(Step{Kind: "route table", Reply: true, Unknown: true, Why: otherwise + ", not the way they came"})
		flow.Outcome = NotModelled
	case unknown || !symmetric(flow.Steps):
		flow.Outcome = NotModelled
	default:
		flow.Outcome = Delivered
	}
	return flow
}

// symmetric reports whether requests and replies pass the same firewall endpoints: a firewall that sees one direction
// drops it.
func symmetric(steps []Step) bool {
	passed := map[bool][]string{}
	for _, s := range steps {
		if s.Kind == string(FirewallEndpoint) {
			passed[s.Reply] = append(passed[s.Reply], s.ID)
		}
	}
	slices.Reverse(passed[true])
	return slices.Equal(passed[false], passed[true])
}

// with returns the flow with one more step. The steps of other flows stay as they are.
func (f Flow) with(s Step) Flow {
	f.Steps = append(slices.Clip(f.Steps), s)
	return f
}

func (f Flow) blocked(s Step) Flow {
	f = f.with(s)
	f.Outcome = Blocked
	return f
}

// send follows packets from a subnet to the leg's target.
func (w walk) send(flow Flow, from string, l leg, hops int) []Flow {
	at, known := w.subnet(from)
	if !known {
		return []Flow{flow.unknown(Step{Kind: "subnet", ID: from, Reply: l.reply, Why: "is not readable"})}
	}
	if hops > maxHops {
		return []Flow{flow.blocked(Step{Kind: "route table", ID: at.Table, Reply: l.reply, Why: "its routes form a loop"})}
	}
	var flows []Flow
	within, inside, others := flow.Packets.split(l.target, CIDRRange(at.CIDR))
	if inside { // in the same subnet: no network ACL and no route
		there := flow
		there.Packets, there.at = within, from
		flows = append(flows, there)
	}
	for _, packets := range others {
		leaving := flow
		leaving.Packets = packets
		for _, passed := range w.acl(leaving, at, false, l) {
			if passed.Outcome == Blocked {
				flows = append(flows, passed)
				continue
			}
			flows = append(flows, w.route(passed, at.Table, from, l, hops)...)
		}
	}
	return flows
}

// unknown returns the flow at a step that is not modelled.
func (f Flow) unknown(s Step) Flow {
	s.Unknown = true
	f = f.with(s)
	f.at, f.exit = elsewhere, ""
	return f
}

// route follows packets that leave a subnet, or with from "" come from the internet gateway, by a route table.
func (w walk) route(flow Flow, tableID, from string, l leg, hops int) []Flow {
	table, known := w.Tables[tableID]
	if !known {
		return []Flow{flow.unknown(Step{Kind: "route table", ID: tableID, Reply: l.reply, Why: "is not readable"})}
	}
	destinations, unknown := w.destinations(table)
	var flows []Flow
	rest := []Packets{flow.Packets}
	for _, to := range destinations {
		var next []Packets
		for _, packets := range rest {
			in, inside, out := packets.split(l.target, to.Range)
			next = append(next, out...)
			if !inside {
				continue
			}
			routed := flow
			routed.Packets = in
			flows = append(flows, w.forward(routed, tableID, to.route, from, l, hops)...)
		}
		rest = next
	}
	for _, packets := range rest {
		lost := flow
		lost.Packets = packets
		step := Step{Kind: "route table", ID: tableID, Reply: l.reply, Why: "has no route to " + packets[l.target].String()}
		if len(unknown) > 0 {
			step.Why = fmt.Sprintf("has routes to %v, whose CIDRs are not readable", unknown)
			flows = append(flows, lost.unknown(step))
			continue
		}
		flows = append(flows, lost.blocked(step))
	}
	return flows
}

// forward follows packets to the target of a route.
func (w walk) forward(flow Flow, tableID string, route Route, from string, l leg, hops int) []Flow {
	destination := route.CIDR.String()
	if route.PrefixList != "" {
		destination = route.PrefixList
	}
	step := Step{Kind: "route table", ID: tableID, Rule: destination + " to " + route.Target, Reply: l.reply}
	if route.Blackhole {
		step.Why = step.Rule + " is a blackhole: the target does not exist"
		return []Flow{flow.blocked(step)}
	}
	step.Why = step.Rule
	flow = flow.with(step)
	if route.Target == "local" {
		return w.arrive(flow, from, l)
	}
	gateway, known := w.Gateways[route.Target]
	at := Step{Kind: string(gateway.Kind), ID: route.Target, Reply: l.reply}
	switch {
	case !known:
		at.Kind, at.Why = "gateway", "is not readable, or of a kind that is not modelled"
		return []Flow{flow.unknown(at)}
	case gateway.Down != "":
		at.Why = gateway.Down
		return []Flow{flow.blocked(at)}
	}
	flow.via = route.Target
	return w.through(flow, at, gateway, from, l, hops)
}
