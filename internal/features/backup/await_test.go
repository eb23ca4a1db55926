package backup

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	api "github.com/hypershift-aws/hypershift-aws/api/backup"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// answers is a management cluster that has one object after the other, and keeps the last.
type answers struct {
	clusterstatus.ManagementCluster
	list *[]map[string]any
}

func (a answers) Get(context.Context, string, string, string) (map[string]any, error) {
	object := (*a.list)[0]
	if len(*a.list) > 1 {
		*a.list = (*a.list)[1:]
	}
	return object, nil
}

// quick is an environment that looks often.
type quick struct{ workspace.Environment }

func (quick) Timing() workspace.Timing { return workspace.Timing{Ready: time.Millisecond} }

// A Backup that others create under the same name is not the one that is waited for.
func TestAWaitForABackupEndsIfOthersDeleteIt(t *testing.T) {
	t.Parallel()
	backup := func(uid, phase string) map[string]any {
		return map[string]any{"metadata": map[string]any{"uid": uid}, "status": map[string]any{"phase": phase}}
	}
	for name, c := range map[string]struct {
		list []map[string]any
		ends string
	}{
		"complete":       {list: []map[string]any{backup("u1", ""), backup("u1", "InProgress"), backup("u1", "Completed")}},
		"gone":           {[]map[string]any{backup("u1", "InProgress"), nil}, "was deleted while it was waited for"},
		"another backup": {[]map[string]any{backup("u1", "New"), backup("u2", "Completed")}, "was deleted while it was waited for"},
	} {
		s := &workspace.Stack{Session: &workspace.Session{
			Environment: quick{}, Interrupts: &engine.Interrupts{}, Report: func(report.Event) {},
		}}
		err := await(t.Context(), s, answers{list: &c.list}, api.Options{}, "Backup oadp/demo", time.Minute)
		if c.ends == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, "Backup oadp/demo "+c.ends, name)
		}
	}
}
