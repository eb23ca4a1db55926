package recovery

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// damagedState is a stack whose run was killed, after which the file of its state is incomplete.
type damagedState struct {
	t      *testing.T
	path   string
	backup Backup
	j      Journal
	said   []string
}

func checkpoint(at time.Time, urns ...string) []byte {
	resources := ""
	for i, urn := range urns {
		if i > 0 {
			resources += ","
		}
		resources += fmt.Sprintf(`{"urn":%q,"custom":true,"id":"x","type":"aws:ec2/vpc:Vpc"}`, urn)
	}
	return fmt.Appendf(nil, `{"version":3,"checkpoint":{"latest":{"manifest":{"time":%q},"resources":[%s]}}}`, at.Format(time.RFC3339Nano), resources)
}

var copied = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

func newDamagedState(t *testing.T) *damagedState {
	t.Helper()
	folder, work := t.TempDir(), t.TempDir()
	dir := filepath.Join(folder, ".pulumi", "stacks", "p")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	d := &damagedState{
		t:      t,
		path:   filepath.Join(dir, "s.json"),
		backup: NewBackup(state.NewFile(folder, "p", "s"), work),
		j:      NewJournal(work),
	}
	require.NoError(t, os.WriteFile(d.path, checkpoint(copied, urnVPC), 0o600))
	at, err := d.backup.Keep()
	require.NoError(t, err)
	require.Equal(t, copied, at.UTC())
	require.NoError(t, os.WriteFile(d.path, []byte(`{"version":3,"check`), 0o600))
	return d
}

func (d *damagedState) restore(consent bool) error {
	d.t.Helper()
	return d.backup.Restore(d.j, consent, func(e report.Event) { d.said = append(d.said, e.(*event.Note).Message) })
}

func (d *damagedState) content() string {
	text, err := os.ReadFile(d.path)
	require.NoError(d.t, err)
	return string(text)
}

func TestAnIncompleteStateIsRestoredIfItsCopyIsTheOneTheRunBeganWith(t *testing.T) {
	t.Parallel()
	d := newDamagedState(t)
	require.NoError(t, d.j.Begin(Begin{At: time.Now(), State: copied}))
	require.NoError(t, d.j.Began(meta(apitype.OpCreate, urnSubnet, awstype.Subnet, nil)))
	require.NoError(t, os.WriteFile(d.path+".bak", checkpoint(copied.Add(time.Minute), urnVPC, urnSubnet), 0o600))
	require.NoError(t, d.restore(false))
	require.Equal(t, string(checkpoint(copied, urnVPC)), d.content())
	require.Len(t, d.said, 1)
	run, err := d.j.unfinished()
	require.NoError(t, err)
	require.Len(t, run.entries, 1)
}

func TestAnIncompleteStateIsNotReplacedByAnOlderCopyWithoutConsent(t *testing.T) {
	t.Parallel()
	later := copied.Add(time.Hour)
	for name, prepare := range map[string]func(*damagedState) error{
		"no interrupted run here": func(*damagedState) error { return nil },
		"another state since":     func(d *damagedState) error { return d.j.Begin(Begin{At: time.Now(), State: later}) },
		"another machine's resources": func(d *damagedState) error {
			return d.j.Begin(Begin{At: time.Now(), State: copied})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDamagedState(t)
			require.NoError(t, prepare(d))
			require.NoError(t, os.WriteFile(d.path+".bak", checkpoint(later, urnVPC, urnSubnet), 0o600))
			before := d.content()
			err := d.restore(false)
			require.Equal(t, failure.Refused, failure.ReasonOf(err))
			require.ErrorContains(t, err, stamp(later))
			require.ErrorContains(t, err, "hypershift-aws repair --restore-state")
			require.Equal(t, before, d.content())
			require.NoError(t, d.restore(true))
			require.Equal(t, string(checkpoint(later, urnVPC, urnSubnet)), d.content(), "the newest copy")
		})
	}
}
