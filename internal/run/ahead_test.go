package run

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// noAccounts is an environment whose accounts are not known, so that nothing can be listed anew.
type noAccounts struct{ workspace.Environment }

func (noAccounts) KnowsAccounts() bool { return false }

func TestAListThatWasMadeBesideTheGatesIsUsedOnceAndNotAfterALongQuestion(t *testing.T) {
	t.Parallel()
	made := map[string][]string{"aws:ec2/vpc:Vpc": {"vpc-1"}}
	r := &Engine{Stack: &workspace.Stack{Session: &workspace.Session{Environment: noAccounts{}}}}
	listed := func(age time.Duration) map[string][]string {
		done := make(chan struct{})
		close(done)
		r.ahead = &listing{done: done, found: made, at: time.Now().Add(-age)}
		found, err := r.listed(t.Context())
		require.NoError(t, err)
		return found
	}
	require.Equal(t, made, listed(0))
	again, err := r.listed(t.Context())
	require.NoError(t, err)
	require.Nil(t, again, "the next change has a list of its own")
	require.Nil(t, listed(2*listedFor))

	end := r.ListAhead(t.Context())
	end()
	require.NotNil(t, r.ahead)
}
