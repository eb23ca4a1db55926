package price

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Line is one charge of one resource.
type Line struct {
	URN string `json:"urn"`
	// Name is the resource's name in the program, and ResourceType its token.
	Name         string `json:"name"`
	ResourceType string `json:"resourceType"`
	Key          Key    `json:"key"`
	Region       string `json:"region"`
	// Quantity is the number of units that are charged.
	Quantity float64 `json:"quantity"`
	// Price is the price of a unit, nil if it is unknown.
	Price *Price `json:"price,omitempty"`
	// Monthly is the fixed cost per month in USD, 0 for a rate by use or where the price is unknown.
	Monthly float64 `json:"monthlyUSD"`
	// Creator is the operator that creates what is charged, such as "HyperShift's", and What is what it creates, such as "nodes". Both are "" for the
	// resource itself.
	Creator string `json:"creator,omitempty"`
	What    string `json:"what,omitempty"`
}

// Estimate is the cost of a set of resources by a table.
type Estimate struct {
	// Monthly is the sum of the known fixed costs in USD per month of 730 hours.
	Monthly float64 `json:"monthlyUSD"`
	// Fixed are the charges for as long as the resource exists, ByUse the rates of charges that depend on use, and Unknown
	// the fixed charges without a price in the table.
	Fixed   []Line `json:"fixed,omitempty"`
	ByUse   []Line `json:"byUse,omitempty"`
	Unknown []Line `json:"unknown,omitempty"`
}

// Estimate computes the cost of the resources of one stack, including providers, and of what operators create for its objects.
func (t Table) Estimate(resources []apitype.ResourceV3) Estimate {
	var e Estimate
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
			list = []charge{{quantity: 1}}
		}
		for _, c := range list {
			line := Line{URN: string(r.URN), Name: r.URN.Name(), ResourceType: string(r.Type), Key: c.key, Region: region, Quantity: c.quantity, Creator: c.creator, What: c.what}
			if p, ok := t.Find(c.key, region); ok {
				line.Price = &p
			}
			switch {
			case c.byUse:
				e.ByUse = append(e.ByUse, line)
			case line.Price == nil:
				e.Unknown = append(e.Unknown, line)
			default:
				line.Monthly = cents(line.Price.monthly() * c.quantity)
				e.Fixed = append(e.Fixed, line)
			}
		}
	}
	for _, lines := range [][]Line{e.Fixed, e.ByUse, e.Unknown} {
		slices.SortFunc(lines, func(a, b Line) int {
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
func (p Price) monthly() float64 {
	if p.Unit == "hour" {
		return p.USD * HoursPerMonth
	}
	return p.USD
}

func cents(usd float64) float64 { return math.Round(usd*100) / 100 }

// Resource returns the fixed cost per month of a resource, and whether all of it is known.
func (e Estimate) Resource(urn string) (monthly float64, known bool) {
	known = !slices.ContainsFunc(e.Unknown, func(l Line) bool { return l.URN == urn })
	for _, line := range e.Fixed {
		if line.URN == urn {
			monthly += line.Monthly
		}
	}
	return cents(monthly), known
}

// Group is the lines of an estimate with the same key, region and creator.
type Group struct {
	Key           Key
	Region        string
	Quantity      float64
	Price         *Price
	Monthly       float64
	Creator, What string
}

// sameAs reports whether a line belongs to the group.
func (g Group) sameAs(line Line) bool {
	return g.Key == line.Key && g.Region == line.Region && g.Creator == line.Creator && g.What == line.What
}

// Label names what is charged: "m5.large instance, HyperShift's nodes".
func (g Group) Label() string {
	if g.Creator == "" {
		return g.Key.Label()
	}
	return g.Key.Label() + ", " + g.Creator + " " + g.What
}

// Groups sums lines by key, region and creator.
func Groups(lines []Line) []Group {
	var groups []Group
	for _, line := range lines {
		i := slices.IndexFunc(groups, func(g Group) bool { return g.sameAs(line) })
		if i < 0 {
			i, groups = len(groups), append(groups, Group{Key: line.Key, Region: line.Region, Price: line.Price, Creator: line.Creator, What: line.What})
		}
		groups[i].Quantity += line.Quantity
		groups[i].Monthly = cents(groups[i].Monthly + line.Monthly)
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Or(cmp.Compare(b.Monthly, a.Monthly), cmp.Compare(a.Key, b.Key)) })
	return groups
}

// Difference is the effect of a plan on the fixed cost.
type Difference struct {
	Before Estimate `json:"before"`
	After  Estimate `json:"after"`
	// Monthly is the difference of the two, in USD per month.
	Monthly float64 `json:"differenceUSD"`
}

// Compare returns the difference between two estimates.
func Compare(before, after Estimate) Difference {
	return Difference{Before: before, After: after, Monthly: cents(after.Monthly - before.Monthly)}
}

// Add returns the sum of two differences: that of the plans of two stacks.
func (d Difference) Add(other Difference) Difference {
	return Compare(d.Before.add(other.Before), d.After.add(other.After))
}

func (e Estimate) add(other Estimate) Estimate {
	return Estimate{
		Monthly: cents(e.Monthly + other.Monthly), Fixed: slices.Concat(e.Fixed, other.Fixed), ByUse: slices.Concat(e.ByUse, other.ByUse),
		Unknown: slices.Concat(e.Unknown, other.Unknown),
	}
}

// Line returns the sum with its change, what is charged by use, the part of the sum that operators create and, on a line of their own, the charges
// whose price is unknown, without a line break at the end.
func (d Difference) Line() string {
	line := d.sum() + d.After.creators()
	var usage []string
	for _, g := range Groups(d.After.ByUse) {
		usage = append(usage, g.Key.Label())
	}
	if slices.Sort(usage); len(usage) > 0 {
		line += ", plus " + strings.Join(slices.Compact(usage), ", ")
	}
	return line + d.unknown()
}

// sum returns the sum with its change.
func (d Difference) sum() string {
	line := fmt.Sprintf("fixed cost: %.2f USD/month", d.After.Monthly)
	if d.Before.Monthly != 0 || len(d.Before.Unknown) > 0 {
		line += fmt.Sprintf(" (now %.2f; %+.2f)", d.Before.Monthly, d.Monthly)
	}
	return line
}

// creators returns the part of the sum that operators create: ", HyperShift's nodes are 587.65 of it".
func (e Estimate) creators() string {
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

// unknown names the charges that the sum lacks because their price is unknown, with their number before the plan where it differs.
func (d Difference) unknown() string {
	before := Groups(d.Before.Unknown)
	var parts []string
	remedy := ""
	for _, g := range Groups(d.After.Unknown) {
		now := 0.0
		if i := slices.IndexFunc(before, func(b Group) bool {
			return b.sameAs(Line{Key: g.Key, Region: g.Region, Creator: g.Creator, What: g.What})
		}); i >= 0 {
			now = before[i].Quantity
		}
		part := number(g.Quantity) + " x " + g.Label()
		if now != g.Quantity && now != 0 {
			part += fmt.Sprintf(" (now %s)", number(now))
		}
		parts, remedy = append(parts, part), cmp.Or(remedy, g.remedy())
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n  without " + strings.Join(parts, "; ") + ": price unknown; " + remedy
}

// Text returns the cost of a plan as text, with each price and its source.
func (d Difference) Text() string {
	var b strings.Builder
	b.WriteString(d.sum() + d.After.creators() + "\n")
	writeGroups(&b, d.After)
	return b.String()
}

// Text returns the cost of the resources as text.
func (e Estimate) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "fixed cost: %.2f USD/month\n", e.Monthly)
	writeGroups(&b, e)
	return b.String()
}

func writeGroups(b *strings.Builder, e Estimate) {
	for _, g := range Groups(e.Fixed) {
		fmt.Fprintf(b, "  %9.2f  %s x %s at %s USD per %s (%s, %s, %s)\n", g.Monthly, number(g.Quantity), g.Label(), number(g.Price.USD), g.Price.Unit, g.Region,
			g.Price.Date, g.Price.Source)
	}
	for _, g := range Groups(e.Unknown) {
		fmt.Fprintf(b, "    unknown  %s x %s (%s): the table has no price; %s\n", number(g.Quantity), g.Label(), regionOr(g.Region), g.remedy())
	}
	for _, g := range Groups(e.ByUse) {
		if g.Price == nil {
			fmt.Fprintf(b, "     by use  %s (%s): price unknown\n", g.Key.Label(), regionOr(g.Region))
			continue
		}
		fmt.Fprintf(b, "     by use  %s at %s USD per %s (%s, %s, %s)\n", g.Key.Label(), number(g.Price.USD), g.Price.Unit, g.Region, g.Price.Date, g.Price.Source)
	}
}

// remedy says how to get the unknown price of a group's charge.
func (g Group) remedy() string {
	switch kind, instance := strings.CutPrefix(string(g.Key), instanceHourPrefix); {
	case g.Key == "":
		return "see AWS's price list"
	case !published(g.Region), g.Key == HostedZoneMonth && partition(g.Region) != allRegions: // Route 53's offer is global
		return "write it to a file for --prices"
	case instance:
		return fmt.Sprintf("`hypershift-aws prices update --region %s --instance-type %s` reads AWS's prices", g.Region, kind)
	}
	return fmt.Sprintf("`hypershift-aws prices update --region %s` reads AWS's prices", g.Region)
}

// Headline returns the sum with its change, the part of it that operators create, and the charges whose price is unknown, in Markdown and on one line.
func (d Difference) Headline() string {
	return fmt.Sprintf("**Fixed cost: %.2f USD/month** (now %.2f; %+.2f)", d.After.Monthly, d.Before.Monthly, d.Monthly) + d.After.creators() +
		strings.Replace(d.unknown(), "\n  ", "; ", 1)
}

// Markdown returns the difference for a comment on a pull request.
func (d Difference) Markdown() string {
	var b strings.Builder
	b.WriteString(d.Headline() + "\n")
	if len(d.After.Fixed)+len(d.After.Unknown) > 0 {
		b.WriteString("\n| charge | quantity | price | USD/month | source |\n|---|---:|---|---:|---|\n")
	}
	for _, g := range Groups(d.After.Fixed) {
		fmt.Fprintf(&b, "| %s | %s | %s per %s, %s | %.2f | %s, %s |\n", g.Label(), number(g.Quantity), number(g.Price.USD), g.Price.Unit, g.Region, g.Monthly,
			g.Price.Source, g.Price.Date)
	}
	for _, g := range Groups(d.After.Unknown) {
		fmt.Fprintf(&b, "| %s | %s | unknown in %s | unknown | |\n", g.Label(), number(g.Quantity), regionOr(g.Region))
	}
	if len(d.After.ByUse) > 0 {
		b.WriteString("\nBy use, not summed:\n")
	}
	for _, g := range Groups(d.After.ByUse) {
		if g.Price == nil {
			fmt.Fprintf(&b, "- %s: price unknown in %s\n", g.Key.Label(), regionOr(g.Region))
			continue
		}
		fmt.Fprintf(&b, "- %s: %s USD per %s (%s, %s)\n", g.Key.Label(), number(g.Price.USD), g.Price.Unit, g.Price.Source, g.Price.Date)
	}
	return b.String()
}

// labels are the names of the keys in messages.
var labels = map[Key]string{
	NATGatewayHour: "NAT gateway", NATGatewayGB: "data through NAT gateways",
	TransitAttachmentHour: "transit gateway attachment", TransitGB: "data through transit gateways", PublicIPv4Hour: "public IPv4 address",
	FirewallEndpointHour: "endpoint of a firewall", FirewallEndpointGB: "data through endpoints of firewalls",
	InterfaceEndpointHour: "interface endpoint in one zone", InterfaceEndpointGB: "data through interface endpoints",
	HostedZoneMonth: "hosted zone", KMSKeyMonth: "KMS key", KMSRequests: "requests to KMS keys",
	NetworkLoadBalancerHour: "network load balancer", NetworkLoadBalancerLCU: "capacity of network load balancers",
	FlowLogGB: "data of flow logs", S3StorageGBMonth: "storage in S3", SQSRequests: "requests to queues",
	CloudFrontRequests: "requests to CloudFront", GP3VolumeGBMonth: "GB of EBS volumes",
}

// Label returns the key's name in messages: "NAT gateway".
func (k Key) Label() string {
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

func regionOr(region string) string {
	if region == "" {
		return "unknown region"
	}
	return region
}

// number writes a number without trailing zeros.
func number(value float64) string { return strings.TrimSuffix(fmt.Sprintf("%g", value), ".0") }
