package run

import (
	"context"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
	"github.com/hypershift-aws/hypershift-aws/internal/run/recovery"
)

// began records in the journal what is known before the engine starts. It distinguishes what an interrupted run has
// created from what others have.
func (r *Engine) began(ctx context.Context, written time.Time) error {
	if written.IsZero() && r.Stack.StateRead {
		written = r.Stack.State.Written()
	}
	begin := recovery.Begin{At: time.Now().UTC(), State: written}
	if r.planned != nil {
		var err error
		if begin.Existing, err = r.listed(ctx); err != nil {
			r.Stack.Say("what AWS already has with this stack's tags cannot be listed: %s; if this run is killed, "+
				"`hypershift-aws repair` asks which resources are this stack's", err)
		}
	}
	r.planned, r.existed = nil, begin.Existing
	return recovery.NewJournal(r.Stack.WorkDir).Begin(begin)
}

// listing is a list of what AWS has.
type listing struct {
	// end ends it, and done is closed once it has ended. The rest is known then.
	end   context.CancelFunc
	done  chan struct{}
	found map[string][]string
	err   error
	at    time.Time
}

// listedFor is how long a list that was made ahead may be used: a user may take longer to decide.
const listedFor = 10 * time.Second

// ListAhead begins to list what AWS already has of what the last preview creates, while the gates are asked. Call the
// function that it returns at the end of the operation.
func (r *Engine) ListAhead(ctx context.Context) (end func()) {
	planned := r.planned
	ctx, cancel := context.WithCancel(ctx)
	l := &listing{end: cancel, done: make(chan struct{})}
	r.ahead = l
	go func() {
		defer close(l.done)
		l.found, l.err = r.existing(ctx, planned)
		l.at = time.Now()
	}()
	return func() {
		l.end()
		<-l.done
	}
}

// listed returns what AWS already has of what the last preview creates: as it was listed ahead, if that is not too long
// ago.
func (r *Engine) listed(ctx context.Context) (map[string][]string, error) {
	if l := r.ahead; l != nil {
		r.ahead = nil
		if <-l.done; l.err == nil && time.Since(l.at) < listedFor {
			return l.found, nil
		}
	}
	return r.existing(ctx, r.planned)
}

// existing lists the resources in AWS that already have the tags of what a plan creates; nil if that is not known.
func (r *Engine) existing(ctx context.Context, planned *changes.Plan) (map[string][]string, error) {
	if !r.Stack.Session.Environment.KnowsAccounts() {
		return nil, nil
	}
	creates := map[string]bool{}
	for _, step := range plan.Listed(planned) {
		creates[step.URN] = creates[step.URN] || step.Change == changes.Create || step.Change == changes.Replace
	}
	var creations []recovery.Creation
	for _, after := range planned.After {
		if creates[string(after.URN)] && strings.HasPrefix(string(after.Type), "aws:") {
			creations = append(creations, recovery.Creation{
				Query:    account.Query{Type: string(after.Type), Inputs: after.Inputs},
				Provider: plancheck.ProviderURN(after.Provider),
			})
		}
	}
	settings, accounts := plancheck.ProviderInputs(planned), map[string]account.Account{}
	return recovery.Existing(ctx, creations, func(provider string) (account.Account, error) {
		if accounts[provider] != nil {
			return accounts[provider], nil
		}
		var err error
		accounts[provider], err = r.Stack.Providers.Planned(ctx, provider, settings[provider])
		return accounts[provider], err
	})
}
