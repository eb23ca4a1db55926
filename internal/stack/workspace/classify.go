package workspace

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// IsMissing reports whether the engine's error means that the backend has no such stack.
func IsMissing(err error) bool {
	return errors.Is(err, state.ErrNoStack) || auto.IsSelectStack404Error(err) ||
		strings.Contains(engine.Stderr(err), "no stack named")
}

// Classify determines the meaning of a failed run of the engine. The error must be the Automation API's own: that API's
// checks do not unwrap errors.
func (s *Stack) Classify(err error) error {
	if s.Session.Interrupts.Count() > 0 {
		return &failure.Error{
			Reason:  failure.Interrupted,
			Problem: fmt.Sprintf("interrupted before anything in stack %s was changed", s.Name),
			Cause:   err,
		}
	}
	if own := (*failure.Error)(nil); errors.As(err, &own) {
		return err
	}
	if s.Refused != nil {
		return s.Refused
	}
	text := strings.TrimSpace(engine.Stderr(err))
	switch {
	case auto.IsConcurrentUpdateError(err) || strings.Contains(text, "the stack is currently locked by") ||
		strings.Contains(text, "[409] Conflict: Another update is currently in progress"):
		return Locked(s.Name, text, err)
	case IsMissing(err):
		return NotDeployed(s, err)
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
			Remedy: "set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the original passphrase; only if the " +
				"stack has no state any more, start anew: take the line encryptionsalt and all secrets out of " +
				config.FileName(s.Name), Cause: err,
		}
	case strings.Contains(text, "passphrase must be set"):
		return NoPassphrase(s.Name, err)
	case strings.Contains(text, "is newer than what this version of the Pulumi CLI understands"):
		return &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("the state of stack %s was written by a newer engine than %s (v%s)", s.Name,
				s.Session.Engine.Path, s.Session.Engine.Version),
			Remedy: "install that `pulumi` on PATH", Cause: err,
		}
	case s.Backend.URL != "" && !schemes.MatchString(s.Backend.URL):
		return &failure.Error{
			Reason:  failure.Refused,
			Code:    failure.CodeBackend,
			Problem: fmt.Sprintf("%s is not the URL of a backend", s.Backend.URL),
			Remedy:  "begin it with file://, s3://, gs://, azblob:// or, for Pulumi Cloud, https:// (--backend, PULUMI_BACKEND_URL)", Cause: err,
		}
	case unreachable.MatchString(text):
		return &failure.Error{
			Reason:  failure.Failed,
			Code:    failure.CodeBackend,
			Problem: fmt.Sprintf("the backend %s cannot be used: %s", s.Backend.URL, engineSentence(text)),
			Remedy: "check its address (--backend, PULUMI_BACKEND_URL), the network and the credentials for it" +
				s.backendCredentials(), Cause: err,
		}
	}
	problem, _ := report.Explain(engineSentence(text))
	return &failure.Error{Reason: failure.Failed, Problem: problem, Cause: err}
}

// backendCredentials says where the credentials for a bucket of AWS come from, "" for other backends.
func (s *Stack) backendCredentials() string {
	if !strings.HasPrefix(s.Backend.URL, "s3://") {
		return ""
	}
	return ", which are those of the environment: aws:profile and the other aws: keys of a stack's file are for its resources alone"
}

// schemes matches the URLs of the engine's backends. The engine takes any other for one of Pulumi Cloud.
var schemes = regexp.MustCompile(`^(file|s3|gs|azblob|postgres|https?)://`)

// unreachable matches the engine's errors when it cannot open or read its backend.
var unreachable = regexp.MustCompile(`unable to open bucket|read "\.pulumi/meta\.yaml"|could not list bucket|` +
	`PULUMI_ACCESS_TOKEN must be set|problem logging in|unable to check if bucket|no such host|connection refused|unknown backend`)

// lockHolder matches the engine's line on a lock.
var lockHolder = regexp.MustCompile(`created by (\S+@\S+) \(pid (\d+)\) at (\S+)`)

// Locked returns the error of a stack that is locked, with the holder that the engine's text names.
func Locked(stack, text string, cause error) *failure.Error {
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

// LockedBy returns the error of a lock that the backend shows, or nil for none.
func LockedBy(stack string, lock *state.Lock) error {
	if lock == nil {
		return nil
	}
	return Locked(stack, fmt.Sprintf("created by %s (pid %d) at %s", lock.Holder, lock.Process,
		lock.Since.Format(time.RFC3339)), nil)
}

// NotDeployed returns the error of a stack without a state.
func NotDeployed(s *Stack, cause error) error {
	remedy := fmt.Sprintf("run `hypershift-aws up -s %s`, or use the backend that has it with --backend", s.Name)
	if s.isOffline() {
		remedy = fmt.Sprintf("use --offline: the offline account of this project has stack %s; or use the backend that has it with --backend", s.Name)
	}
	return &failure.Error{
		Reason:  failure.Failed,
		Code:    failure.CodeNotDeployed,
		Problem: fmt.Sprintf("stack %s has no state in %s: it has never been deployed there", s.Name, s.Backend.URL),
		Remedy:  remedy,
		Cause:   cause,
	}
}

// isOffline reports whether the stack, which is not deployed in AWS, is deployed offline.
func (s *Stack) isOffline() bool {
	project, in := s.Session.Project, s.Session.Environment
	if project == nil || in == nil || in.Label() != "" {
		return false
	}
	states, _, err := state.List(project.OfflineBackend().Folder(), project.Name())
	return err == nil && slices.ContainsFunc(states, func(one state.Summary) bool { return one.Name == path.Base(s.Name) })
}

// NoPassphrase returns the error of a stack whose secrets cannot be read, because no passphrase is set.
func NoPassphrase(stack string, cause error) error {
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("stack %s encrypts its secrets with a passphrase, and none is set", stack),
		Remedy: "choose one, keep it, and set it in PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE for every command on this stack (it may be empty); or, before " +
			"the first up, let a KMS key encrypt them: secretsprovider: awskms://alias/NAME?region=us-east-1 at the top of the stack's file; --offline needs neither",
		Cause: cause,
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
