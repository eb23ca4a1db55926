package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/account"
)

// GivenRoles are the existing roles of a hosted cluster.
type GivenRoles struct {
	Place Place
	Roles []iam.GivenRole
	// Release is that of the control plane after the plan, zero if it is not known: actions that only later releases need are warnings.
	Release semver.Version
}

// checkRoles compares the policies of existing roles with the calls of the operators that assume them. More permissions than needed are
// no finding.
func checkRoles(ctx context.Context, p Plan, accounts Accounts) []Finding {
	if p.Given == nil || accounts[p.Given.Place] == nil {
		return nil
	}
	var tasks []func() []Finding
	for _, role := range p.Given.Roles {
		tasks = append(tasks, func() []Finding { return checkRole(ctx, accounts[p.Given.Place], *p.Given, role) })
	}
	return sideBySide(tasks)
}

func checkRole(ctx context.Context, in account.Account, given GivenRoles, role iam.GivenRole) []Finding {
	name := role.ARN[strings.LastIndex(role.ARN, "/")+1:]
	f := Finding{Check: Roles, Account: given.Place.Account, Subject: fmt.Sprintf("role %s (%s)", name, role.Name)}
	policies, err := in.PoliciesOf(ctx, name)
	if err != nil {
		return []Finding{unchecked(f, err)}
	}
	missing := slices.DeleteFunc(slices.Clone(role.Needs), func(n iam.Need) bool { return policies.Allow(n.Action) })
	if len(missing) == 0 {
		f.Verdict, f.Message = Passes, fmt.Sprintf("has the %d actions that its operators call", len(role.Needs))
		return []Finding{f}
	}
	var findings []Finding
	for _, n := range missing {
		one := f
		one.Verdict, one.Actions = Warns, []string{n.Action}
		one.Message = fmt.Sprintf("lacks %s: %s; without it %s", n.Action, n.Why, role.Breaks)
		one.Remedy = "ask its owner to allow it"
		switch {
		case !n.NeededBy(given.Release):
			one.Message = fmt.Sprintf("lacks %s, which releases from %s on need: %s", n.Action, n.Since, n.Why)
			one.Remedy = "ask its owner to allow it before the upgrade"
		case n.Vital:
			one.Verdict = Fails
		}
		findings = append(findings, one)
	}
	return findings
}
