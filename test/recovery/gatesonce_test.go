package recovery

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/automationtest"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// counts are how often each question was asked.
type counts struct {
	mu  sync.Mutex
	all map[string]int
}

func (c *counts) add(question ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[strings.TrimSpace(fmt.Sprintln(question...))]++
}

// countedEnvironment counts what the gates ask AWS and the management cluster.
type countedEnvironment struct {
	workspace.Environment
	counts *counts
}

func (e countedEnvironment) OpenCluster(k config.Kubeconfig) (workspace.Cluster, error) {
	cluster, err := e.Environment.OpenCluster(k)
	return countedCluster{cluster, e.counts}, err
}

func (e countedEnvironment) Accounts(
	referred func() workspace.Referred,
	tell func(report.Event),
) (workspace.Accounts, error) {
	accounts, err := e.Environment.Accounts(referred, tell)
	return countedAccounts{accounts, e.counts}, err
}

type countedCluster struct {
	workspace.Cluster
	counts *counts
}

func (c countedCluster) ClusterUID(ctx context.Context) (string, error) {
	c.counts.add("identity: the UID")
	return c.Cluster.ClusterUID(ctx)
}

func (c countedCluster) Allowed(ctx context.Context, needed clusterstatus.Permission) (bool, error) {
	c.counts.add("objects:", needed, needed.Name)
	return c.Cluster.Allowed(ctx, needed)
}

type countedAccounts struct {
	workspace.Accounts
	counts *counts
}

func (a countedAccounts) Open(settings map[string]any, reveal func() (map[string]any, error)) (account.Account, error) {
	opened, err := a.Accounts.Open(settings, reveal)
	return countedAccount{opened, a.counts}, err
}

// Renew counts how often the target is confirmed: each time, the credentials are read again.
func (a countedAccounts) Renew() {
	a.counts.add("target: confirmed")
	a.Accounts.Renew()
}

type countedAccount struct {
	account.Account
	counts *counts
}

func (a countedAccount) Snapshot() account.Account {
	return countedAccount{a.Account.Snapshot(), a.counts}
}

func (a countedAccount) Limit(ctx context.Context, q awstype.Quota, of string) (limit, used int, err error) {
	a.counts.add("quotas:", q.Name, of)
	return a.Account.Limit(ctx, q, of)
}

// An update makes a plan and carries it out: the gates judge the plan alone. Its target is confirmed directly before
// the engine changes something. After the decision it is confirmed if something is then written before that, which a
// hosted cluster in the state may need.
func TestPreviewAndUpAskEachRemoteGateOnce(t *testing.T) {
	t.Parallel()
	s := harness.StackAt(t, t.TempDir())
	hosted := stackfile.HostedCluster(t, "")
	configure := func(zones int) { // whose NAT gateways need addresses, of which AWS allows few
		s.Configure(stackfile.Cluster{
			Access: hypershift.Public,
			NAT:    network.PerZone,
			Zones:  stackfile.ZoneNames(zones),
			More:   hosted,
		}.String())
	}
	files, err := projects.Open(s.Dir)
	require.NoError(t, err)
	memory, err := sandbox.InMemory(environment.Options{Project: files, Environ: os.Environ()})
	require.NoError(t, err)
	asked := &counts{}
	p, err := automation.Open(automationtest.WithEnvironment(automation.ProjectOptions{
		Dir: s.Dir, Offline: true, EngineDirs: []string{filepath.Dir(filepath.Dir(enginetest.EnginePath(t)))},
	}, countedEnvironment{memory, asked}))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	stack := p.Stack("test")
	preview := func() error {
		_, err := stack.Preview(t.Context(), automation.PreviewOptions{})
		return err
	}
	up := func() error {
		_, err := stack.Up(t.Context(), automation.UpOptions{Decide: automation.Approve})
		return err
	}
	for _, step := range []struct {
		name  string
		zones int
		run   func() error
		// confirmed is how often the target is confirmed.
		confirmed int
	}{
		{"preview of a creation", 2, preview, 0},
		{"creation", 2, up, 1},
		{"preview of a change", 3, preview, 0},
		{"change", 3, up, 2},
	} {
		configure(step.zones)
		asked.all = map[string]int{}
		require.NoError(t, step.run(), step.name)
		require.Equal(t, step.confirmed, asked.all["target: confirmed"], step.name)
		delete(asked.all, "target: confirmed")
		for _, gate := range []string{"identity", "objects", "quotas"} {
			require.Contains(t, fmt.Sprint(asked.all), gate+":", step.name)
		}
		for question, times := range asked.all {
			if question == "identity: the UID" {
				// it is read again by each run of the program, after the decision, and directly before the engine changes something
				continue
			}
			require.Equal(t, 1, times, "%s: %s", step.name, question)
		}
	}
}
