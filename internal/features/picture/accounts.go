package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Measures of the accounts, in pixels.
const (
	panelGap   = 150
	panelInset = 14
	crossingAt = 52
	crossingBy = 34
)

// panel is an account, or a management cluster whose account is unknown. Accounts are drawn side by side.
type panel struct {
	// account is its ID, "" if it is unknown. label says what the account is for.
	account, label string
	boxes          []*box
	rank           int
	x, y, w, h     int
}

func (p *panel) title() string { return strings.TrimSpace(p.label + " " + p.account) }

// crossing is a use of one account's resources by another account.
type crossing struct {
	from, to *panel
	label    string
}

// text returns the crossing as a sentence without a verb: "PrivateLink: from cluster account 1 to management account
// 2".
func (c crossing) text() string {
	return fmt.Sprintf("%s: from %s to %s", c.label, lowered(c.from.title()), lowered(c.to.title()))
}

func lowered(text string) string {
	if strings.HasPrefix(text, "VPC") {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// panelsOf arranges the boxes of providers by account, and adds accounts that are only named by others.
func panelsOf(g *graph, list []*box) (panels []*panel, added []*box) {
	find := func(account string) *panel {
		i := slices.IndexFunc(panels, func(p *panel) bool { return account != "" && p.account == account })
		if i >= 0 {
			return panels[i]
		}
		p := &panel{account: account}
		panels = append(panels, p)
		return p
	}
	kubernetes := awsPanels(list, find)
	for _, account := range g.namedAccounts() {
		if p := find(account); p.boxes == nil {
			b := newOutside(g, accounts, outside{"outside this stack", account, "account " + account})
			p.boxes, added = []*box{b}, append(added, b)
		}
	}
	g.labelPanels(panels)
	for _, b := range kubernetes {
		if i := slices.IndexFunc(panels, func(p *panel) bool { return p.rank == managementRank }); i >= 0 {
			panels[i].boxes = append(panels[i].boxes, b)
		} else {
			panels = append(panels, &panel{label: "Account of the management cluster", rank: managementRank, boxes: []*box{b}})
		}
	}
	slices.SortStableFunc(panels, func(a, b *panel) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.account, b.account))
	})
	return panels, added
}

// awsPanels adds the boxes of AWS providers to their accounts, and returns the boxes of Kubernetes providers.
func awsPanels(list []*box, find func(string) *panel) (kubernetes []*box) {
	for _, b := range inSection(list, accounts) {
		if strings.HasPrefix(string(b.Type), "pulumi:providers:kubernetes") {
			kubernetes = append(kubernetes, b)
			continue
		}
		p := find(b.account)
		p.boxes = append(p.boxes, b)
	}
	return kubernetes
}

// namedAccounts returns the accounts that subnets are shared with, or that may connect to an endpoint service.
func (g *graph) namedAccounts() (list []string) {
	for _, it := range g.items {
		var named []string
		switch string(it.Type) {
		case awstype.PrincipalAssociation:
			named = it.texts("principal")
		case awstype.VPCEndpointService:
			named = it.texts("allowedPrincipals")
		}
		for _, text := range named {
			if account := accountOf(text); account != "" && !slices.Contains(list, account) {
				list = append(list, account)
			}
		}
	}
	slices.Sort(list)
	return list
}

// The order of the accounts, from left to right.
const (
	ownerRank = iota
	clusterRank
	otherRank
	managementRank
)

// accountRoles are what the accounts of a file are for, by the name of their provider. Other names are those that the
// file gives: "hub-account".
var accountRoles = map[string]struct {
	label string
	rank  int
}{
	config.ManagementAccountProvider: {"Management account", managementRank},
	config.VPCOwnerAccountProvider:   {"VPC owner account", ownerRank},
	config.ClusterAccountProvider:    {"Cluster account", clusterRank},
	config.ParentZoneAccountProvider: {"Account of the parent zone", otherRank},
}

// labelPanels sets what each account is for: by its provider's name or, for an account that only resources name, by
// what it has. The stack's own account is the cluster's, unless another one has the cluster's roles.
func (g *graph) labelPanels(panels []*panel) {
	cluster, shares, services := "", map[string]bool{}, map[string]bool{}
	for _, it := range g.items {
		switch string(it.Type) {
		case awstype.OIDCProvider:
			cluster = cmp.Or(cluster, it.account)
		case awstype.ResourceShare:
			shares[it.account] = true
		case awstype.VPCEndpointService:
			services[it.account] = true
		}
	}
	for _, p := range panels {
		named := p.providerNames()
		role, known := accountRoles[cmp.Or(named...)]
		own := cluster == "" && slices.Contains(named, "") && !slices.ContainsFunc(panels, (*panel).isClusters)
		switch {
		case len(panels) == 1:
			p.label, p.rank = "Account", clusterRank
		case p.account != "" && p.account == cluster || own:
			p.label, p.rank = "Cluster account", clusterRank
		case known:
			p.label, p.rank = role.label, role.rank
		case shares[p.account]:
			p.label, p.rank = "VPC owner account", ownerRank
		case services[p.account]:
			p.label, p.rank = "Management account", managementRank
		case named != nil && !slices.Contains(named, ""):
			p.label, p.rank = "Account "+strings.TrimSuffix(cmp.Or(named...), "-account"), otherRank
		default:
			p.label, p.rank = "Account", otherRank
		}
	}
}

// providerNames returns the names of the providers of AWS in an account, "" for the stack's own.
func (p *panel) providerNames() (names []string) {
	for _, b := range p.boxes {
		if strings.HasPrefix(string(b.Type), "pulumi:providers:aws") {
			names = append(names, b.providerName())
		}
	}
	return names
}

// isClusters reports whether the file says that an account is the cluster's.
func (p *panel) isClusters() bool {
	return slices.Contains(p.providerNames(), config.ClusterAccountProvider)
}

// crossingsOf finds what connects the accounts: shared subnets, PrivateLink, roles that roles of another account
// assume, associations of hosted zones, and the control plane in the management cluster.
func crossingsOf(g *graph, panels []*panel) []crossing {
	byAccount := map[string]*panel{}
	for _, p := range panels {
		if p.account != "" {
			byAccount[p.account] = p
		}
	}
	var list []crossing
	add := func(label string, from, to *panel) {
		if c := (crossing{from, to, label}); from != nil && to != nil && from != to && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for _, it := range g.items {
		switch string(it.Type) {
		case awstype.PrincipalAssociation:
			for _, with := range it.texts("principal") {
				add(counted(g.shared(it), "shared subnet"), byAccount[it.account], byAccount[accountOf(with)])
			}
		case awstype.VPCEndpoint:
			for _, service := range it.targets("serviceName", awstype.VPCEndpointService) {
				add("PrivateLink", byAccount[it.account], byAccount[service.account])
			}
		case awstype.Role:
			_, roles := principalsOf(it)
			for _, role := range roles {
				add("assumes roles", byAccount[role.account], byAccount[it.account])
			}
		case awstype.ZoneAssociation:
			for _, zone := range it.targets("zoneId", awstype.HostedZone) { // its VPC may exist outside the stack
				add("hosted zone", byAccount[it.account], byAccount[zone.account])
			}
		case awstype.VPCAssociationAuthorization:
			for _, vpc := range it.targets("vpcId", awstype.VPC) {
				for _, zone := range it.targets("zoneId", awstype.HostedZone) {
					add("hosted zone", byAccount[vpc.account], byAccount[zone.account])
				}
			}
		}
	}
	for _, p := range panels {
		for _, b := range p.boxes {
			if !strings.HasPrefix(string(b.Type), "pulumi:providers:kubernetes") {
				continue
			}
			for _, to := range panels {
				if to.rank == clusterRank {
					add("control plane", p, to)
				}
			}
		}
	}
	return list
}

// shared returns the number of subnets in the resource share of an association.
func (g *graph) shared(principal *item) int {
	n := 0
	for _, it := range g.items {
		if string(it.Type) == awstype.ResourceAssociation && it.owner() == principal.owner() {
			n++
		}
	}
	return n
}

// contents returns what a provider manages, for its box: "1 VPC, 4 subnets".
func (r *item) contents() (lines []string) {
	for _, group := range [][]struct{ token, noun string }{
		{{awstype.VPC, "VPC"}, {awstype.Subnet, "subnet"}}, {{awstype.VPCEndpoint, "VPC endpoint"}},
		{{awstype.VPCEndpointService, "endpoint service"}},
		{{awstype.HostedZone, "hosted zone"}, {awstype.Role, "role"}},
	} {
		var parts []string
		for _, one := range group {
			n := 0
			for _, it := range r.graph.items {
				if string(it.Type) == one.token && it.provider() == string(r.URN) {
					n++
				}
			}
			if n > 0 {
				parts = append(parts, counted(n, one.noun))
			}
		}
		if parts != nil {
			lines = append(lines, strings.Join(parts, ", "))
		}
	}
	return lines
}

// layAccounts sets the positions of the accounts, side by side, and of the lines between them.
func (d *drawing) layAccounts(y int) int {
	x, height := margin, crossingAt
	for gap := range d.panels {
		n := 0
		for _, c := range d.crossings {
			if from, to := slices.Index(d.panels,
				c.from), slices.Index(d.panels, c.to); min(from, to) == gap && max(from, to) == gap+1 {
				n++
			}
		}
		height = max(height, crossingAt+n*crossingBy)
	}
	for _, p := range d.panels {
		p.x, p.y, p.w = x, y, boxWidth+2*panelInset
		next := y + bandLabel
		for _, b := range p.boxes {
			b.x, b.y = x+panelInset, next
			next += b.h + boxGap
		}
		height = max(height, next-y)
		x += p.w + panelGap
	}
	for _, p := range d.panels {
		p.h = height
		d.bands = append(d.bands, band{p.title(), p.x, p.y, p.w, p.h})
	}
	d.w = max(d.w, x-panelGap+margin)
	return y + height + d.layCrossings(y+height)
}

// line is the drawn form of a crossing.
type line struct {
	crossing
	// points are x, y, one after the other. x and y are the position of its label.
	points []int
	x, y   int
}

// layCrossings draws the crossings between neighbours in the gap between them, and others below. It returns the height
// of those below.
func (d *drawing) layCrossings(bottom int) int {
	inGap, below := map[int]int{}, 0
	for _, c := range d.crossings {
		from, to := slices.Index(d.panels, c.from), slices.Index(d.panels, c.to)
		left, right := d.panels[min(from, to)], d.panels[max(from, to)]
		if max(from, to) == min(from, to)+1 {
			y := left.y + crossingAt + inGap[min(from, to)]*crossingBy
			inGap[min(from, to)]++
			points := []int{left.x + left.w, y, right.x, y}
			if from > to {
				points = []int{right.x, y, left.x + left.w, y}
			}
			d.lines = append(d.lines, line{c, points, (left.x + left.w + right.x) / 2, y - 6})
			continue
		}
		below++
		y := bottom + below*crossingBy
		x1, x2 := c.from.x+c.from.w/2+below*10, c.to.x+c.to.w/2+below*10
		d.lines = append(d.lines, line{c, []int{x1, bottom, x1, y, x2, y, x2, bottom}, (x1 + x2) / 2, y - 6})
	}
	return below * crossingBy
}
