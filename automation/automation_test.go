package automation_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
)

// stackFile is the file of a stack without a hosted cluster.
const stackFile = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    endpointAccess: Private
    network: {zones: [us-east-1a], nat: Single}
    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}
`

// openOffline opens a project with the stack dev in a folder, offline.
func openOffline(dir string, events func(automation.Event)) (*automation.Project, error) {
	if err := os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(stackFile), 0o600); err != nil {
		return nil, err
	}
	o, err := offlineOptions(filepath.Join(dir, "home"))
	if err != nil {
		return nil, err
	}
	o.Dir, o.Events = dir, events
	return automation.Open(o)
}

// offlineOptions are those of an offline project whose engine has a home of its own.
func offlineOptions(home string) (automation.ProjectOptions, error) {
	wd, err := os.Getwd()
	return automation.ProjectOptions{
		Offline: true, EngineDirs: []string{filepath.Dir(wd)},
		Environ: append(os.Environ(), "PULUMI_HOME="+home, "PULUMI_SKIP_UPDATE_CHECK=true"),
	}, errors.Join(err, engine.HomeWithoutLogs(home))
}

// recorder collects events.
type recorder struct {
	mu     sync.Mutex
	events []automation.Event
}

func (r *recorder) add(e automation.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func has[E automation.Event](r *recorder) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.events, func(e automation.Event) bool { _, ok := e.(E); return ok })
}

func project(t *testing.T, events func(automation.Event)) (*automation.Project, string) {
	t.Helper()
	dir := t.TempDir()
	p, err := openOffline(dir, events)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p, dir
}

func TestAnUpdateChangesNothingWithoutADecision(t *testing.T) {
	t.Parallel()
	seen := &recorder{}
	p, _ := project(t, seen.add)
	decisions := map[string]automation.Decide{
		"nobody": nil,
		"no":     func(context.Context, automation.Question) (bool, error) { return false, nil },
	}
	for name, decide := range decisions {
		result, err := p.Stack("dev").Up(t.Context(), automation.UpOptions{Decide: decide})
		require.Error(t, err, name)
		require.Equal(t, decide == nil, automation.ReasonOf(err) == automation.Refused, name)
		require.NotNil(t, result.Planned, name)
		require.Nil(t, result.Done, name)
		require.False(t, result.Updated, name)
	}
	require.True(t, has[*automation.PlannedEvent](seen))
	require.False(t, has[*automation.ResourceEvent](seen))
	outputs, err := p.Stack("dev").Outputs(t.Context(), false)
	require.NoError(t, err)
	require.Empty(t, outputs)
}

// TestAFileThatChangesWhileTheQuestionWaitsEndsTheUpdate: before the engine begins, and before anything is kept of it.
func TestAFileThatChangesWhileTheQuestionWaitsEndsTheUpdate(t *testing.T) {
	t.Parallel()
	seen := &recorder{}
	p, dir := project(t, seen.add)
	path := filepath.Join(dir, "Pulumi.dev.yaml")
	result, err := p.Stack("dev").Up(t.Context(), automation.UpOptions{
		Decide: func(context.Context, automation.Question) (bool, error) {
			return true, os.WriteFile(path, []byte(strings.Replace(stackFile, "Single", "PerZone", 1)), 0o600)
		},
	})
	require.Equal(t, automation.Refused, automation.ReasonOf(err), "%v", err)
	require.Nil(t, result.Done)
	require.False(t, has[*automation.BeganEvent](seen))
	_, err = p.Stack("dev").Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
	require.NoError(t, err)
}

func TestAStackIsCreatedComparedAndDestroyed(t *testing.T) {
	t.Parallel()
	p, _ := project(t, nil)
	var asked []automation.Question
	approve := func(ctx context.Context, q automation.Question) (bool, error) {
		asked = append(asked, q)
		return automation.Approve(ctx, q)
	}
	up, err := p.Stack("dev").Up(t.Context(), automation.UpOptions{Decide: approve})
	require.NoError(t, err)
	require.True(t, up.Updated)
	require.Positive(t, up.Done.Counts().Created)
	require.Len(t, asked, 1)
	require.Same(t, up.Planned, asked[0].Plan)

	preview, err := p.Stack("dev").Preview(t.Context(), automation.PreviewOptions{ExpectNoChanges: true, Drift: true})
	require.NoError(t, err)
	require.True(t, preview.DriftChecked)
	require.Empty(t, preview.Refusals)
	paths, err := p.Stack("dev").Paths(t.Context(), automation.PathsOptions{Live: true})
	require.NoError(t, err)
	require.Contains(t, names(paths), "node in us-east-1a -> internet")
	drift, err := p.Stack("dev").Drift(t.Context())
	require.NoError(t, err)
	require.Empty(t, drift.Drift)

	destroyed, err := p.Stack("dev").Destroy(t.Context(), automation.DestroyOptions{Decide: approve, RemoveState: true})
	require.NoError(t, err)
	require.Positive(t, destroyed.Done.Counts().Deleted)
	_, err = p.Stack("dev").Outputs(t.Context(), false)
	require.Error(t, err)
}

func names(paths []automation.Path) (list []string) {
	for _, p := range paths {
		list = append(list, p.Name)
	}
	return list
}

func TestAReleaseNeedsTheNameOfTheStack(t *testing.T) {
	t.Parallel()
	p, _ := project(t, nil)
	_, err := p.Stack("dev").Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
	require.NoError(t, err)
	_, err = p.Stack("dev").Forget(t.Context(), automation.ForgetOptions{Decide: automation.Approve})
	require.Error(t, err)
	released, err := p.Stack("dev").Forget(t.Context(), automation.ForgetOptions{Decide: func(_ context.Context, q automation.Question) (bool, error) {
		return q.Name == "dev", nil
	}})
	require.NoError(t, err)
	require.NotEmpty(t, released)
}

// The end of the context is the first of the two stages: what is in progress is finished.
func TestTheEndOfTheContextInterruptsAnUpdate(t *testing.T) {
	t.Parallel()
	p, _ := project(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	stack := p.Stack("dev")
	stack.Events = func(e automation.Event) {
		if done, ok := e.(*automation.ResourceEvent); ok && done.Status == "done" {
			cancel()
		}
	}
	result, err := stack.Up(ctx, automation.UpOptions{Decide: automation.Approve})
	require.Equal(t, automation.Interrupted, automation.ReasonOf(err), "%v", err)
	require.False(t, result.Updated)
	result, err = p.Stack("dev").Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
	require.NoError(t, err)
	require.True(t, result.Updated)
}

func TestWatchReturnsTheEventsAndTheError(t *testing.T) {
	t.Parallel()
	p, _ := project(t, nil)
	planned, last := false, error(nil)
	for event, err := range p.Stack("dev").Watch(func(s *automation.Stack) error {
		_, err := s.Preview(t.Context(), automation.PreviewOptions{ExpectNoChanges: true})
		return err
	}) {
		if _, ok := event.(*automation.PlannedEvent); ok {
			planned = true
		}
		last = err
	}
	require.True(t, planned)
	require.Equal(t, automation.ChangesFound, automation.ReasonOf(last))
}

func TestAPreviewListsTheGateAtWhichAnUpdateStops(t *testing.T) {
	t.Parallel()
	p, dir := project(t, nil)
	_, err := p.Stack("dev").Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
	require.NoError(t, err)
	moved := strings.Replace(stackFile, "nat: Single", "nat: Single, vpcCIDR: 10.1.0.0/16", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(moved), 0o600))

	preview, err := p.Stack("dev").Preview(t.Context(), automation.PreviewOptions{})
	require.NoError(t, err)
	require.Len(t, preview.Refusals, 1)
	require.Equal(t, "guard", preview.Refusals[0].Gate)
	result, err := p.Stack("dev").Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
	var refused *automation.GuardError
	require.ErrorAs(t, err, &refused)
	require.NotEmpty(t, refused.Refusals)
	require.Nil(t, result.Done)
}
