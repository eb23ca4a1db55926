package run

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/recovery"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// engineRun converts the engine's events to Events, a Plan and Counts.
type engineRun struct {
	name   gates.Operation
	stack  string
	report func(report.Event)
	now    func() time.Time
	began  time.Time

	// plan is the planned steps, done the finished ones.
	plan, done plan.Builder
	// own reports whether a difference that a comparison with AWS finds is none; nil for other operations.
	own     func(*changes.Step) bool
	started map[string]startedStep
	// failures are the reported errors, so that they are not reported twice.
	failures []string
	// stateUnwritten is true if the engine could not save what it did.
	stateUnwritten bool
	// dead is true if the engine was killed.
	dead bool
	// expired is true if AWS has refused credentials because they have expired: nothing that is in progress can succeed,
	// and the provider would send its requests again for a long time. expires is called then, once.
	expired bool
	expires func()
	// stopped reports whether the user has stopped the run.
	stopped func() bool
	// seen is true if the engine has reported anything; said is what was reported to the user.
	seen bool
	said map[string]bool
	// propagation finds temporary errors.
	propagation propagation
	// journal records the operations in progress, for the run after an interrupted one.
	journal recovery.Journal
}

// note reports a journal that cannot be written.
func (o *engineRun) note(err error) {
	if err != nil {
		o.diagnostic(&apitype.DiagnosticEvent{Severity: "warning", Message: err.Error()})
	}
}

// startedStep is an operation on a resource that has begun and not ended.
type startedStep struct {
	event *event.Resource
	began time.Time
}

// underWay lists operations that have begun and not ended: "creating VPC demo-vpc".
func (o *engineRun) underWay() []string {
	var list []string
	for _, step := range o.started {
		list = append(list, report.VerbFor(step.event.Op).Present+" "+report.Label(step.event))
	}
	slices.Sort(list)
	return list
}

func newEngineRun(name gates.Operation, stack string, report func(report.Event), now func() time.Time) *engineRun {
	return &engineRun{
		name: name, stack: stack, report: report, now: now, began: now(),
		started: map[string]startedStep{}, said: map[string]bool{}, propagation: propagation{last: name != gates.Up},
	}
}

// handle processes the engine's next event.
func (o *engineRun) handle(e events.EngineEvent) {
	o.seen = true
	switch {
	case e.ResourcePreEvent != nil:
		o.pre(e.ResourcePreEvent.Metadata, e.ResourcePreEvent.Planning)
	case e.ResOutputsEvent != nil:
		o.outputs(e.ResOutputsEvent.Metadata, e.ResOutputsEvent.Planning)
	case e.ResOpFailedEvent != nil:
		if recovery.Answered(e.ResOpFailedEvent.Status) {
			o.note(o.journal.Ended(e.ResOpFailedEvent.Metadata))
		}
		o.resource(e.ResOpFailedEvent.Metadata, event.StatusFailed)
	case e.DiagnosticEvent != nil:
		o.diagnostic(e.DiagnosticEvent)
	case e.ErrorEvent != nil:
		o.diagnostic(&apitype.DiagnosticEvent{Severity: "error", Message: e.ErrorEvent.Error})
	case e.PolicyEvent != nil:
		o.diagnostic(&apitype.DiagnosticEvent{
			Severity: "error",
			URN:      e.PolicyEvent.ResourceURN,
			Message:  e.PolicyEvent.Message,
		})
	case e.ProgressEvent != nil:
		o.download(e.ProgressEvent)
	}
}

func (o *engineRun) pre(m apitype.StepEventMetadata, planning bool) {
	if planning && o.name == gates.Drift {
		return // its result is in the event that ends the step
	}
	if planning {
		o.plan.Add(m)
		return
	}
	if silent(m.Op) {
		return
	}
	o.note(o.journal.Began(m))
	o.propagation.began(m)
	o.resource(m, event.StatusStarted)
}

func (o *engineRun) outputs(m apitype.StepEventMetadata, planning bool) {
	if o.own != nil && o.own(plan.NewStep(m)) {
		m.Op = apitype.OpSame
	}
	if planning {
		// The result of a refresh is known only now.
		o.plan.Add(m)
		return
	}
	o.done.Add(m)
	o.note(o.journal.Ended(m))
	o.propagation.made(m)
	if silent(m.Op) {
		if o.name == gates.Refresh { // it has begun with an operation that is not silent
			delete(o.started, m.URN)
		}
		return
	}
	o.resource(m, event.StatusDone)
}

// silent reports whether a step of the engine does not change AWS.
func silent(op apitype.OpType) bool {
	return op == apitype.OpReplace || op == apitype.OpSame || op == apitype.OpDiscardReplaced
}

// resource reports where a resource is. Components are groups and providers settings: neither is reported.
func (o *engineRun) resource(m apitype.StepEventMetadata, status event.Status) {
	if step := plan.NewStep(m); !step.Counts() {
		return
	}
	key := string(m.Op) + " " + m.URN
	if o.name == gates.Refresh {
		key = m.URN
	}
	reported := &event.Resource{
		Op: o.opOf(m), URN: m.URN, Name: urn.URN(m.URN).Name(), ResourceType: m.Type, Status: status,
	}
	for _, known := range []*apitype.StepEventStateMetadata{m.Old, m.New} {
		if known != nil && known.ID != "" {
			reported.ID = known.ID
		}
	}
	if status == event.StatusStarted {
		o.started[key] = startedStep{reported, o.now()}
	} else if step, ok := o.started[key]; ok {
		reported.Seconds = o.now().Sub(step.began).Round(time.Millisecond).Seconds()
		delete(o.started, key)
	}
	o.report(reported)
}

// opOf returns the name of a resource's operation. What the engine calls the deletion of a retained resource only
// removes it from the state. A refresh does not change a resource: it finds it unchanged, changed or deleted.
func (o *engineRun) opOf(m apitype.StepEventMetadata) apitype.OpType {
	op := m.Op
	if (op == apitype.OpDelete || op == apitype.OpDeleteReplaced) && o.name != gates.Refresh && m.Old != nil &&
		m.Old.RetainOnDelete {
		return event.OpKept
	}
	if o.name == gates.Refresh {
		switch op { //nolint:exhaustive // a refresh has no other
		case apitype.OpUpdate:
			return event.OpChanged
		case apitype.OpDelete:
			return event.OpGone
		}
	}
	return op
}

func (o *engineRun) diagnostic(d *apitype.DiagnosticEvent) {
	severity := d.Severity
	switch severity {
	case "debug":
		return
	case "info#err":
		severity = "info"
	}
	message := report.OwnWords(report.PlainText(d.Message))
	if d.Ephemeral || message == "" || report.IsEngineEcho(message) {
		return
	}
	other := func(failed string) bool { return !report.Violates(failed) }
	temporary := len(o.propagation.late)+len(o.propagation.missing) > 0
	stops := o.stopped != nil && o.stopped()
	if report.Violates(message) && (temporary || stops || slices.ContainsFunc(o.failures, other)) {
		return // after a failure or a signal, the engine misses the steps that it has therefore left out
	}
	said := d.URN + " " + message
	if o.said[said] {
		return
	}
	o.said[said] = true
	if severity == "error" && (o.propagation.temporary(d.URN, message) || !o.name.Dry() && o.propagation.gone(d.URN, message)) {
		severity = "warning"
	}
	event := &event.Diagnostic{Severity: severity, URN: d.URN, Message: message}
	if words, known := report.Explain(message); known {
		event.Message, event.Raw = words, message
	}
	if severity == "error" {
		o.failures = append(o.failures, event.Message)
		if expiredCode.MatchString(message) && !o.expired && !o.name.Dry() && o.expires != nil {
			o.expired = true
			o.expires()
		}
		o.stateUnwritten = o.stateUnwritten || strings.Contains(message, "failed to save snapshot")
	}
	o.report(event)
}

func (o *engineRun) download(p *apitype.ProgressEvent) {
	if key := string(p.Type) + p.ID; !o.said[key] {
		o.said[key] = true
		o.report(&event.Note{Message: p.Message})
	}
}

// summary returns the operation's end.
func (o *engineRun) summary(result string, label string) *event.Summary {
	counts := o.done.Counts()
	if o.name.Dry() {
		counts = o.plan.Counts()
	}
	return &event.Summary{
		Operation: string(o.name), Stack: o.stack, Result: result, Counts: counts, Offline: label != "",
		Seconds: o.now().Sub(o.began).Round(time.Millisecond).Seconds(),
	}
}

// planFile returns the path of a file for a plan of the engine, in a private folder that remove removes, or the next
// run after a kill.
func planFile(s *workspace.Stack) (path string, remove func(), err error) {
	folder, remove, err := engine.TemporaryFolder(copiesDir(s))
	return filepath.Join(folder, "plan.json"), remove, err
}

func resultOf(err error) string {
	switch {
	case err == nil:
		return "succeeded"
	case failure.ReasonOf(err) == failure.Interrupted:
		return "stopped"
	}
	return "failed"
}
