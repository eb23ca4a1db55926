package automation_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

func TestAnUpdateRefreshesFirstAndPrintsWhatTheEngineDoes(t *testing.T) {
	t.Parallel()
	seen := &recorder{}
	p, _ := project(t, seen.add)
	stack := p.Stack("dev")
	_, err := stack.Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
	require.NoError(t, err)
	seen.events = nil
	var printed bytes.Buffer
	_, err = stack.Up(t.Context(), automation.UpOptions{
		Decide:          automation.Approve,
		Refresh:         true,
		ProgressStreams: []io.Writer{&printed},
	})
	require.NoError(t, err)
	var operations []string
	for _, e := range seen.events {
		if ended, ok := e.(*automation.SummaryEvent); ok {
			operations = append(operations, ended.Operation)
		}
	}
	require.Equal(t, []string{"refresh", "up"}, operations)
	require.Contains(t, printed.String(), "unchanged")
}
