package workspace

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// counted counts how often a state is read: each read first restores what is damaged.
type counted struct{ reads atomic.Int32 }

func (c *counted) Keep() (time.Time, error) { return time.Time{}, nil }

func (c *counted) Restore(bool, func(report.Event)) error {
	c.reads.Add(1)
	return nil
}

// With -race: no gate has to know whether another one has read the state.
func TestGatesThatRunAtTheSameTimeShareOneRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, ".pulumi", "stacks", "p")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: p\nruntime: hypershift-aws\n"),
		0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "dev.json"), []byte(`{"version": 3, "checkpoint": {"latest": {"resources": [
		{"type": "pulumi:pulumi:Stack", "urn": "urn:pulumi:dev::p::pulumi:pulumi:Stack::s", "outputs": {"kind": "network"}}
	]}}}`), 0o600))
	in, err := project.Open(dir)
	require.NoError(t, err)
	copies := &counted{}
	s := &Stack{
		Name: "dev", Backend: engine.Backend{URL: engine.FileURL(dir)}, WorkDir: t.TempDir(), State: &state.Deployment{},
		Session: &Session{
			Project: in,
			Copies:  func(state.File, string) Copies { return copies },
			Report:  func(report.Event) {},
		},
	}
	for reads := range int32(2) {
		var gates sync.WaitGroup
		for range 8 {
			gates.Go(func() {
				s.LastState()
				assert.NoError(t, s.CurrentState(t.Context()))
				assert.Equal(t, "network", s.State.Outputs().String("kind"))
				assert.EqualValues(t, "network", s.Kind())
			})
		}
		gates.Wait()
		require.Equal(t, reads+1, copies.reads.Load())
		s.StateChanged()
	}
}
