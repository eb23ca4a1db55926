package picture

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
)

//go:embed picture.css
var svgStyle string

// SVG draws the picture as a self-contained SVG file.
func SVG(in Input) []byte {
	p := newPage(in)
	return []byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + p.svg() + "\n")
}

// page is a picture in the process of writing.
type page struct {
	in    Input
	graph *graph
	*drawing
	// ids are the elements' IDs by URN.
	ids map[string]string
	// broken maps the name of the resource at which a path breaks to the reason.
	broken map[string]string
}

func newPage(in Input) *page {
	p := &page{
		in:     in,
		graph:  newGraph(in.Resources, in.Changes, in.Added...),
		ids:    map[string]string{},
		broken: map[string]string{},
	}
	p.graph.findAccounts(in.Accounts)
	p.drawing = layOut(slices.Concat(boxesOf(p.graph), existingBoxes(p.graph, in.Existing)))
	for i, it := range p.graph.items {
		p.ids[string(it.URN)] = fmt.Sprintf("r%d", i)
	}
	for i, b := range p.boxes {
		if b.outside != nil {
			p.ids[string(b.URN)] = fmt.Sprintf("o%d", i)
		}
	}
	for _, path := range in.Paths {
		if hop := path.Broken(); hop != nil {
			p.broken[hop.Name] = path.Name + ": " + hop.Why
		}
	}
	return p
}

func (p *page) label(token string) string {
	if p.in.Label == nil {
		return last(token, ":")
	}
	return p.in.Label(token)
}

func (p *page) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="picture" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="group" aria-label="AWS resources of stack %s">`+"\n",
		p.w, p.h, p.w, p.h, escape(p.in.Stack))
	b.WriteString("<style>" + svgStyle + "</style>\n")
	b.WriteString(`<defs>` + arrow("arrow") + arrow("arrow-lit") + `</defs>` + "\n")
	fmt.Fprintf(&b, `<rect class="page" width="%d" height="%d"/>`+"\n", p.w, p.h)
	for _, band := range p.bands {
		fmt.Fprintf(&b, `<rect class="band" x="%d" y="%d" width="%d" height="%d" rx="10"/>`, band.x, band.y, band.w, band.h)
		if band.label != "" {
			fmt.Fprintf(&b, `<text class="zone" x="%d" y="%d">%s</text>`, band.x+14, band.y+18, escape(band.label))
		}
		b.WriteString("\n")
	}
	for _, c := range p.captions {
		fmt.Fprintf(&b, `<text class="caption" x="%d" y="%d">%s</text>`+"\n", c.x, c.y+18, c.label)
	}
	for _, l := range p.lines {
		fmt.Fprintf(&b, `<g class="crossing" role="img" aria-label="%s"><path class="across" d="M%d %d`, escape(l.text()), l.points[0], l.points[1])
		for i := 2; i < len(l.points); i += 2 {
			fmt.Fprintf(&b, "L%d %d", l.points[i], l.points[i+1])
		}
		fmt.Fprintf(&b, `"/><text x="%d" y="%d">%s</text></g>`+"\n", l.x, l.y, escape(l.label))
	}
	for _, h := range p.headings {
		fmt.Fprintf(&b, `<text class="heading %s" x="%d" y="%d">%s</text>`+"\n", h.section.class(), h.x, h.y+16, h.section.title())
	}
	for _, e := range p.edges {
		p.edge(&b, e)
	}
	for _, box := range p.inReadingOrder() {
		p.box(&b, box)
	}
	b.WriteString("</svg>")
	return b.String()
}

// inReadingOrder returns the boxes row by row: the Tab key and screen readers follow the order in the file.
func (p *page) inReadingOrder() []*box {
	boxes := slices.Clone(p.boxes)
	slices.SortStableFunc(boxes, func(a, b *box) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) })
	return boxes
}

// arrow returns the head of arrows with an ID.
func arrow(id string) string {
	return `<marker id="` + id + `" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">` +
		`<path class="` + id + `" d="M0 0L8 4L0 8z"/></marker>`
}

// kindLabel returns the name of an item's type, also for an item that is not a resource.
func (p *page) kindLabel(it *item) string {
	if it.outside != nil {
		return it.outside.label
	}
	return p.label(string(it.Type))
}

// edge draws a curve from the side of one box to the side of another.
func (p *page) edge(b *strings.Builder, e edge) {
	class := "edge"
	if !e.drawn {
		class = "edge implied"
	}
	if string(e.to.Type) == awstype.VPC { // everything in the network refers to the VPC, so such a line is redundant
		fmt.Fprintf(b, `<path class="edge" aria-hidden="true" data-from="%s" data-to="%s"/>`+"\n", p.ids[string(e.from.URN)], p.ids[string(e.to.URN)])
		return
	}
	x1, x2 := e.from.x+e.from.w, e.to.x
	if e.to.x < e.from.x {
		x1, x2 = e.from.x, e.to.x+e.to.w
	}
	if e.to.x == e.from.x {
		x1, x2 = e.from.x+e.from.w, e.to.x+e.to.w
	}
	y1, y2 := e.from.y+anchor, e.to.y+anchor
	bend := max(32, abs(x2-x1)/2)
	c1, c2 := x1+bend, x2-bend
	switch {
	case e.to.x < e.from.x:
		c1, c2 = x1-bend, x2+bend
		y1 += lineHeight // below the arrow that ends at this side
	case e.to.x == e.from.x:
		c2 = x2 + bend
	}
	fmt.Fprintf(b, `<path class="%s" aria-hidden="true" data-from="%s" data-to="%s" d="M%d %dC%d %d %d %d %d %d"/>`+"\n", class,
		p.ids[string(e.from.URN)], p.ids[string(e.to.URN)], x1, y1, c1, y1, c2, y2, x2, y2)
}

func abs(n int) int { return max(n, -n) }

func (p *page) box(b *strings.Builder, box *box) {
	fmt.Fprintf(b, `<g class="box %s" tabindex="0" role="group" %s transform="translate(%d %d)">`, box.kind.section.class(), p.attributes(box.item), box.x, box.y)
	fmt.Fprintf(b, `<title>%s</title><rect class="frame" width="%d" height="%d" rx="7"/><rect class="stripe" width="4" height="%d" rx="2"/>`,
		escape(p.describe(box.item)), box.w, box.h, box.h)
	y := 18
	fmt.Fprintf(b, `<text class="kind" x="14" y="%d">%s</text>`, y, escape(p.kindLabel(box.item)))
	p.badges(b, box)
	y += 18
	b.WriteString(bold.fitted("name", 14, y, box.change.prefix()+box.name(), box.w-14-padding-markWidth*len(p.marks(box))))
	if id := box.shownID(); id != "" {
		y += lineHeight
		text := mono.fitted("id", 14, y, last(id, "oidc-provider/"), box.w-14-padding)
		if link := box.console(); link != "" {
			text = `<a href="` + escape(link) + `" target="_blank" rel="noreferrer">` + text + `</a>`
		}
		b.WriteString(text)
	}
	for _, detail := range box.details {
		y += lineHeight
		b.WriteString(plain.fitted("detail", 14, y, detail, box.w-14-padding))
	}
	if len(box.lines) > 0 {
		y += 6
		fmt.Fprintf(b, `<path class="rule" d="M14 %dH%d"/>`, y+3, box.w-padding)
	}
	for _, line := range box.lines {
		y += lineHeight
		frame := ""
		if line.outside != nil { // dashed, as all that the stack does not manage
			frame = fmt.Sprintf(`<rect class="frame" x="12" y="%d" width="%d" height="%d" rx="3"/>`, y-12, box.w-padding-4,
				lineHeight)
		}
		fmt.Fprintf(b, `<g class="line" %s><title>%s</title>%s<circle cx="18" cy="%d" r="2.5"/>%s</g>`,
			p.attributes(line), escape(p.describe(line)), frame, y-4,
			plain.fitted("detail", 26, y, line.change.prefix()+lineText(line), box.w-26-padding))
	}
	for i, chip := range box.chips {
		if i%chipsALine == 0 {
			y += chipSize + 3
		}
		fmt.Fprintf(b, `<g class="line chip" %s><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="2"/></g>`, p.attributes(chip), escape(p.describe(chip)),
			14+(i%chipsALine)*(chipSize+3), y-2, chipSize, chipSize)
	}
	b.WriteString("</g>\n")
}

// prefix returns the sign of a change before a name.
func (c Change) prefix() string {
	if sign := c.sign(); sign != "" {
		return sign + " "
	}
	return ""
}

func lineText(line *item) string { return rows[string(line.Type)].text(line) }

// badges writes the layers' marks into the upper right corner of a box.
func (p *page) badges(b *strings.Builder, box *box) {
	if cost := p.cost(box.item); cost != "" {
		fmt.Fprintf(b, `<text class="cost" x="%d" y="18">%s</text>`, box.w-padding, escape(cost))
	}
	x := box.w - padding
	for _, class := range p.marks(box) {
		fmt.Fprintf(b, `<g class="mark %s"><circle cx="%d" cy="33" r="7"/><text x="%d" y="37">!</text></g>`, class, x-7, x-7)
		x -= markWidth
	}
}

// markWidth is the width of a mark beside the name of a box.
const markWidth = 18

// marks returns the layers that mark a box.
func (p *page) marks(box *box) (classes []string) {
	for _, mark := range []struct{ class, text string }{{"break", p.broken[box.name()]},
		{"drift", p.in.Drift[string(box.URN)]}, {"policy", p.in.Findings[string(box.URN)]}} {
		if mark.text != "" {
			classes = append(classes, mark.class)
		}
	}
	return classes
}

// cost returns the cost per month of a resource, including those in its box.
func (p *page) cost(it *item) string {
	if p.in.Cost == nil {
		return ""
	}
	sum, known := price.Monthly(*p.in.Cost, string(it.URN))
	for _, other := range p.graph.items {
		if other.owner() == it {
			more, all := price.Monthly(*p.in.Cost, string(other.URN))
			sum, known = sum+more, known && all
		}
	}
	switch {
	case !known:
		return "price unknown"
	case sum == 0:
		return ""
	}
	return fmt.Sprintf("%.2f USD/month", sum)
}

// attributes returns the attributes of a resource for the page's script and style.
func (p *page) attributes(it *item) string {
	text := fmt.Sprintf(`id="%s" data-urn="%s"`, p.ids[string(it.URN)], escape(string(it.URN)))
	if it.outside != nil {
		return fmt.Sprintf(`id="%s" data-outside="%s"`, p.ids[string(it.URN)], escape(it.outside.key))
	}
	for _, layer := range []struct {
		name string
		on   bool
	}{{"change-" + string(it.change), it.change != ""}, {"breaks", p.broken[it.name()] != ""},
		{"drifted", p.in.Drift[string(it.URN)] != ""},
		{"finding", p.in.Findings[string(it.URN)] != ""}} {
		if layer.on {
			text += ` data-` + layer.name + `=""`
		}
	}
	return text
}

// describe returns the tooltip of a resource.
func (p *page) describe(it *item) string {
	list := []string{p.kindLabel(it) + " " + it.name()}
	if it.change != "" {
		list[0] += " (" + string(it.change) + ")"
	}
	if id := it.id(); id != "" {
		list = append(list, id)
	}
	list = append(list, p.accessOf(it)...)
	if it.account != "" {
		list = append(list, strings.TrimSpace("account "+it.account+" "+it.region))
	}
	for _, note := range []struct{ what, text string }{{"breaks", p.broken[it.name()]},
		{"drift", p.in.Drift[string(it.URN)]}, {"policy", p.in.Findings[string(it.URN)]},
		{"cost", p.cost(it)}} {
		if note.text != "" {
			list = append(list, note.what+": "+note.text)
		}
	}
	return strings.Join(list, "\n")
}

func escape(text string) string { return html.EscapeString(text) }
