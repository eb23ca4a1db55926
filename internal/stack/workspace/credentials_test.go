package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// identified is an environment whose accounts have an owner, or refuse to say who it is.
type identified struct {
	Environment
	tried   int
	refused error
}

func (*identified) KnowsAccounts() bool { return true }

func (e *identified) Accounts(func() Referred, func(report.Event)) (Accounts, error) {
	return owned{environment: e}, nil
}

func (e *identified) CheckCredentials(context.Context, func() ([]config.ProviderSettings, error)) error {
	e.tried++
	return e.refused
}

type owned struct {
	Accounts
	account.Account
	environment *identified
}

func (owned) Attach(environ engine.Environ) engine.Environ { return environ }
func (owned) Close() error                                 { return nil }

func (o owned) Open(map[string]any, func() (map[string]any, error)) (account.Account, error) {
	return o, nil
}

func (o owned) Identity(context.Context) (awsconfig.Identity, error) {
	return awsconfig.Identity{Place: inventory.Place{Account: "123456789012", Region: "us-east-1"}}, o.environment.refused
}

func TestCredentialsWhoseAccountIsKnownAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "Pulumi.dev.yaml")
	text := []byte("config: {aws:region: us-east-1, hypershift-aws:kind: network, hypershift-aws:network: {name: demo, infraID: demo-x1, " +
		"baseDomain: example.com, network: {zones: [us-east-1a]}}}\n")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	files, err := project.Open(dir)
	require.NoError(t, err)
	file, err := stacks.Kinds().ParseFile(path, "dev", text)
	require.NoError(t, err)
	refused := errors.New("refused")
	for _, answer := range []error{nil, refused} {
		environment := &identified{refused: answer}
		stack := &Stack{Name: "dev", File: file, State: &state.Deployment{}, Command: &engine.Command{},
			Session: &Session{Project: files, Environment: environment}}
		p := &Providers{stack: stack}
		_, err = p.Accounts(t.Context())
		require.NoError(t, err)
		require.ErrorIs(t, p.CheckCredentials(t.Context()), answer)
		if answer == nil {
			require.Zero(t, environment.tried)
		} else {
			require.Equal(t, 1, environment.tried, "a refusal is explained")
		}
	}
}
