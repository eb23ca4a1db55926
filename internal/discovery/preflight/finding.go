package preflight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
)

// Verdict is the result of a check.
type Verdict string

const (
	// Fails means that AWS or the management cluster will refuse it.
	Fails Verdict = "fails"
	// Warns means that it may not work, or could not be checked.
	Warns Verdict = "warns"
	// Passes means that it is as required.
	Passes Verdict = "passes"
)

// Check is a kind of check.
type Check string

// The checks, in the order of reports.
const (
	Preview           Check = "preview"
	Credentials       Check = "credentials"
	Region            Check = "region"
	Zones             Check = "zones"
	Quotas            Check = "quota"
	Permissions       Check = "permissions"
	Roles             Check = "existing role"
	Existing          Check = "existing resource"
	InstanceTypes     Check = "instance type"
	EndpointServices  Check = "endpoint service"
	Names             Check = "name"
	Networks          Check = "network"
	Delegation        Check = "delegation"
	DNSServer         Check = "DNS server"
	ManagementCluster Check = "management cluster"
	ManagementZones   Check = "management zones"
)

// Checks returns all checks in the order of reports.
func Checks() []Check {
	return []Check{Preview, Credentials, Region, Zones, Quotas, Permissions, Roles, Existing,
		InstanceTypes, EndpointServices, Names, Networks, Delegation, DNSServer, ManagementCluster, ManagementZones}
}

// Figures are those of a quota: the limit, the use, and what the plan adds.
type Figures struct {
	Limit  int `json:"limit"`
	Used   int `json:"used"`
	Needed int `json:"needed"`
}

// Finding is the result of one check.
type Finding struct {
	Verdict Verdict `json:"verdict"`
	Check   Check   `json:"check"`
	// Account is the AWS account, "" for none. Region is "" for none.
	Account string `json:"account,omitempty"`
	Region  string `json:"region,omitempty"`
	// Subject is what was checked: "NAT gateways per zone, us-east-1a".
	Subject string `json:"subject"`
	// Message is a sentence without its full stop that describes the result.
	Message string `json:"message"`
	// Figures are a quota's, nil for other checks.
	Figures *Figures `json:"figures,omitempty"`
	// Quota is the quota's code in Service Quotas, "vpc/L-FE5A380F", and Link the page on which its increase is requested.
	Quota string `json:"quota,omitempty"`
	Link  string `json:"link,omitempty"`
	// Actions are the IAM actions that the caller or, for an existing role, the role lacks.
	Actions []string `json:"actions,omitempty"`
	// Remedy is what to do; "" if the check passes.
	Remedy string `json:"remedy,omitempty"`
}

// Report is the findings of all checks, grouped by account.
type Report struct {
	Findings []Finding
}

// sort puts the findings into the order of reports: by account and region, then by check, what fails first.
func (r *Report) sort() {
	verdicts := []Verdict{Fails, Warns, Passes}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(cmp.Or(a.Account, "~"), cmp.Or(b.Account, "~")), // those of no account last
			cmp.Compare(slices.Index(Checks(), a.Check), slices.Index(Checks(), b.Check)),
			cmp.Compare(slices.Index(verdicts, a.Verdict), slices.Index(verdicts, b.Verdict)),
			cmp.Compare(a.Region, b.Region), cmp.Compare(a.Subject, b.Subject))
	})
}

// Count returns how many findings have a verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for _, f := range r.Findings {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// Add adds findings.
func (r *Report) Add(findings ...Finding) {
	r.Findings = append(r.Findings, findings...)
	r.sort()
}

// Summary returns the report in one line: "2 fail, 1 warns, 17 pass".
func (r *Report) Summary() string {
	count := func(v Verdict, one, many string) string {
		n := r.Count(v)
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", n, many)
	}
	return count(Fails, "fails", "fail") + ", " + count(Warns, "warns", "warn") + ", " + count(Passes, "passes", "pass")
}

// Err returns the error for a report with failures, or nil without.
func (r *Report) Err(stack string) error {
	var lines []string
	for _, f := range r.Findings {
		if f.Verdict == Fails {
			lines = append(lines, "  "+f.Line())
		}
	}
	if lines == nil {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("AWS would refuse what stack %s creates; nothing was changed:\n%s", stack, strings.Join(lines, "\n")),
		Remedy:  "correct this, or go on with --skip-preflight",
	}
}

// Line returns the finding in one line, with its remedy.
func (f Finding) Line() string {
	where := strings.TrimSpace(f.Account + " " + f.Region)
	if where != "" {
		where = " (" + where + ")"
	}
	line := fmt.Sprintf("%s%s: %s", f.Subject, where, f.Message)
	if f.Remedy != "" {
		line += "; " + f.Remedy
	}
	return line
}

// Text returns the report as tables, one per account, with the remedy below findings that do not pass.
func (r *Report) Text() string {
	var b strings.Builder
	account := "none yet"
	width := 0
	for _, f := range r.Findings {
		width = max(width, len(f.Check))
	}
	for _, f := range r.Findings {
		if f.Account != account {
			if account = f.Account; account != "" {
				fmt.Fprintf(&b, "account %s\n", account)
			} else {
				b.WriteString("no account\n")
			}
		}
		region := ""
		if f.Region != "" {
			region = f.Region + ": "
		}
		fmt.Fprintf(&b, "  %-6s  %-*s  %s%s: %s\n", f.Verdict, width, f.Check, region, f.Subject, f.Message)
		if f.Verdict != Passes && f.Remedy != "" {
			fmt.Fprintf(&b, "  %-6s  %-*s  %s\n", "", width, "", f.Remedy)
		}
	}
	return b.String()
}
