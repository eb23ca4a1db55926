package price

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

// Estimate computes the cost of the resources of one stack, including providers, and of what operators create for its
// objects.
func (t Table) Estimate(resources []apitype.ResourceV3) forecast.Cost {
	var e forecast.Cost
	for _, r := range resources {
		if !r.Custom || r.Delete || r.External {
			continue
		}
		list, known := chargesOf(r, resources)
		region := Region(r, resources)
		if objectKind(r) != "" {
			region = operatorRegion(resources)
		}
		if !known {
			list = []charge{fixed("", 1)}
		}
		for _, c := range list {
			line := c.Charge
			line.URN, line.Name, line.ResourceType, line.Region = string(r.URN), r.URN.Name(), string(r.Type), region
			if p, ok := t.Find(c.Key, region); ok {
				line.Price = &p
			}
			if line.Price != nil && !c.byUse {
				line.Monthly = cents(monthly(*line.Price) * c.Quantity)
			}
			switch {
			case c.paused:
				e.Paused = append(e.Paused, line)
			case c.byUse:
				e.ByUse = append(e.ByUse, line)
			case line.Price == nil:
				e.Unknown = append(e.Unknown, line)
			default:
				e.Fixed = append(e.Fixed, line)
			}
		}
	}
	for _, lines := range [][]forecast.Charge{e.Fixed, e.ByUse, e.Unknown} {
		slices.SortFunc(lines, func(a, b forecast.Charge) int {
			return cmp.Or(cmp.Compare(b.Monthly, a.Monthly), cmp.Compare(a.Key, b.Key), cmp.Compare(a.URN, b.URN))
		})
	}
	for _, line := range e.Fixed {
		e.Monthly += line.Monthly
	}
	e.Monthly = cents(e.Monthly)
	return e
}

// monthly returns a price of a fixed charge per month.
func monthly(p forecast.Price) float64 {
	if p.Unit == "hour" {
		return p.USD * hoursPerMonth
	}
	return p.USD
}

func cents(usd float64) float64 { return math.Round(usd*100) / 100 }

// Monthly returns the fixed cost per month of a resource, and whether all of it is known.
func Monthly(e forecast.Cost, urn string) (monthly float64, known bool) {
	known = !slices.ContainsFunc(e.Unknown, func(l forecast.Charge) bool { return l.URN == urn })
	for _, line := range e.Fixed {
		if line.URN == urn {
			monthly += line.Monthly
		}
	}
	return cents(monthly), known
}

// Groups sums lines by key, region and creator. Each group is its first line, with the sums.
func Groups(lines []forecast.Charge) []forecast.Charge {
	var groups []forecast.Charge
	for _, line := range lines {
		i := slices.IndexFunc(groups, func(g forecast.Charge) bool { return sameCharges(g, line) })
		if i < 0 {
			groups = append(groups, line)
			continue
		}
		groups[i].Quantity += line.Quantity
		groups[i].Monthly = cents(groups[i].Monthly + line.Monthly)
	}
	slices.SortStableFunc(groups, func(a, b forecast.Charge) int {
		return cmp.Or(cmp.Compare(b.Monthly, a.Monthly), cmp.Compare(a.Key, b.Key))
	})
	return groups
}

// Compare returns the difference between two estimates.
func Compare(before, after forecast.Cost) forecast.CostChange {
	return forecast.CostChange{Before: before, After: after, Monthly: cents(after.Monthly - before.Monthly)}
}

// Add returns the sum of two changes: those of the plans of two stacks.
func Add(a, b forecast.CostChange) forecast.CostChange {
	return Compare(addCosts(a.Before, b.Before), addCosts(a.After, b.After))
}

func addCosts(a, b forecast.Cost) forecast.Cost {
	return forecast.Cost{
		Monthly: cents(a.Monthly + b.Monthly), Fixed: slices.Concat(a.Fixed, b.Fixed), ByUse: slices.Concat(a.ByUse, b.ByUse),
		Unknown: slices.Concat(a.Unknown, b.Unknown), Paused: slices.Concat(a.Paused, b.Paused),
	}
}

// Line returns the sum with its change, the part of the sum that operators create, the charges whose price is unknown,
// what is charged by use and, on a line of its own, how to get the unknown prices, without a line break at the end.
func Line(d forecast.CostChange) string {
	what, how := unknown(d.After)
	line := sumText(d) + creators(d.After) + what + paused(d.After)
	var usage []string
	for _, g := range Groups(d.After.ByUse) {
		usage = append(usage, Label(g.Key))
	}
	if slices.Sort(usage); len(usage) > 0 {
		line += ", plus " + strings.Join(slices.Compact(usage), ", ")
	}
	if how != "" {
		line += "\n  " + how
	}
	return line
}

// paused returns what paused nodes cost again when they are resumed: ", 587.65 more with the paused nodes".
func paused(e forecast.Cost) string {
	if len(e.Paused) == 0 {
		return ""
	}
	var sum float64
	var unpriced []string
	for _, g := range Groups(e.Paused) {
		if sum += g.Monthly; g.Price == nil {
			unpriced = append(unpriced, fmt.Sprintf("%g x %s at an unknown price", g.Quantity, Label(g.Key)))
		}
	}
	if sum > 0 {
		unpriced = append(unpriced, fmt.Sprintf("%.2f", sum))
	}
	return ", " + strings.Join(unpriced, " and ") + " more when the paused nodes are resumed"
}

// sumText returns the sum with its change.
func sumText(d forecast.CostChange) string {
	line := "fixed cost: " + amount(d.After)
	if d.Before.Monthly != 0 || len(d.Before.Unknown) > 0 {
		line += changeText(d)
	}
	return line
}

// amount returns the sum of the known charges: "42.61 USD/month", "at least 42.61 USD/month" if others have no known
// price, or "unknown" if none has.
func amount(c forecast.Cost) string {
	switch {
	case len(c.Unknown) == 0:
	case len(c.Fixed) == 0:
		return "unknown"
	default:
		return fmt.Sprintf("at least %.2f USD/month", c.Monthly)
	}
	return fmt.Sprintf("%.2f USD/month", c.Monthly)
}

// changeText returns the sum before the plan, and the difference with what an unknown price adds to it or takes away:
// " (now 42.61; +2 x m5.large instance at an unknown price)".
func changeText(d forecast.CostChange) string {
	quantities := map[string]float64{}
	for _, g := range d.After.Unknown {
		quantities[Label(g.Key)] += g.Quantity
	}
	for _, g := range d.Before.Unknown {
		quantities[Label(g.Key)] -= g.Quantity
	}
	var parts []string
	for _, label := range slices.Sorted(maps.Keys(quantities)) {
		if n := quantities[label]; n != 0 {
			parts = append(parts, fmt.Sprintf("%+g x %s at an unknown price", n, label))
		}
	}
	if d.Monthly != 0 || len(parts) == 0 {
		parts = slices.Insert(parts, 0, fmt.Sprintf("%+.2f", d.Monthly))
	}
	return fmt.Sprintf(" (now %s; %s)", strings.TrimSuffix(amount(d.Before), " USD/month"), strings.Join(parts, ", "))
}

// creators returns the part of the sum that operators create: ", HyperShift's nodes are 587.65 of it".
func creators(e forecast.Cost) string {
	var names []string
	sums := map[string]float64{}
	for _, g := range Groups(e.Fixed) {
		if name := g.Creator + " " + g.What; g.Creator != "" {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			sums[name] = cents(sums[name] + g.Monthly)
		}
	}
	var text string
	for _, name := range names {
		text += fmt.Sprintf(", %s are %.2f of it", name, sums[name])
	}
	return text
}

// unknown names the charges that the sum lacks because their price is unknown, and says how to get the prices; "" for
// none.
func unknown(e forecast.Cost) (what, how string) {
	var parts []string
	for _, g := range Groups(e.Unknown) {
		parts = append(parts, number(g.Quantity)+" x "+GroupLabel(g))
	}
	if len(parts) == 0 {
		return "", ""
	}
	return "; " + strings.Join(parts, ", ") + " at an unknown price", remedies(e.Unknown)
}

// remedies says how to get the unknown prices of charges: one command for each region, and what else there is to do.
func remedies(charges []forecast.Charge) string {
	var others, regions []string
	types := map[string][]string{}
	for _, c := range charges {
		kind, command := fromAWS(c)
		switch {
		case !command && !slices.Contains(others, remedy(c)):
			others = append(others, remedy(c))
		case command && types[c.Region] == nil:
			regions = append(regions, c.Region)
			fallthrough
		case command && !slices.Contains(types[c.Region], kind):
			types[c.Region] = append(types[c.Region], kind)
		}
	}
	var texts []string
	for _, region := range regions {
		texts = append(texts, update(region, types[region]...))
	}
	return strings.Join(append(texts, others...), "; ")
}

// sameCharges reports whether two charges belong to one group.
func sameCharges(a, b forecast.Charge) bool {
	return a.Key == b.Key && a.Region == b.Region && a.Creator == b.Creator && a.What == b.What
}

// ChangeText returns the cost of a plan as text, with each price and its source.
func ChangeText(d forecast.CostChange) string {
	var b strings.Builder
	b.WriteString(sumText(d) + creators(d.After) + "\n")
	writeGroups(&b, d.After)
	return b.String()
}

func writeGroups(b *strings.Builder, e forecast.Cost) {
	for _, g := range Groups(e.Fixed) {
		fmt.Fprintf(b, "  %9.2f  %s x %s at %s USD per %s (%s, %s, %s)\n", g.Monthly, number(g.Quantity), GroupLabel(g), number(g.Price.USD), g.Price.Unit, g.Region,
			g.Price.Date, g.Price.Source)
	}
	for _, g := range Groups(e.Unknown) {
		fmt.Fprintf(b, "    unknown  %s x %s (%s): the table has no price; %s\n", number(g.Quantity), GroupLabel(g),
			regionOr(g.Region), remedy(g))
	}
	for _, g := range Groups(e.ByUse) {
		if g.Price == nil {
			fmt.Fprintf(b, "     by use  %s (%s): price unknown\n", Label(g.Key), regionOr(g.Region))
			continue
		}
		fmt.Fprintf(b, "     by use  %s at %s USD per %s (%s, %s, %s)\n", Label(g.Key), number(g.Price.USD), g.Price.Unit, g.Region, g.Price.Date, g.Price.Source)
	}
}

// fromAWS reports whether AWS publishes the price of a charge where `prices update` reads it, and the type of an
// instance, "" for another charge.
func fromAWS(c forecast.Charge) (instanceType string, published bool) {
	instanceType, _ = strings.CutPrefix(string(c.Key), instanceHourPrefix)
	if instanceType == string(c.Key) {
		instanceType = ""
	}
	// Route 53's offer is global.
	return instanceType, c.Key != "" && hasOffers(c.Region) && (c.Key != HostedZoneMonth || partition(c.Region) == allRegions)
}

// remedy says how to get the unknown price of a group's charge.
func remedy(g forecast.Charge) string {
	kind, command := fromAWS(g)
	switch {
	case g.Key == "":
		return "see AWS's price list"
	case !command:
		return "write it to a file for --prices"
	}
	return update(g.Region, kind)
}

// update returns the command that reads the prices of a region and of types of instances.
func update(region string, instanceTypes ...string) string {
	command := "hypershift-aws prices update --region " + region
	for _, kind := range instanceTypes {
		if kind != "" {
			command += " --instance-type " + kind
		}
	}
	return "`" + command + "` reads AWS's prices into a file for --prices"
}

// Headline returns the sum with its change, the part of it that operators create, and the charges whose price is
// unknown, in Markdown and on one line.
func Headline(d forecast.CostChange) string {
	what, how := unknown(d.After)
	if how != "" {
		how = "; " + how
	}
	return "**Fixed cost: " + amount(d.After) + "**" + changeText(d) + creators(d.After) + what + paused(d.After) + how
}

// Markdown returns the difference for a comment on a pull request.
func Markdown(d forecast.CostChange) string {
	var b strings.Builder
	b.WriteString(Headline(d) + "\n")
	if len(d.After.Fixed)+len(d.After.Unknown) > 0 {
		b.WriteString("\n| charge | quantity | price | USD/month | source |\n|---|---:|---|---:|---|\n")
	}
	for _, g := range Groups(d.After.Fixed) {
		fmt.Fprintf(&b, "| %s | %s | %s per %s, %s | %.2f | %s, %s |\n", GroupLabel(g), number(g.Quantity), number(g.Price.USD), g.Price.Unit, g.Region, g.Monthly,
			g.Price.Source, g.Price.Date)
	}
	for _, g := range Groups(d.After.Unknown) {
		fmt.Fprintf(&b, "| %s | %s | unknown in %s | unknown | |\n", GroupLabel(g), number(g.Quantity), regionOr(g.Region))
	}
	if len(d.After.ByUse) > 0 {
		b.WriteString("\nBy use, not summed:\n")
	}
	for _, g := range Groups(d.After.ByUse) {
		if g.Price == nil {
			fmt.Fprintf(&b, "- %s: price unknown in %s\n", Label(g.Key), regionOr(g.Region))
			continue
		}
		fmt.Fprintf(&b, "- %s: %s USD per %s (%s, %s)\n", Label(g.Key), number(g.Price.USD), g.Price.Unit, g.Price.Source, g.Price.Date)
	}
	return b.String()
}

// labels are the names of the keys in messages.
var labels = map[forecast.PriceKey]string{
	NATGatewayHour: "NAT gateway", NATGatewayGB: "data through NAT gateways",
	TransitAttachmentHour: "transit gateway attachment", TransitGB: "data through transit gateways",
	PublicIPv4Hour:       "public IPv4 address",
	FirewallEndpointHour: "endpoint of a firewall", FirewallEndpointGB: "data through endpoints of firewalls",
	InterfaceEndpointHour: "interface endpoint in one zone", InterfaceEndpointGB: "data through interface endpoints",
	HostedZoneMonth: "hosted zone", KMSKeyMonth: "KMS key", KMSRequests: "requests to KMS keys",
	NetworkLoadBalancerHour: "network load balancer", NetworkLoadBalancerLCU: "capacity of network load balancers",
	FlowLogGB: "data of flow logs", S3StorageGBMonth: "storage in S3", SQSRequests: "requests to queues",
	CloudFrontRequests: "requests to CloudFront", GP3VolumeGBMonth: "GB of EBS volumes",
}

// Label returns the key's name in messages: "NAT gateway".
func Label(k forecast.PriceKey) string {
	if label := labels[k]; label != "" {
		return label
	}
	if kind, ok := strings.CutPrefix(string(k), instanceHourPrefix); ok {
		return kind + " instance"
	}
	if k == "" {
		return "resource of a type without a price"
	}
	return string(k)
}

// GroupLabel names what is charged, with its creator: "m5.large instance (HyperShift's nodes)".
func GroupLabel(g forecast.Charge) string {
	if g.Creator == "" {
		return Label(g.Key)
	}
	return Label(g.Key) + " (" + g.Creator + " " + g.What + ")"
}

func regionOr(region string) string {
	if region == "" {
		return "unknown region"
	}
	return region
}

// number writes a number without trailing zeros.
func number(value float64) string { return strings.TrimSuffix(fmt.Sprintf("%g", value), ".0") }
