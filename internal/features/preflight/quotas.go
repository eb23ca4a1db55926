package preflight

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Accounts are the accounts of plans, by place.
type Accounts map[inventory.Place]account.Account

// snapshots returns the accounts for a single look, in which several checks share lists.
func (a Accounts) snapshots() Accounts {
	snapshots := Accounts{}
	for place, one := range a {
		snapshots[place] = one.Snapshot()
	}
	return snapshots
}

// at returns the account of a place; for a place without a region, any account of that ID.
func (a Accounts) at(p inventory.Place) (account.Account, inventory.Place) {
	if known, has := a[p]; has {
		return known, p
	}
	var places []inventory.Place
	for place := range a {
		if place.Account == p.Account {
			places = append(places, place)
		}
	}
	if len(places) == 0 {
		return nil, p
	}
	slices.SortFunc(places, func(x, y inventory.Place) int { return strings.Compare(x.Region, y.Region) })
	return a[places[0]], places[0]
}

// counted is the use of one quota in one place by plans.
type counted struct {
	quota awstype.Quota
	Demand
	// now are the needs of up itself by instance type, later those of operators.
	now, later map[string]int
}

// CheckQuotas compares demands, those of many stacks too, with the limits and the use of the accounts. It sends its
// requests concurrently.
func CheckQuotas(ctx context.Context, demands []Demand, accounts Accounts) []finding.Finding {
	type use struct {
		inventory.Place
		quota, of string
		new       bool
	}
	quotas := map[string]awstype.Quota{}
	for _, quota := range awstype.Quotas() {
		quotas[quota.Name] = quota
	}
	var list []*counted
	known := map[use]*counted{}
	for _, d := range Sum(demands) {
		of := use{d.Place, d.Quota, d.Of, d.New}
		c := known[of]
		if c == nil {
			quota, is := quotas[d.Quota]
			if !is {
				continue
			}
			c = &counted{quota: quota, Demand: d, now: map[string]int{}, later: map[string]int{}}
			known[of], list = c, append(list, c)
		}
		c.Stacks = append(c.Stacks, d.Stacks...)
		if d.Later {
			c.later[d.InstanceType] += d.Count
		} else {
			c.now[d.InstanceType] += d.Count
		}
	}
	ctx, accounts = account.ReadOnly(ctx), accounts.snapshots()
	var tasks []func() []finding.Finding
	for _, c := range list {
		c.Stacks = unique(c.Stacks)
		in, asked := accounts.at(c.Place)
		if in != nil {
			tasks = append(tasks, func() []finding.Finding { return []finding.Finding{c.check(ctx, in, asked)} })
		}
	}
	return sideBySide(tasks)
}

// check compares one quota's demand with its limit and use.
func (c *counted) check(ctx context.Context, in account.Account, asked inventory.Place) finding.Finding {
	f := finding.Finding{
		Check:   Quotas,
		Account: c.Account,
		Region:  c.Region,
		Subject: c.quota.String(),
		Quota:   c.quota.Service + "/" + c.quota.Code,
	}
	if c.Of != "" {
		f.Subject += ", " + c.Of
	}
	limit, used, err := c.limitAndUse(ctx, in, asked)
	var now, later int
	if err == nil {
		now, later, err = c.needed(ctx, in)
	}
	if err != nil {
		return unchecked(f, err)
	}
	f.Figures = &finding.Figures{Limit: limit, Used: used, Needed: now + later}
	f.Problem = fmt.Sprintf("limit %d, used %d, needed %d", limit, used, now+later)
	f.Link = console(c.quota, asked.Region)
	remedy := fmt.Sprintf("request an increase of %s to %d or more: %s", f.Quota, used+now+later, f.Link)
	switch {
	case used+now > limit:
		f.Severity, f.Remedy = finding.Error, remedy
		f.Problem += fmt.Sprintf(", %d too many", used+now-limit)
	case used+now+later > limit:
		f.Severity, f.Remedy = finding.Warning, remedy
		effect := "operators cannot create all that the cluster needs"
		if c.quota.VCPUs {
			effect = "not all nodes will start"
		}
		f.Problem += fmt.Sprintf(", %d too many: %s", used+now+later-limit, effect)
	default:
		f.Severity = finding.Passed
	}
	if len(c.Stacks) > 1 && f.Severity != finding.Passed {
		f.Problem += " (stacks " + FirstOf(c.Stacks) + ")"
	}
	return f
}

// limitAndUse returns the limit of a quota and its use. Both are asked at the same time.
func (c *counted) limitAndUse(
	ctx context.Context,
	in account.Account,
	asked inventory.Place,
) (limit, used int, err error) {
	var uncounted error
	var counting sync.WaitGroup
	own := 0
	if !c.New && !c.quota.Used {
		counting.Go(func() { own, uncounted = count(ctx, in, c.quota, asked, c.Of) })
	}
	limit, used, err = in.Limit(ctx, c.quota, c.Of)
	counting.Wait()
	switch {
	case c.New:
		used = c.quota.InNewVPC
	case err == nil && used == account.Uncounted:
		used, err = own, uncounted
	}
	return limit, used, err
}

// count counts how much of a quota is in use: in a zone or VPC, for a quota per zone or VPC.
func count(
	ctx context.Context,
	in account.Account,
	quota awstype.Quota,
	place inventory.Place,
	scope string,
) (int, error) {
	q := account.Query{Type: quota.Token, Complete: quota.Service == "vpc"} // what is being deleted still counts
	if quota.Per == awstype.PerVPC {
		q.Inputs = map[string]any{"vpcId": scope}
	}
	found, err := in.List(ctx, q)
	zones := map[string]string{}
	if err == nil && quota.Per == awstype.PerZone && len(found) > 0 {
		var subnets []inventory.Resource
		subnets, err = in.List(ctx, account.Query{Type: awstype.Subnet})
		for _, subnet := range subnets {
			zones[subnet.ID] = subnet.Text("availabilityZone")
		}
	}
	if err != nil {
		return 0, err
	}
	used, byType := 0, map[string]int{}
	for _, r := range found {
		vCPUs, _ := r.Properties["vCPUs"].(int32)
		switch {
		case quota.Counts != nil && !quota.Counts(r.Properties), quota.Token == awstype.NATGateway && r.State == "failed",
			quota.Per == awstype.PerZone && zones[r.Text("subnetId")] != scope, quota.Per == awstype.PerVPC && r.VPC != scope,
			quota.Per == awstype.PerRegion && r.Owner != "" && r.Owner != place.Account,
			quota.VCPUs && r.State != "pending" && r.State != "running":
		case !quota.VCPUs:
			used++
		case vCPUs > 0:
			used += int(vCPUs)
		default:
			byType[r.Text("instanceType")]++
		}
	}
	if len(byType) == 0 {
		return used, nil
	}
	weights, err := in.VCPUs(ctx, slices.Sorted(maps.Keys(byType)))
	for instanceType, n := range byType {
		used += n * weights[instanceType]
	}
	return used, err
}

// FirstOf names the first ten of many stacks, and how many more there are.
func FirstOf(stacks []string) string {
	const most = 10
	if rest := len(stacks) - most; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(stacks[:most], ", "), rest)
	}
	return strings.Join(stacks, ", ")
}

// needed returns the total of the demand: instances count by their vCPUs.
func (c *counted) needed(ctx context.Context, in account.Account) (now, later int, err error) {
	weights := map[string]int{}
	if c.quota.VCPUs {
		var types []string
		for _, counts := range []map[string]int{c.now, c.later} {
			for instanceType := range counts {
				types = append(types, instanceType)
			}
		}
		if weights, err = in.VCPUs(ctx, unique(types)); err != nil {
			return 0, 0, err
		}
	}
	total := func(counts map[string]int) int {
		sum := 0
		for instanceType, count := range counts {
			if c.quota.VCPUs {
				count *= weights[instanceType]
			}
			sum += count
		}
		return sum
	}
	return total(c.now), total(c.later), nil
}

// console returns the page on which an increase of a quota is requested.
func console(q awstype.Quota, region string) string {
	partition := hypershift.Partition(region)
	at := q.Region(partition, region)
	return fmt.Sprintf("https://%s.%s/servicequotas/home/services/%s/quotas/%s", at, hypershift.ConsoleHost(partition),
		q.Service, q.Code)
}
