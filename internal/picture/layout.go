package picture

import (
	"cmp"
	"slices"
)

// Measures of the page, in pixels.
const (
	margin     = 28
	columnGap  = 64
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
}

// layOut sets the position of every box.
func layOut(list []*box) *drawing {
	d := &drawing{boxes: list, edges: edgesOf(list)}
	used := usedColumns(list)
	d.w = 2*margin + max(4, len(used))*boxWidth + max(3, len(used)-1)*columnGap
	y := margin
	for s := accounts; s <= other; s++ {
		of := inSection(list, s)
		if len(of) == 0 {
			continue
		}
		d.headings = append(d.headings, heading{s, margin, y})
		y += headingGap
		if s == network {
			y = d.network(of, used, y)
		} else {
			y = d.grid(of, y)
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

// network arranges the boxes of the network section in its columns, and those of a zone in its band. Boxes in no zone are in a separate
// band below.
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
