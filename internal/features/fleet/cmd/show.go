package cmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/view"
	"github.com/hypershift-aws/hypershift-aws/internal/features/fleet"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/features/review/pullrequest"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// planText lists the stacks to run, by wave.
func planText(operation string, jobs []*fleetrun.Job, limits fleetrun.Limits) string {
	var accounts []string
	waves := map[int][]string{}
	last := 0
	for _, job := range jobs {
		accounts = append(accounts, job.Account)
		waves[job.Wave] = append(waves[job.Wave], job.ID)
		last = max(last, job.Wave)
	}
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	var b strings.Builder
	fmt.Fprintf(&b, "fleet %s: %s in %s, at most %d at once and %d per account", operation,
		report.Number(len(jobs), "stack"), report.Number(len(accounts), "account"),
		limits.Parallel, limits.PerAccount)
	for wave := 1; wave <= last; wave++ {
		if len(waves[wave]) == 0 {
			continue
		}
		const most = 12
		names := waves[wave]
		if rest := len(names) - most; rest > 0 {
			names = append(names[:most:most], fmt.Sprintf("and %d more", rest))
		}
		label := ""
		if last > 1 {
			label = fmt.Sprintf("wave %d: ", wave)
		}
		fmt.Fprintf(&b, "\n  %s%s", label, strings.Join(names, ", "))
	}
	return b.String()
}

// show reports a run to users and programs.
type show struct {
	c  *invocation.Invocation
	op string
	// jobs are the stacks, and label marks their environment.
	jobs     []*fleetrun.Job
	label    string
	progress *fleet.Progress
	// markdown is the file for the summary of all stacks: see fleetOperation.
	markdown string

	mu sync.Mutex
	// digests are the stacks' summaries, none if no summary of all stacks is written.
	digests map[*fleetrun.Job]pullrequest.Digest
	// statuses are the stacks' statuses, of the operation status.
	statuses map[*fleetrun.Job]automation.Status
	// drifts has what was changed outside the stacks, and refusals why up would refuse the stacks' plans.
	drifts   map[*fleetrun.Job][]changes.Difference
	refusals map[*fleetrun.Job][]string
	// refused are the reasons why fleet up would refuse all of them.
	refused []string
	// costs are the costs of the stacks' plans, of preview and up.
	costs map[*fleetrun.Job]forecast.CostChange
}

// stackEvent is a stack's status, for programs.
type stackEvent struct {
	Stack   string          `json:"stack"`
	Dir     string          `json:"dir"`
	Wave    int             `json:"wave"`
	Status  fleetrun.Status `json:"status"`
	Code    int             `json:"code"`
	Problem string          `json:"problem,omitempty"`
	Log     string          `json:"log,omitempty"`
	Seconds float64         `json:"seconds"`
	event.Counts
}

func (s *show) started(job *fleetrun.Job) {
	s.progress.Started(job)
	s.event(job, fleetrun.Outcome{Status: fleetrun.Running})
	if s.c.Streams.Width == nil {
		s.c.Say("  %s: started", job.ID)
	}
}

func (s *show) ended(job *fleetrun.Job, outcome fleetrun.Outcome) {
	s.progress.Ended(job, outcome)
	s.event(job, outcome)
	took := outcome.Took.Round(100 * time.Millisecond)
	switch outcome.Status {
	case fleetrun.Succeeded:
		s.c.Say("  %s: %s in %s", job.ID, s.result(job, outcome), took)
	case fleetrun.Changed:
		s.c.SayText(report.Sentence("  %s: ", job.ID) + outcome.Problem + "; " + took.String())
	default:
		s.c.SayText(report.Sentence("  %s: %s after %s: ", job.ID, outcome.Status, took) + outcome.Problem)
	}
}

// result describes the result of a stack's operation in a few words.
func (s *show) result(job *fleetrun.Job, outcome fleetrun.Outcome) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if status, read := s.statuses[job]; read {
		return string(status.Verdict)
	}
	if s.op == string(gates.Status) {
		return notDeployed
	}
	return report.CountsText(outcome.Counts, report.TenseFor(s.op))
}

func (s *show) note(sentence string) {
	s.c.SayText(sentence)
	s.c.JSON.Report(&event.Note{Message: sentence})
}

// forward writes the output of a stack's process.
func (s *show) forward(job *fleetrun.Job, line []byte) {
	s.progress.Hear(job, line)
	if s.markdown != "" && s.digest(job, line) {
		return
	}
	s.keep(job, line)
	if s.c.JSON != nil {
		if tagged := fleet.Tag(line, job.ID); tagged != nil {
			s.c.JSON.Raw(tagged)
		}
	}
}

// keep keeps a line for the result: the status of a stack, the cost of its plan, a resource that was changed outside
// it, or why up would refuse its plan.
func (s *show) keep(job *fleetrun.Job, line []byte) {
	var said struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(line, &said) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch said.Type {
	case "status":
		var status automation.Status
		if json.Unmarshal(line, &status) == nil && s.op == "status" {
			s.statuses[job] = status
		}
	case "drift":
		var d changes.Difference
		if json.Unmarshal(line, &d) == nil {
			s.drifts[job] = append(s.drifts[job], d)
		}
	case "cost":
		var cost forecast.CostChange
		if json.Unmarshal(line, &cost) == nil {
			s.costs[job] = cost
		}
	case "refusal":
		s.refusals[job] = append(s.refusals[job], fleet.Problem(line))
	}
}

// refusedStacks returns the stacks whose plans up would refuse or, if fleet up would refuse all of them, all.
func (s *show) refusedStacks(jobs []*fleetrun.Job) (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, job := range jobs {
		if len(s.refused) > 0 || len(s.refusals[job]) > 0 {
			names = append(names, job.ID)
		}
	}
	return names
}

// totalCost returns the cost of the plans of the stacks, whether there is any, and the stacks that it lacks: those
// without a plan, and those whose plan was carried out in part. One whose plan was not carried out costs what it did.
func (s *show) totalCost(
	jobs []*fleetrun.Job, outcomes map[*fleetrun.Job]fleetrun.Outcome,
) (sum forecast.CostChange, known bool, without []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, job := range jobs {
		cost, planned := s.costs[job]
		outcome := outcomes[job]
		ended := outcome.Status == fleetrun.Succeeded || outcome.Status == fleetrun.Changed
		carriedOut := s.op == string(gates.Up) || s.op == string(gates.Destroy)
		switch {
		case !ended && (!planned || carriedOut && outcome.Changes() > 0):
			without = append(without, job.ID)
			continue
		case !planned:
			continue
		case !ended && carriedOut:
			cost.After = cost.Before
		}
		sum, known = price.Add(sum, cost), true
	}
	return sum, known, without
}

// costOf names the stacks that a cost is of.
func costOf(without []string) string {
	if len(without) == 0 {
		return "all stacks"
	}
	return "all stacks but " + strings.Join(without, ", ")
}

// notDeployed is why a stack without a state has no cluster.
const notDeployed = "not deployed"

// statusTable shows one line per stack, the worst first. The verdict of a stack whose status could not be read is
// unknown.
func (s *show) statusTable(jobs []*fleetrun.Job, outcomes map[*fleetrun.Job]fleetrun.Outcome) error {
	statuses := map[*fleetrun.Job]automation.Status{}
	for _, job := range jobs {
		status, read := s.statuses[job]
		switch {
		case read:
		case outcomes[job].Status == fleetrun.Succeeded:
			status.Verdict, status.Why = automation.Absent, notDeployed
		default:
			status.Verdict, status.Why = automation.Unknown, outcomes[job].Problem
		}
		statuses[job] = status
	}
	sorted := slices.Clone(jobs)
	slices.SortStableFunc(sorted, func(a, b *fleetrun.Job) int {
		return cmp.Or(statuses[a].Verdict.Worse(statuses[b].Verdict), strings.Compare(a.ID, b.ID))
	})
	return invocation.Table(s.c, "STACK\tVERDICT\tVERSION\tNODES\tWHY", sorted, func(job *fleetrun.Job) []any {
		status, nodes := statuses[job], ""
		if len(status.Objects) > 0 {
			nodes = fmt.Sprintf("%d/%d", status.Nodes, status.NodesWanted)
			if status.PausedSince != "" {
				nodes += " (paused)"
			}
		}
		return []any{job.ID, status.Verdict, status.Version, nodes, status.Why}
	})
}

// digest keeps a line that is a stack's summary, and reports whether it is one.
func (s *show) digest(job *fleetrun.Job, line []byte) bool {
	var said struct {
		Type string `json:"type"`
		pullrequest.Digest
	}
	if !bytes.Contains(line[:min(len(line), 40)], []byte(`"markdown"`)) || json.Unmarshal(line, &said) != nil || said.Type != "markdown" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.digests[job] = said.Digest
	return true
}

// writeMarkdown writes the summary of all stacks, if one was requested.
func (s *show) writeMarkdown(
	jobs []*fleetrun.Job, outcomes map[*fleetrun.Job]fleetrun.Outcome, withoutFile []string,
) error {
	if s.markdown == "" {
		return nil
	}
	page := pullrequest.Fleet{Operation: s.op, Label: s.label, Refused: s.refused, WithoutFile: withoutFile}
	if cost, known, without := s.totalCost(jobs, outcomes); known {
		page.Cost = price.Headline(cost)
		if len(without) > 0 {
			page.Cost += ", of " + costOf(without)
		}
	}
	for _, job := range jobs {
		outcome := outcomes[job]
		stack := pullrequest.FleetStack{
			ID: job.ID, Account: job.Account, Result: string(outcome.Status), Problem: outcome.Problem, Digest: s.digests[job],
			Ended: outcome.Status == fleetrun.Succeeded || outcome.Status == fleetrun.Changed, Changed: outcome.Changes(),
		}
		if outcome.Changes() > 0 {
			stack.Changes = report.CountsText(outcome.Counts, report.TenseFor(s.op))
		}
		page.Stacks = append(page.Stacks, stack)
	}
	text := page.Markdown()
	return view.WriteMarkdown(s.c, s.markdown, text, map[string]string{"text": text})
}

func (s *show) event(job *fleetrun.Job, outcome fleetrun.Outcome) {
	s.c.JSON.Event("fleetStack", stackEvent{
		job.ID, job.Dir, job.Wave, outcome.Status, outcome.Code, outcome.Problem, outcome.Log,
		outcome.Took.Round(time.Millisecond).Seconds(), outcome.Counts,
	})
}

func (s *show) interrupted(count int) {
	s.c.JSON.Report(&event.Interrupt{Count: count})
	switch count {
	case 1:
		s.note("stopping: no more stacks are started, and those in progress are completed; a second signal stops them after their current operations in AWS")
	case 2:
		s.note("stopping the stacks in progress: waiting for operations in progress in AWS; a third signal abandons them")
	default:
		s.note("stopping immediately: resources in progress may exist in AWS but not in the state")
	}
}

// fleetSummary is the result of a run, for programs.
type fleetSummary struct {
	Operation string                  `json:"operation"`
	Stacks    int                     `json:"stacks"`
	Statuses  map[fleetrun.Status]int `json:"statuses"`
	Seconds   float64                 `json:"seconds"`
	event.Counts
	// Cost is the fixed cost of all stacks in USD per month, before and after the plans of preview and up. Prices that are
	// unknown are not part of it.
	Cost *fleetCost `json:"cost,omitempty"`
	// WithoutFile are the stacks that were left out, because they have resources and no file.
	WithoutFile []string `json:"withoutFile,omitempty"`
}

type fleetCost struct {
	Before     float64 `json:"beforeUSD"`
	After      float64 `json:"afterUSD"`
	Difference float64 `json:"differenceUSD"`
	Unknown    int     `json:"unknown"`
	// Without are the stacks that are not in it: they have no plan, or it was carried out in part.
	Without []string `json:"without,omitempty"`
}

// summary shows the results of all stacks.
func (s *show) summary(r *automation.FleetResult) error {
	s.c.ShowBlock(nil)
	jobs, outcomes := r.Jobs, r.Outcomes
	sum := fleetSummary{
		Operation: s.op,
		Stacks:    len(jobs),
		Statuses:  map[fleetrun.Status]int{},
		Seconds:   r.Took.Round(time.Millisecond).Seconds(),

		WithoutFile: r.WithoutFile,
	}
	for _, job := range jobs {
		outcome := outcomes[job]
		sum.Statuses[outcome.Status]++
		sum.Counts = sum.Add(outcome.Counts)
		if outcome.Status == fleetrun.Skipped {
			s.event(job, outcome)
		}
	}
	cost, priced, without := s.totalCost(jobs, outcomes)
	if priced {
		sum.Cost = &fleetCost{cost.Before.Monthly, cost.After.Monthly, cost.Monthly,
			len(price.Groups(cost.After.Unknown)), without}
	}
	if s.c.JSON != nil {
		s.c.JSON.Event("fleetSummary", sum)
		s.c.JSON.Event("summary", &event.Summary{Operation: "fleet " + s.op, Result: resultOf(sum, len(jobs)), Counts: sum.Counts, Seconds: sum.Seconds, Offline: s.c.Offline})
	} else if s.markdown != view.MarkdownToStdout {
		if err := s.table(jobs, outcomes); err != nil {
			return err
		}
		if priced {
			s.c.SayText(costOf(without) + ": " + price.Line(cost))
		}
	}
	return s.writeMarkdown(jobs, outcomes, r.WithoutFile)
}

// resultOf returns the result of a run, in the words of an operation's.
func resultOf(sum fleetSummary, stacks int) string {
	switch succeeded := sum.Statuses[fleetrun.Succeeded]; {
	case succeeded == stacks:
		return "succeeded"
	case succeeded+sum.Statuses[fleetrun.Changed] == stacks:
		return event.ResultChanged
	}
	return "failed"
}

func (s *show) table(jobs []*fleetrun.Job, outcomes map[*fleetrun.Job]fleetrun.Outcome) error {
	if s.op == "status" {
		return s.statusTable(jobs, outcomes)
	}
	for _, job := range jobs {
		if drift := s.drifts[job]; len(drift) > 0 {
			s.c.Print(report.Sentence("changed outside stack %s:\n", job.ID) + plan.DriftText(drift))
		}
	}
	waves := slices.ContainsFunc(jobs, func(job *fleetrun.Job) bool { return job.Wave > 1 })
	header := "STACK\tRESULT\tRESOURCES\tTIME\tPROBLEM"
	if waves {
		header = strings.Replace(header, "\t", "\tWAVE\t", 1)
	}
	return invocation.Table(s.c, header, jobs, func(job *fleetrun.Job) []any {
		outcome := outcomes[job]
		counts, took := "", ""
		if outcome.Status != fleetrun.Skipped {
			took = outcome.Took.Round(100 * time.Millisecond).String()
		}
		if outcome.Counts != (event.Counts{}) {
			counts = report.CountsText(outcome.Counts, report.TenseFor(s.op))
		}
		row := []any{job.ID, outcome.Status, counts, took, cmp.Or(inShort(outcome), s.remark(job))}
		if waves {
			row = slices.Insert(row, 1, any(job.Wave))
		}
		return row
	})
}

// inShort returns the problem of a stack for its cell, and where the rest is.
func inShort(outcome fleetrun.Outcome) string {
	const most = 200
	if short := report.Shorten(outcome.Problem, most); short != outcome.Problem && outcome.Log != "" {
		return short + " see " + outcome.Log
	}
	return outcome.Problem
}

// remark says what a reviewer must know about a stack whose operation succeeded: why up would refuse its plan, and what
// was changed outside it.
func (s *show) remark(job *fleetrun.Job) string {
	var parts []string
	if refusals := s.refusals[job]; len(refusals) > 0 {
		parts = append(parts, "up would refuse this plan: "+refusals[0])
		if more := len(refusals) - 1; more > 0 {
			parts[0] += fmt.Sprintf(", and %d more", more)
		}
	}
	if drift := len(s.drifts[job]); drift > 0 {
		parts = append(parts, report.Number(drift, "resource")+" changed outside the stack")
	}
	return strings.Join(parts, "; ")
}
