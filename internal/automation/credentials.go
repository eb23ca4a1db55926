package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// checkCredentials tries the credentials of the stack's own AWS provider and of the further accounts that its file names, once, before the
// engine starts, so that invalid credentials are reported early and clearly. It does nothing offline, if PULUMI_DEBUG_PROVIDERS attaches an
// aws provider, and if the stack's file names environments, which only the engine can open.
func (s *Stack) checkCredentials(ctx context.Context) error {
	if s.credentialsChecked || s.session.Offline || attachesAWS(s.session.Environ.Get("PULUMI_DEBUG_PROVIDERS")) {
		return nil
	}
	s.credentialsChecked = true
	own, err := s.session.Project.AWSConfig(s.Name)
	if err != nil || own.Environment {
		return err
	}
	values := own.Values
	if own.Secret {
		if values, err = s.shownAWSConfig(ctx); err != nil {
			return err
		}
	}
	if err := checkSettings(ctx, config.OwnPrefix, values); err != nil || s.file == nil {
		return err
	}
	var faults []error
	for _, further := range s.file.ProviderSettings()[1:] {
		faults = append(faults, checkSettings(ctx, further.Prefix, further.Values))
	}
	return errors.Join(faults...)
}

// checkSettings tries the credentials that a provider of those settings would use. The error names a further account by its config keys.
func checkSettings(ctx context.Context, prefix string, values map[string]any) error {
	settings, err := awsconfig.ParseSection(prefix, values)
	if err == nil {
		err = settings.Check(ctx)
	}
	var known *awsconfig.Error
	if !errors.As(err, &known) {
		return err
	}
	problem := known.Problem
	if account, further := strings.CutSuffix(prefix, "."); further {
		problem = account + ": " + problem
	}
	return &failure.Error{Reason: failure.Failed, Problem: problem, Remedy: known.Remedy, Cause: err}
}

// attachesAWS reports whether PULUMI_DEBUG_PROVIDERS, "NAME:PORT,…", has an aws provider.
func attachesAWS(providers string) bool {
	for provider := range strings.SplitSeq(providers, ",") {
		if strings.HasPrefix(provider, "aws:") {
			return true
		}
	}
	return false
}

// shownAWSConfig reads the aws: keys through the engine, which decrypts the secrets among them.
func (s *Stack) shownAWSConfig(ctx context.Context) (map[string]any, error) {
	text, err := s.run(ctx, "config", "--json", "--show-secrets", "--stack", s.Name)
	if err != nil {
		return nil, fmt.Errorf("reading the secrets among the aws: keys of stack %s: %w", s.Name, s.classify(err))
	}
	var shown map[string]struct {
		Value       any `json:"value"`
		ObjectValue any `json:"objectValue"`
	}
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		return nil, fmt.Errorf("reading the config of stack %s: %w", s.Name, err)
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
