package awsresources

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// meeting is an account that answers a list once all types are asked for.
type meeting struct {
	listing

	t     *testing.T
	mutex *sync.Mutex
	asked map[string]bool
	all   chan struct{}
}

func (m meeting) Snapshot() account.Account { return m }

func (m meeting) List(ctx context.Context, q account.Query) ([]inventory.Resource, error) {
	m.mutex.Lock()
	m.asked[q.Type] = true
	if len(m.asked) == len(slices.Concat(awstype.LifeTypes(), []string{awstype.SecurityGroup})) {
		close(m.all)
	}
	m.mutex.Unlock()
	select {
	case <-m.all:
	case <-time.After(20 * time.Second):
		m.t.Errorf("%s is listed before others", q.Type)
	}
	return m.listing.List(ctx, q)
}

func TestSignsOfLifeAreSearchedAtTheSameTime(t *testing.T) {
	t.Parallel()
	const tag = "kubernetes.io/cluster/demo-x1"
	m := meeting{
		listing: listing{found: []inventory.Resource{one(awstype.Instance, "i-1", tag, func(*inventory.Resource) {})}},
		t:       t, mutex: &sync.Mutex{}, asked: map[string]bool{}, all: make(chan struct{}),
	}
	found := SignsOfLife(t.Context(), &state.Deployment{}, tag, []account.Account{m})
	require.NoError(t, found.Err)
	require.Len(t, found.Instances, 1)
}
