package awsresources

import (
	"context"
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

	t *testing.T
	// types is how many there are.
	types int
	mutex *sync.Mutex
	asked map[string]bool
	all   chan struct{}
}

func newMeeting(t *testing.T, types int, found ...inventory.Resource) meeting {
	t.Helper()
	return meeting{
		listing: listing{found: found}, t: t, types: types, mutex: &sync.Mutex{}, asked: map[string]bool{},
		all: make(chan struct{}),
	}
}

func (m meeting) Snapshot() account.Account { return m }

func (m meeting) List(ctx context.Context, q account.Query) ([]inventory.Resource, error) {
	m.mutex.Lock()
	m.asked[q.Type] = true
	if len(m.asked) == m.types {
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
	m := newMeeting(t, len(awstype.LifeTypes())+1, one(awstype.Instance, "i-1", tag, nil)) // and security groups
	found := SignsOfLife(t.Context(), &state.Deployment{}, tag, []account.Account{m})
	require.NoError(t, found.Err)
	require.Len(t, found.Instances, 1)
}

func TestResidentsAreSearchedAtTheSameTime(t *testing.T) {
	t.Parallel()
	own := owning(t, map[string]any{"urn": "urn:pulumi:s::p::" + awstype.VPC + "::vpc", "custom": true, "id": "vpc-1",
		"type": awstype.VPC})
	m := newMeeting(t, len(awstype.ResidentTypes()), inventory.Resource{Type: awstype.Instance, ID: "i-1", VPC: "vpc-1"})
	found, unread := Residents(t.Context(), own.Resources[0].ResourceV3, own, map[string]account.Account{"": m})
	require.Empty(t, unread)
	require.Len(t, found, 1)
}
