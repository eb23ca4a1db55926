package account

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// TestALoadBalancerThatVanishesWhileItIsListedDoesNotFailTheList: AWS refuses a request for the tags of several if one
// no longer exists.
func TestALoadBalancerThatVanishesWhileItIsListedDoesNotFailTheList(t *testing.T) {
	t.Parallel()
	found := []inventory.Resource{{ID: "a"}, {ID: "vanished"}, {ID: "c"}}
	describe := func(some []inventory.Resource) error {
		for i := range some {
			if some[i].ID == "vanished" {
				return &smithy.GenericAPIError{Code: "LoadBalancerNotFound", Message: "no such load balancer"}
			}
		}
		for i := range some {
			some[i].Tags = map[string]string{"tag": some[i].ID}
		}
		return nil
	}
	tagged, err := tagInBatches(found, taggedAtOnce, describe)
	require.NoError(t, err)
	require.Equal(t, []inventory.Resource{{
		ID:   "a",
		Tags: map[string]string{"tag": "a"},
	}, {ID: "c", Tags: map[string]string{"tag": "c"}}}, tagged)

	denied := errors.New("AccessDenied")
	_, err = tagInBatches(found, taggedAtOnce, func([]inventory.Resource) error { return denied })
	require.ErrorIs(t, err, denied, "every other error makes the list incomplete")
}

// TestASnapshotAsksForAFactOnce: also if several readers ask at the same time, and again after something was deleted.
func TestASnapshotAsksForAFactOnce(t *testing.T) {
	t.Parallel()
	known := newLists()
	var asked atomic.Int32
	ask := func() (int32, error) { return asked.Add(1), nil }
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			limit, err := once(known, "quota vpc L-1", ask)
			assert.NoError(t, err)
			assert.EqualValues(t, 1, limit)
		})
	}
	readers.Wait()
	other, err := once(known, "quota vpc L-2", ask)
	require.NoError(t, err)
	require.EqualValues(t, 2, other)
	known.forget()
	again, err := once(known, "quota vpc L-1", ask)
	require.NoError(t, err)
	require.EqualValues(t, 3, again)
	for range 2 { // no snapshot
		_, err = once(nil, "quota vpc L-1", ask)
		require.NoError(t, err)
	}
	require.EqualValues(t, 5, asked.Load())
}

// TestASnapshotReadsDifferentListsOfATypeAtTheSameTime: two reads of roles meet while neither is done.
func TestASnapshotReadsDifferentListsOfATypeAtTheSameTime(t *testing.T) {
	t.Parallel()
	known, met := newLists(), make(chan struct{})
	var arrived, reads atomic.Int32
	read := func() ([]inventory.Resource, error) {
		reads.Add(1)
		if arrived.Add(1) == 2 {
			close(met)
		}
		select {
		case <-met:
		case <-time.After(20 * time.Second):
			t.Error("the second list is not read before the first one is")
		}
		return nil, nil
	}
	var readers sync.WaitGroup
	for range 3 {
		for _, name := range []string{"a", "b"} {
			readers.Go(func() {
				q := Query{Type: awstype.Role, Inputs: map[string]any{"name": name}}
				_, err := listed(known, q, lister{brief: true}, read)
				require.NoError(t, err)
			})
		}
	}
	readers.Wait()
	require.EqualValues(t, 2, reads.Load(), "each list is read once")

	// A list that failed is read again, by those too that waited for it.
	failed := errors.New("denied")
	q := Query{Type: awstype.Role, Inputs: map[string]any{"name": "c"}}
	_, err := listed(known, q, lister{}, func() ([]inventory.Resource, error) { return nil, failed })
	require.ErrorIs(t, err, failed)
	found, err := listed(known, q, lister{}, func() ([]inventory.Resource, error) {
		return []inventory.Resource{{ID: "c"}}, nil
	})
	require.NoError(t, err)
	require.Len(t, found, 1)
	complete := Query{Type: awstype.Role, Inputs: map[string]any{"name": "c"}, Complete: true}
	for range 2 { // a list of some does not replace a complete one, but the reverse
		_, err = listed(known, complete, lister{}, read)
		require.NoError(t, err)
	}
	require.EqualValues(t, 3, reads.Load())
}
