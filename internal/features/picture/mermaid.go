package picture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Markdown draws the picture as a Mermaid graph, which GitHub and GitLab show in comments and files. It has the boxes
// of the network and the hosted zones, the accounts if there are several, and who may do what; the rest is counted.
func Markdown(in Input) []byte {
	p := newPage(in)
	var b strings.Builder
	fmt.Fprintf(&b, "### Stack %s", in.Stack)
	if in.Subtitle != "" {
		fmt.Fprintf(&b, ", %s", in.Subtitle)
	}
	fmt.Fprintf(&b, "\n\n%s\n\n```mermaid\nflowchart LR\n", strings.Join(p.facts(), " · "))
	for i, zone := range zonesOf(inSection(p.boxes, network)) {
		fmt.Fprintf(&b, "  subgraph z%d[%q]\n", i, zoneLabel(zone, p.boxes))
		for _, box := range inSection(p.boxes, network) {
			if box.zone == zone && box.kind.column != vpcColumn {
				p.node(&b, "    ", box)
			}
		}
		b.WriteString("  end\n")
	}
	shown := map[*box]bool{}
	rest := map[section]int{}
	for _, box := range p.boxes {
		switch {
		case box.kind.section == network && box.kind.column != vpcColumn:
			shown[box] = true
		case box.kind.section == network || box.kind.section == names:
			shown[box] = true
			p.node(&b, "  ", box)
		case string(box.Type) == awstype.Role, box.outside != nil:
		default:
			rest[box.kind.section] += 1 + len(box.lines) + len(box.chips)
		}
	}
	for _, e := range p.edges {
		if !shown[e.from] || !shown[e.to] {
			continue
		}
		if e.drawn {
			fmt.Fprintf(&b, "  %s --> %s\n", p.ids[string(e.from.URN)], p.ids[string(e.to.URN)])
		}
	}
	for _, c := range []struct {
		change Change
		style  string
	}{{Create, "stroke:#1a7f37,stroke-width:2px,stroke-dasharray:5 3"}, {Update, "stroke:#0969da,stroke-width:2px"},
		{Replace, "stroke:#bc4c00,stroke-width:2px"},
		{Delete, "stroke:#cf222e,stroke-width:2px"}, {Import, "stroke:#8250df,stroke-width:2px"}} {
		var ids []string
		for _, box := range p.boxes {
			if shown[box] && box.change == c.change {
				ids = append(ids, p.ids[string(box.URN)])
			}
		}
		if ids != nil {
			fmt.Fprintf(&b, "  classDef %s %s\n  class %s %s\n", c.change, c.style, strings.Join(ids, ","), c.change)
		}
	}
	b.WriteString("```\n")
	p.accountsChart(&b)
	p.accessChart(&b)
	var also []string
	for s := identity; s <= other; s++ {
		if n := rest[s]; n > 0 {
			also = append(also, fmt.Sprintf("%s: %d", strings.ToLower(s.title()[:1])+s.title()[1:], n))
		}
	}
	if also != nil {
		fmt.Fprintf(&b, "\nNot drawn: %s.\n", strings.Join(also, "; "))
	}
	for _, path := range in.Paths {
		if hop := path.Broken(); hop != nil {
			fmt.Fprintf(&b, "\n- **%s** breaks at the %s: %s", path.Name, hop.Kind, hop.Why)
		}
	}
	if in.Notes != "" {
		b.WriteString("\n\n" + in.Notes)
	}
	return []byte(strings.TrimRight(b.String(), "\n") + "\n")
}

// accountsChart writes the accounts and what connects them, if there are several.
func (p *page) accountsChart(b *strings.Builder) {
	if len(p.panels) < 2 {
		return
	}
	b.WriteString("\n#### Accounts\n\n```mermaid\nflowchart LR\n")
	for i, panel := range p.panels {
		fmt.Fprintf(b, "  subgraph a%d[%q]\n", i, panel.title())
		for _, box := range panel.boxes {
			p.node(b, "    ", box)
		}
		b.WriteString("  end\n")
	}
	for _, c := range p.crossings {
		fmt.Fprintf(b, "  a%d -- %s --> a%d\n", slices.Index(p.panels, c.from), c.label, slices.Index(p.panels, c.to))
	}
	b.WriteString("```\n")
}

// accessChart writes who assumes each role, and what its policies allow.
func (p *page) accessChart(b *strings.Builder) {
	shown := map[*box]bool{}
	for _, box := range p.boxes {
		if string(box.Type) == awstype.Role || box.outside != nil && box.kind.section == identity {
			if len(shown) == 0 {
				b.WriteString("\n#### Who may do what\n\n```mermaid\nflowchart LR\n")
			}
			shown[box] = true
			p.node(b, "  ", box)
		}
	}
	if len(shown) == 0 {
		return
	}
	for _, e := range p.edges {
		if e.drawn && shown[e.from] && shown[e.to] {
			fmt.Fprintf(b, "  %s --> %s\n", p.ids[string(e.from.URN)], p.ids[string(e.to.URN)])
		}
	}
	b.WriteString("```\n")
}

// node writes a box as a Mermaid node.
func (p *page) node(b *strings.Builder, indent string, box *box) {
	text := []string{box.change.prefix() + p.kindLabel(box.item), box.name()}
	if id := box.shownID(); id != "" {
		text = append(text, id)
	}
	text = append(text, box.details...)
	for i, line := range text {
		text[i] = strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "#", "#35;").Replace(line)
	}
	fmt.Fprintf(b, "%s%s[\"%s\"]\n", indent, p.ids[string(box.URN)], strings.Join(text, "<br>"))
}
