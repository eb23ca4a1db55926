package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
)

// untold are the types of which AWS makes a second instance if the answer to a creation is lost and the request is sent
// again: its API takes no client token for them. Source: aws-sdk-go-v2, service/ec2, the inputs of CreateVpc,
// CreateInternetGateway, AllocateAddress and CreateDhcpOptions.
func untold() []string {
	return []string{awstype.VPC, awstype.InternetGateway, awstype.ElasticIP, awstype.DHCPOptions}
}

// beside lists what AWS has with the owner's tags of some resources beside them, of the types that are wanted. known
// are the types with IDs that are not meant: those of the resources and what existed before. What a state of the
// backend has belongs to a stack. unread are the lists of wanted types that could not be read, by type.
func (r *Engine) beside(
	ctx context.Context,
	resources []apitype.ResourceV3,
	aws func(apitype.ResourceV3) (account.Account, error),
	known map[string]bool,
	wanted func(awstype.Type) bool,
) (found []inventory.Resource, unread map[string]error, err error) {
	type question struct {
		in account.Account
		account.Query
	}
	var questions []question
	asked := map[string]bool{}
	for _, of := range resources {
		owner := account.Query{Type: string(of.Type), Inputs: of.Inputs}.Owner()
		key := fmt.Sprint(owner, of.Provider)
		if len(owner) == 0 || asked[key] {
			continue
		}
		asked[key] = true
		in, err := aws(of)
		if err != nil {
			return nil, nil, err
		}
		tags := map[string]any{}
		for key, value := range owner {
			tags[key] = value
		}
		for _, record := range awstype.All() {
			if wanted(record) {
				questions = append(questions, question{in, account.Query{Type: record.Token,
					Inputs: map[string]any{"tags": tags}, Complete: true}})
			}
		}
	}
	type answer struct {
		question
		found []inventory.Resource
		err   error
	}
	answers, _ := account.Gather(questions, func(q question) ([]answer, error) {
		listed, err := q.in.List(ctx, q.Query)
		if err == nil && len(listed) > 0 && q.Type == awstype.KMSKey {
			listed, err = withAlias(ctx, q.in, listed)
		}
		return []answer{{q, listed, err}}, nil
	})
	unread = map[string]error{}
	for _, a := range answers {
		if a.err != nil && !errors.Is(a.err, account.ErrNotListed) {
			unread[a.Type] = a.err
		}
		for _, one := range a.found {
			if account.CarriesAll(one.Tags, a.Owner()) && !account.Leaving(one) && !known[a.Type+" "+one.ID] {
				known[a.Type+" "+one.ID], one.Type = true, a.Type
				found = append(found, one)
			}
		}
	}
	if len(found) == 0 {
		return nil, unread, nil
	}
	err = r.Stack.Session.EachState(ctx, "", func(other state.OfStack) {
		if other.Err == nil {
			found = slices.DeleteFunc(found, func(one inventory.Resource) bool {
				return other.Deployment.Manages(one.ID) && other.Deployment.Has(one.Type, one.ID)
			})
		}
	})
	return found, unread, err
}

// withAlias returns the keys that have an alias: AWS lists the tags of a key until it is deleted, days later.
func withAlias(ctx context.Context, in account.Account, keys []inventory.Resource) ([]inventory.Resource, error) {
	aliases, err := in.List(ctx, account.Query{Type: awstype.KMSAlias})
	used := map[string]bool{}
	for _, alias := range aliases {
		used[alias.Text("targetKeyId")] = true
	}
	return slices.DeleteFunc(keys, func(key inventory.Resource) bool { return !used[key.ID] }), err
}

// labelsOf returns types and IDs.
func labelsOf(found []inventory.Resource) string {
	var labels []string
	for _, one := range found {
		labels = append(labels, clusterstatus.TypeLabel(one.Type)+" "+one.ID)
	}
	return strings.Join(labels, ", ")
}

// tellTwins says what an update may have created twice.
func (r *Engine) tellTwins(ctx context.Context, planned *changes.Plan, existed map[string][]string) {
	if planned == nil || !r.Stack.Session.Environment.KnowsAccounts() {
		return
	}
	known := map[string]bool{}
	for _, ids := range existed {
		for _, id := range ids {
			for _, token := range untold() {
				known[token+" "+id] = true
			}
		}
	}
	var created []apitype.ResourceV3
	for _, after := range planned.After {
		if slices.ContainsFunc(planned.Steps, func(s *changes.Step) bool {
			return s.URN == string(after.URN) && s.Change == changes.Create
		}) {
			created = append(created, after)
		}
	}
	settings := plancheck.ProviderInputs(planned)
	of := typesOf(created)
	found, unread, err := r.beside(ctx, created, func(of apitype.ResourceV3) (account.Account, error) {
		provider := plancheck.ProviderURN(of.Provider)
		return r.Stack.Providers.Planned(ctx, provider, settings[provider])
	}, known, func(t awstype.Type) bool { return of[t.Token] && slices.Contains(untold(), t.Token) })
	for _, cause := range unread {
		err = cmp.Or(err, cause)
	}
	switch {
	case err != nil:
		r.Stack.Say("whether AWS has created something twice is unknown: %s", err)
	case len(found) > 0:
		r.Stack.Say("warning: AWS has %s with this stack's tags, and no state has it: it was probably created twice, because an answer "+
			"of AWS was lost; delete it in AWS", labelsOf(found))
	}
}

// typesOf returns the types of resources.
func typesOf(resources []apitype.ResourceV3) map[string]bool {
	types := map[string]bool{}
	for _, one := range resources {
		types[string(one.Type)] = true
	}
	return types
}

// taggedOnly reports whether nothing but AWS's list of tags shows a type, which also has for a while what was deleted.
func taggedOnly(t awstype.Type) bool { return t.Find.Tags.Tagging != "" && len(t.Adopt.Match) == 0 }

// noneLeft fails if AWS still has what only this stack can have created, after everything in its state was deleted: an
// update created it twice, or the state has lost it. It names what may also be another's. resources are those that the
// state had, and aws is the account of each.
func (r *Engine) noneLeft(
	ctx context.Context,
	resources []apitype.ResourceV3,
	aws func(apitype.ResourceV3) (account.Account, error),
) error {
	known, had := map[string]bool{}, typesOf(resources)
	for _, one := range resources {
		known[string(one.Type)+" "+string(one.ID)] = true
	}
	found, unread, err := r.beside(ctx, resources, aws, known, func(t awstype.Type) bool {
		// The tags of IAM need a request for each instance: a state without roles had no instance profile.
		return had[t.Token] || t.Token == awstype.InstanceProfile && had[awstype.Role] ||
			t.Token == awstype.HostedZone || taggedOnly(t) || t.Lost.Tags.Tagging != "" ||
			t.Sweep.Delete != nil && !t.Sweep.Data && len(t.Reads.Complete) == 0
	})
	var unknown []string
	var cause error
	for _, token := range slices.Sorted(maps.Keys(unread)) {
		if had[token] {
			unknown, cause = append(unknown, typeLabel(token)), cmp.Or(cause, unread[token])
		}
	}
	if cause != nil {
		r.Stack.Say("warning: whether AWS still has something with the tags of stack %s is unknown for %s: %s; the policy of "+
			"`hypershift-aws permissions --sweep` allows the lists", r.Stack.Name, strings.Join(unknown, ", "), cause)
	}
	if err != nil || len(found) == 0 {
		return err
	}
	sweep, certain := "", []inventory.Resource(nil)
	for _, one := range found {
		clusters := account.Clusters(one)
		record, _ := awstype.Lookup(one.Type)
		if len(clusters) > 0 && record.Sweep.Delete != nil {
			sweep = fmt.Sprintf("`hypershift-aws sweep -s %s --infra-id %s` shows it", r.Stack.Name, clusters[0])
		}
		exists := !taggedOnly(record) || one.Type == awstype.KMSKey // one with an alias
		if exists && (len(clusters) == 0 || had[one.Type] && !record.Sweep.Operators) {
			certain = append(certain, one)
		}
	}
	if len(certain) == 0 {
		r.Stack.Say("warning: AWS still has %s with the tags of stack %s, and no state of the backend has it; if no other stack or tool does, "+
			"%s", labelsOf(found), r.Stack.Name, cmp.Or(sweep, "it is left over, unless AWS is still deleting it"))
		return nil
	}
	remedy := "if no other backend has it, delete it in AWS: it was created twice, because an answer of AWS was lost, or the state has lost it"
	if sweep != "" {
		remedy = sweep + "; " + remedy
	}
	return &failure.Error{
		Reason: failure.Failed,
		Problem: fmt.Sprintf("everything in the state of stack %s was deleted, and AWS still has %s with its tags",
			r.Stack.Name, labelsOf(found)),
		Remedy: remedy,
	}
}
