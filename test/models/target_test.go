package models

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/test/automationtest"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// deciding opens a stack of the model for a Go program whose Decide changes the world before it answers yes.
func (m *model) deciding(stack string, change func()) (*automation.Stack, automation.Decide) {
	m.t.Helper()
	return m.decidingBy("", stack, change)
}

// decidingBy is deciding, by all gates but one.
func (m *model) decidingBy(without, stack string, change func()) (*automation.Stack, automation.Decide) {
	m.t.Helper()
	project, err := automation.Open(automationtest.WithGates(automation.ProjectOptions{
		Dir: m.Dir, Offline: true, Environ: m.Env, NoInstall: true,
		EngineDirs: []string{filepath.Dir(filepath.Dir(enginetest.EnginePath(m.t)))},
	}, automationtest.GatesBut(strings.Fields(without)...)))
	require.NoError(m.t, err)
	m.t.Cleanup(project.Close)
	return project.Stack(stack), func(context.Context, automation.Question) (bool, error) {
		if change != nil {
			change()
			change = nil // the next question finds the world as it is then
		}
		return true, nil
	}
}

// What an operation was asked about is not what it would change, if the world changes while it waits for the answer.
func TestAnOperationWhoseTargetChangesWhileItAsksIsRefused(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	ctx := context.Background()
	edit := func(m *model) { m.edit("prod", "team: platform", "team: network") }
	exchange := func(m *model) { m.exchange() }
	for name, c := range sizes.Only(t, map[string]struct {
		stack           string
		prepare, change func(*model)
		run             func(*automation.Stack, automation.Decide) error
	}{
		"destroy, another management cluster": {"prod", nil, exchange,
			func(s *automation.Stack, decide automation.Decide) error {
				_, err := s.Destroy(ctx, automation.DestroyOptions{Decide: decide, Cluster: "demo"})
				return err
			}},
		"destroy of machines, another management cluster": {"self", nil, exchange,
			func(s *automation.Stack, decide automation.Decide) error {
				_, err := s.Destroy(ctx, automation.DestroyOptions{Decide: decide, Cluster: "mars"})
				return err
			}},
		"destroy, another management cluster at the question for the name": {"prod", nil, exchange,
			func(s *automation.Stack, decide automation.Decide) error {
				_, err := s.Destroy(ctx, automation.DestroyOptions{Decide: decide})
				return err
			}},
		"up, another management cluster": {"prod", edit, exchange, func(s *automation.Stack, decide automation.Decide) error {
			_, err := s.Up(ctx, automation.UpOptions{Decide: decide})
			return err
		}},
		"the first up, another management cluster": {"fresh", func(m *model) {
			m.write("fresh", modelFile(modelCluster{
				stack:   "fresh",
				kind:    "HostedCluster",
				name:    "fresh",
				infraID: "fresh-x1",
			}, "blue"))
		}, exchange, func(s *automation.Stack, decide automation.Decide) error {
			_, err := s.Up(ctx, automation.UpOptions{Decide: decide, SkipQuotas: true})
			return err
		}},
		"release, another management cluster": {"prod", nil, exchange,
			func(s *automation.Stack, decide automation.Decide) error {
				_, err := s.Forget(ctx, automation.ForgetOptions{Decide: decide})
				return err
			}},
		"destroy, the cluster that was gone is alive again": {
			"gitops", func(m *model) { m.inAWS(modelClusterOf("gitops"), func(*store.Entry) bool { return false }) },
			func(m *model) { targetGroup("10.0.0.7")(m, modelClusterOf("gitops")) },
			func(s *automation.Stack, decide automation.Decide) error {
				_, err := s.Destroy(ctx, automation.DestroyOptions{Decide: decide})
				return err
			},
		},
	}, "destroy, another management cluster", "up, another management cluster", "release, another management cluster",
		"destroy, the cluster that was gone is alive again") {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			m := newModel(t, dir)
			if c.prepare != nil {
				c.prepare(m)
				if c.stack != "fresh" {
					m.again(modelClusterOf(c.stack), "prepared")
				}
			}
			asked := false
			stack, decide := m.deciding(c.stack, func() {
				asked = true
				c.change(m)
			})
			err := c.run(stack, decide)
			require.True(t, asked, "%v", err)
			require.Equal(t, failure.Refused, failure.ReasonOf(err), "%v", err)
			m.look(nil)
		})
	}
}

// What a plan was made for is not what the engine would find, if another run writes the state while the question waits.
func TestAnOperationWhoseStateChangesWhileItAsksChangesNothing(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	for name, run := range map[string]func(*automation.Stack, automation.Decide) error{
		"up": func(s *automation.Stack, decide automation.Decide) error {
			_, err := s.Up(t.Context(), automation.UpOptions{Decide: decide})
			return err
		},
		"destroy": func(s *automation.Stack, decide automation.Decide) error {
			_, err := s.Destroy(t.Context(), automation.DestroyOptions{Decide: decide, Cluster: "demo"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, dir)
			m.edit("prod", "team: platform", "team: network")
			m.again(modelClusterOf("prod"), "prepared")
			colleague, _ := m.deciding("prod", nil)
			asked := false
			stack, decide := m.deciding("prod", func() {
				asked = true
				_, err := colleague.Refresh(t.Context(), automation.RefreshOptions{})
				require.NoError(t, err)
			})
			err := run(stack, decide)
			require.True(t, asked, "%v", err)
			require.Equal(t, failure.Conflict, failure.ReasonOf(err), "%v", err)
			require.ErrorContains(t, err, "was changed by another run")
			m.look(nil)
		})
	}
}

// An update that waits between two stages asks nobody about the second one.
func TestAnUpdateWhoseTargetChangesBetweenItsStagesIsRefused(t *testing.T) {
	t.Parallel()
	m := newModel(t, modelDir(t))
	m.edit("prod", "4.19.0", "4.20.1")
	plans := 0
	project, err := automation.Open(automation.ProjectOptions{
		Dir: m.Dir, Offline: true, Environ: m.Env, NoInstall: true,
		EngineDirs: []string{filepath.Dir(filepath.Dir(enginetest.EnginePath(t)))},
		Events: func(e automation.Event) {
			if _, planned := e.(*automation.PlannedEvent); planned {
				if plans++; plans == 2 {
					m.again(modelClusterOf("prod"), "its control plane has the new release")
					m.exchange()
				}
			}
		},
	})
	require.NoError(t, err)
	t.Cleanup(project.Close)
	_, err = project.Stack("prod").Up(t.Context(), automation.UpOptions{Decide: automation.Approve, Wait: time.Minute})
	require.Equal(t, 2, plans, "%v", err)
	require.Equal(t, failure.Refused, failure.ReasonOf(err), "%v", err)
	m.look(nil)
}

// A journal of a confirmed deletion is no evidence alone: the deletion may have failed at its first call.
func TestADeletionThatFailedDoesNotMakeTheClusterGone(t *testing.T) {
	t.Parallel()
	m := newModel(t, modelDir(t))
	failed := []string{`HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{from: 1, code: ExpiredToken}], operators: {unreachable: false}}`}
	m.operators("blue", offline.Operators{ReadOnly: true})
	_, code := m.do(nil, failed, "-s", "prod", "destroy", "--yes", "--cluster", "demo")
	require.NotZero(t, code)
	m.operators("blue", offline.Operators{Unreachable: true})
	stderr, code := m.do(nil, nil, "-s", "prod", "destroy", "--yes", "--cluster", "demo", "--management-cluster-gone")
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "is alive")
}

// The management cluster of a restore is another one than the recorded one: its question must not be taken for a
// changed target.
func TestARestoreThatAsksContinuesInTheManagementClusterOfTheFile(t *testing.T) {
	t.Parallel()
	m := copyModel(t, modelDir(t))
	clusters := filepath.Join(m.offlineDir(), "clusters")
	west := filepath.Join(clusters, "west")
	require.NoError(t, os.CopyFS(west, os.DirFS(filepath.Join(clusters, "green"))))
	require.NoError(t, os.Remove(filepath.Join(west, "uid")))
	uid := regexp.MustCompile(`"uid": *"........`)
	require.NoError(t, filepath.WalkDir(west, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return os.WriteFile(path, uid.ReplaceAll(text, []byte(`"uid": "00000000`)), 0o600)
	}))
	m.operators("green", offline.Operators{Unreachable: true})
	m.write("staging", modelFile(modelClusterOf("staging"), "west"))
	asked := false
	stack, decide := m.deciding("staging", func() { asked = true })
	result, err := stack.Relocate(t.Context(), automation.RelocateOptions{Decide: decide, ManagementClusterGone: true})
	require.NoError(t, err)
	require.True(t, asked)
	require.NotEqual(t, result.From, result.To)
	m.Run("--offline", "-s", "staging", "preview", "--expect-no-changes")
}

// What others have is allowed with the deletion: who declines it has allowed nothing.
func TestWhatOthersHaveIsAllowedOnceTheUserHasDecided(t *testing.T) {
	t.Parallel()
	m := newModel(t, modelDir(t))
	m.associateOthers()
	delete(m.holds, "prod") // it dies
	stack, approve := m.deciding("prod", nil)
	consents := filepath.Join(m.offlineDir(), "consents.jsonl")
	before, _ := os.ReadFile(consents)
	for _, decide := range []automation.Decide{
		func(context.Context, automation.Question) (bool, error) { return false, nil }, approve,
	} {
		_, err := stack.Destroy(t.Context(), automation.DestroyOptions{
			Decide: decide, Cluster: "demo", Allow: []string{othersVPC},
		})
		now, _ := os.ReadFile(consents)
		recorded := strings.Contains(strings.TrimPrefix(string(now), string(before)), othersVPC)
		require.Equal(t, err == nil, recorded, "%v", err)
	}
	require.FileExists(t, consents)
}

// What others add while a destroy asks is named, and nothing is deleted.
func TestWhatOthersAddWhileADestroyAsksStopsIt(t *testing.T) {
	t.Parallel()
	m := newModel(t, modelDir(t))
	delete(m.holds, "prod") // it dies
	stack, decide := m.deciding("prod", m.associateOthers)
	result, err := stack.Destroy(t.Context(), automation.DestroyOptions{Decide: decide, Cluster: "demo"})
	require.Equal(t, failure.Refused, failure.ReasonOf(err), "%v", err)
	require.ErrorContains(t, err, othersVPC)
	require.Nil(t, result.Done)
}

// What an adoption takes over is what it was asked about: a resource that others change meanwhile is shown again.
func TestAnAdoptionOfWhatChangesWhileItAsksTakesNothingOver(t *testing.T) {
	t.Parallel()
	m := newModel(t, modelDir(t))
	require.NoError(t, os.Remove(m.stateFile("prod")))
	m.again(modelClusterOf("prod"), "its state is lost")
	const theirs = `{"Version":"2012-10-17","Statement":[]}`
	stack, decide := m.deciding("prod", func() {
		m.records(func(rec *store.Entry) bool {
			if rec.Type != awstype.Role || !strings.Contains(rec.ID, "prod-x1-control-plane-operator") {
				return false
			}
			rec.State["assumeRolePolicy"] = theirs
			return true
		})
	})
	_, err := stack.Adopt(t.Context(), automation.AdoptOptions{Decide: decide})
	require.Equal(t, failure.Conflict, failure.ReasonOf(err), "%v", err)
	require.ErrorContains(t, err, "adopt would also change IAM role")
	require.Zero(t, m.edited(func(rec *store.Entry) bool {
		return rec.Type == awstype.Role && strings.Contains(rec.ID, "prod-x1-control-plane-operator") &&
			rec.State["assumeRolePolicy"] != theirs
	}), "it is as the others left it")
}
