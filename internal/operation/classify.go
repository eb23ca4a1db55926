package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// noSuchStack reports whether the engine's error means that the backend has no such stack.
func noSuchStack(err error) bool {
	return errors.Is(err, state.ErrNoStack) || auto.IsSelectStack404Error(err) || strings.Contains(engine.Stderr(err), "no stack named")
}

// classify determines the meaning of a failed run of the engine. The error must be the Automation API's own: that API's
// checks do not unwrap errors.
func (s *Stack) classify(err error) error {
	if s.session.Interrupts.Count() > 0 {
		return &failure.Error{Reason: failure.Interrupted, Problem: fmt.Sprintf("interrupted before anything in stack %s was changed", s.Name), Cause: err}
	}
	if own := (*failure.Error)(nil); errors.As(err, &own) {
		return err
	}
	if s.selections.refused != nil {
		return s.selections.refused
	}
	text := strings.TrimSpace(engine.Stderr(err))
	switch {
	case auto.IsConcurrentUpdateError(err) || strings.Contains(text, "the stack is currently locked by") ||
		strings.Contains(text, "[409] Conflict: Another update is currently in progress"):
		return locked(s.Name, text, err)
	case noSuchStack(err):
		return notMade(s, err)
	case auto.IsCreateStack409Error(err):
		return &failure.Error{
			Reason:  failure.Conflict,
			Problem: fmt.Sprintf("stack %s was created by another process at the same time", s.Name),
			Remedy:  "run the command again", Cause: err,
		}
	case strings.Contains(text, "incorrect passphrase"):
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("the passphrase differs from the one with which stack %s was created", s.Name),
			Remedy:  "set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the original passphrase", Cause: err,
		}
	case strings.Contains(text, "passphrase must be set"):
		return noPassphrase(s.Name, err)
	case strings.Contains(text, "is newer than what this version of the Pulumi CLI understands"):
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("the state of stack %s was written by a newer engine than %s (v%s)", s.Name, s.session.Engine.Path, s.session.Engine.Version),
			Remedy:  "install that `pulumi` on PATH", Cause: err,
		}
	case unreachable.MatchString(text):
		return &failure.Error{
			Reason:  failure.Failed,
			Code:    failure.CodeBackend,
			Problem: fmt.Sprintf("the backend %s cannot be used: %s", s.backend.URL, engineSentence(text)),
			Remedy:  "check its address (--backend, PULUMI_BACKEND_URL), the network and the credentials for it", Cause: err,
		}
	}
	problem, _ := report.Explain(engineSentence(text))
	return &failure.Error{Reason: failure.Failed, Problem: problem, Cause: err}
}

// unreachable matches the engine's errors when it cannot open or read its backend.
var unreachable = regexp.MustCompile(`unable to open bucket|read "\.pulumi/meta\.yaml"|could not list bucket|` +
	`PULUMI_ACCESS_TOKEN must be set|problem logging in|unable to check if bucket|no such host|connection refused|unknown backend`)

// lockHolder matches the engine's line on a lock.
var lockHolder = regexp.MustCompile(`created by (\S+@\S+) \(pid (\d+)\) at (\S+)`)

// locked returns the error of a stack that is locked, with the holder that the engine's text names.
func locked(stack, text string, cause error) *failure.Error {
	e := &failure.Error{
		Reason:  failure.Conflict,
		Code:    failure.CodeLocked,
		Problem: fmt.Sprintf("stack %s is locked by another update", stack),
		Remedy:  fmt.Sprintf("wait for it to end; if you know that it no longer runs, `hypershift-aws cancel -s %s` releases the lock", stack),
		Cause:   cause,
	}
	if m := lockHolder.FindStringSubmatch(text); m != nil {
		e.Problem = fmt.Sprintf("stack %s is locked by %s, process %s, since %s", stack, m[1], m[2], m[3])
	}
	return e
}

// lockedBy returns the error of a lock that the backend shows, or nil for none.
func lockedBy(stack string, lock *state.Lock) error {
	if lock == nil {
		return nil
	}
	return locked(stack, fmt.Sprintf("created by %s (pid %d) at %s", lock.Holder, lock.Process, lock.Since.Format(time.RFC3339)), nil)
}

func notMade(s *Stack, cause error) error {
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("stack %s has no state in %s: it has never been deployed there", s.Name, s.backend.URL),
		Remedy:  fmt.Sprintf("run `hypershift-aws up -s %s`, or use the backend that has it with --backend", s.Name),
		Cause:   cause,
	}
}

func noPassphrase(stack string, cause error) error {
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("stack %s encrypts its secrets with a passphrase, and none is set", stack),
		Remedy:  "set PULUMI_CONFIG_PASSPHRASE (it may be empty) or PULUMI_CONFIG_PASSPHRASE_FILE, or set a secretsprovider for the stack",
		Cause:   cause,
	}
}

// engineSentence returns the engine's first line that begins with "error", or else its last line.
func engineSentence(text string) string {
	text = report.PlainText(text)
	for _, line := range strings.Split(text, "\n") {
		if sentence, ok := strings.CutPrefix(strings.TrimSpace(line), "error: "); ok {
			return sentence
		}
	}
	if text == "" {
		return "the engine failed without an error message"
	}
	lines := strings.Split(text, "\n")
	return lines[len(lines)-1]
}

// propagationWaits returns how long an update waits before each further run of the engine, while AWS does not yet return what the update
// has just created. AWS's services are eventually consistent, and the provider does not wait for all of it:
//   - reading a tag of a subnet that has just been shared returns an empty result (hashicorp/terraform-provider-aws#36444),
//   - the name of an endpoint service is not valid yet for an endpoint,
//   - a role that was just created is not a valid principal of an endpoint service.
func propagationWaits() []time.Duration {
	return []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second}
}

// missingAnswers are, by type, the errors of a deletion if AWS no longer has the resource that the provider does not recognize as such. Operators
// delete endpoint services, and AWS has two codes for one that does not exist.
func missingAnswers() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{awstype.VPCEndpointService: regexp.MustCompile(`InvalidVpcEndpointService(Id)?\.NotFound`)}
}

// lateAnswers are, by type, the provider's errors if AWS does not yet return a resource that is referred to.
func lateAnswers() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		awstype.Tag:                regexp.MustCompile(`empty result|couldn't find resource|\.NotFound\b|InvalidID\b`),
		awstype.VPCEndpoint:        regexp.MustCompile(`InvalidServiceName|StatusCode: 503|ServiceUnavailable`),
		awstype.VPCEndpointService: regexp.MustCompile(`InvalidPrincipal`),
	}
}

// propagation detects the errors of an update that are temporary, because AWS does not yet return what this update created.
type propagation struct {
	// last is true if this is the last run: then temporary errors are reported.
	last bool
	// begun are the inputs of operations, by URN, and fresh the names of resources that were created.
	begun map[string]string
	fresh []string
	// late are the resources with temporary errors.
	late []string
	// missing are the resources whose deletion failed because AWS no longer has them, forgotten is true after they left the state.
	missing   []string
	forgotten bool
}

// began records an operation on a resource, which refers to others by its inputs.
func (p *propagation) began(m apitype.StepEventMetadata) {
	if m.New == nil {
		return
	}
	text, _ := json.Marshal(m.New.Inputs) // it was read from JSON
	if p.begun == nil {
		p.begun = map[string]string{}
	}
	p.begun[m.URN] = string(text)
}

// made records the names of a created resource: others may refer to it, in this account or in another one.
func (p *propagation) made(m apitype.StepEventMetadata) {
	if m.New == nil || m.Op != apitype.OpCreate && m.Op != apitype.OpCreateReplacement {
		return
	}
	for _, name := range []any{m.New.ID, m.New.Outputs["arn"], m.New.Outputs["serviceName"]} {
		if text, _ := name.(string); len(text) > len("sg-1") {
			p.fresh = append(p.fresh, text)
		}
	}
}

// temporary reports whether an error of a resource is temporary, and records the resource. A wrong name is not: the resource must refer to
// something that this update created.
func (p *propagation) temporary(of, message string) bool {
	if p.last || !urn.URN(of).IsValid() {
		return false
	}
	if answer := lateAnswers()[string(urn.URN(of).Type())]; answer == nil || !answer.MatchString(message) {
		return false
	}
	if !slices.ContainsFunc(p.fresh, func(name string) bool { return strings.Contains(p.begun[of], name) }) {
		return false
	}
	if !slices.Contains(p.late, of) {
		p.late = append(p.late, of)
	}
	return true
}

// gone reports whether an error of a resource means that AWS no longer has it, and records the resource.
func (p *propagation) gone(of, message string) bool {
	if p.forgotten || !urn.URN(of).IsValid() {
		return false
	}
	if answer := missingAnswers()[string(urn.URN(of).Type())]; answer == nil || !answer.MatchString(message) {
		return false
	}
	if !slices.Contains(p.missing, of) {
		p.missing = append(p.missing, of)
	}
	return true
}

// onlyMissing reports whether an operation failed only because AWS no longer has resources.
func (o *operation) onlyMissing() bool {
	return len(o.propagation.missing) > 0 && len(o.propagation.late)+len(o.failures) == 0
}

// forgetMissing removes from the state what AWS no longer has: the engine reads it again.
func (s *Stack) forgetMissing(ctx context.Context, o *operation) error {
	for _, of := range o.propagation.missing {
		s.say("AWS no longer has %s %s: removing it from the state",
			report.TypeName(string(urn.URN(of).Type())), urn.URN(of).Name())
	}
	missing := o.propagation.missing
	o.propagation.missing, o.propagation.forgotten = nil, true
	o.said = map[string]bool{}
	return s.recovered(ctx).Read(ctx, missing)
}

// onlyLate reports whether an operation failed only with temporary errors.
func (o *operation) onlyLate() bool { return len(o.propagation.late) > 0 && len(o.failures) == 0 }

// awaitPropagation waits before a further run of the engine; attempt counts them. It reports false if a signal ended the wait.
func (s *Stack) awaitPropagation(ctx context.Context, o *operation, attempt int) bool {
	waits := propagationWaits()
	var names []string
	for _, of := range o.propagation.late {
		names = append(names, report.TypeName(string(urn.URN(of).Type()))+" "+urn.URN(of).Name())
	}
	slices.Sort(names)
	s.say("AWS does not return yet what %s refers to: trying again in %s (%d of %d)",
		strings.Join(names, ", "), waits[attempt], attempt+1, len(waits))
	o.propagation.late, o.propagation.last = nil, attempt == len(waits)-1
	o.said = map[string]bool{}
	ctx, cancel := s.session.Interrupts.Context(ctx)
	defer cancel()
	return s.session.Environment.Timing().Wait(ctx, waits[attempt]) == nil
}
