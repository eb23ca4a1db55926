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
// tags, and once per hosted zone; for creations that nothing is searched for by, it makes no calls.
func Existing(
	ctx context.Context,
	creations []Creation,
	aws func(provider string) (account.Account, error),
) (map[string][]string, error) {
	existing := map[string][]string{}
	note := func(token string, found ...inventory.Resource) {
		existing[token] = append(existing[token], account.IDs(found)...)
	}
	asked := map[string]bool{}
	for _, c := range creations {
		record, _ := awstype.Lookup(c.Type)
		zone := c.Searched() && c.Type == awstype.HostedZone // which may have no tags yet
		tagged := c.Searched() && record.Find.Tags.Listed() && !zone
		named := zone || c.Keyed() && c.Identified() && len(c.PartOf()) == 0 && !account.Dated(c.Type)
		if !tagged && !named {
			continue
		}
		in, err := aws(c.Provider)
		if err != nil {
			return nil, err
		}
		note(c.Type)
		switch question := c.Provider + fmt.Sprint(slices.Sorted(maps.Keys(c.Owner()))); {
		case tagged && asked[question]:
		case tagged:
			asked[question] = true
			found, err := in.Tagged(ctx, c.Owner())
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				note(f.Type, f)
			}
		case c.Keyed():
			there, err := account.Exists(ctx, in, c.Query)
			if err != nil {
				return nil, err
			}
			place, err := in.Place(ctx)
			if err != nil {
				return nil, err
			}
			if there {
				note(c.Type, inventory.Resource{ID: c.ImportID(place)})
			}
		default:
			found, err := in.Find(ctx, c.Query)
			if err != nil {
				return nil, err
			}
			note(c.Type, found...)
		}
	}
	for token, ids := range existing {
		slices.Sort(ids)
		existing[token] = slices.Compact(ids)
	}
	return existing, nil
}
