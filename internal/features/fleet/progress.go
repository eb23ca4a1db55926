package fleet

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Progress follows the stacks of a run by the output of their processes.
type Progress struct {
	now func() time.Time

	mu      sync.Mutex
	total   int
	counts  map[fleetrun.Status]int
	running []*stackProgress
}

// stackProgress is a stack in progress.
type stackProgress struct {
	job   *fleetrun.Job
	began time.Time
	step  string
	// planned is the number of resources to be changed, done the number of those that were.
	planned, done int
	// open are the operations on resources that have begun, the longest first.
	open []string
}

// NewProgress returns the progress of a run with a number of stacks. now is the clock.
func NewProgress(total int, now func() time.Time) *Progress {
	return &Progress{now: now, total: total, counts: map[fleetrun.Status]int{}}
}

// Started adds a stack.
func (p *Progress) Started(job *fleetrun.Job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, &stackProgress{job: job, began: p.now(), step: "reading"})
}

// Ended removes a stack.
func (p *Progress) Ended(job *fleetrun.Job, outcome fleetrun.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(s *stackProgress) bool { return s.job == job })
	p.counts[outcome.Status]++
}

// Hear processes a line of a stack's process.
func (p *Progress) Hear(job *fleetrun.Job, line []byte) {
	e, ok := plan.ReadEvent(line).(*event.Resource)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.running {
		if s.job == job {
			s.update(e)
		}
	}
}

func (s *stackProgress) update(e *event.Resource) {
	step := report.VerbFor(e.Op).Present + " " + report.Label(e)
	switch e.Status {
	case event.StatusPlanned:
		s.planned++
	case event.StatusStarted:
		s.open = append(s.open, step)
	case event.StatusDone, event.StatusFailed:
		if i := slices.Index(s.open, step); i >= 0 {
			s.open = slices.Delete(s.open, i, i+1)
		}
		if e.Op != apitype.OpSame && e.Op != apitype.OpRefresh && e.Op != apitype.OpRead {
			s.done++
		}
	}
	if len(s.open) > 0 {
		s.step = s.open[0]
	}
}

// mostRows is how many stacks in progress are shown.
const mostRows = 20

// Rows returns a table of the stacks in progress: the stack, what is being done, how many resources of all are done,
// and for how long.
func (p *Progress) Rows() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	name, step := len("STACK"), len("STEP")
	shown := p.running[:min(len(p.running), mostRows)]
	for _, s := range shown {
		name, step = max(name, len([]rune(s.job.ID))), max(step, len([]rune(s.step)))
	}
	step = min(step, 50)
	var rows []string
	if len(shown) > 0 {
		rows = append(rows, fmt.Sprintf("  %-*s  %-*s  %9s  %s", name, "STACK", step, "STEP", "RESOURCES", "TIME"))
	}
	for _, s := range shown {
		resources := "-"
		if s.planned > 0 {
			resources = fmt.Sprintf("%d/%d", s.done, s.planned)
		}
		rows = append(rows, fmt.Sprintf("  %-*s  %-*s  %9s  %s", name, s.job.ID, step, report.Shorten(s.step, step), resources, p.now().Sub(s.began).Round(time.Second)))
	}
	if rest := len(p.running) - len(shown); rest > 0 {
		rows = append(rows, fmt.Sprintf("  and %d more", rest))
	}
	return append(rows, "  "+p.sum())
}

// sum counts the stacks by status.
func (p *Progress) sum() string {
	ended := 0
	for _, n := range p.counts {
		ended += n
	}
	parts := append(StatusCounts(p.counts), fmt.Sprintf("%d in progress", len(p.running)),
		fmt.Sprintf("%d waiting", max(0, p.total-ended-len(p.running))))
	return fmt.Sprintf("%s: %s", report.Number(p.total, "stack"), strings.Join(parts, ", "))
}
