package automation_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/automation"
)

// fleetOf returns the options of a fleet of offline stacks, each of which is previewed in this process.
func fleetOf(t testing.TB, stacks int, events func(automation.Event)) automation.FleetOptions {
	t.Helper()
	dir := t.TempDir()
	o, err := offlineOptions(t.TempDir())
	require.NoError(t, err)
	o.Events = events
	for i := range stacks {
		text := strings.ReplaceAll(stackFile, "demo", fmt.Sprintf("demo%d", i))
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("Pulumi.s%d.yaml", i)), []byte(text), 0o600))
	}
	return automation.FleetOptions{
		ProjectOptions: o, Dirs: []string{dir}, Operation: "preview",
		FleetLimits: automation.FleetLimits{Parallel: 2, PerAccount: 2},
		Run: func(ctx context.Context, s *automation.Stack) (*automation.Plan, error) {
			result, err := s.Preview(ctx, automation.PreviewOptions{})
			if err != nil {
				return nil, err
			}
			return result.Plan, nil
		},
	}
}

func TestAFleetRunsInTheCallersProcess(t *testing.T) {
	t.Parallel()
	seen := &recorder{}
	o := fleetOf(t, 2, seen.add)
	result, err := automation.Fleet(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, result.Outcomes, 2)
	for job, outcome := range result.Outcomes {
		require.NotZero(t, outcome.Created, job.ID)
	}
	require.True(t, has[*automation.FleetPlannedEvent](seen))
	require.True(t, has[*automation.FleetStackEvent](seen))

	failing := fmt.Errorf("no")
	o.Run = func(_ context.Context, s *automation.Stack) (*automation.Plan, error) {
		if s.Name == "s1" {
			return nil, failing
		}
		return nil, nil
	}
	_, err = automation.Fleet(t.Context(), o)
	require.ErrorContains(t, err, "1 succeeded, 1 failed")
	o.Resume = true
	result, err = automation.Fleet(t.Context(), o)
	require.Error(t, err)
	require.Len(t, result.Jobs, 1, "only the stack that failed is run again")
	o.Resume, o.Operation = false, "up"
	_, err = automation.Fleet(t.Context(), o)
	require.ErrorContains(t, err, "needs a decision; nothing was changed")
	o.Run = nil
	_, err = automation.Fleet(t.Context(), o)
	require.ErrorContains(t, err, "either Run or Process")
}

// BenchmarkAFleetInOneProcess previews b.N stacks, and reports the memory of this process at its peak, without the
// engines.
func BenchmarkAFleetInOneProcess(b *testing.B) {
	_, err := automation.Fleet(b.Context(), fleetOf(b, b.N, nil))
	require.NoError(b, err)
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(b, err)
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes float64
	_, err = fmt.Sscan(peak, &kilobytes)
	require.NoError(b, err)
	b.ReportMetric(kilobytes/1024, "MB")
}

// No stack of the folder has a file: what only reads finds the stack in its state, and what changes refuses.
func TestAFleetComparesAStackWithoutAFileAndDoesNotDestroyIt(t *testing.T) {
	t.Parallel()
	p, dir := project(t, nil)
	stack, err := p.NewStack("given", content())
	require.NoError(t, err)
	_, err = stack.Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "Pulumi.dev.yaml")))
	o, err := offlineOptions(filepath.Join(dir, "home"))
	require.NoError(t, err)
	fleet := automation.FleetOptions{
		ProjectOptions: o, Dirs: []string{dir}, Operation: gates.Drift,
		Run: func(ctx context.Context, s *automation.Stack) (*automation.Plan, error) {
			_, err := s.Drift(ctx)
			return nil, err
		},
	}
	compared, err := automation.Fleet(t.Context(), fleet)
	require.NoError(t, err)
	require.Len(t, compared.Jobs, 1)
	require.Equal(t, []string{"given", "demo-x1", ""}, []string{compared.Jobs[0].ID, compared.Jobs[0].InfraID, compared.Jobs[0].Digest})
	fleet.Operation = gates.Destroy
	_, err = automation.Fleet(t.Context(), fleet)
	require.ErrorContains(t, err, "no stack has a file in "+dir)
}
