package automation

import (
	"context"
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// awsAccount is the account that a provider of the state reaches. Settings that are secrets are read through the engine.
// It fails where they cannot be read.
func (s *Stack) awsAccount(ctx context.Context, settings map[string]any, provider string) (orphan.Account, error) {
	if s.session.Offline {
		return offlineAccount{s.account, settings}, nil
	}
	if awsconfig.Encrypted(settings) {
		text, err := s.run(ctx, "stack", "export", "--show-secrets", "--stack", s.Name)
		if err != nil {
			return nil, fmt.Errorf("reading the secrets in the settings of the AWS provider: %w", s.classify(err))
		}
		shown, err := state.ParseExport([]byte(text))
		if err != nil {
			return nil, err
		}
		settings = shown.Provider(provider)
	}
	return orphan.NewAWS(settings), nil
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
func (a offlineAccount) Find(_ context.Context, q orphan.Query) ([]orphan.Found, error) {
	return a.find(q.Type, q.Tags(), q.Inputs)
}

// Exists implements orphan.Account.
func (a offlineAccount) Exists(_ context.Context, q orphan.Query) (bool, error) {
	found, err := a.find(q.Type, nil, q.Inputs)
	return len(found) > 0, err
}

// Tagged implements orphan.Account.
func (a offlineAccount) Tagged(_ context.Context, tags map[string]string) ([]orphan.Found, error) {
	found, err := a.find("", tags, nil)
	return slices.DeleteFunc(found, func(f orphan.Found) bool {
		record, _ := awstype.Of(f.Type)
		return !record.Find.Tags.Listed()
	}), err
}

func (a offlineAccount) find(token string, tags map[string]string, inputs map[string]any) ([]orphan.Found, error) {
	resources, err := a.server.Find(a.config, token, tags, inputs)
	var found []orphan.Found
	for _, r := range resources {
		found = append(found, orphan.Found{Type: r.Type, ID: r.ID, ARN: r.ARN, Tags: r.Tags})
	}
	return found, err
}
