package operation

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/environment"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// selections are the contexts that the kubeconfigs of a stack selected when the operation first read them. Later in the operation a kubeconfig gives
// new credentials, but selects no other cluster.
type selections struct {
	mu    sync.Mutex
	first map[config.Kubeconfig]kubeconfig.Selected
	// refused is the refusal of a kubeconfig that the engine was not started with. The Automation API's error does not have it.
	refused error
}

// selected returns the context that a kubeconfig selected first, with its present credentials; nil in memory.
func (s *Stack) selected(k config.Kubeconfig) (*kubeconfig.Selected, error) {
	s.selections.mu.Lock()
	defer s.selections.mu.Unlock()
	if first, known := s.selections.first[k]; known {
		now, err := first.Again()
		return &now, err
	}
	found, err := s.session.Environment.Select(k)
	if err != nil || found == nil {
		return nil, err
	}
	if s.selections.first == nil {
		s.selections.first = map[config.Kubeconfig]kubeconfig.Selected{}
	}
	s.selections.first[k] = *found
	return found, nil
}

// openCluster opens the management cluster that a kubeconfig of the stack selected first.
func (s *Stack) openCluster(k config.Kubeconfig) (environment.Cluster, error) {
	selected, err := s.selected(k)
	switch {
	case err != nil:
		return nil, err
	case selected == nil:
		return s.session.Environment.OpenCluster(k)
	}
	return kubeapi.OpenSelected(*selected)
}

// kubeconfigsDir is the folder of the engine's kubeconfigs.
func (s *Stack) kubeconfigsDir() string { return filepath.Join(s.workDir, "kubeconfigs") }

// pinKubeconfigs implements engine.Command.Prepare: the engine's Kubernetes providers use the contexts that were selected first. For a kubeconfig without
// a file, the engine gets a private copy. A kubeconfig with a file must still select the same cluster, because the provider reads that file itself.
func (s *Stack) pinKubeconfigs(args []string) (environ []string, ended func(), err error) {
	ended = func() {}
	starts := []string{"up", "preview", "refresh", "destroy", "import"}
	if !slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(starts, arg) }) {
		return nil, ended, nil
	}
	var pinned []kubeconfig.Selected
	ambient := false
	for _, k := range s.kubeconfigs() {
		selected, err := s.selected(k)
		if refused := (*failure.Error)(nil); errors.As(err, &refused) {
			s.selections.refused = err
			return nil, ended, err
		}
		if err == nil && selected == nil {
			return nil, ended, nil
		}
		ambient = ambient || k.File == ""
		switch {
		case err != nil: // the engine cannot read it either
		case k.File == "":
			pinned = append(pinned, *selected)
		default:
			if s.selections.refused = selected.CheckFile(); s.selections.refused != nil {
				return nil, ended, s.selections.refused
			}
		}
	}
	if !ambient {
		return nil, ended, nil
	}
	kept, err := kubeconfig.Pin(s.kubeconfigsDir(), pinned...)
	if err != nil {
		return nil, ended, err
	}
	return []string{kept.Environ()}, kept.Close, nil
}

// kubeconfigs returns the kubeconfigs that the engine's providers have: that of the stack's file, and that of the provider in its state.
func (s *Stack) kubeconfigs() []config.Kubeconfig {
	var list []config.Kubeconfig
	for _, k := range []*config.Kubeconfig{appliedBy(s.file), providerKubeconfig(s.state)} {
		if k != nil && !slices.Contains(list, *k) {
			list = append(list, *k)
		}
	}
	return list
}
