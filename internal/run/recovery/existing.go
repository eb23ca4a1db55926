package recovery

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Creation is a resource that a plan creates.
type Creation struct {
	account.Query
	// Provider is its provider's URN.
	Provider string
}

// Existing lists by type the IDs in AWS that already have the tags, or the name, by which an interrupted creation would
// be searched for. A type without any has an empty list. It calls AWS once per provider and owner for all types with
// tags, and once per hosted zone, all at the same time; for creations that nothing is searched for by, it makes no
// calls.
func Existing(
	ctx context.Context,
	creations []Creation,
	aws func(provider string) (account.Account, error),
) (map[string][]string, error) {
	existing := map[string][]string{}
	var questions []func() ([]inventory.Resource, error)
	asked := map[string]bool{}
	for _, c := range creations {
		info, _ := awstype.Lookup(c.Type)
		zone := c.Searched() && c.Type == awstype.HostedZone // which may have no tags yet
		tagged := c.Searched() && info.Find.Tags.Listed() && !zone
		named := zone || c.Keyed() && c.Identified() && len(c.PartOf()) == 0 && !account.Dated(c.Type)
		if !tagged && !named {
			continue
		}
		in, err := aws(c.Provider)
		if err != nil {
			return nil, err
		}
		existing[c.Type] = nil
		switch question := c.Provider + fmt.Sprint(slices.Sorted(maps.Keys(c.Owner()))); {
		case tagged && asked[question]:
		case tagged:
			asked[question] = true
			questions = append(questions, func() ([]inventory.Resource, error) { return in.Tagged(ctx, c.Owner()) })
		default:
			questions = append(questions, func() ([]inventory.Resource, error) { return c.existing(ctx, in) })
		}
	}
	found, err := account.Gather(questions, func(ask func() ([]inventory.Resource, error)) ([]inventory.Resource, error) {
		return ask()
	})
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		existing[f.Type] = append(existing[f.Type], f.ID)
	}
	for token, ids := range existing {
		slices.Sort(ids)
		existing[token] = slices.Compact(ids)
	}
	return existing, nil
}

// existing returns what has the creation's name.
func (c Creation) existing(ctx context.Context, in account.Account) ([]inventory.Resource, error) {
	if !c.Keyed() {
		found, err := in.Find(ctx, c.Query)
		for i := range found {
			found[i].Type = c.Type
		}
		return found, err
	}
	there, err := account.Exists(ctx, in, c.Query)
	if err != nil || !there {
		return nil, err
	}
	place, err := in.Place(ctx)
	return []inventory.Resource{{Type: c.Type, ID: c.ImportID(place)}}, err
}
