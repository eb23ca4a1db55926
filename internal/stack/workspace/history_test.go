package workspace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
)

func TestAHistoryHasPersonAndCommit(t *testing.T) {
	t.Parallel()
	changes, err := parseHistory([]byte(`[
{"kind": "destroy", "startTime": "2026-11-02T10:00:00.000Z", "endTime": "", "result": "in-progress", "message": "typed by hand",
 "environment": {"exec.agent": "pulumi-kubernetes-operator/2.0"}},
{"kind": "update", "startTime": "2026-11-01T10:00:00.000Z", "endTime": "2026-11-01T10:05:00.000Z", "result": "succeeded",
 "message": "network: one more zone\n\nbody", "resourceChanges": {"create": 3, "same": 19},
 "environment": {"exec.agent": "hypershift-aws/v0.2.0 by ana (run 7) as runner@ci", "git.head": "c5bef587ba50", "git.author": "Ben",
  "git.dirty": "true"}}]`))
	require.NoError(t, err)
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return parsed
	}
	require.Equal(t, []backend.Entry{
		{Time: at("2026-11-02T10:00:00Z"), Kind: "destroy", Result: "in-progress"},
		{
			Time: at("2026-11-01T10:00:00Z"), Ended: at("2026-11-01T10:05:00Z"), Kind: "update", Result: "succeeded",
			By: "ana (run 7) as runner@ci", Version: "v0.2.0", Commit: "c5bef587ba50", Author: "Ben",
			Message: "network: one more zone", Dirty: true, Changes: map[string]int{"create": 3, "same": 19},
		},
	}, changes)
}
