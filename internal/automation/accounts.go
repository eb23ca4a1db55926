package automation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// attachOffline serves the account in memory, and sets the variable by which the engine attaches to it, once per stack.
func (s *Stack) attachOffline() error {
	if !s.session.Offline || s.account != nil {
		return nil
	}
	var existing []config.Existing
	if s.file != nil && !s.session.EmptyAccount {
		existing = s.file.Existing(s.management)
	}
	account, err := inmemory.Serve(inmemory.Options{
		Dir: s.session.Project.OfflineDir(), Environ: s.session.Environ, Interrupts: s.session.Interrupts, Report: s.session.Report, Existing: existing,
	})
	if err != nil {
		return err
	}
	s.account = account
	s.command.Environ = s.command.Environ.With("PULUMI_DEBUG_PROVIDERS", account.Providers())
	return nil
}

// reportOffline reports the offline accounts and their resources.
func (s *Stack) reportOffline(read func(dir string) ([]string, error)) error {
	sentences, err := read(s.session.Project.OfflineDir())
	for _, sentence := range sentences {
		s.session.Report(&report.NoteEvent{Message: sentence})
	}
	return err
}

// awsAccount returns the account of a provider in the state. Settings that are secrets are read through the engine.
// It fails where they cannot be read.
func (s *Stack) awsAccount(ctx context.Context, settings map[string]any, provider string) (orphan.Account, error) {
	if s.session.Offline {
		return inmemory.NewAccount(s.account, settings), nil
	}
	if awsconfig.Encrypted(settings) {
		text, err := s.run(ctx, "stack", "export", "--show-secrets", "--stack", s.Name)
		if err != nil {
			return nil, fmt.Errorf("reading the secrets in the settings of the AWS provider: %w", s.classify(err))
		}
		shown, err := state.ParseExport([]byte(text))
		if err != nil {
			return nil, err
		}
		settings = shown.Provider(provider)
	}
	return orphan.NewAWS(settings), nil
}

// inventory returns the account of a provider of the stack, by the provider's name; "" for the stack's own.
func (s *Stack) inventory(ctx context.Context, provider string) (orphan.Inventory, error) {
	settings, known := s.file.NamedProviderSettings()[provider]
	if !known {
		return nil, fmt.Errorf("the provider %s is not in this stack's file", provider)
	}
	if s.session.Offline {
		return inmemory.NewAccount(s.account, settings), nil
	}
	if provider == "" && awsconfig.Encrypted(settings) {
		var err error
		if settings, err = s.shownAWSConfig(ctx); err != nil {
			return nil, err
		}
	}
	return orphan.NewInventory(settings), nil
}

// preflightAccount returns the account of a provider's settings. Secrets of the stack's own provider are read through the engine.
func (s *Stack) preflightAccount(ctx context.Context, urn string, settings map[string]any) (preflight.Account, error) {
	if s.session.Offline {
		return inmemory.NewAccount(s.account, settings), nil
	}
	if !hasSecret(settings) && !awsconfig.Encrypted(settings) {
		return preflight.NewAWS(settings), nil
	}
	if !isOwnProvider(urn) {
		return nil, errors.New("its settings have secrets")
	}
	values, err := s.shownAWSConfig(ctx)
	if err != nil {
		return nil, err
	}
	if values["region"] == nil {
		values["region"] = settings["region"]
	}
	return preflight.NewAWS(values), nil
}

// hidden replaces a secret in the engine's events.
const hidden = "[secret]"

// hasSecret reports whether a value of an event is a secret that it does not show.
func hasSecret(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, hidden)
	case map[string]any:
		for _, inner := range v {
			if hasSecret(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasSecret)
	}
	return false
}

// isOwnProvider reports whether a URN, or a reference that begins with one, is that of the AWS provider which the aws: config configures.
func isOwnProvider(urn string) bool {
	return strings.Contains(urn, "::pulumi:providers:aws::default")
}

// renewed returns the settings of the stack's own AWS provider with the current values of its config. secret makes a setting of a secret
// value.
func renewed(settings map[string]any, config auto.ConfigMap, secret func(value string) any) map[string]any {
	given := map[string]any{}
	for key, value := range config {
		if name, ok := strings.CutPrefix(key, "aws:"); ok {
			given[name] = value.Value
			if value.Secret {
				given[name] = secret(value.Value)
			}
		}
	}
	return awsconfig.Renewed(settings, given)
}
