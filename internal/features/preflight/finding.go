package preflight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// The checks, in the order of reports.
const (
	Preview           = "preview"
	Credentials       = "credentials"
	Region            = "region"
	Zones             = "zones"
	Quotas            = "quota"
	Tags              = "tags"
	Permissions       = "permissions"
	Roles             = "existing role"
	Existing          = "existing resource"
	InstanceTypes     = "instance type"
	EndpointServices  = "endpoint service"
	Names             = "name"
	Networks          = "network"
	Restrictions      = "account setting"
	Delegation        = "delegation"
	DNSServer         = "DNS server"
	ReleaseImage      = "release image"
	ManagementCluster = "management cluster"
	ManagementZones   = "management zones"
	EgressCheck       = "egress"
)

// Checks returns all checks in the order of reports.
func Checks() []string {
	return []string{Preview, Credentials, Region, Zones, Quotas, Tags, Permissions, Roles, Existing,
		InstanceTypes, EndpointServices, Names, Networks, Restrictions, Delegation, DNSServer, ReleaseImage,
		ManagementCluster, ManagementZones, EgressCheck}
}

// Report is the findings of all checks, grouped by account.
type Report struct {
	Findings []finding.Finding
}

// sort puts the findings into the order of reports: by account and region, then by check, what fails first.
func (r *Report) sort() {
	severities := []finding.Severity{finding.Error, finding.Warning, finding.Passed}
	slices.SortStableFunc(r.Findings, func(a, b finding.Finding) int {
		return cmp.Or(
			cmp.Compare(cmp.Or(a.Account, "~"), cmp.Or(b.Account, "~")), // findings without an account come last
			cmp.Compare(slices.Index(Checks(), a.Check), slices.Index(Checks(), b.Check)),
			cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity)),
			cmp.Compare(a.Region, b.Region), cmp.Compare(a.Subject, b.Subject))
	})
}

// Count returns how many findings have a severity.
func (r *Report) Count(severity finding.Severity) int { return finding.Count(r.Findings, severity) }

// Add adds findings.
func (r *Report) Add(findings ...finding.Finding) {
	r.Findings = append(r.Findings, findings...)
	r.sort()
}

// Summary returns the report in one line: "2 failed, 1 warned, 17 passed".
func (r *Report) Summary() string { return summary(r.Findings) }

// Text returns the report as tables.
func (r *Report) Text() string { return report.FindingsText(r.Findings) }

// Err returns the error for a report with failures, or nil without.
func (r *Report) Err(stack string) error {
	var lines []string
	for _, f := range finding.Merge(r.Findings) {
		if f.Severity == finding.Error {
			lines = append(lines, "  "+f.String())
		}
	}
	if lines == nil {
		return nil
	}
	return &failure.Error{
		Reason: failure.Failed,
		Problem: fmt.Sprintf("AWS would refuse what stack %s creates; nothing was changed:\n%s", stack,
			strings.Join(lines, "\n")),
		Remedy: "correct this, or go on with --skip-preflight",
	}
}

// summary counts the rows of a report in one line: "2 failed, 1 warned, 17 passed".
func summary(findings []finding.Finding) string {
	findings = finding.Merge(findings)
	var parts []string
	for _, severity := range []finding.Severity{finding.Error, finding.Warning, finding.Passed} {
		verb := map[finding.Severity]string{
			finding.Error:   "failed",
			finding.Warning: "warned",
			finding.Passed:  "passed",
		}[severity]
		parts = append(parts, fmt.Sprintf("%d %s", finding.Count(findings, severity), verb))
	}
	return strings.Join(parts, ", ")
}
