// Package binding connects an operation on a stack to the management cluster, and resolves and confirms what the
// operation acts on.
package binding

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Connection connects an operation on a stack to the stack's management cluster, and holds what the operation acts on.
type Connection struct {
	Stack *workspace.Stack
	// Target is what the operation acts on, nil until it is bound.
	Target *gate.Target
	// Silent is the error if a management cluster did not identify itself in time. After it, no other request waits for
	// that cluster.
	Silent error
	// Silences is how often in a row nothing answered at the address of the management cluster.
	Silences int
	// Unanswered is true if the management cluster did not answer, or is not the stack's.
	Unanswered bool
	// Lost is true for a destroy whose user asserts that the recorded management cluster no longer exists, and consents to
	// the loss of the cluster. Another management cluster that answers in its place is then asked for nothing, and keeps
	// what it has.
	Lost bool
	// readsAsked is true once the user's rights to read were asked for.
	readsAsked bool
	selections selections
}

// Open opens the management cluster in the config of the stack's file. It fails if that is another one than the
// stack's: the one that this operation bound or, before that, the one that the state records.
func (c *Connection) Open(ctx context.Context) (clusterstatus.ManagementCluster, error) {
	kubeconfig := c.Kubeconfig()
	if kubeconfig == nil {
		return nil, &failure.Error{
			Reason:  failure.Refused,
			Problem: "stack " + c.Stack.Name + " has no management cluster",
			Remedy:  "set " + KubeconfigKey(c.Stack) + " in its file",
		}
	}
	api, err := c.OpenCluster(*kubeconfig)
	if err != nil {
		return nil, err
	}
	if err := c.verifyCluster(ctx, api); err != nil {
		return nil, errors.Join(err, api.Close())
	}
	return api, nil
}

// Ask returns what f reads in the management cluster of a kubeconfig, which has answerWithin for its answers.
func Ask[T any](
	ctx context.Context,
	c *Connection,
	k config.Kubeconfig,
	f func(context.Context, workspace.Cluster) (T, error),
) (answer T, err error) {
	api, err := c.OpenCluster(k)
	if err != nil {
		return answer, err
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := Within(ctx)
	defer cancel()
	return f(ctx, api)
}

// Kubeconfig returns the kubeconfig of the management cluster, from the stack's file or, if the file has none, from the
// provider in the stack's state; nil without either.
func (c *Connection) Kubeconfig() *config.Kubeconfig {
	if given := AppliedBy(c.Stack.File); given != nil {
		return given
	}
	return ProviderKubeconfig(c.Stack.LastState())
}

// ReadLive reads a hosted cluster from its management cluster.
func (c *Connection) ReadLive(
	ctx context.Context,
	k config.Kubeconfig,
	namespace, name string,
) (*hostedcluster.Live, error) {
	if c.Silent != nil {
		return nil, c.Silent
	}
	return Ask(ctx, c, k, func(ctx context.Context, api workspace.Cluster) (*hostedcluster.Live, error) {
		return clusterstatus.ReadLive(ctx, api, namespace, name)
	})
}

// ReadStoredVersions reads the versions in which a management cluster stores objects.
func (c *Connection) ReadStoredVersions(
	ctx context.Context,
	k config.Kubeconfig,
	definitions []string,
) (map[string][]string, error) {
	if c.Silent != nil {
		return nil, c.Silent
	}
	return Ask(ctx, c, k, func(ctx context.Context, api workspace.Cluster) (map[string][]string, error) {
		return clusterstatus.StoredVersions(ctx, api, definitions)
	})
}

// KubeconfigKey returns the config key of the stack's kubeconfig.
func KubeconfigKey(s *workspace.Stack) string {
	return kind.ByName(kind.OrCluster(s.Kind())).KubeconfigKey
}

// ProviderKubeconfig returns the kubeconfig of the provider in the stack's state, nil if there is none.
func ProviderKubeconfig(d *state.Deployment) *config.Kubeconfig {
	if d == nil {
		return nil
	}
	for _, r := range d.Resources {
		if r.Type == "pulumi:providers:kubernetes" && !r.Delete {
			file, _ := r.Inputs["kubeconfig"].(string)
			context, _ := r.Inputs["context"].(string)
			return &config.Kubeconfig{File: file, Context: context}
		}
	}
	return nil
}

// selections are the contexts that the kubeconfigs of a stack selected when the operation first read them. Later in the
// operation a kubeconfig gives new credentials, but selects no other cluster.
type selections struct {
	mu    sync.Mutex
	first map[config.Kubeconfig]kubeconfig.Selected
	// opened are the clients of contexts, with the settings that they were opened with: each has credentials, which a
	// plugin may take long to get.
	opened map[config.Kubeconfig]*openedClient
}

type openedClient struct {
	selected kubeconfig.Selected
	api      *kubeapi.Cluster
	// verified is when the client's cluster was last found to be own, the UID of the stack's.
	verified time.Time
	own      string
}

// verifiedFor is how long a client is believed to reach the cluster that it has reached.
const verifiedFor = 30 * time.Second

// client returns the client of a cluster that a kubeconfig of the stack has opened, nil for one in memory.
func (s *selections) client(api any) *openedClient {
	for _, opened := range s.opened {
		if opened.api == api {
			return opened
		}
	}
	return nil
}

// isVerified reports whether a client has reached the cluster with a UID a short time ago.
func (s *selections) isVerified(api any, own string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	opened := s.client(api)
	return opened != nil && opened.own == own && time.Since(opened.verified) < verifiedFor
}

// verify keeps that a client has reached the cluster with a UID.
func (s *selections) verify(api any, own string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opened := s.client(api); opened != nil {
		opened.verified, opened.own = time.Now(), own
	}
}

// Selected returns the context that a kubeconfig selected first, with its present credentials; nil in memory.
func (c *Connection) Selected(k config.Kubeconfig) (*kubeconfig.Selected, error) {
	c.selections.mu.Lock()
	defer c.selections.mu.Unlock()
	if first, known := c.selections.first[k]; known {
		now, err := first.Again()
		return &now, err
	}
	found, err := c.Stack.Session.Environment.Select(k)
	if err != nil || found == nil {
		return nil, err
	}
	if c.selections.first == nil {
		c.selections.first = map[config.Kubeconfig]kubeconfig.Selected{}
	}
	c.selections.first[k] = *found
	return found, nil
}

// OpenCluster opens the management cluster that a kubeconfig of the stack selected first.
func (c *Connection) OpenCluster(k config.Kubeconfig) (workspace.Cluster, error) {
	selected, err := c.Selected(k)
	switch {
	case err != nil:
		return nil, err
	case selected == nil:
		return c.Stack.Session.Environment.OpenCluster(k)
	}
	c.selections.mu.Lock()
	defer c.selections.mu.Unlock()
	if already, is := c.selections.opened[k]; is && already.selected.SameSettings(*selected) {
		return already.api, nil
	}
	api, err := kubeapi.OpenSelected(*selected)
	if err != nil {
		return nil, err
	}
	var stop <-chan struct{}
	if interrupts := c.Stack.Session.Interrupts; interrupts != nil {
		stop = interrupts.First()
	}
	api.Attend(func(sentence string) { c.Stack.Say("%s", sentence) }, stop)
	if c.selections.opened == nil {
		c.selections.opened = map[config.Kubeconfig]*openedClient{}
	}
	c.selections.opened[k] = &openedClient{selected: *selected, api: api}
	return api, nil
}

// KubeconfigsDir is the folder of the engine's kubeconfigs.
func (c *Connection) KubeconfigsDir() string { return filepath.Join(c.Stack.WorkDir, "kubeconfigs") }

// Pin implements engine.Command.Prepare: the engine's Kubernetes providers use the contexts that were selected first.
// For a kubeconfig without a file, the engine gets a private copy. A kubeconfig with a file must still select the same
// cluster, because the provider reads that file itself.
func (c *Connection) Pin(args []string) (environ []string, ended func(), err error) {
	ended = func() {}
	starts := []string{"up", "preview", "refresh", "destroy", "import"}
	if !slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(starts, arg) }) {
		return nil, ended, nil
	}
	var pinned []kubeconfig.Selected
	ambient := false
	for _, k := range c.kubeconfigs() {
		selected, err := c.Selected(k)
		if refused := (*failure.Error)(nil); errors.As(err, &refused) {
			c.Stack.Refused = err
			return nil, ended, err
		}
		if err == nil && selected == nil {
			return nil, ended, nil
		}
		ambient = ambient || k.File == ""
		switch {
		case err != nil: // the engine cannot read it either
			continue
		case k.File == "":
			pinned = append(pinned, *selected)
		}
		if c.Stack.Refused = selected.CheckEngine(); c.Stack.Refused != nil {
			return nil, ended, c.Stack.Refused
		}
	}
	if !ambient {
		return nil, ended, nil
	}
	kept, err := kubeconfig.Pin(c.KubeconfigsDir(), pinned...)
	if err != nil {
		return nil, ended, err
	}
	return []string{kept.Environ()}, kept.Close, nil
}

// kubeconfigs returns the kubeconfigs that the engine's providers have: from the stack's file, and from the provider in
// its state.
func (c *Connection) kubeconfigs() []config.Kubeconfig {
	var list []config.Kubeconfig
	for _, k := range []*config.Kubeconfig{AppliedBy(c.Stack.File), ProviderKubeconfig(c.Stack.LastState())} {
		if k != nil && !slices.Contains(list, *k) {
			list = append(list, *k)
		}
	}
	return list
}

// answerWithin is how long the API server of a management cluster may take to answer before an operation.
const answerWithin = 20 * time.Second

// Within returns a context in which the API server of a management cluster has answerWithin for its answers. The time
// begins when the first request is sent: see kubeapi.Within.
func Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return kubeapi.Within(ctx, answerWithin)
}

// CallIfChecked calls f with the management cluster; it does nothing for a stack whose file applies no objects of
// HyperShift.
func (c *Connection) CallIfChecked(
	ctx context.Context,
	f func(context.Context, clusterstatus.ManagementCluster) error,
) error {
	if c.Stack.File == nil || !kind.ByName(c.Stack.File.Kind).ChecksFields() || AppliedBy(c.Stack.File) == nil {
		return nil
	}
	return c.Call(ctx, f)
}

// Call calls f with the management cluster of the stack's file, which has answerWithin for its answers. It fails at
// once if the cluster was too slow to say which one it is.
func (c *Connection) Call(ctx context.Context, f func(context.Context, clusterstatus.ManagementCluster) error) error {
	if c.Silent != nil {
		return clusterstatus.NoAnswer(c.Silent, KubeconfigKey(c.Stack))
	}
	api, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := Within(ctx)
	defer cancel()
	return f(ctx, api)
}

// AppliedBy returns the management cluster in the stack's file, or nil if the stack applies no objects.
func AppliedBy(file *config.File) *config.Kubeconfig {
	if file == nil {
		return nil
	}
	return file.ManagementCluster()
}

// verifyCluster fails if a management cluster is another one than the stack's: the one that this operation has bound
// or, before that, the one that the state records. A cluster whose namespace kube-system may not be read is not
// compared.
func (c *Connection) verifyCluster(ctx context.Context, api identified) error {
	own := ""
	if last := c.Stack.LastState(); last != nil {
		own = clusterstatus.RecordedCluster(last)
	}
	if c.Target != nil && c.Target.ManagementCluster != "" {
		own = c.Target.ManagementCluster
	}
	if own == "" || c.selections.isVerified(api, own) {
		return nil
	}
	ctx, cancel := kubeapi.Within(ctx, kubeapi.IdentityWithin)
	defer cancel()
	uid, err := api.ClusterUID(ctx)
	if err != nil || uid == "" {
		return err
	}
	if uid == own {
		c.selections.verify(api, own)
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the kubeconfig selects another management cluster than that of stack %s: the UID of its namespace kube-system is %s, not %s",
			c.Stack.Name, uid, own),
		Remedy: fmt.Sprintf("correct %s, or its current context, so that it selects the stack's management cluster; `hypershift-aws preview -s %s` says how to continue with the other one",
			KubeconfigKey(c.Stack), c.Stack.Name),
	}
}
