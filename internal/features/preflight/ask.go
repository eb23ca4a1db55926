package preflight

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/aws/smithy-go"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
)

// sideBySide runs checks concurrently and returns their findings in the order of the checks. An account limits how many
// requests a service gets at once.
func sideBySide(tasks []func() []finding.Finding) []finding.Finding {
	found := make([][]finding.Finding, len(tasks))
	var wait sync.WaitGroup
	for i, task := range tasks {
		wait.Go(func() { found[i] = task() })
	}
	wait.Wait()
	var all []finding.Finding
	for _, findings := range found {
		all = append(all, findings...)
	}
	return all
}

// notChecked begins the message of a check without an answer.
const notChecked = "not checked: "

// unchecked returns the finding of a check without an answer: a warning, with the action if the caller lacks the
// permission.
func unchecked(f finding.Finding, err error) finding.Finding {
	f.Severity = finding.Warning
	switch action := deniedAction(err); {
	case action != "":
		f.Actions = []string{action}
		f.Problem = notChecked + "the caller may not call " + action
		f.Remedy = "allow " + action + ", or check it manually; `hypershift-aws permissions --preflight` prints all actions of the checks"
	case errors.Is(err, context.DeadlineExceeded):
		f.Problem, f.Remedy = notChecked+"AWS did not answer in time", "run `hypershift-aws preflight`"
	default:
		f.Problem, f.Remedy = notChecked+lastLine(err), "check it manually"
	}
	return f
}

// deniedAction returns the IAM action that a call was denied, or "" for other errors.
func deniedAction(err error) string {
	var api smithy.APIError
	var operation *smithy.OperationError
	if !errors.As(err, &api) || !errors.As(err, &operation) {
		return ""
	}
	switch api.ErrorCode() {
	case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "Forbidden":
	default:
		return ""
	}
	service := strings.ToLower(strings.ReplaceAll(operation.Service(), " ", ""))
	switch {
	case strings.HasPrefix(service, "elasticloadbalancing"):
		service = "elasticloadbalancing"
	case service == "s3":
		return "s3:ListBucket"
	}
	return service + ":" + operation.Operation()
}

// lastLine returns an error on one line: the SDK's errors are nested, with AWS's message last.
func lastLine(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode() + ": " + api.ErrorMessage()
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// explained returns an error's problem and remedy, for one that has both.
func explained(err error) (problem, remedy string, known bool) {
	var credentials *awsconfig.Error
	if errors.As(err, &credentials) {
		return credentials.Problem, credentials.Remedy, true
	}
	return "", "", false
}
