package automation

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Needs lists the AWS resources and lookups for which a stack needs permissions, from its first up to its destroy. It
// previews the stack in an empty AWS account in memory, in a temporary folder: neither the stack's state nor an AWS
// account is used. A management stack that the file names is deployed there first.
func (s *Session) Needs(ctx context.Context, name string, file *config.File) ([]permissions.Need, error) {
	dir, err := os.MkdirTemp("", "hypershift-aws-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for a trial preview of the stack: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	project, err := s.Project.CopyInto(dir)
	if err != nil {
		return nil, err
	}
	secrets, err := transit.Serve()
	if err != nil {
		return nil, err
	}
	defer func() { _ = secrets.Close() }()
	trial := &Session{
		Project: project, Engine: s.Engine, Environ: s.Environ, Offline: true, Secrets: secrets,
		Interrupts: s.Interrupts, Report: func(report.Event) {}, Program: s.Program,
	}
	if file.Cluster != nil && file.Cluster.Management != "" {
		if err := trial.bringUp(ctx, file.Cluster.Management); err != nil {
			return nil, fmt.Errorf("trying the management stack of %s: %w", name, err)
		}
	}
	stack, err := trial.Open(ctx, name, file, MayCreate)
	if err != nil {
		return nil, err
	}
	defer stack.Close()
	madeUp, err := keysIn(project.OfflineDir())
	if err != nil {
		return nil, err
	}
	if _, err := stack.Preview(ctx); err != nil {
		return nil, err
	}
	return needsOf(stack.account.Uses(), madeUp), nil
}

func (s *Session) bringUp(ctx context.Context, name string) error {
	file, err := s.Project.LoadStack(name)
	if err != nil {
		return err
	}
	stack, err := s.Open(ctx, name, file, MayCreate)
	if err != nil {
		return err
	}
	defer stack.Close()
	_, err = stack.Up(ctx)
	return err
}

// keysIn lists the IDs of the KMS keys in the offline accounts of a folder. The keys of a real management stack have
// other IDs.
func keysIn(dir string) ([]string, error) {
	accounts, err := offline.Accounts(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the offline accounts: %w", err)
	}
	var ids []string
	for _, account := range accounts {
		for _, resource := range account.Resources() {
			if resource.Type == "aws:kms/key:Key" && !resource.Seed {
				ids = append(ids, resource.ID)
			}
		}
	}
	return ids, nil
}

// needsOf returns the needs of uses. A made-up ID represents any.
func needsOf(uses []offline.Use, madeUp []string) []permissions.Need {
	var pairs []string
	for _, id := range madeUp {
		pairs = append(pairs, id, "*")
	}
	unmade := strings.NewReplacer(pairs...)
	needs := make([]permissions.Need, len(uses))
	for i, use := range uses {
		for name, value := range use.Inputs {
			if text, ok := value.(string); ok {
				use.Inputs[name] = unmade.Replace(text)
			}
		}
		needs[i] = permissions.Need{
			Token: use.Token, Account: use.Account, AccountNamed: use.Named,
			Region: use.Region, Partition: use.Partition, Inputs: use.Inputs,
		}
	}
	return needs
}
