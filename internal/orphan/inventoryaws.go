package orphan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// NewInventory returns the account of a provider with those settings, as in NewAWS. It only reads: the calls need only the actions of the
// lists.
func NewInventory(settings map[string]any) Inventory {
	return &listedAccount{sweptAccount: sweptAccount{&realAccount{values: settings}}, tables: map[string]ec2types.RouteTable{}}
}

// listedAccount lists an AWS account by type.
type listedAccount struct {
	sweptAccount
	mutex sync.Mutex
	// tables caches the route tables that were listed, by ID: routes and associations are parts of them.
	tables map[string]ec2types.RouteTable
}

var _ Inventory = (*listedAccount)(nil)

// lister lists resources of one type.
type lister func(context.Context, *listedAccount, *clients, Query) ([]Resource, error)

func listers() map[string]lister {
	all := map[string]lister{}
	for _, some := range []map[string]lister{networkListers(), routingListers(), hostListers(), identityListers(), dnsListers(), bucketListers(), otherListers(), namedListers()} {
		for token, list := range some { // maps.Copy would make the linker keep all clients: see package awsrequest
			all[token] = list
		}
	}
	return all
}

// List implements Inventory.
func (a *listedAccount) List(ctx context.Context, q Query) ([]Resource, error) {
	list := listers()[q.Type]
	if list == nil {
		return nil, ErrNotListed
	}
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	found, err := list(ctx, a, c, q)
	if gone(err) {
		return nil, nil
	}
	if err != nil && !errors.Is(err, ErrNotListed) {
		record, _ := awstype.Of(q.Type)
		err = fmt.Errorf("listing instances of %s: %w", record.Label, err)
	}
	for i := range found {
		found[i].Type = q.Type
	}
	slices.SortFunc(found, func(x, y Resource) int { return strings.Compare(x.ID, y.ID) })
	return found, err
}

// resource returns a resource with its properties; nil pointers are left out.
func resource(l Leftover, properties map[string]any) Resource {
	kept := map[string]any{}
	for name, value := range properties {
		switch v := value.(type) {
		case *string:
			if v != nil {
				kept[name] = *v
			}
		case *int32:
			if v != nil {
				kept[name] = float64(*v)
			}
		case *bool:
			if v != nil {
				kept[name] = *v
			}
		default:
			kept[name] = value
		}
	}
	return Resource{Found: l.Found, Properties: kept}
}

func anys(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// filtersOf returns the filters of a request for inputs (filter name by input), and for the owner's tag if the type is owned.
func filtersOf(q Query, names map[string]string) []ec2types.Filter {
	var filters []ec2types.Filter
	for _, input := range slices.Sorted(maps.Keys(names)) {
		if text := q.Text(input); text != "" {
			filters = append(filters, filter(names[input], text))
		}
	}
	if how, _ := awstype.AdoptionOf(q.Type); how.Owned && len(filters) == 0 {
		filters = tagFilters(q.Owner())
	}
	return filters
}

// readTables lists route tables and caches them.
func (a *listedAccount) readTables(ctx context.Context, client *ec2.Client, filters ...ec2types.Filter) ([]ec2types.RouteTable, error) {
	tables, err := routeTables(ctx, client, filters...)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, table := range tables {
		a.tables[*table.RouteTableId] = table
	}
	return tables, err
}

// table returns a route table by its ID as a list, empty if it does not exist.
func (a *listedAccount) table(ctx context.Context, client *ec2.Client, id string) ([]ec2types.RouteTable, error) {
	a.mutex.Lock()
	table, known := a.tables[id]
	a.mutex.Unlock()
	if known {
		return []ec2types.RouteTable{table}, nil
	}
	return a.readTables(ctx, client, filter("route-table-id", id))
}
