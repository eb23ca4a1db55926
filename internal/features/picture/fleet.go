package picture

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
)

//go:embed fleet.html
var fleetSource string

//go:embed fleet.js
var fleetScript string

// Member is one stack of a fleet.
type Member struct {
	Stack, Kind, Account, Region, CIDR string
	// Zones are the availability zones, with their contents.
	Zones     []Zone
	Resources int
	// Cost is the fixed cost in USD per month, Unknown the number of unknown prices.
	Cost    float64
	Unknown int
	// Paths is the number of paths of traffic and DNS names that were followed, Broken the number of those that break.
	Paths, Broken int
	// Drift is the number of resources that differ from AWS, if Compared is true.
	Drift    int
	Compared bool
}

// AddPaths records the paths that were followed.
func (m *Member) AddPaths(paths []status.Path) {
	m.Paths, m.Broken = len(paths), 0
	for _, path := range paths {
		if path.Broken() != nil {
			m.Broken++
		}
	}
}

// Zone is an availability zone of a member.
type Zone struct {
	Name                 string
	Private, Public, NAT bool
}

// NewMember summarizes a stack's resources.
func NewMember(stack, kind string, resources []apitype.ResourceV3, prices price.Table) Member {
	cost := prices.Estimate(resources)
	m := Member{Stack: stack, Kind: kind, Cost: cost.Monthly, Unknown: len(cost.Unknown)}
	g := newGraph(resources, nil)
	accounts, regions := map[string]bool{}, map[string]bool{}
	for _, b := range boxesOf(g) {
		if b.account != "" && !accounts[b.account] {
			accounts[b.account] = true
			m.Account = strings.TrimSpace(m.Account + " " + b.account)
		}
		if b.region != "" && !regions[b.region] {
			regions[b.region] = true
			m.Region = strings.TrimSpace(m.Region + " " + b.region)
		}
		if string(b.Type) == awstype.VPC && m.CIDR == "" {
			m.CIDR = b.text("cidrBlock")
		}
		if b.zone != "" {
			m.add(b)
		}
	}
	m.Resources = g.managed()
	slices.SortFunc(m.Zones, func(a, b Zone) int { return strings.Compare(a.Name, b.Name) })
	return m
}

// add counts a box in its zone.
func (m *Member) add(b *box) {
	i := slices.IndexFunc(m.Zones, func(z Zone) bool { return z.Name == b.zone })
	if i < 0 {
		i, m.Zones = len(m.Zones), append(m.Zones, Zone{Name: b.zone})
	}
	switch string(b.Type) {
	case awstype.Subnet:
		tags, _ := b.Inputs["tags"].(map[string]any)
		if tags[hypershift.PublicELBTag] != nil {
			m.Zones[i].Public = true
		} else {
			m.Zones[i].Private = true
		}
	case awstype.NATGateway:
		m.Zones[i].NAT = true
	}
}

// Fleet draws many stacks on one page, a row per stack.
func Fleet(subtitle string, members []Member) ([]byte, error) {
	page, err := template.New("fleet").Parse(fleetSource)
	if err != nil {
		return nil, fmt.Errorf("reading the page's template: %w", err)
	}
	members = slices.Clone(members)
	slices.SortStableFunc(members, func(a, b Member) int { return strings.Compare(a.Stack, b.Stack) })
	highest, sum, unknown, broken, drifted := 0.0, 0.0, 0, 0, 0
	for _, m := range members {
		highest, sum, unknown = max(highest, m.Cost), sum+m.Cost, unknown+m.Unknown
		if m.Broken > 0 {
			broken++
		}
		if m.Drift > 0 {
			drifted++
		}
	}
	facts := []string{counted(len(members), "stack"), fmt.Sprintf("%.2f USD/month fixed", sum)}
	if unknown > 0 {
		facts[1] += ", " + counted(unknown, "price") + " unknown"
	}
	if broken > 0 {
		facts = append(facts, counted(broken, "stack")+" with broken paths")
	}
	if drifted > 0 {
		facts = append(facts, counted(drifted, "stack")+" drifted")
	}
	type shown struct {
		Member
		Bar int
	}
	var list []shown
	for _, m := range members {
		bar := 0
		if highest > 0 {
			bar = int(80 * m.Cost / highest)
		}
		list = append(list, shown{m, bar})
	}
	var b bytes.Buffer
	if err := page.Execute(&b, map[string]any{
		"Subtitle": subtitle, "Members": list, "Facts": strings.Join(facts, " · "),
		"Style": template.CSS(pageStyle), "Script": template.JS(fleetScript), //nolint:gosec // both are part of this program
	}); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return b.Bytes(), nil
}
