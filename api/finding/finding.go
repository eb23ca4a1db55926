// Package finding defines the type for what a check reports: what is wrong with what, how severe it is, and what to do
// about it. The checks before an update, the status of a cluster and the policies return it. Findings have one line of
// text (String) and one JSON.
//
// A package that makes findings returns []Finding: Check, Severity, Subject, Problem and Remedy for a check before an
// update; Severity, Subject, Problem, Cause and Remedy for the status of a cluster; Rule, URN, Name, ResourceType,
// Problem and Remedy for a policy.
package finding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Severity is how severe a finding is.
type Severity string

// The severities, the worst first.
const (
	// Error is a finding that refuses an operation, or that waiting does not resolve.
	Error Severity = "error"
	// Warning is a finding that may be harmless or temporary, or a check that could not be made.
	Warning Severity = "warning"
	// Passed is a check without a complaint.
	Passed Severity = "passed"
)

// Verdict returns the severity as the result of a check: fails, warns or passes.
func (s Severity) Verdict() string {
	switch s {
	case Error:
		return "fails"
	case Warning:
		return "warns"
	case Passed:
		return "passes"
	}
	return string(s)
}

// Finding is one result of a check. Most fields are optional. A check before an update sets Check; a policy sets Rule
// and the resource, and has no severity.
type Finding struct {
	// Severity is how bad it is; "" for a policy.
	Severity Severity `json:"severity,omitempty"`
	// Check is the kind of check before an update: "quota".
	Check string `json:"check,omitempty"`
	// Account is the AWS account, and Region its region.
	Account string `json:"account,omitempty"`
	Region  string `json:"region,omitempty"`
	// Rule is the ID of the policy. URN, Name and ResourceType identify the resource that violates it.
	Rule         string `json:"rule,omitempty"`
	URN          string `json:"urn,omitempty"`
	Name         string `json:"name,omitempty"`
	ResourceType string `json:"resourceType,omitempty"`
	// Subject is what was checked: "NAT gateways per zone, us-east-1a", "HostedCluster clusters/demo".
	Subject string `json:"subject,omitempty"`
	// Problem is the result as a sentence without its full stop; Cause explains it.
	Problem string `json:"problem"`
	Cause   string `json:"cause,omitempty"`
	// Figures are a quota's, nil for other checks.
	Figures *Figures `json:"figures,omitempty"`
	// Quota is the quota's code in Service Quotas, "vpc/L-FE5A380F", and Link the page on which its increase is requested.
	Quota string `json:"quota,omitempty"`
	Link  string `json:"link,omitempty"`
	// Actions are the IAM actions that the caller or, for an existing role, the role lacks.
	Actions []string `json:"actions,omitempty"`
	// Remedy is what to do.
	Remedy string `json:"remedy,omitempty"`
	// Checks are the corresponding checks of other tools: "checkov CKV_AWS_24".
	Checks []string `json:"checks,omitempty"`
	// Waiver is the reason why a violation is accepted, "" if it is not.
	Waiver string `json:"waiver,omitempty"`
	// Unread is true if something could not be read, so that there may be more findings.
	Unread bool `json:"-"`
}

// Figures are the limit and the use of a quota, and what the plan adds.
type Figures struct {
	// Limit is the quota, Used what the account uses of it, and Needed what the plan adds.
	Limit  int `json:"limit"`
	Used   int `json:"used"`
	Needed int `json:"needed"`
}

// checkJSON is the JSON of a check before an update. It has the fields of Finding, with other names for the severity
// and the problem.
type checkJSON struct {
	Severity     Severity `json:"verdict"`
	Check        string   `json:"check"`
	Account      string   `json:"account,omitempty"`
	Region       string   `json:"region,omitempty"`
	Rule         string   `json:"-"`
	URN          string   `json:"-"`
	Name         string   `json:"-"`
	ResourceType string   `json:"-"`
	Subject      string   `json:"subject"`
	Problem      string   `json:"message"`
	Cause        string   `json:"-"`
	Figures      *Figures `json:"figures,omitempty"`
	Quota        string   `json:"quota,omitempty"`
	Link         string   `json:"link,omitempty"`
	Actions      []string `json:"actions,omitempty"`
	Remedy       string   `json:"remedy,omitempty"`
	Checks       []string `json:"-"`
	Waiver       string   `json:"-"`
	Unread       bool     `json:"-"`
}

// MarshalJSON writes a check before an update with "verdict" and "message", and any other finding with "severity" and
// "problem".
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding // without this method
	var form any = plain(f)
	if f.Check != "" {
		f.Severity = Severity(f.Severity.Verdict())
		form = checkJSON(f)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the caller's encoder decides
	err := encoder.Encode(form)
	return text.Bytes(), err
}

// String returns the finding in one line, with its cause and remedy.
func (f Finding) String() string {
	where := strings.TrimSpace(f.Account + " " + f.Region)
	if where != "" {
		where = " (" + where + ")"
	}
	text := fmt.Sprintf("%s%s: %s", f.Subject, where, f.Problem)
	for _, more := range []string{f.Cause, f.Remedy} {
		if more != "" {
			text += "; " + more
		}
	}
	return text
}

// Merge combines findings that differ only in their subjects into one finding with all subjects. Checks that passed
// aren't combined.
func Merge(findings []Finding) []Finding {
	type same struct{ severity, check, account, region, problem, cause, remedy string }
	at := map[same]int{}
	var merged []Finding
	for _, f := range findings {
		key := same{string(f.Severity), f.Check, f.Account, f.Region, f.Problem, f.Cause, f.Remedy}
		i, known := at[key]
		if f.Severity == Passed || !known {
			at[key] = len(merged)
			merged = append(merged, f)
			continue
		}
		merged[i].Subject += ", " + f.Subject
	}
	return merged
}

// Count returns how many findings have a severity.
func Count(findings []Finding, severity Severity) int {
	n := 0
	for _, f := range findings {
		if f.Severity == severity {
			n++
		}
	}
	return n
}
