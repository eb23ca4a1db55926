package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// checkCredentials tries the credentials of the stack's own AWS provider and of the further accounts that its file names, once, before the
// engine starts, so that invalid credentials are reported early and clearly. It tries none if the stack's file names environments, which only
// the engine can open.
func (s *Stack) checkCredentials(ctx context.Context) error {
	if s.credentialsChecked {
		return nil
	}
	s.credentialsChecked = true
	return s.session.Environment.CheckCredentials(ctx, func() ([]config.ProviderSettings, error) {
		own, err := s.session.Project.AWSConfig(s.Name)
		if err != nil || own.Environment {
			return nil, err
		}
		all := []config.ProviderSettings{{Prefix: config.OwnPrefix, Values: own.Values}}
		if own.Secret {
			if all[0].Values, err = s.shownAWSConfig(ctx); err != nil {
				return nil, err
			}
		}
		if s.file != nil {
			all = append(all, s.file.ProviderSettings()[1:]...)
		}
		return all, nil
	})
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
