package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Providers opens the accounts of a stack's AWS providers.
type Providers struct {
	stack *Stack
	// Opened are the accounts, nil until an operation needs them.
	Opened Accounts
	// checked is true if the credentials have been tried.
	checked bool
	ahead   aheadProvider
}

// Attach gives the engine access to the accounts of the stack's providers, once per stack.
func (p *Providers) Attach() error {
	if p.Opened != nil {
		return nil
	}
	referred := func() Referred {
		return Referred{p.stack.File.Existing(p.stack.Management), p.stack.File.NamedProviderSettings()}
	}
	if p.stack.File == nil {
		referred = nil
	}
	accounts, err := p.stack.Session.Environment.Accounts(referred, p.stack.Session.Report)
	if err != nil {
		return err
	}
	p.Opened, p.stack.Command.Environ = accounts, accounts.Attach(p.stack.Command.Environ)
	return nil
}

// Renew lets the accounts that are opened from now on read their credentials again.
func (p *Providers) Renew() {
	if p.Opened != nil {
		p.Opened.Renew()
	}
}

// Open returns the account of a provider. reveal returns the provider's settings with their secrets, if it is needed.
func (p *Providers) Open(settings map[string]any, reveal func() (map[string]any, error)) (account.Account, error) {
	if err := p.Attach(); err != nil {
		return nil, err
	}
	return p.Opened.Open(settings, reveal)
}

// InState returns the account of a provider in the state. Settings that are secrets are read through the engine.
// It fails where they cannot be read.
func (p *Providers) InState(ctx context.Context, settings map[string]any, provider string) (account.Account, error) {
	return p.Open(settings, func() (map[string]any, error) { return p.shownSettings(ctx, settings, provider) })
}

// Current opens the accounts of the providers in the state. The stack's own provider has the credentials that the
// config has now. The config is read once.
func (p *Providers) Current(
	ctx context.Context,
) func(settings map[string]any, provider string) (account.Account, error) {
	current := sync.OnceValues(func() (auto.ConfigMap, error) { return p.stack.currentConfig(ctx) })
	return func(settings map[string]any, provider string) (account.Account, error) {
		if err := p.Attach(); err != nil {
			return nil, err
		}
		if identity.IsOwnProvider(provider) {
			config, err := current()
			if err != nil {
				return nil, err
			}
			settings = renewed(settings, config, func(value string) any { return value })
		}
		return p.InState(ctx, settings, provider)
	}
}

// shownSettings returns the settings of an AWS provider with its secrets, which the engine decrypts: provider is its
// reference in the state, "" for the stack's own provider in the file.
func (p *Providers) shownSettings(
	ctx context.Context,
	settings map[string]any,
	provider string,
) (map[string]any, error) {
	if !awsconfig.Encrypted(settings) {
		return settings, nil
	}
	if provider == "" {
		return p.shownAWSConfig(ctx)
	}
	shown, err := p.stack.ShownState(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the secrets in the settings of the AWS provider: %w", err)
	}
	return shown.Provider(provider), nil
}

// ByProvider returns the accounts of the AWS providers in the state by their references, for reading. Each list is
// requested once. One that cannot be opened is left out.
func (p *Providers) ByProvider(ctx context.Context) map[string]account.Account {
	open, accounts := p.Current(account.ReadOnly(ctx)), map[string]account.Account{}
	for _, r := range p.stack.State.Resources {
		if r.Type == "pulumi:providers:aws" && !r.Delete {
			if opened, err := open(r.Inputs, r.Reference()); err == nil {
				accounts[r.Reference()] = opened.Snapshot()
			}
		}
	}
	return accounts
}

// Living returns the accounts that the stack configures: the accounts of the providers in its state, which may no
// longer be in its file, and the accounts in its file.
func (p *Providers) Living(ctx context.Context) ([]account.Account, error) {
	open := p.Current(ctx)
	var accounts []account.Account
	for _, r := range p.stack.State.Resources {
		if r.Type != "pulumi:providers:aws" || r.Delete {
			continue
		}
		opened, err := open(r.Inputs, r.Reference())
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, opened)
	}
	if p.stack.File == nil {
		return accounts, nil
	}
	for _, further := range p.stack.File.ProviderSettings() {
		opened, err := p.Configured(ctx, further.Provider)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, opened)
	}
	return accounts, nil
}

// Swept returns the account of a provider for a sweep. The stack's own provider in the state has the credentials that
// the file has now.
func (p *Providers) Swept(ctx context.Context, recorded map[string]any, reference string) (account.Account, error) {
	return p.Open(recorded, func() (map[string]any, error) {
		settings := recorded
		if identity.IsOwnProvider(reference) && p.stack.File != nil {
			current, err := p.shownSettings(ctx, p.stack.File.NamedProviderSettings()[""], "")
			if err != nil {
				return nil, err
			}
			current = maps.Clone(current)
			delete(current, "region") // what is in the state may be in another region
			settings = awsconfig.Renewed(settings, current)
		}
		return p.shownSettings(ctx, settings, reference)
	})
}

// Configured returns the account of a provider in the stack's file, by the provider's name; "" for the stack's own.
func (p *Providers) Configured(ctx context.Context, provider string) (account.Account, error) {
	settings, known := p.stack.File.NamedProviderSettings()[provider]
	if !known {
		return nil, fmt.Errorf("the provider %s is not in this stack's file", provider)
	}
	return p.Open(settings, func() (map[string]any, error) {
		if provider == "" {
			return p.shownSettings(ctx, settings, "")
		}
		return settings, nil
	})
}

// Planned returns the account of a provider in a plan. Secrets of the stack's own provider are read through the engine.
func (p *Providers) Planned(ctx context.Context, urn string, settings map[string]any) (account.Account, error) {
	return p.Open(settings, func() (map[string]any, error) {
		if !untyped.Contains(settings, isHidden) && !awsconfig.Encrypted(settings) {
			return settings, nil
		}
		if !identity.IsOwnProvider(urn) {
			return nil, errors.New("its settings have secrets")
		}
		values, err := p.shownAWSConfig(ctx)
		if err == nil && values["region"] == nil {
			values["region"] = settings["region"]
		}
		return values, err
	})
}

// isHidden reports whether a value of an event is a secret that it does not show.
func isHidden(value any) bool {
	text, _ := value.(string)
	return strings.Contains(text, props.Hidden)
}

// renewed returns the settings of the stack's own AWS provider with the current values of its config. secret makes a
// setting of a secret value.
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

// CheckCredentials tries the credentials of the stack's own AWS provider and of the further accounts that its file
// names, once, before the engine starts, so that invalid credentials are reported early and clearly. It tries none if
// the stack's file names environments, which only the engine can open, or if Accounts has tried all.
func (p *Providers) CheckCredentials(ctx context.Context) error {
	if p.checked {
		return nil
	}
	p.checked = true
	return p.stack.Session.Environment.CheckCredentials(ctx, func() ([]config.ProviderSettings, error) {
		own, err := p.stack.Session.Project.AWSConfig(p.stack.Name)
		if err != nil || own.Environment {
			return nil, err
		}
		all := []config.ProviderSettings{{Prefix: config.OwnPrefix, Values: own.Values}}
		if own.Secret {
			if all[0].Values, err = p.shownAWSConfig(ctx); err != nil {
				return nil, err
			}
		}
		if p.stack.File != nil {
			all = append(all, p.stack.File.ProviderSettings()[1:]...)
		}
		return all, nil
	})
}

// Accounts returns the accounts that the credentials of the stack's providers lead to, as they are now. It refuses an
// account other than the one of the stack's resources. That account has none of them, so a refresh would forget them
// all, and AWS's answer to each deletion would be that there is nothing to delete. Other credentials of the same
// account are as good. It reads the providers in the file, unless that names environments, which only the engine can
// open; without a valid file, those of the state. An account that cannot be opened is left out: the engine reports why.
// If all can be, CheckCredentials need not try them again.
func (p *Providers) Accounts(ctx context.Context) ([]gate.TargetAccount, error) {
	if !p.stack.Session.Environment.KnowsAccounts() {
		return nil, nil
	}
	if own, err := p.stack.Session.Project.AWSConfig(p.stack.Name); p.stack.File != nil && (err != nil ||
		own.Environment) {
		return nil, nil //nolint:nilerr // the engine reports it
	}
	var answers []providerAnswer
	if p.stack.File != nil {
		answers = p.askConfigured(ctx)
	} else {
		answers = p.askRecorded(ctx)
	}
	var found []gate.TargetAccount
	for _, a := range answers {
		if err := p.checkAccount(a.provider, a.credentials, a.who.Account); err != nil {
			return nil, err
		}
		key := a.credentials + ".region"
		if a.provider == "" {
			key = config.OwnPrefix + "region"
		}
		recorded := identity.RegionOf(p.stack.State.Resources, a.provider)
		if err := identity.CheckRegion(p.stack.Name, recorded, key, a.who.Region); err != nil {
			return nil, err
		}
		found = append(found, gate.TargetAccount{Provider: a.provider, Account: a.who.Account, Region: a.who.Region})
	}
	if p.stack.File != nil && len(found) == len(p.stack.File.ProviderSettings()) {
		p.checked = true
	}
	return found, nil
}

// providerAnswer is what AWS answers to the credentials of a provider, "" for the stack's own.
type providerAnswer struct {
	provider, credentials string
	who                   awsconfig.Identity
}

// askConfigured asks AWS about the providers in the stack's file, all at the same time. Those that cannot be opened or
// do not answer are left out.
func (p *Providers) askConfigured(ctx context.Context) (answers []providerAnswer) {
	all := p.stack.File.ProviderSettings()
	who, errs := make([]awsconfig.Identity, len(all)), make([]error, len(all))
	var asked sync.WaitGroup
	for i, provider := range all {
		var opened account.Account
		if opened, errs[i] = p.Configured(ctx, provider.Provider); errs[i] == nil {
			asked.Go(func() { who[i], errs[i] = opened.Identity(ctx) })
		}
	}
	asked.Wait()
	for i, provider := range all {
		if errs[i] == nil {
			answers = append(answers, providerAnswer{provider.Provider, strings.TrimSuffix(provider.Prefix, "."), who[i]})
		}
	}
	return answers
}

// askRecorded asks AWS about the providers in the stack's state, as askConfigured does.
func (p *Providers) askRecorded(ctx context.Context) (answers []providerAnswer) {
	recorded := p.Current(ctx)
	for _, r := range p.stack.State.Resources {
		if r.Type != "pulumi:providers:aws" || r.Delete {
			continue
		}
		answer := providerAnswer{provider: r.URN.Name(), credentials: "accounts." + r.URN.Name()}
		if identity.IsOwnProvider(string(r.URN)) {
			answer.provider, answer.credentials = "", config.OwnPrefix
		}
		opened, err := recorded(r.Inputs, r.Reference())
		if err == nil {
			answer.who, err = opened.Identity(ctx)
		}
		if err == nil {
			answers = append(answers, answer)
		}
	}
	return answers
}

// checkAccount refuses an account that has none of the resources of a provider, "" for the stack's own. credentials
// names where they come from.
func (p *Providers) checkAccount(provider, credentials, account string) error {
	return identity.CheckAccount(p.stack.Name, identity.AccountsOf(p.stack.State.Resources, provider), credentials,
		account)
}

// shownAWSConfig reads the aws: keys through the engine, which decrypts the secrets among them.
func (p *Providers) shownAWSConfig(ctx context.Context) (map[string]any, error) {
	text, err := p.stack.Run(ctx, "config", "--json", "--show-secrets", "--stack", p.stack.Name)
	if err != nil {
		return nil, fmt.Errorf("reading the secrets among the aws: keys of stack %s: %w", p.stack.Name, p.stack.Classify(err))
	}
	var shown map[string]struct {
		Value       any `json:"value"`
		ObjectValue any `json:"objectValue"`
	}
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		return nil, fmt.Errorf("reading the config of stack %s: %w", p.stack.Name, err)
	}
	values := map[string]any{}
	for key, value := range shown {
		if name, ok := strings.CutPrefix(key, "aws:"); ok {
			values[name] = value.Value
			if value.ObjectValue != nil {
				values[name] = value.ObjectValue
			}
		}
	}
	return values, nil
}
