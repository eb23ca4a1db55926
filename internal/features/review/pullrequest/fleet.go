package pullrequest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// headLimit is the length of a stack's paragraph on the page of a fleet, in bytes.
const headLimit = 2000

// Digest is a stack's comment, with the data for the page of a fleet.
type Digest struct {
	// Text is the whole comment, Head the part that a reviewer must see, without the title and the details.
	Text string `json:"text"`
	Head string `json:"head"`
	// Refused is the number of reasons why `up` would refuse the plan. Replaced is the number of resources that the plan
	// replaces or deletes, and Drift the number of resources that differ in AWS from the state.
	Refused  int `json:"refused"`
	Replaced int `json:"replaced"`
	Drift    int `json:"drift"`
}

// Digest returns the comment for the page of a fleet.
func (c Comment) Digest() Digest {
	d := Digest{Text: c.Markdown(), Refused: len(c.Refused) + len(c.Guarded), Drift: len(c.Drift)}
	p := &page{limit: headLimit}
	c.body(p, false)
	d.Head = p.b.String()
	if c.Plan == nil {
		return d
	}
	d.Replaced = len(plan.Explain(c.Plan))
	return d
}

// FleetStack is a stack of a fleet with the result of a preview or drift.
type FleetStack struct {
	// ID is the stack's name in the fleet, Account its account.
	ID, Account string
	// Result is the result of the operation, in a word. Ended is true if it succeeded; otherwise Problem is the reason.
	Result, Problem string
	Ended           bool
	// Changes are the counts of changes, in words, and Changed is the number of resources to be changed.
	Changes string
	Changed int
	// Digest is the stack's comment, zero if there is none.
	Digest
}

// rank orders stacks by what a reviewer should see first: 0 failed, 1 would be refused, 2 replaces or deletes
// resources, 3 has drift, 4 has other changes, 5 has none.
func (s FleetStack) rank() int {
	for rank, holds := range []bool{!s.Ended, s.Refused > 0, s.Replaced > 0, s.Drift > 0, s.Changed > 0} {
		if holds {
			return rank
		}
	}
	return 5
}

// Fleet is one comment on many stacks.
type Fleet struct {
	// Operation is "preview" or "drift". Label marks the environment of the stacks, "" for AWS.
	Operation string
	Label     string
	Stacks    []FleetStack
	// Refused are the reasons why fleet up would refuse the stacks together.
	Refused []string
	// WithoutFile are stacks with resources that no file describes, such as those whose file is deleted.
	WithoutFile []string
	// Cost is the fixed cost of all stacks on one line of Markdown, "" if it is not known.
	Cost string
}

// Markdown returns the comment, at most Limit long: a table of the stacks, the worst first, and then the comment of
// each, collapsed, as far as there is room. Stacks without changes are only counted.
func (f Fleet) Markdown() string {
	stacks := slices.Clone(f.Stacks)
	slices.SortStableFunc(stacks, func(a, b FleetStack) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.Refused, a.Refused), cmp.Compare(b.Replaced, a.Replaced),
			cmp.Compare(b.Drift, a.Drift), cmp.Compare(b.Changed, a.Changed), cmp.Compare(a.ID, b.ID))
	})
	quiet := 0
	if i := slices.IndexFunc(stacks, func(s FleetStack) bool { return s.rank() == 5 }); i >= 0 {
		stacks, quiet = stacks[:i], len(stacks)-i
	}
	p := &page{limit: Limit / 2} // the table takes at most half
	p.add(fmt.Sprintf("### hypershift-aws: %s of %s%s\n\n", f.Operation, report.Number(len(f.Stacks), "stack"),
		marked(f.Label)))
	p.add("**" + f.totals(stacks) + "**\n")
	if f.Cost != "" {
		p.add("\n" + f.Cost + "\n")
	}
	if quiet > 0 {
		p.add(fmt.Sprintf("\nWithout changes: %s.\n", report.Number(quiet, "stack")))
	}
	var refused []string
	for _, reason := range f.Refused {
		refused = append(refused, Escape(reason))
	}
	p.list(":no_entry: **`fleet up` would refuse these plans together:**", refused)
	var left []string
	for _, id := range f.WithoutFile {
		left = append(left, code(id))
	}
	p.list(":warning: **These stacks have resources and no file. They stay as they are; `hypershift-aws destroy -s STACK` deletes them without the file:**", left)
	p.table(stacks)
	p.limit = Limit
	without := 0
	for _, s := range stacks {
		if s.Text != "" && !p.stack(s) {
			without++
		}
	}
	if without > 0 {
		fmt.Fprintf(&p.b, "\nWithout details, for lack of space: %s; see `hypershift-aws %s -s STACK --markdown`.\n", report.Number(without, "stack"), f.Operation)
	}
	return p.b.String()
}

// totals returns the number of stacks per rank, in words.
func (f Fleet) totals(stacks []FleetStack) string {
	words := []string{"failed", "would be refused", "with replacements or deletions", "with drift", "with other changes"}
	if f.Operation == "drift" {
		words[4] = "that differ" // for a drift
	}
	counts := make([]int, len(words))
	for _, s := range stacks {
		counts[s.rank()]++
	}
	var parts []string
	for rank, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words[rank]))
		}
	}
	if len(parts) == 0 {
		return "No changes"
	}
	return strings.Join(parts, ", ")
}

func (p *page) table(stacks []FleetStack) {
	if len(stacks) == 0 || !p.add("\n| stack | account | result | resources | refused | drift |\n|---|---|---|---|---|---|\n") {
		return
	}
	var rows []string
	for _, s := range stacks {
		result := s.Result
		if s.Problem != "" && !s.Ended {
			result += ": " + report.Shorten(s.Problem, 200)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", code(s.ID), Escape(s.Account), Escape(result), s.Changes, number(s.Refused), number(s.Drift)))
	}
	p.lines(rows, "")
}

// stack writes a stack's comment, collapsed, with its details if they use no more than half of the remaining space. It
// reports whether the details are included.
func (p *page) stack(s FleetStack) bool {
	_, whole, _ := strings.Cut(s.Text, "\n\n") // without its title
	wrap := func(body string) string {
		summary := "stack " + s.ID
		if s.Changes != "" {
			summary += ": " + s.Changes
		}
		return fmt.Sprintf("\n<details><summary>%s</summary>\n\n%s\n</details>\n", Escape(summary), body)
	}
	if text := wrap(whole); len(text) <= (p.limit-reserve-p.b.Len())/2 && p.add(text) {
		return true
	}
	p.add(wrap(s.Head))
	return false
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
