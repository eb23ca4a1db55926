package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// fakeProject is a project whose one management cluster is that of the current context.
type fakeProject struct {
	files   []*config.File
	states  map[string]*state.Deployment
	account *fakeAccount
	alive   map[string]string
	// errs are the errors of management clusters by their contexts, unread those of files; noProfile is a profile that
	// does not exist.
	errs      map[string]error
	unread    []error
	noProfile string
	// asked has the settings of the accounts that were asked for.
	asked *[]map[string]any
}

var _ Project = fakeProject{}

func (p fakeProject) EachState(_ context.Context, each func(state.OfStack)) error {
	for name, deployment := range p.states {
		each(state.OfStack{Stack: name, Deployment: deployment})
	}
	return nil
}

func (p fakeProject) State(_ context.Context, name string) (*state.Deployment, error) {
	return p.states[name], nil
}

func (p fakeProject) Files() ([]*config.File, []error) { return p.files, p.unread }

func (p fakeProject) ReadFile(stack string) ([]byte, error) {
	for _, file := range p.files {
		if strings.HasSuffix(file.Path, "Pulumi."+stack+".yaml") {
			return os.ReadFile(file.Path)
		}
	}
	return nil, os.ErrNotExist
}

// Account returns an account per provider, so that none is left out as a duplicate.
func (p fakeProject) Account(_ context.Context, provider Provider) (account.Account, error) {
	if p.asked != nil {
		*p.asked = append(*p.asked, provider.Settings)
	}
	if profile, _ := provider.Settings["profile"].(string); profile != "" && profile == p.noProfile {
		return nil, errors.New("no such profile")
	}
	aws := *p.account
	aws.place.Region = fmt.Sprint(provider.Settings)
	return &aws, nil
}

func (p fakeProject) ManagementCluster(_ context.Context, k config.Kubeconfig) (string, map[string]string, error) {
	return "mc-1", p.alive, p.errs[k.Context]
}
