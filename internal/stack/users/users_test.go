package users

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// none are the copies of a state without any.
type none struct{}

func (none) Keep() (time.Time, error) { return time.Time{}, nil }

func (none) Restore(bool, func(report.Event)) error { return nil }

func noCopies(state.File, string) workspace.Copies { return none{} }

// inBackend returns a session whose backend is a folder with states, by "<project>/<stack>"; a nil state is damaged.
func inBackend(t testing.TB, states map[string]*state.Deployment) *workspace.Session {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "backend"), 0o700))
	for name, d := range states {
		text := []byte("{")
		if d != nil {
			var err error
			text, err = json.Marshal(map[string]any{"version": 3, "checkpoint": map[string]any{"latest": map[string]any{
				"manifest": map[string]any{"time": "2026-08-01T12:00:00Z"}, "resources": resourcesOf(d),
			}}})
			require.NoError(t, err)
		}
		path := filepath.Join(dir, "backend", ".pulumi", "stacks", name+".json")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	opened, err := project.Open(dir)
	require.NoError(t, err)
	where := environment.AWS(environment.Options{
		Project: opened,
		Environ: engine.Environ{},
		Backend: engine.FileURL(filepath.Join(dir, "backend")),
	})
	t.Cleanup(func() { _ = where.Close() })
	return &workspace.Session{
		Project:     opened,
		Environ:     engine.Environ{},
		Environment: where,
		Report:      func(report.Event) {},
		Copies:      noCopies,
		Interrupts:  engine.NewInterrupts(),
	}
}

// stateWith returns a state with the outputs, nil for none, and with resources.
func stateWith(outputs map[string]any, resources ...apitype.ResourceV3) *state.Deployment {
	all := append([]apitype.ResourceV3{{
		Type:    "pulumi:pulumi:Stack",
		URN:     "urn:pulumi:s::p::pulumi:pulumi:Stack::s",
		Outputs: outputs,
	}}, resources...)
	d := &state.Deployment{}
	for _, r := range all {
		d.Resources = append(d.Resources, &state.Resource{ResourceV3: r})
	}
	return d
}

func resourcesOf(d *state.Deployment) []apitype.ResourceV3 {
	list := make([]apitype.ResourceV3, 0, len(d.Resources))
	for _, r := range d.Resources {
		list = append(list, r.ResourceV3)
	}
	return list
}

// reference is a reference to a stack, which a first update that was interrupted has left without outputs.
func reference(name string) *state.Deployment {
	return stateWith(nil, apitype.ResourceV3{
		Type: "pulumi:pulumi:StackReference", URN: "urn:pulumi:s::p::pulumi:pulumi:StackReference::x", Custom: true, ID: "x",
		Inputs: map[string]any{"name": name},
	})
}

func TestAStackIsUsedByStacksOfEveryProjectOfTheBackend(t *testing.T) {
	t.Parallel()
	s := inBackend(t, map[string]*state.Deployment{
		"hypershift-aws/net":         stateWith(map[string]any{"kind": "network"}),
		"hypershift-aws/dev":         stateWith(map[string]any{"kind": "cluster", "networkStack": "net"}),
		"hypershift-aws/interrupted": reference("organization/hypershift-aws/net"),
		"hypershift-aws/unrelated":   stateWith(map[string]any{"kind": "cluster", "networkStack": "network"}),
		"hypershift-aws/released":    {},
		"team/dev": stateWith(map[string]any{
			"kind":         "cluster",
			"networkStack": "organization/hypershift-aws/net",
		}),
		"team/own":     stateWith(map[string]any{"kind": "cluster", "networkStack": "net"}),
		"team/program": reference("organization/hypershift-aws/net"),
		"team/lost":    nil,
	})
	stack := s.Stack("net", nil)
	stack.State, stack.StateRead = stateWith(map[string]any{"kind": "network"}), true
	found, err := find(t.Context(), stack)
	require.NoError(t, err)
	require.Equal(t, []string{"dev", "interrupted", "organization/team/dev", "organization/team/program"}, found.Names)
	require.Len(t, found.Unread, 1)
	require.Contains(t, found.Unread[0], "organization/team/lost")
}

// nodePool is a NodePool of a HostedCluster, as a state has it.
func nodePool(namespace, cluster string) apitype.ResourceV3 {
	return apitype.ResourceV3{
		Type: "kubernetes:hypershift.openshift.io/v1beta1:NodePool",
		URN:  "urn:pulumi:s::p::kubernetes:hypershift.openshift.io/v1beta1:NodePool::pool", Custom: true, ID: "pool",
		Inputs: map[string]any{
			"metadata": map[string]any{"name": "gpu", "namespace": namespace},
			"spec":     map[string]any{"clusterName": cluster},
		},
	}
}

func TestAHostedClusterIsNotDeletedUnderTheNodePoolsOfAnotherStack(t *testing.T) {
	t.Parallel()
	hosted := apitype.ResourceV3{
		Type:   "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster",
		URN:    "urn:pulumi:s::p::kubernetes:hypershift.openshift.io/v1beta1:HostedCluster::demo",
		Custom: true, ID: "clusters/demo", Inputs: map[string]any{
			"metadata": map[string]any{"name": "demo", "namespace": "clusters"},
		},
	}
	in := func(uid string) apitype.ResourceV3 {
		return apitype.ResourceV3{
			Type: "pulumi:index:Stash", URN: "urn:pulumi:s::p::pulumi:index:Stash::management-cluster", Custom: true,
			ID: "stash", Outputs: map[string]any{"output": uid},
		}
	}
	outputs := map[string]any{"kind": "nodePools", "hostedCluster": map[string]any{"infraID": "demo-x1"}}
	s := inBackend(t, map[string]*state.Deployment{
		"hypershift-aws/gpu":         stateWith(outputs, nodePool("clusters", "demo"), in("blue")),
		"hypershift-aws/interrupted": stateWith(nil, nodePool("clusters", "demo")),
		"hypershift-aws/web":         stateWith(outputs, nodePool("clusters", "web"), in("blue")),
		"hypershift-aws/elsewhere":   stateWith(outputs, nodePool("clusters", "demo"), in("green")),
		"hypershift-aws/former": stateWith(map[string]any{
			"kind":          "nodePools",
			"hostedCluster": map[string]any{"infraID": "demo-x0"},
		}, nodePool("clusters", "demo")),
		"hypershift-aws/same-name": stateWith(map[string]any{
			"kind":    "cluster",
			"infraID": "other-x1",
		}, hosted, nodePool("clusters", "demo")),
		"team/more": stateWith(outputs, nodePool("clusters", "demo"), in("blue")),
		"team/lost": nil,
	})
	stack := s.Stack("dev", nil)
	stack.State, stack.StateRead = stateWith(map[string]any{
		"kind":    "cluster",
		"infraID": "demo-x1",
	}, hosted, nodePool("clusters", "demo"), in("blue")), true
	found, err := find(t.Context(), stack)
	require.NoError(t, err)
	require.Equal(t, []string{"gpu", "interrupted", "organization/team/more"}, found.Names)
	require.Equal(t, failure.Refused, failure.ReasonOf(CheckUnused(t.Context(), stack, false)))
	require.NoError(t, CheckUnused(t.Context(), stack, true), "the node pools need the HostedCluster, not its stack")

	unread := inBackend(t, map[string]*state.Deployment{"team/lost": nil}).Stack("dev", nil)
	unread.State, unread.StateRead = stack.State, true
	require.ErrorContains(t, CheckUnused(t.Context(), unread, false), "organization/team/lost")
	require.NoError(t, CheckUnused(t.Context(), unread, true))
	unread.Session.Unread = &workspace.Unread{Names: []string{"organization/team/lost"}}
	require.NoError(t, CheckUnused(t.Context(), unread, false))
}

func TestTheClusterOfAnotherStackMayHaveAnInfraIDUnlessThatStackHasNone(t *testing.T) {
	t.Parallel()
	has := func(kind, infraID string) *state.Deployment {
		return stateWith(map[string]any{"kind": kind, "infraID": infraID}, nodePool("clusters", "demo"))
	}
	for name, c := range map[string]struct {
		other *state.Deployment
		want  string
	}{
		"a cluster with it": {has("cluster", "demo-x1"), "stack organization/team/other has resources of a cluster with the infra ID demo-x1"},
		"another cluster":   {has("cluster", "other-x1"), ""},
		"the network of it": {has("network", "demo-x1"), ""},
		"destroyed":         {stateWith(map[string]any{"kind": "cluster", "infraID": "demo-x1"}), ""},
		"it cannot be read": {nil, "the state of stack organization/team/other, which may have it, cannot be read"},
	} {
		why, err := MayShare(t.Context(), inBackend(t, map[string]*state.Deployment{"team/other": c.other}).Stack("dev", nil),
			"demo-x1")
		require.NoError(t, err)
		if c.want == "" {
			require.Empty(t, why, name)
		}
		require.Contains(t, why, c.want, name)
	}
}

func TestAStackThatCannotBeReadMayUseAnotherUnlessTheUserNamesIt(t *testing.T) {
	t.Parallel()
	s := inBackend(t, map[string]*state.Deployment{"hypershift-aws/net": stateWith(nil), "team/lost": nil})
	stack := s.Stack("net", nil)
	stack.State, stack.StateRead = stateWith(map[string]any{"kind": "network"}), true
	require.Equal(t, failure.Refused, failure.ReasonOf(CheckUnused(t.Context(), stack, false)))
	s.Unread = &workspace.Unread{Names: []string{"organization/team/other"}}
	require.Error(t, CheckUnused(t.Context(), stack, false))
	s.Unread = &workspace.Unread{Names: []string{"organization/team/lost"}}
	require.NoError(t, CheckUnused(t.Context(), stack, false))
	require.NoError(t, CheckUnused(t.Context(), stack, false))
	uses, err := stack.Session.Consents().Uses("")
	require.NoError(t, err)
	require.Len(t, uses, 1, "one operation keeps one use")
}

func TestAValueThatAClusterOfAnotherProjectTookIsNotWithdrawn(t *testing.T) {
	t.Parallel()
	outputs := deployed(wholeManagement())
	outputs["etcdKeyAccounts"] = []any{"210987654321"}
	cluster := map[string]any{
		"kind": "cluster", "iam": map[string]any{"kmsKeyARN": outputs["etcdKeyARN"]},
		"infra": map[string]any{"clusterAccountID": "210987654321"},
	}
	withdrawn := func(states map[string]*state.Deployment) error {
		s := inBackend(t, states)
		m := wholeManagement()
		m.EtcdKey.Accounts = input.Strings("333333333333")
		stack := s.Stack("mgmt", &config.File{Config: config.Config{Kind: config.KindManagement, Section: m}})
		stack.State, stack.StateRead = stateWith(outputs), true
		return CheckInherited(t.Context(), stack)
	}
	require.NoError(t, withdrawn(nil))
	err := withdrawn(map[string]*state.Deployment{"team/dev": stateWith(cluster)})
	require.ErrorContains(t, err, "etcdKey.accounts")
	require.ErrorContains(t, err, "organization/team/dev")
	require.ErrorContains(t, withdrawn(map[string]*state.Deployment{"team/lost": nil}), "organization/team/lost")
	require.Error(t, withdrawn(map[string]*state.Deployment{
		"team/dev": reference("organization/hypershift-aws/mgmt"),
	}), "its first update was interrupted")
}
