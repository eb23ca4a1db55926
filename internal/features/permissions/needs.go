// Package permissions finds out which AWS permissions a stack needs, by a preview in an empty account in memory.
// needs: preflight, sandbox
package permissions

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/run"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Needs lists the AWS resources and lookups for which a stack needs permissions, from the first `up` to `destroy`. It
// previews the stack in an empty AWS account in memory, in a temporary folder: neither the stack's state nor an AWS
// account is used. The stacks that the file names are deployed there first. With a part, they are the needs of that
// part of a cluster stack.
func Needs(
	ctx context.Context,
	s *workspace.Session,
	name string,
	file *config.File,
	part policy.Part,
) ([]permissions.Need, error) {
	if part != "" && config.As[*config.Cluster](file) == nil {
		return nil, &failure.Error{
			Reason: failure.Refused, Problem: fmt.Sprintf("stack %s is of kind %s, and only a stack of kind cluster has parts",
				name, file.Kind),
			Remedy: "leave --part out",
		}
	}
	t, err := newTrial(ctx, s, name, file, nil)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	madeUp, err := keysIn(t.session.Environment.Folder())
	if err != nil {
		return nil, err
	}
	if _, err := t.opened.Engine.Preview(ctx); err != nil {
		return nil, t.said.explain(err)
	}
	needs := t.uses()
	unmake(needs, madeUp)
	if part != "" {
		needs = slices.DeleteFunc(needs, func(n permissions.Need) bool { return !n.In(part) })
	}
	if kind.ByName(file.Kind).Cluster != nil {
		needs = append(needs, lifeNeeds(needs)...)
	}
	return needs, nil
}

// trial is a stack in an empty AWS account in memory, in a temporary folder.
type trial struct {
	session *workspace.Session
	opened  *run.Opened
	said    *errorsSaid
	close   []func()
}

// newTrial opens a stack in an empty account, in which the stacks that its file names are deployed. change returns the
// file that the trial has instead; nil changes nothing. The trial must be closed.
func newTrial(
	ctx context.Context, s *workspace.Session, name string, file *config.File,
	change func(*project.Project) (*config.File, error),
) (_ *trial, err error) {
	t := &trial{said: &errorsSaid{}}
	defer func() {
		if err != nil {
			t.Close()
		}
	}()
	dir, err := os.MkdirTemp("", "hypershift-aws-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for a trial of the stack: %w", err)
	}
	t.close = append(t.close, func() { _ = os.RemoveAll(dir) })
	copied, err := s.Project.CopyInto(dir)
	if err != nil {
		return nil, err
	}
	if change != nil {
		if file, err = change(copied); err != nil {
			return nil, err
		}
	}
	empty, err := sandbox.InMemory(environment.Options{
		Project: copied, Environ: s.Environ, Interrupts: s.Interrupts,
		Suitable: true, // what was made up is not judged
	})
	if err != nil {
		return nil, err
	}
	t.close = append(t.close, func() { _ = empty.Close() })
	t.session = &workspace.Session{
		Project: copied, Engine: s.Engine, Environ: s.Environ, Environment: empty,
		Interrupts: s.Interrupts, Copies: run.Copies, Report: t.said.report, Program: s.Program, Trial: true,
	}
	for _, other := range config.References(file) {
		if err := bringUp(ctx, t.session, other); err != nil {
			return nil, fmt.Errorf("trying the stack %s, which %s names: %w", other, name, t.said.explain(err))
		}
	}
	if t.opened, err = run.Open(ctx, t.session, name, file, run.MayCreate); err == nil {
		t.close = append(t.close, t.opened.Stack.Close)
	}
	return t, err
}

// uses returns what the stack has used in its accounts.
func (t *trial) uses() []permissions.Need { return sandbox.Uses(t.opened.Stack.Providers.Opened) }

// Close removes what the trial has made.
func (t *trial) Close() {
	for _, f := range slices.Backward(t.close) {
		f()
	}
}

// errorsSaid collects the errors that an engine reports.
type errorsSaid struct {
	mu    sync.Mutex
	texts []string
}

func (s *errorsSaid) report(e report.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, is := e.(*event.Diagnostic); is && d.Severity == "error" {
		s.texts = append(s.texts, strings.TrimSpace(d.Message))
	}
}

// explain returns an error that says "see above" with what is above.
func (s *errorsSaid) explain(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.texts) == 0 {
		return err
	}
	return &failure.Error{
		Reason: failure.Failed, Problem: "a preview in an empty account, by which permissions are found, failed: " +
			strings.Join(slices.Compact(s.texts), "; "),
		Remedy: "correct the stack's file", Cause: err,
	}
}

// lifeNeeds returns the needs of the search for a cluster's signs of life, one for each account and region with other
// needs.
func lifeNeeds(needs []permissions.Need) []permissions.Need {
	var life []permissions.Need
	seen := map[[2]string]bool{}
	for _, n := range needs {
		n.Token, n.URN, n.Inputs = permissions.Life, "", nil
		key := [2]string{n.Account, n.Region}
		if !seen[key] {
			seen[key] = true
			life = append(life, n)
		}
	}
	return life
}

func bringUp(ctx context.Context, s *workspace.Session, name string) error {
	file, err := s.Project.LoadStack(name)
	if err != nil {
		return err
	}
	stack, err := run.Open(ctx, s, name, file, run.MayCreate)
	if err != nil {
		return err
	}
	defer stack.Stack.Close()
	_, err = stack.Engine.Up(ctx)
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
			if resource.Type == awstype.KMSKey && !resource.Seed {
				ids = append(ids, resource.ID)
			}
		}
	}
	return ids, nil
}

// unmake replaces the made-up IDs in the needs' inputs by any ID.
func unmake(needs []permissions.Need, madeUp []string) {
	var pairs []string
	for _, id := range madeUp {
		pairs = append(pairs, id, "*")
	}
	unmade := strings.NewReplacer(pairs...)
	for _, need := range needs {
		for name, value := range need.Inputs {
			if text, ok := value.(string); ok {
				need.Inputs[name] = unmade.Replace(text)
			}
		}
	}
}
