package sweep

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// fakeProject is a project whose one management cluster is that of the current context.
type fakeProject struct {
	files   []*config.File
	states  map[string]*state.Deployment
	account orphan.Sweepable
	alive   map[string]string
	err     error
	// asked has the settings of the accounts that were asked for.
	asked *[]map[string]any
}

var _ Project = fakeProject{}

func (p fakeProject) States(context.Context) ([]string, error) {
	var names []string
	for name := range p.states {
		names = append(names, name)
	}
	return names, nil
}

func (p fakeProject) State(_ context.Context, name string) (*state.Deployment, error) {
	return p.states[name], nil
}

func (p fakeProject) Files() []*config.File { return p.files }

func (p fakeProject) Account(settings map[string]any) orphan.Sweepable {
	if p.asked != nil {
		*p.asked = append(*p.asked, settings)
	}
	return p.account
}

func (p fakeProject) Infrastructures(context.Context, config.Kubeconfig) (map[string]string, error) {
	return p.alive, p.err
}

func (p fakeProject) Offline() bool { return true }
