package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// sweptRow is a resource of a sweep for programs.
type sweptRow struct {
	// Action is "delete", "hold", or the result for a resource: "deleted", "gone", "held", "failed".
	Action       string              `json:"action"`
	Gate         inventory.SweepGate `json:"gate,omitempty"`
	Why          string              `json:"why,omitempty"`
	InfraID      string              `json:"infraID,omitempty"`
	Account      string              `json:"account"`
	Region       string              `json:"region"`
	ResourceType string              `json:"resourceType"`
	ID           string              `json:"id"`
	Name         string              `json:"name,omitempty"`
	Created      time.Time           `json:"created,omitzero"`
}

func rowOf(
	action string,
	gate inventory.SweepGate,
	why, infraID string,
	place inventory.Place,
	l inventory.Resource,
) sweptRow {
	return sweptRow{action, gate, why, infraID, place.Account, place.Region, l.Type, l.ID, l.Name(), l.Created}
}

func sweepLabel(token string) string {
	record, _ := awstype.SweepOf(token)
	return cmp.Or(record.Label, token)
}

// showSweep lists the resources of a cluster in an account that would be deleted, and those that gates refuse.
func showSweep(c *invocation.Invocation, now time.Time, p automation.SweepPlan, searched inventory.Searched) error {
	var rows []sweptRow
	for _, l := range p.Delete {
		rows = append(rows, rowOf("delete", "", "", p.Options.InfraID, p.Place, l))
	}
	for _, h := range p.Kept {
		rows = append(rows, rowOf("hold", h.Gate, h.Why, p.Options.InfraID, p.Place, h.Resource))
	}
	reportSearched(c, searched, p.Options.InfraID, len(rows))
	if len(rows) == 0 { // whether the cluster is alive makes no difference
		return nil
	}
	c.Say("cluster %s in account %s, %s: %s", p.Options.InfraID, p.Place.Account, p.Place.Region,
		p.Life.String()+": "+p.Why)
	if p.Life == gates.Unknown {
		c.Say("nothing is deleted while it is unknown whether the cluster is alive: correct the cause; if you know that it no longer exists, use %s %s",
			gate.ConsentFlag, p.Options.InfraID)
	}
	return invocation.List(c, "leftover", "ACTION\tTYPE\tID\tNAME\tAGE\tGATE\tWHY", rows, func(r sweptRow) []any {
		return []any{r.Action, sweepLabel(r.ResourceType), r.ID, r.Name, age(now, r.Created), r.Gate, r.Why}
	})
}

// searchedRow is an account and region that was searched, for programs.
type searchedRow struct {
	InfraID string `json:"infraID,omitempty"`
	Account string `json:"account"`
	Region  string `json:"region"`
	// Resources are how many resources were found. Complete is false if a type could not be listed.
	Resources int  `json:"resources"`
	Complete  bool `json:"complete"`
}

// reportSearched says where nothing was found: of a cluster or, for the infra ID "", of any.
func reportSearched(c *invocation.Invocation, searched inventory.Searched, infraID string, resources int) {
	c.JSON.Write("searched", searchedRow{infraID, searched.Place.Account, searched.Place.Region, resources, searched.Complete})
	if resources > 0 || c.JSON != nil {
		return
	}
	what := "nothing is left of " + infraID
	switch {
	case !searched.Complete && infraID != "":
		what = "nothing was found of " + infraID + ", but not everything was searched,"
	case !searched.Complete:
		what = "no clusters were found, but not everything was searched,"
	case infraID == "":
		what = "no clusters"
	}
	c.Print(fmt.Sprintf("%s in account %s, %s\n", what, searched.Place.Account, searched.Place.Region))
}

// writeLeft writes what a destroy's sweep left for programs.
func writeLeft(c *invocation.Invocation, err error) {
	var stays *sweep.LeftError
	if !errors.As(err, &stays) {
		return
	}
	for _, left := range stays.Left {
		for _, held := range left.Kept {
			c.JSON.Write("leftover", rowOf("hold", held.Gate, held.Why, left.InfraID, left.Place, held.Resource))
		}
		for _, failed := range left.Failed {
			c.JSON.Write("leftover", rowOf("failed", "", failed.Err.Error(), left.InfraID, left.Place, failed.Resource))
		}
	}
}

// age returns the age of a resource, in the largest unit that fits.
func age(now, created time.Time) string {
	if created.IsZero() {
		return "-"
	}
	d := now.Sub(created)
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dm", int(d.Minutes()))
}

// clusterRow is a cluster of --all.
type clusterRow struct {
	InfraID string `json:"infraID"`
	Account string `json:"account"`
	Region  string `json:"region"`
	// State is "in a stack", "alive", "gone" or "unknown"; "ignored" for the text of a tag that is not an infra ID.
	State string `json:"state"`
	// Owner is the stack, or the evidence for the state.
	Owner     string `json:"owner,omitempty"`
	Resources int    `json:"resources"`
	// Delete is how many of them pass every gate.
	Delete   int       `json:"delete"`
	Youngest time.Time `json:"youngest,omitzero"`
	// MonthlyUSD are the fixed costs per month with known prices.
	MonthlyUSD float64 `json:"monthlyUSD"`
}

func showClusters(c *invocation.Invocation, result *automation.SweepResult) error {
	var rows []clusterRow
	for _, p := range result.Plans {
		row := clusterRow{
			InfraID: p.Options.InfraID, Account: p.Place.Account, Region: p.Place.Region, State: p.Life.String(), Owner: p.Why,
			Resources: len(p.Delete) + len(p.Kept), Delete: len(p.Delete), Youngest: p.Youngest, MonthlyUSD: p.MonthlyUSD,
		}
		if p.Stack != "" && p.Life != gates.Alive {
			row.State, row.Owner = "in a stack", "stack "+p.Stack
		}
		rows = append(rows, row)
	}
	for _, tag := range result.Ignored {
		rows = append(rows, clusterRow{
			InfraID: tag.Text, Account: tag.Place.Account, Region: tag.Place.Region, State: "ignored", Owner: "not an infra ID",
			Resources: tag.Resources,
		})
	}
	for _, searched := range result.Searched {
		resources := 0
		for _, row := range rows {
			if row.Account == searched.Place.Account && row.Region == searched.Place.Region {
				resources += row.Resources
			}
		}
		reportSearched(c, searched, "", resources)
	}
	if len(rows) == 0 {
		return nil
	}
	return invocation.List(c, "cluster", "INFRA ID\tACCOUNT\tREGION\tSTATE\tRESOURCES\tDELETABLE\tYOUNGEST\tUSD/MONTH\tOWNER", rows, func(r clusterRow) []any {
		youngest, monthly := age(result.Time, r.Youngest), fmt.Sprintf("%.2f", r.MonthlyUSD)
		return []any{r.InfraID, r.Account, r.Region, r.State, r.Resources, r.Delete, youngest, monthly, r.Owner}
	})
}

func reportSwept(c *invocation.Invocation, place inventory.Place, e inventory.SweepEntry) {
	c.JSON.Write("swept", sweptRow{Action: string(e.Event), Why: e.Why, Account: place.Account, Region: place.Region,
		ResourceType: e.Type, ID: e.ID, Name: e.Name})
	line := fmt.Sprintf("%s %s %s", e.Event, sweepLabel(e.Type), e.ID)
	if e.Why != "" {
		line += ": " + e.Why
	}
	c.Say("%s", line)
}
