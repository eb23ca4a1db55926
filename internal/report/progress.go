package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/estimate"
)

const (
	// quiet is how long an operation lasts before its start is reported: most end sooner, and then a single line is sufficient.
	quiet = 2 * time.Second
	// again is the interval at which an operation in progress is reported without a terminal.
	again = 30 * time.Second
)

// Progress writes Events for users. On a terminal it redraws the last line, which shows the operations in progress and their durations.
type Progress struct {
	out io.Writer
	// width is the terminal's width in columns; nil without a terminal.
	width func() int
	now   func() time.Time

	mu      sync.Mutex
	block   func() []string   // lines redrawn below the others, nil for none
	tracker *estimate.Tracker // nil where nothing is followed
	running []*running
	live    int // how many lines are redrawn
	stopped chan struct{}
	ended   sync.WaitGroup
}

// running is an operation on a resource that has begun.
type running struct {
	event *ResourceEvent
	began time.Time
	told  time.Time
}

// NewProgress returns a Progress that writes to out. With a width, out is a terminal. It must be closed.
func NewProgress(out io.Writer, width func() int) *Progress {
	p := newProgress(out, width, time.Now)
	every := time.Second
	ticker := time.NewTicker(every)
	p.ended.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.tick()
			case <-p.stopped:
				return
			}
		}
	})
	return p
}

func newProgress(out io.Writer, width func() int, now func() time.Time) *Progress {
	return &Progress{out: out, width: width, now: now, stopped: make(chan struct{})}
}

// Close clears the redrawn lines.
func (p *Progress) Close() {
	close(p.stopped)
	p.ended.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// Follow shows the remaining time that the tracker estimates, from now on.
func (p *Progress) Follow(tracker *estimate.Tracker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tracker = tracker
}

// Show redraws the lines of a block below all others on a terminal, every second; nil ends it.
func (p *Progress) Show(block func() []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.block = block
	p.draw()
}

// left returns the remaining time, or "" if unknown.
func (p *Progress) left() string {
	if p.tracker == nil {
		return ""
	}
	return "about " + estimate.Round(p.tracker.Left(p.now())) + " left"
}

// track passes an operation to the tracker.
func (p *Progress) track(e *ResourceEvent) {
	op := e.Estimated()
	if p.tracker == nil || op == "" {
		return
	}
	if e.Status == StatusStarted {
		p.tracker.Began(op, e.URN, p.now())
	} else {
		p.tracker.Done(op, e.URN)
	}
}

// Report writes an event.
func (p *Progress) Report(event Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	switch e := event.(type) {
	case *ResourceEvent:
		p.resource(e)
	case *DiagnosticEvent:
		p.line("%s", diagnosticText(e))
	case *NoteEvent:
		p.line("%s", e.Message)
	case *InterruptEvent:
		p.interrupt(e.Count)
	case *SummaryEvent:
		p.running, p.tracker = nil, nil
		p.line("%s", SummaryText(e))
	}
	p.draw()
}

// Print writes lines between events.
func (p *Progress) Print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.line("%s", strings.TrimRight(text, "\n"))
	p.draw()
}

// Aside lets another stream of the same terminal be written.
func (p *Progress) Aside(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	write()
	p.draw()
}

func (p *Progress) resource(e *ResourceEvent) {
	p.track(e)
	if e.Status == StatusStarted {
		now := p.now()
		p.running = append(p.running, &running{event: e, began: now})
		return
	}
	i := slices.IndexFunc(p.running, func(r *running) bool { return r.event.URN == e.URN && (r.event.Op == e.Op || r.event.Op == "refresh") })
	took := ""
	if i >= 0 {
		if since := p.now().Sub(p.running[i].began); since >= time.Second {
			took = " (" + duration(since) + ")"
		}
		p.running = slices.Delete(p.running, i, i+1)
	}
	if e.Op == "same" || e.Op == "refresh" || e.Op == "read" && e.Status == StatusDone {
		return
	}
	past := VerbOf(e.Op).past
	if e.Status == StatusFailed {
		past = "failed: " + VerbOf(e.Op).Present
	}
	p.line("  %s %s%s", past, Label(e), took)
}

func (p *Progress) interrupt(count int) {
	if count > 1 {
		p.line("stopping immediately: resources in progress may exist in AWS but not in the state")
		return
	}
	if len(p.running) == 0 {
		p.line("stopping; a second signal stops immediately")
		return
	}
	p.line("stopping: waiting for %s; a second signal abandons them, and they may remain in AWS", p.underWay())
}

// tick reports progress: every second in a terminal's last line, otherwise a line now and then.
func (p *Progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width != nil {
		p.clear()
		p.draw()
		return
	}
	now := p.now()
	for _, r := range p.running {
		switch since := now.Sub(r.began); {
		case r.told.IsZero() && since >= quiet:
			p.line("  %s %s", VerbOf(r.event.Op).Present, Label(r.event))
			r.told = r.began
		case !r.told.IsZero() && now.Sub(r.told) >= again:
			left := p.left()
			if left != "" {
				left = "; " + left
			}
			p.line("  still %s %s (%s%s%s)", VerbOf(r.event.Op).Present, Label(r.event), duration(since), usually(r.event), left)
			r.told = now
		}
	}
}

// draw redraws the last line.
func (p *Progress) draw() {
	if p.width == nil {
		return
	}
	if p.block != nil {
		p.drawBlock()
		return
	}
	if len(p.running) == 0 {
		return
	}
	text := "  … "
	if left := p.left(); left != "" {
		text += left + ": "
	}
	text += p.underWay()
	fmt.Fprint(p.out, p.cut(text))
	p.live = 1
}

// drawBlock writes the lines of the block, without a line break at the end.
func (p *Progress) drawBlock() {
	lines := p.block()
	for i, line := range lines {
		lines[i] = p.cut(line)
	}
	fmt.Fprint(p.out, strings.Join(lines, "\n"))
	p.live = len(lines)
}

// cut shortens a line to the terminal's width.
func (p *Progress) cut(text string) string {
	if width := p.width(); width > 1 && len([]rune(text)) >= width {
		return string([]rune(text)[:width-2]) + "…"
	}
	return text
}

func (p *Progress) clear() {
	if p.live > 0 {
		fmt.Fprint(p.out, strings.Repeat("\r\x1b[K\x1b[A", p.live-1)+"\r\x1b[K")
		p.live = 0
	}
}

func (p *Progress) line(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }

// underWay lists the operations in progress, the longest first; the rest is a number.
func (p *Progress) underWay() string {
	const named = 3
	var parts []string
	for i, r := range p.running {
		if i == named {
			parts = append(parts, fmt.Sprintf("%d more", len(p.running)-named))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s%s)", VerbOf(r.event.Op).Present, Label(r.event), duration(p.now().Sub(r.began)), usually(r.event)))
	}
	return strings.Join(parts, ", ")
}

func diagnosticText(e *DiagnosticEvent) string {
	about := ""
	if e.URN != "" && !strings.Contains(e.URN, "::pulumi:pulumi:Stack::") {
		about = urnLabel(e.URN) + ": "
	}
	return e.Severity + ": " + about + e.Message
}
