package automation

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// awsAccount is the account that a provider of that configuration reaches.
func (s *Stack) awsAccount(config map[string]any) orphan.Account {
	if s.session.Offline {
		return offlineAccount{s.account, config}
	}
	return orphan.NewAWS(config, s.session.Environ.Lookup)
}

// offlineAccount is an account in memory, seen through the configuration of a provider.
type offlineAccount struct {
	server *offline.Server
	config map[string]any
}

var _ orphan.Account = offlineAccount{}

// Place implements orphan.Account.
func (a offlineAccount) Place(context.Context) (orphan.Place, error) {
	account, region, partition, err := a.server.Place(a.config)
	return orphan.Place{Account: account, Region: region, Partition: partition}, err
}

// Find implements orphan.Account.
func (a offlineAccount) Find(_ context.Context, trace orphan.Trace) ([]string, error) {
	return a.server.Find(a.config, trace.Type, trace.Tags(), trace.Inputs)
}
