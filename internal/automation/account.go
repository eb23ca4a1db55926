package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/leftover"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// leftovers is the account that a provider of that configuration reaches.
func (s *Stack) leftovers(config map[string]any) leftover.Account {
	if s.session.Offline {
		return offlineAccount{s.account, config}
	}
	return leftover.NewAWS(config, s.session.Environ.Lookup)
}

// offlineAccount is an account in memory, seen through the configuration of a provider.
type offlineAccount struct {
	server *offline.Server
	config map[string]any
}

var _ leftover.Account = offlineAccount{}

// Place implements leftover.Account.
func (a offlineAccount) Place(context.Context) (leftover.Place, error) {
	account, region, partition, err := a.server.Place(a.config)
	return leftover.Place{Account: account, Region: region, Partition: partition}, err
}

// Find implements leftover.Account.
func (a offlineAccount) Find(_ context.Context, trace leftover.Trace) ([]string, error) {
	return a.server.Find(a.config, trace.Type, trace.Tags(), trace.Inputs)
}
