package plancheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// checkNewResources fails if AWS already has what a plan creates, with the stack's tags: its state has lost it, and AWS
// would create a second one, or refuse it after other resources. The names of a stack without resources are compared by
// preflight, and a creation that was interrupted is left to Recover. A list that AWS refuses is a warning: a second
// resource of the stack harms no cluster, and what would is refused by the other checks.
func (c *Checker) checkNewResources(ctx context.Context, p *changes.Plan) error {
	inAWS := func(r apitype.ResourceV3) bool { return r.Custom && strings.HasPrefix(string(r.Type), "aws:") }
	if !c.Stack.Session.Environment.KnowsAccounts() {
		return nil
	}
	isNew := !slices.ContainsFunc(p.Before, inAWS)
	created := map[string]*changes.Step{}
	for _, step := range plan.Listed(p) {
		if step.Change == changes.Create {
			created[step.URN] = step
		}
	}
	begun, err := c.begun(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, r := range p.Before {
		known[string(r.Type)+" "+string(r.ID)] = true
	}
	settings, accounts := ProviderInputs(p), map[string]account.Account{}
	var questions []func() ([]answer, error)
	for _, r := range p.After {
		q, step := account.Query{Type: string(r.Type), Inputs: r.Inputs}, created[string(r.URN)]
		how, ask := lookup(q)
		if step == nil || begun[step.URN] || !ask || isNew && how.By != awstype.AdoptBySearch {
			continue
		}
		provider := ProviderURN(r.Provider)
		if accounts[provider] == nil {
			in, err := c.Stack.Providers.Planned(ctx, provider, settings[provider])
			if err != nil {
				return err
			}
			accounts[provider] = in.Snapshot()
		}
		in := accounts[provider]
		questions = append(questions, func() (answers []answer, _ error) {
			q.Complete = q.Type == awstype.HostedZone // for its tags
			record, _ := awstype.Lookup(q.Type)
			name := record.Label + " " + step.Name
			listed, err := in.List(account.ReadOnly(ctx), q)
			switch {
			case errors.Is(err, account.ErrNotListed):
				return nil, nil
			case err != nil:
				return []answer{{name, err}}, ctx.Err()
			}
			for _, one := range account.Select(listed, q, how) {
				if !known[q.Type+" "+one.ID] {
					answers = append(answers, answer{fmt.Sprintf("%s (%s)", name, one.ID), nil})
				}
			}
			return answers, nil
		})
	}
	answers, err := account.Gather(questions, func(ask func() ([]answer, error)) ([]answer, error) { return ask() })
	if err != nil {
		return err
	}
	found, unasked := []string(nil), map[string][]string{}
	for _, a := range answers {
		if a.unread == nil {
			found = append(found, a.resource)
		} else {
			unasked[a.unread.Error()] = append(unasked[a.unread.Error()], a.resource)
		}
	}
	for _, cause := range slices.Sorted(maps.Keys(unasked)) {
		slices.Sort(unasked[cause])
		c.Stack.Say("warning: AWS was not asked whether it already has %s of stack %s, and may create a second one: %s; "+
			"allow the caller to list them: `hypershift-aws permissions`", strings.Join(unasked[cause], ", "), c.Stack.Name, cause)
	}
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("AWS already has resources that stack %s would create and does not have in its state: %s; "+
			"nothing was changed", c.Stack.Name, strings.Join(found, ", ")),
		Remedy: fmt.Sprintf("if they are this stack's, adopt them: `hypershift-aws adopt -s %s --preview`; otherwise use another "+
			"infra ID or other names in the stack's file", c.Stack.Name),
	}
}

// answer is a resource that AWS already has, or one of which AWS refused the list.
type answer struct {
	resource string
	unread   error
}

// lookup returns how the stack's own instance of a planned creation is told from others, and whether a list of AWS
// shows it: by its tags, or by a name that is unique in the account. It does not for parts of others, for settings, and
// for types of which AWS lists the tags alone, also of what is deleted.
func lookup(q account.Query) (awstype.Adoption, bool) {
	record, _ := awstype.Lookup(q.Type)
	how := record.Adopt
	unknown := slices.ContainsFunc(how.Match, func(input string) bool {
		name, _, _ := strings.Cut(input, ".")
		return untyped.Contains(q.Inputs[name], func(value any) bool { return value == any(changes.UnknownValue) })
	})
	named := how.By == awstype.AdoptByImportID && !slices.ContainsFunc(how.Match, func(input string) bool {
		return slices.Contains(record.Find.PartOf, input)
	})
	tagsAlone := record.Find.Tags.Tagging != "" && len(how.Match) == 0
	if unknown || q.Replaceable() || tagsAlone || !q.Identified() && !named {
		return how, false
	}
	if how.By == awstype.AdoptBySearch {
		how.Owned, how.Named = true, how.Named || len(how.Match) == 0
		return how, !how.Named || q.Tags()["Name"] != ""
	}
	return how, how.By == awstype.AdoptByImportID
}
