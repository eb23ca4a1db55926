// Package inmemory implements the interfaces of real accounts and management clusters (of packages orphan, preflight and clusterstatus) for
// the offline ones. It also serves them to the engine, and lists the resources that stacks have left in them. It is for package automation.
package inmemory

import (
	"context"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"
)

// Account is the account in memory that the settings of an AWS provider select.
type Account struct {
	server   *offline.Server
	settings map[string]any
}

var (
	_ orphan.Account    = Account{}
	_ orphan.Inventory  = Account{}
	_ orphan.Sweepable  = Account{}
	_ preflight.Account = Account{}
)

// NewAccount returns the account of a provider with those settings.
func NewAccount(server *offline.Server, settings map[string]any) Account {
	return Account{server, settings}
}

// Place implements orphan.Account.
func (a Account) Place(context.Context) (orphan.Place, error) {
	account, region, partition, err := a.server.Place(a.settings)
	return orphan.Place{Account: account, Region: region, Partition: partition}, err
}

// Find implements orphan.Account.
func (a Account) Find(_ context.Context, q orphan.Query) ([]orphan.Found, error) {
	return a.find(q.Type, q.Tags(), q.Inputs)
}

// Exists implements orphan.Account.
func (a Account) Exists(_ context.Context, q orphan.Query) (bool, error) {
	found, err := a.find(q.Type, nil, q.Inputs)
	return len(found) > 0, err
}

// Tagged implements orphan.Account.
func (a Account) Tagged(_ context.Context, tags map[string]string) ([]orphan.Found, error) {
	found, err := a.find("", tags, nil)
	return slices.DeleteFunc(found, func(f orphan.Found) bool {
		record, _ := awstype.Of(f.Type)
		return !record.Find.Tags.Listed()
	}), err
}

func (a Account) find(token string, tags map[string]string, inputs map[string]any) ([]orphan.Found, error) {
	resources, err := a.server.Find(a.settings, token, tags, inputs)
	var found []orphan.Found
	for _, r := range resources {
		found = append(found, orphan.Found{Type: r.Type, ID: r.ID, ARN: r.ARN, Tags: r.Tags})
	}
	return found, err
}
