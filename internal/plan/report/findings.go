package report

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
)

// FindingsText returns sorted findings as tables, one per account, with the remedy below those that do not pass.
func FindingsText(findings []finding.Finding) string {
	findings = finding.Merge(findings)
	var b strings.Builder
	account := "none yet"
	width := 0
	for _, f := range findings {
		width = max(width, len(f.Check))
	}
	for _, f := range findings {
		if f.Account != account {
			if account = f.Account; account != "" {
				fmt.Fprintf(&b, "account %s\n", account)
			} else {
				b.WriteString("outside the accounts\n")
			}
		}
		region := ""
		if f.Region != "" {
			region = f.Region + ": "
		}
		fmt.Fprintf(&b, "  %-6s  %-*s  %s%s: %s\n", f.Severity.Verdict(), width, f.Check, region, f.Subject, f.Problem)
		if f.Severity != finding.Passed && f.Remedy != "" {
			fmt.Fprintf(&b, "  %-6s  %-*s  %s\n", "", width, "", f.Remedy)
		}
	}
	return b.String()
}
