package permissions

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Policies returns the minimal policies that allow what a stack needs, account by account, each short enough for a
// managed policy. They include the search for the creations of an interrupted run. It fails on an unknown type or
// function.
func Policies(needs []Need) ([]policy.Needed, error) {
	byAccount := map[string][]Need{}
	for _, n := range needs {
		if _, known := grants(n.Token); !known {
			return nil, fmt.Errorf("the IAM permissions for %s are unknown", n.Token)
		}
		byAccount[n.Account] = append(byAccount[n.Account], n)
	}
	var policies []policy.Needed
	for _, account := range slices.Sorted(maps.Keys(byAccount)) {
		all := byAccount[account]
		var list []policy.Statement
		for _, n := range all {
			needed, _ := grants(n.Token)
			for _, g := range needed {
				list = append(list, statements(g, n, all)...)
			}
			record, _ := awstype.Lookup(n.Token)
			search := n
			search.Region = cmp.Or(record.Find.Tags.Region, n.Region)
			list = append(list, statements(awstype.Grant{Actions: record.Find.Actions}, search, all)...)
		}
		named := ""
		if all[0].AccountNamed {
			named = account
		}
		for _, document := range split(joined(list)) {
			policies = append(policies, policy.Needed{Account: named, Document: document})
		}
	}
	return policies, nil
}

// statements allow a need's actions. Actions on all resources are limited to the need's region, for regional services.
func statements(g awstype.Grant, n Need, all []Need) []policy.Statement {
	if g.If != "" && n.Inputs[g.If] == nil {
		return nil
	}
	when := condition(g.When, n)
	if !g.On.Everything() {
		return []policy.Statement{{Effect: policy.Allow, Action: g.Actions, Resource: arns(g.On, n, all), Condition: when}}
	}
	var list []policy.Statement
	for _, action := range g.Actions {
		statement := policy.Statement{
			Effect:    policy.Allow,
			Action:    []string{action},
			Resource:  []string{"*"},
			Condition: when,
		}
		if service, _, _ := strings.Cut(action, ":"); isRegional(service) && when == nil {
			statement.Condition = policy.Condition{"StringEquals": {"aws:RequestedRegion": {n.Region}}}
		}
		list = append(list, statement)
	}
	return list
}

// isRegional reports whether a service is called in the region of its resources: IAM, Route 53 and CloudFront have one
// region for all.
func isRegional(service string) bool {
	return !slices.Contains([]string{"iam", "route53", "cloudfront", "sts"}, service)
}

// Sweep returns the policies that the command sweep needs: the first statement for listing, the others for deleting.
// The names of what a sweep deletes are not known in advance, so the statements apply to all resources; the command
// itself checks what it may delete.
func Sweep() []policy.Document {
	var list, remove []string
	for _, s := range awstype.Sweeps() {
		list, remove = append(list, s.Reads.Lists()...), append(remove, s.Sweep.Delete...)
	}
	for _, t := range awstype.All() { // destroy asks for it too
		list = append(list, t.Lost.Actions...)
	}
	list = append(list, "sts:GetCallerIdentity")
	return split([]policy.Statement{
		{SID: "List", Effect: policy.Allow, Action: unique(list), Resource: policy.List{"*"}},
		{SID: "Delete", Effect: policy.Allow, Action: unique(remove), Resource: policy.List{"*"}},
	})
}

// Adopt returns the policies with which the command adopt finds the resources of any cluster. The engine then reads
// what it imports: that is in the policies of the stack. What a search must look at is not known in advance, so the
// statement applies to all resources.
func Adopt() []policy.Document {
	actions := []string{"sts:GetCallerIdentity"}
	for _, t := range awstype.All() {
		if t.Adopt.By != awstype.AdoptNever {
			actions = append(actions, slices.Concat(t.Reads.Lists(), t.Reads.Named, t.Find.Actions)...)
		}
	}
	return split([]policy.Statement{{
		SID:      "Adopt",
		Effect:   policy.Allow,
		Action:   unique(actions),
		Resource: policy.List{"*"},
	}})
}
