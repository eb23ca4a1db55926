package permissions

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// Policy is one of the policies that somebody needs in an account.
type Policy struct {
	// Account is the account's ID, "" for the stack's own where its config does not say it.
	Account string
	// Document is the policy, at most MaxPolicySize long.
	Document iam.Document
}

// Policies are the least policies that allow what a stack needs, account by account, each short enough to be
// a managed policy. They include the search for what a run that died has left. It fails on a need that it does not know.
func Policies(needs []Need) ([]Policy, error) {
	entries, byAccount := table(), map[string][]Need{}
	for _, n := range needs {
		if _, known := entries[n.Token]; !known {
			return nil, fmt.Errorf("what %s needs in AWS is not known", n.Token)
		}
		byAccount[n.Account] = append(byAccount[n.Account], n)
	}
	var policies []Policy
	for _, account := range slices.Sorted(maps.Keys(byAccount)) {
		all := byAccount[account]
		var statements []iam.Statement
		for _, n := range all {
			for _, g := range entries[n.Token].grants() {
				statements = append(statements, g.statements(n, all)...)
			}
			search := n
			search.Region = cmp.Or(orphan.Region(n.Token), n.Region)
			statements = append(statements, grant{actions: orphan.Actions(n.Token)}.statements(search, all)...)
		}
		named := ""
		if all[0].AccountNamed {
			named = account
		}
		for _, document := range split(joined(statements)) {
			policies = append(policies, Policy{named, document})
		}
	}
	return policies, nil
}

// statements allow what is granted for a need. What can be on anything is kept to the need's region, for
// services that have regions.
func (g grant) statements(n Need, all []Need) []iam.Statement {
	var when iam.Condition
	if g.when != nil {
		when = g.when(n)
	}
	if g.on != nil {
		return []iam.Statement{{Effect: iam.Allow, Action: g.actions, Resource: g.on(n, all), Condition: when}}
	}
	var statements []iam.Statement
	for _, action := range g.actions {
		statement := iam.Statement{Effect: iam.Allow, Action: []string{action}, Resource: []string{"*"}, Condition: when}
		if service, _, _ := strings.Cut(action, ":"); isRegional(service) && when == nil {
			statement.Condition = iam.Condition{"StringEquals": {"aws:RequestedRegion": {n.Region}}}
		}
		statements = append(statements, statement)
	}
	return statements
}

// isRegional says whether a service is called in the region of its resources: IAM, Route 53 and CloudFront
// are called in one for all.
func isRegional(service string) bool {
	return !slices.Contains([]string{"iam", "route53", "cloudfront", "sts"}, service)
}
