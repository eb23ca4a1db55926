package run

import (
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/run/recovery"
)

func TestAnUpdateWhoseLockIsNotVisibleMayRunFor65Minutes(t *testing.T) {
	t.Parallel()
	const urn = "urn:pulumi:dev::p::aws:ec2/vpc:Vpc::network-vpc"
	read := func(pending string) *state.Deployment {
		d, err := state.ParseExport([]byte(`{"version":3,"deployment":{"manifest":{"time":"2026-01-02T03:04:05Z"},"pending_operations":[` + pending + `]}}`))
		require.NoError(t, err)
		return d
	}
	one := read(`{"type":"creating","resource":{"urn":"` + urn + `","type":"aws:ec2/vpc:Vpc","custom":true}}`)
	written := one.Written()
	empty, own, cancelled, earlier := recovery.NewJournal(t.TempDir()), recovery.NewJournal(t.TempDir()),
		recovery.NewJournal(t.TempDir()), recovery.NewJournal(t.TempDir())
	require.NoError(t, own.Began(apitype.StepEventMetadata{
		Op:  apitype.OpCreate,
		URN: urn,
		New: &apitype.StepEventStateMetadata{URN: urn},
	}))
	require.NoError(t, cancelled.Cancelled(written))
	require.NoError(t, earlier.Cancelled(written.Add(-time.Minute)))
	for name, c := range map[string]struct {
		state   *state.Deployment
		journal recovery.Journal
		age     time.Duration
		may     bool
	}{
		"of another machine":                 {one, empty, 64 * time.Minute, true},
		"of another machine, long ago":       {one, empty, 66 * time.Minute, false},
		"of this machine":                    {one, own, time.Minute, false},
		"the user released the lock":         {one, cancelled, time.Minute, false},
		"the user released the lock before":  {one, earlier, time.Minute, true},
		"a state without pending operations": {read(""), empty, time.Minute, false},
	} {
		may, err := mayRun(c.state, c.journal, written.Add(c.age))
		require.NoError(t, err, name)
		require.Equal(t, c.may, may, name)
	}
}
