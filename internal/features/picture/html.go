package picture

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// layer is a layer of the page that can be switched on and off.
type layer struct{ Name, Label string }

// HTML draws the picture as one page that loads nothing else.
func HTML(in Input) ([]byte, error) {
	p := newPage(in)
	page, err := template.New("page").Parse(pageSource)
	if err != nil {
		return nil, fmt.Errorf("reading the page's template: %w", err)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, map[string]any{
		"Stack": in.Stack, "Subtitle": in.Subtitle, "Facts": p.facts(), "Layers": p.layers(), "Paths": p.paths(),
		"Costs":  p.costs(),
		"Legend": p.legend(), "Outside": slices.ContainsFunc(p.boxes, func(b *box) bool { return b.outside != nil }),
		"Changes": p.changes(),
		"Access":  p.accesses(), "Crossings": p.crossingTexts(),
		"Style": template.CSS(pageStyle), "Script": template.JS(pageScript),
		"SVG": template.HTML(p.svg()), //nolint:gosec // all three are part of this program, and inserted values are escaped
	}); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return b.Bytes(), nil
}

// colours are the colours of the sections' stripes, as picture.css has them.
var colours = map[section]template.CSS{
	network: "#1f6feb", names: "#8250df", identity: "#bf8700", securityGroups: "#bf3989", storage: "#2da44e",
	kubernetes: "#0e8a8a", accounts: "#57606a",
}

// legend returns the sections that are drawn and have a colour.
func (p *page) legend() (list []map[string]any) {
	for s := accounts; s <= kubernetes; s++ {
		if inSection(p.boxes, s) != nil {
			list = append(list, map[string]any{"Label": s.title(), "Colour": colours[s]})
		}
	}
	return list
}

// changes returns the changes that are drawn, for the legend.
func (p *page) changes() []Change {
	return slices.DeleteFunc([]Change{Create, Update, Replace, Delete, Import}, func(c Change) bool {
		return !slices.ContainsFunc(p.graph.items, func(it *item) bool { return it.change == c })
	})
}

// crossingTexts returns what connects the accounts, for those who read instead of looking.
func (p *page) crossingTexts() (list []string) {
	for _, c := range p.crossings {
		list = append(list, c.text())
	}
	return list
}

// facts returns the texts above the drawing.
func (p *page) facts() []string {
	facts := []string{counted(p.graph.managed(), "resource")}
	changes := map[Change]int{}
	for _, it := range p.graph.items {
		changes[it.change]++
	}
	for _, c := range []struct {
		change Change
		text   string
	}{{Create, "to create"}, {Update, "to update"}, {Replace, "to replace"}, {Delete, "to delete"},
		{Import, "to import"}} {
		if n := changes[c.change]; n > 0 {
			facts = append(facts, fmt.Sprintf("%d %s", n, c.text))
		}
	}
	if p.in.Cost != nil {
		fact := fmt.Sprintf("%.2f USD/month fixed", p.in.Cost.Monthly)
		if len(p.in.Cost.Unknown) > 0 {
			fact = "at least " + fact + ", " + counted(len(p.in.Cost.Unknown), "price") + " unknown"
		}
		facts = append(facts, fact)
	}
	if n := len(slices.DeleteFunc(slices.Clone(p.in.Paths), func(path status.Path) bool {
		return path.Broken() == nil
	})); n > 0 {
		facts = append(facts, counted(n, "broken path"))
	}
	if n := len(p.in.Drift); n > 0 {
		facts = append(facts, counted(n, "resource")+" drifted")
	}
	if n := len(p.in.Findings); n > 0 {
		facts = append(facts, counted(n, "resource")+" violating a policy")
	}
	return facts
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// layers returns the layers with content.
func (p *page) layers() []layer {
	var list []layer
	for _, l := range []struct {
		layer
		there bool
	}{
		{layer{"plan", "Plan"}, len(p.in.Changes) > 0}, {layer{"path", "Broken paths"}, len(p.in.Paths) > 0},
		{layer{"cost", "Cost"}, p.in.Cost != nil},
		{layer{"drift", "Drift"}, p.in.Drift != nil}, {layer{"policy", "Policies"}, p.in.Findings != nil},
	} {
		if l.there {
			list = append(list, l.layer)
		}
	}
	return list
}

// shownPath is a path as the page lists it.
type shownPath struct {
	Name, Text string
	Broken     bool
	// Boxes are the elements to highlight.
	Boxes string
}

func (p *page) paths() []shownPath {
	var list []shownPath
	for _, path := range p.in.Paths {
		shown := shownPath{Name: path.Name, Text: "holds", Broken: path.Broken() != nil}
		if path.Absent != "" {
			shown.Text = path.Absent
		}
		var ids []string
		for _, hop := range path.Hops {
			if hop.Verdict == status.Breaks {
				shown.Text = "breaks at the " + hop.Kind + ": " + hop.Why
			}
			for _, it := range p.graph.items {
				if hop.Name != "" && it.name() == hop.Name && p.ids[string(it.URN)] != "" {
					if owner := it.owner(); owner != nil {
						it = owner
					}
					ids = append(ids, p.ids[string(it.URN)])
				}
			}
		}
		shown.Boxes = strings.Join(slices.Compact(ids), " ")
		list = append(list, shown)
	}
	return list
}

// shownCost is a charge as the page lists it.
type shownCost struct{ Label, Quantity, Price, Monthly, Source string }

func (p *page) costs() []shownCost {
	if p.in.Cost == nil {
		return nil
	}
	var list []shownCost
	for i, lines := range [][]forecast.Charge{p.in.Cost.Fixed, p.in.Cost.Unknown, p.in.Cost.ByUse} {
		for _, g := range price.Groups(lines) {
			c := shownCost{
				Label:    price.GroupLabel(g),
				Quantity: fmt.Sprintf("%g", g.Quantity),
				Price:    "unknown",
				Monthly:  "unknown",
			}
			if g.Price != nil {
				c.Price, c.Source = fmt.Sprintf("%g USD per %s", g.Price.USD, g.Price.Unit), g.Price.Source+", "+g.Price.Date
				c.Monthly = fmt.Sprintf("%.2f", g.Monthly)
			}
			if i == 2 {
				c.Quantity, c.Monthly = "", "by use"
			}
			list = append(list, c)
		}
	}
	return list
}
