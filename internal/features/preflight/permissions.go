package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
)

// Policy returns the IAM policy that allows all that preflight reads: the union of what its quotas, its lists and its
// other requests declare.
func Policy() policy.Document {
	actions := slices.Concat(account.FactActions(), awstype.ReadsOf(awstype.VPC).List,
		awstype.ReadsOf(awstype.VPCPeering).List, awstype.ReadsOf(OIDCDocuments).Named)
	for _, token := range []string{awstype.Subnet, awstype.RouteTable, awstype.DHCPOptions, awstype.VPCEndpoint,
		awstype.SecurityGroup, awstype.SecurityGroupIngressRule,
		awstype.Record, awstype.Instance, awstype.NetworkACL, awstype.SecurityGroupEgressRule, awstype.NATGateway,
		awstype.InternetGateway, awstype.TransitGatewayAttachment} {
		actions = append(actions, awstype.ReadsOf(token).List...) // of existing resources
	}
	actions = append(actions, awstype.ReadsOf(awstype.PrefixList).Named...)      // of existing rules and routes
	actions = append(actions, awstype.ReadsOf(awstype.ZoneAssociation).Named...) // of a VPC that exists
	actions = append(actions, awstype.ReadsOf(awstype.OIDCProvider).Complete...)
	for token := range nameInputs() {
		actions = append(actions, awstype.ReadsOf(token).Named...)
	}
	for _, q := range awstype.Quotas() {
		actions = append(actions, q.Actions()...)
	}
	return policy.New(policy.Statement{
		SID:      "Preflight",
		Effect:   policy.Allow,
		Action:   unique(actions),
		Resource: policy.List{"*"},
	})
}

// checkPermissions simulates the policies of each account with the permissions that the stack needs there.
func checkPermissions(ctx context.Context, p Plan, accounts Accounts) []finding.Finding {
	byAccount := map[string][]permissions.Need{}
	for _, n := range p.Needs {
		if !n.AccountNamed {
			n.Account, n.AccountNamed = p.Own.Account, true
		}
		byAccount[n.Account] = append(byAccount[n.Account], n)
	}
	var tasks []func() []finding.Finding
	for id, needs := range byAccount {
		place := p.Own
		place.Account = id
		in, asked := accounts.at(place)
		if in != nil {
			tasks = append(tasks, func() []finding.Finding { return checkNeeds(ctx, in, asked, needs) })
		}
	}
	return sideBySide(tasks)
}

func checkNeeds(
	ctx context.Context,
	in account.Account,
	place inventory.Place,
	needs []permissions.Need,
) []finding.Finding {
	f := finding.Finding{Check: Permissions, Account: place.Account, Subject: "IAM actions"}
	caller, err := in.Identity(ctx)
	if err != nil {
		return []finding.Finding{unchecked(f, err)}
	}
	f.Subject = caller.ARN
	policies, err := permissions.Policies(needs)
	if err != nil {
		return []finding.Finding{unchecked(f, err)}
	}
	var statements []policy.Statement
	actions := 0
	for _, one := range policies {
		statements = append(statements, one.Document.Statement...)
	}
	for _, s := range statements {
		actions += len(s.Action)
	}
	if len(statements) == 0 {
		return nil
	}
	// If the caller may not simulate at all, there is one finding.
	first, err := in.Simulate(ctx, caller, statements[0])
	if err != nil {
		return []finding.Finding{unchecked(f, err)}
	}
	var tasks []func() []finding.Finding
	for i, s := range statements {
		tasks = append(tasks, func() []finding.Finding {
			denials := first
			if i > 0 {
				var err error
				if denials, err = in.Simulate(ctx, caller, s); err != nil {
					return []finding.Finding{unchecked(f, err)}
				}
			}
			return deniedIn(f, s, denials)
		})
	}
	findings := sideBySide(tasks)
	if len(findings) == 0 {
		f.Severity = finding.Passed
		f.Problem = fmt.Sprintf("all %d actions are allowed, session policies apart", actions)
		findings = []finding.Finding{f}
	}
	return findings
}

// deniedIn returns the findings for the denied actions of a statement.
func deniedIn(f finding.Finding, s policy.Statement, denials []account.Denial) []finding.Finding {
	type reason struct {
		by     string
		unsure bool
	}
	grouped := map[reason][]string{}
	for _, d := range denials {
		r := reason{d.By, d.Unsure}
		grouped[r] = append(grouped[r], d.Action)
	}
	var findings []finding.Finding
	for r, actions := range grouped {
		one := f
		one.Actions = unique(actions)
		one.Severity = finding.Error
		one.Problem = fmt.Sprintf("may not %s on %s: %s", strings.Join(one.Actions, ", "), strings.Join(s.Resource, ", "),
			r.by)
		one.Remedy = "allow it; `hypershift-aws permissions` prints the policies that the stack needs"
		if r.unsure {
			one.Severity = finding.Warning
			one.Problem += " in the simulation, without the resource or the conditions of the real call"
		}
		findings = append(findings, one)
	}
	return findings
}
