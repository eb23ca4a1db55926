package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// Accounts are the accounts of plans, by place.
type Accounts map[Place]Account

// of returns the account of a place; for a place without a region, any account of that ID.
func (a Accounts) of(p Place) (Account, Place) {
	if account, known := a[p]; known {
		return account, p
	}
	var places []Place
	for place := range a {
		if place.Account == p.Account {
			places = append(places, place)
		}
	}
	if len(places) == 0 {
		return nil, p
	}
	slices.SortFunc(places, func(x, y Place) int { return strings.Compare(x.Region, y.Region) })
	return a[places[0]], places[0]
}

// counted is what plans need of one quota in one place.
type counted struct {
	quota awstype.Quota
	Demand
	// now are the needs of up itself by instance type, later those of operators.
	now, later map[string]int
}

// CheckQuotas compares demands, those of many stacks too, with the limits and the use of the accounts. It sends its requests concurrently.
func CheckQuotas(ctx context.Context, demands []Demand, accounts Accounts) []Finding {
	var list []*counted
	for _, d := range Sum(demands) {
		i := slices.IndexFunc(list, func(c *counted) bool {
			return c.Place == d.Place && c.Quota == d.Quota && c.Of == d.Of && c.New == d.New
		})
		if i < 0 {
			quota, known := awstype.QuotaOf(d.Quota)
			if !known {
				continue
			}
			list = append(list, &counted{quota: quota, Demand: d, now: map[string]int{}, later: map[string]int{}})
			i = len(list) - 1
		}
		c := list[i]
		c.Stacks = unique(append(c.Stacks, d.Stacks...))
		if d.Later {
			c.later[d.InstanceType] += d.Count
		} else {
			c.now[d.InstanceType] += d.Count
		}
	}
	var tasks []func() []Finding
	for _, c := range list {
		account, asked := accounts.of(c.Place)
		if account != nil {
			tasks = append(tasks, func() []Finding { return []Finding{c.check(ctx, account, asked)} })
		}
	}
	return sideBySide(tasks)
}

// check compares one quota's demand with its limit and use.
func (c *counted) check(ctx context.Context, account Account, asked Place) Finding {
	f := Finding{Check: Quotas, Account: c.Account, Region: c.Region, Subject: c.quota.String(), Quota: c.quota.Service + "/" + c.quota.Code}
	if c.Of != "" {
		f.Subject += ", " + c.Of
	}
	limit, err := account.Limit(ctx, c.quota)
	used := c.quota.InNewVPC
	if err == nil && !c.New {
		used, err = account.Used(ctx, c.quota, c.Of)
	}
	var now, later int
	if err == nil {
		now, later, err = c.needed(ctx, account)
	}
	if err != nil {
		return unchecked(f, err)
	}
	f.Figures = &Figures{Limit: limit, Used: used, Needed: now + later}
	f.Message = fmt.Sprintf("limit %d, used %d, needed %d", limit, used, now+later)
	f.Link = console(c.quota, asked.Region)
	remedy := fmt.Sprintf("request an increase of %s to %d or more: %s", f.Quota, used+now+later, f.Link)
	switch {
	case used+now > limit:
		f.Verdict, f.Remedy = Fails, remedy
		f.Message += fmt.Sprintf(", %d too many", used+now-limit)
	case used+now+later > limit:
		f.Verdict, f.Remedy = Warns, remedy
		f.Message += fmt.Sprintf(", %d too many: not all nodes will start", used+now+later-limit)
	default:
		f.Verdict = Passes
	}
	if len(c.Stacks) > 1 && f.Verdict != Passes {
		f.Message += " (stacks " + FirstOf(c.Stacks) + ")"
	}
	return f
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
func (c *counted) needed(ctx context.Context, account Account) (now, later int, err error) {
	weights := map[string]int{}
	if c.quota.VCPUs {
		var types []string
		for _, counts := range []map[string]int{c.now, c.later} {
			for instanceType := range counts {
				types = append(types, instanceType)
			}
		}
		if weights, err = account.VCPUs(ctx, unique(types)); err != nil {
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
	return fmt.Sprintf("https://%s.%s/servicequotas/home/services/%s/quotas/%s", at, hypershift.ConsoleHost(partition), q.Service, q.Code)
}
