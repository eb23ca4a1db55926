package picture

import (
	"cmp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Measures of the page, in pixels.
const (
	margin     = 28
	columnGap  = 50
	boxGap     = 14
	gridGap    = 20
	bandLabel  = 26
	bandGap    = 12
	headingGap = 38
	sectionGap = 30
)

// band is the background of a zone in the network section.
type band struct {
	label      string
	x, y, w, h int
}

// heading is a section's title.
type heading struct {
	section section
	x, y    int
}

// drawing is the layout of a page.
type drawing struct {
	w, h     int
	boxes    []*box
	edges    []edge
	bands    []band
	headings []heading
	// panels are the accounts, crossings what connects them, and lines their drawn form.
	panels    []*panel
	crossings []crossing
	lines     []line
	// captions are the headings of the columns of who may do what.
	captions []band
}

// layOut sets the position of every box.
func layOut(list []*box) *drawing {
	d := &drawing{edges: edgesOf(list)}
	var added []*box
	if len(list) > 0 {
		d.panels, added = panelsOf(list[0].graph, list)
		d.crossings = crossingsOf(list[0].graph, d.panels)
	}
	list = slices.Concat(list, added)
	d.boxes = list
	used := usedColumns(list)
	d.w = 2*margin + max(4, len(used))*boxWidth + max(3, len(used)-1)*columnGap
	y := margin
	for s := accounts; s <= other; s++ {
		boxes := inSection(list, s)
		if len(boxes) == 0 {
			continue
		}
		d.headings = append(d.headings, heading{s, margin, y})
		y += headingGap
		switch s {
		case accounts:
			y = d.layAccounts(y)
		case network:
			y = d.network(boxes, used, y)
		case identity:
			y = d.access(boxes, y)
		default:
			y = d.grid(boxes, y)
		}
		y += sectionGap
	}
	d.h = y - sectionGap + margin
	return d
}

func inSection(list []*box, s section) []*box {
	return slices.DeleteFunc(slices.Clone(list), func(b *box) bool { return b.kind.section != s })
}

// usedColumns returns the columns of the network section that have a box.
func usedColumns(list []*box) []column {
	var used []column
	for c := vpcColumn; c < columns; c++ {
		if slices.ContainsFunc(list, func(b *box) bool { return b.kind.section == network && b.kind.column == c }) {
			used = append(used, c)
		}
	}
	return used
}

// access arranges each role in a row between who assumes it and what its policies allow, the roles of an account in a
// band. Other identities are above.
func (d *drawing) access(list []*box, y int) int {
	var rest, roles []*box
	byAccount := []string{}
	for _, b := range list {
		switch {
		case string(b.Type) == awstype.Role:
			roles = append(roles, b)
			if !slices.Contains(byAccount, b.account) {
				byAccount = append(byAccount, b.account)
			}
		case b.outside == nil:
			rest = append(rest, b)
		}
	}
	if rest != nil {
		y = d.grid(rest, y) + boxGap
	}
	if roles == nil {
		return y - boxGap
	}
	at := func(column int) int { return margin + column*(boxWidth+columnGap) }
	for i, text := range []string{"Who", "assumes which role", "and what its policies allow"} {
		d.captions = append(d.captions, band{label: text, x: at(i), y: y})
	}
	y += bandLabel
	slices.Sort(byAccount)
	for _, account := range byAccount {
		top := y
		if len(byAccount) > 1 {
			y += bandLabel
		} else {
			y += boxGap
		}
		for _, b := range roles {
			if b.account != account {
				continue
			}
			b.x, b.y = at(1), y
			next := y
			for _, who := range b.row {
				who.x, who.y = at(0), next
				next += who.h + boxGap
			}
			next = max(next, y+b.h+boxGap)
			if b.policies != nil {
				b.policies.x, b.policies.y = at(2), y
				next = max(next, y+b.policies.h+boxGap)
			}
			y = next
		}
		label := ""
		if len(byAccount) > 1 {
			label = d.titleOf(account)
		}
		d.bands = append(d.bands, band{label, margin - 14, top, at(2) + boxWidth - margin + 28, y - top})
		y += bandGap
	}
	return y - bandGap
}

// titleOf returns the title of an account.
func (d *drawing) titleOf(account string) string {
	for _, p := range d.panels {
		if p.account == account {
			return p.title()
		}
	}
	return "Account " + account
}

// grid arranges boxes in columns, each in the shortest column so far.
func (d *drawing) grid(list []*box, y int) int {
	n := max(1, (d.w-2*margin+gridGap)/(boxWidth+gridGap))
	gap := gridGap
	if n > 1 {
		gap = (d.w - 2*margin - n*boxWidth) / (n - 1)
	}
	bottoms := make([]int, n)
	for _, b := range list {
		shortest := 0
		for i, bottom := range bottoms {
			if bottom < bottoms[shortest] {
				shortest = i
			}
		}
		b.x, b.y = margin+shortest*(boxWidth+gap), y+bottoms[shortest]
		bottoms[shortest] += b.h + boxGap
	}
	return y + slices.Max(bottoms) - boxGap
}

// network arranges the boxes of the network section in its columns, and the boxes of a zone in its band. Boxes in no
// zone are in a separate band below.
func (d *drawing) network(list []*box, used []column, y int) int {
	at := map[column]int{}
	for i, c := range used {
		at[c] = margin + i*(boxWidth+columnGap)
	}
	top, bottom := y, y
	for _, b := range list { // the first column is for the VPC alone
		if b.kind.column == vpcColumn {
			b.x, b.y = at[vpcColumn], bottom+bandLabel
			bottom = b.y + b.h + boxGap
		}
	}
	bandX, bandRight := d.w, margin
	for _, c := range used {
		if c != vpcColumn {
			bandX, bandRight = min(bandX, at[c]), max(bandRight, at[c]+boxWidth)
		}
	}
	y = top
	for _, zone := range zonesOf(list) {
		height := 0
		for _, c := range used {
			if c == vpcColumn {
				continue
			}
			next := y + bandLabel
			for _, b := range list {
				if b.kind.column == c && b.zone == zone {
					b.x, b.y = at[c], next
					next += b.h + boxGap
				}
			}
			height = max(height, next-y)
		}
		d.bands = append(d.bands, band{zoneLabel(zone, list), bandX - 14, y, bandRight - bandX + 28, height})
		y += height + bandGap
	}
	return max(bottom, y) - bandGap
}

// zoneLabel names a zone with its ID, which is the same in every account: "us-east-1a (use1-az6)".
func zoneLabel(zone string, list []*box) string {
	if zone == "" {
		return "all zones"
	}
	for _, b := range list {
		if id := b.text("availabilityZoneId"); b.zone == zone && id != "" {
			return zone + " (" + id + ")"
		}
	}
	return zone
}

// zonesOf returns the zones of the boxes that are in bands, "" last.
func zonesOf(list []*box) []string {
	var zones []string
	for _, b := range list {
		if b.kind.column != vpcColumn && !slices.Contains(zones, b.zone) {
			zones = append(zones, b.zone)
		}
	}
	slices.SortFunc(zones, func(a, b string) int {
		if (a == "") != (b == "") {
			return cmp.Compare(len(b), len(a))
		}
		return cmp.Compare(a, b)
	})
	return zones
}
