package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

const (
	// quiet is how long an operation lasts before its start is reported: most end sooner, and then a single line is
	// sufficient.
	quiet = 2 * time.Second
	// again is the interval at which an operation in progress is reported without a terminal.
	again = 30 * time.Second
)

// Progress writes Events for users. On a terminal it redraws the last lines: how much is done and the time left, and
// the operations in progress with their usual durations. In the log of a pipeline, a line for each resource is part of
// a group.
type Progress struct {
	out   io.Writer
	style Style
	log   Log
	// raw is true if the raw text of messages is shown too.
	raw bool
	// grouped is true if a group of the log is open.
	grouped bool
	// told has the information and warnings that were shown: a preview and its update have the same ones.
	told map[string]bool
	// lastError is the message of the last error.
	lastError string
	// width is the terminal's width in columns; nil without a terminal.
	width func() int
	now   func() time.Time

	mu      sync.Mutex
	block   func() []string    // lines redrawn below the others, nil for none
	tracker forecast.Remaining // nil where nothing is followed
	running []*running
	// folded counts the resources that are done by component and verb, in the order in which they came.
	folded  []foldedResources
	live    []string // the lines that are redrawn
	stopped chan struct{}
	ended   sync.WaitGroup
}

// foldedResources are resources of a component with which the same was done.
type foldedResources struct {
	component, verb string
	count           int
}

// foldAbove is the number of operations above which a terminal shows those that are done as a number by component: a
// line for each would push the plan out of the window. A log has each.
const foldAbove = 12

// running is an operation on a resource that has begun.
type running struct {
	event *event.Resource
	began time.Time
	told  time.Time
}

// NewProgress returns a Progress that writes to out. With a width, out is a terminal; otherwise it is a log. It must be
// closed.
func NewProgress(out io.Writer, width func() int, style Style, log Log) *Progress {
	p := newProgress(out, width, time.Now)
	p.style, p.log = style, log
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
	return &Progress{out: out, width: width, now: now, told: map[string]bool{}, stopped: make(chan struct{})}
}

// ShowRaw also shows the raw text of messages from now on.
func (p *Progress) ShowRaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.raw = true
}

// Close clears the redrawn lines.
func (p *Progress) Close() {
	close(p.stopped)
	p.ended.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.unfold()
	p.endGroup()
}

// UseTracker shows the remaining time that the tracker estimates, from now on.
func (p *Progress) UseTracker(tracker forecast.Remaining) {
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
	if p.tracker == nil || !p.tracker.Timed() {
		return ""
	}
	return "about " + RoundTime(p.tracker.Left(p.now())) + " left"
}

// track passes an operation to the tracker.
func (p *Progress) track(e *event.Resource) {
	if p.tracker != nil {
		p.tracker.Follow(e, p.now())
	}
}

// Report writes an event.
func (p *Progress) Report(reported Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	switch e := reported.(type) {
	case *event.Resource:
		p.resource(e)
	case *event.Diagnostic:
		if e.Severity == "error" {
			p.endGroup() // a group may be collapsed
		}
		if text := p.diagnostic(e); !p.told[text] {
			p.line("%s", text)
			p.told[text] = e.Severity != "error"
		}
	case *event.Note:
		p.line("%s", e.Message)
	case *event.Interrupt:
		p.endGroup()
		p.interrupt(e.Count)
	case *event.Summary:
		p.unfold()
		p.running, p.tracker = nil, nil
		p.endGroup()
		p.line("%s", p.summary(e))
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

func (p *Progress) resource(e *event.Resource) {
	p.track(e)
	if e.Status == event.StatusStarted {
		now := p.now()
		p.running = append(p.running, &running{event: e, began: now})
		return
	}
	i := slices.IndexFunc(p.running, func(r *running) bool {
		return r.event.URN == e.URN && (r.event.Op == e.Op || r.event.Op == apitype.OpRefresh)
	})
	took := ""
	if i >= 0 {
		if since := p.now().Sub(p.running[i].began); since >= time.Second {
			took = " (" + duration(since) + ")"
		}
		p.running = slices.Delete(p.running, i, i+1)
	}
	if e.Op == apitype.OpSame || e.Op == apitype.OpRefresh || e.Op == apitype.OpRead && e.Status == event.StatusDone {
		return
	}
	past := VerbFor(e.Op).Past
	if e.Status == event.StatusFailed {
		past = p.style.Paint(Red, "failed:") + " " + VerbFor(e.Op).Present
	}
	if e.Status == event.StatusDone && e.Op != event.OpKept && p.folds() {
		p.fold(e, past)
		return
	}
	p.beginGroup()
	p.line("  %s %s%s", past, Label(e), took)
}

// folds reports whether what is done is shown as a number.
func (p *Progress) folds() bool {
	if p.width == nil || p.tracker == nil {
		return false
	}
	_, _, all := p.tracker.Count()
	return all > foldAbove
}

// fold counts a resource that is done.
func (p *Progress) fold(e *event.Resource, verb string) {
	component := "without a component"
	if u, err := urn.Parse(e.URN); err == nil {
		if chain := strings.Split(string(u.QualifiedType()), "$"); len(chain) > 1 {
			component = TypeName(chain[len(chain)-2])
		}
	}
	i := slices.IndexFunc(p.folded, func(f foldedResources) bool { return f.component == component && f.verb == verb })
	if i < 0 {
		i, p.folded = len(p.folded), append(p.folded, foldedResources{component: component, verb: verb})
	}
	p.folded[i].count++
}

// unfold writes the numbers of what is done, a line per component.
func (p *Progress) unfold() {
	var components []string
	parts := map[string][]string{}
	for _, f := range p.folded {
		if parts[f.component] == nil {
			components = append(components, f.component)
		}
		parts[f.component] = append(parts[f.component], fmt.Sprintf("%d %s", f.count, f.verb))
	}
	for _, component := range components {
		p.line("  %s: %s", component, strings.Join(parts[component], ", "))
	}
	p.folded = nil
}

func (p *Progress) beginGroup() {
	if p.width == nil && !p.grouped {
		fmt.Fprint(p.out, p.log.begin(p.now()))
		p.grouped = true
	}
}

func (p *Progress) endGroup() {
	if p.grouped {
		fmt.Fprint(p.out, p.log.end(p.now()))
		p.grouped = false
	}
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
			p.beginGroup()
			p.line("  %s %s", VerbFor(r.event.Op).Present, Label(r.event))
			r.told = r.began
		case !r.told.IsZero() && now.Sub(r.told) >= again:
			left := p.left()
			if left != "" {
				left = "; " + left
			}
			p.line("  still %s %s (%s%s%s)", VerbFor(r.event.Op).Present, Label(r.event), duration(since), usually(r.event), left)
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
		p.write(p.block())
		return
	}
	if len(p.running) == 0 {
		return
	}
	p.write(p.status())
}

// status returns the lines about the operations in progress, those that run longest first.
func (p *Progress) status() []string {
	const most = 6
	var lines []string
	if p.tracker != nil {
		done, running, all := p.tracker.Count()
		parts := []string{fmt.Sprintf("%d of %d done", done, all), p.left(), fmt.Sprintf("%d waiting", all-done-running)}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		lines = append(lines, "  "+bar(done, all, p.width())+strings.Join(parts, ", "))
	}
	for i, r := range p.running {
		if i == most {
			lines = append(lines, fmt.Sprintf("  … %d more", len(p.running)-most))
			break
		}
		line := fmt.Sprintf("  … %s %s (%s%s)", VerbFor(r.event.Op).Present, Label(r.event), duration(p.now().Sub(r.began)), usually(r.event))
		if p.tracker != nil {
			if n := p.tracker.Waiting(r.event); n > 0 {
				line += fmt.Sprintf(", %d waiting for it", n)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// bar returns a bar for what is done, "" in a narrow window.
func bar(done, all, width int) string {
	const size = 20
	if all == 0 || width < 80 {
		return ""
	}
	full := done * size / all
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", size-full) + "] "
}

// write writes lines that clear removes, without a line break at the end.
func (p *Progress) write(lines []string) {
	for i, line := range lines {
		lines[i] = p.cut(p.style.Lines(strings.ReplaceAll(line, "\n", " ")))
	}
	fmt.Fprint(p.out, strings.Join(lines, "\n"))
	p.live = lines
}

// cut shortens a line to the terminal's width.
func (p *Progress) cut(text string) string {
	return Shorten(text, p.width()-1)
}

// clear removes the lines that were drawn. In a window that became narrower since, the terminal has broken them into
// several rows.
func (p *Progress) clear() {
	if len(p.live) == 0 {
		return
	}
	rows, width := 0, max(1, p.width())
	for _, line := range p.live {
		rows += max(1, (len([]rune(line))+width-1)/width)
	}
	fmt.Fprint(p.out, strings.Repeat("\r\x1b[K\x1b[A", rows-1)+"\r\x1b[K")
	p.live = nil
}

// line writes a text of one line or more.
func (p *Progress) line(format string, args ...any) {
	fmt.Fprintln(p.out, p.style.Lines(fmt.Sprintf(format, args...)))
}

// underWay lists the operations in progress, the longest first; the rest is a number.
func (p *Progress) underWay() string {
	const named = 3
	var parts []string
	for i, r := range p.running {
		if i == named {
			parts = append(parts, fmt.Sprintf("%d more", len(p.running)-named))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s%s)", VerbFor(r.event.Op).Present, Label(r.event), duration(p.now().Sub(r.began)), usually(r.event)))
	}
	return strings.Join(parts, ", ")
}

// diagnostic returns the text of a message, with its severity in a colour.
func (p *Progress) diagnostic(e *event.Diagnostic) string {
	about := ""
	if e.URN != "" && !strings.Contains(e.URN,
		"::pulumi:pulumi:Stack::") && !strings.HasPrefix(e.Message, urnLabel(e.URN)+" ") {
		about = urnLabel(e.URN) + ": "
	}
	severity, message := e.Severity+":", e.Message
	switch e.Severity {
	case "error":
		severity = p.style.Paint(Red, severity)
		message, p.lastError = withoutRemedyOf(p.lastError, message), message
	case "warning":
		severity = p.style.Paint(Yellow, severity)
	}
	if p.raw && e.Raw != "" {
		return severity + " " + about + message + "\n  raw: " + strings.ReplaceAll(e.Raw, "\n", "\n  ")
	}
	return severity + " " + about + message
}

// withoutRemedyOf returns the message of an error without the clauses at its end with which the error before it ended
// too: repeated faults have one remedy.
func withoutRemedyOf(before, message string) string {
	for i := range message {
		if rest := message[i:]; (strings.HasPrefix(rest, "; ") ||
			strings.HasPrefix(rest, ". ")) && strings.HasSuffix(before, rest) {
			return message[:i]
		}
	}
	return message
}

// summary returns the text of the end of an operation.
func (p *Progress) summary(e *event.Summary) string {
	switch {
	case foundChanges(e):
		return p.style.Paint(Yellow, SummaryText(e))
	case e.Result == "succeeded":
		return p.style.Paint(Green, SummaryText(e))
	}
	return p.style.Paint(Red, SummaryText(e))
}
