package automation

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// rehearsalVariable holds what an offline account rehearses: see offline.ReadRehearsal.
const rehearsalVariable = "HYPERSHIFT_AWS_OFFLINE_FAULTS"

// offlinePassphrase opens offline states that were made before package transit kept their secrets.
const offlinePassphrase = "offline"

// offlineEnviron takes from the engine's environment every way to a real account and to real state, and
// gives it a home of its own, so that neither a login nor a plugin of the user's is touched.
func offlineEnviron(environ engine.Environ, dir string) engine.Environ {
	return environ.
		Without(func(name string) bool {
			switch name {
			case "AWS_REGION", "AWS_DEFAULT_REGION":
				return false
			case "PULUMI_ACCESS_TOKEN", "PULUMI_API", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_CREDENTIALS_PATH":
				return true
			}
			return strings.HasPrefix(name, "AWS_")
		}).
		With("PULUMI_CONFIG_PASSPHRASE", offlinePassphrase).
		With("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true").
		With("PULUMI_HOME", filepath.Join(dir, "home"))
}

// attachOffline serves the account in memory and has the engine attach to it, once per stack.
func (s *Stack) attachOffline() error {
	if !s.session.Offline || s.account != nil {
		return nil
	}
	options := offline.Options{
		Dir:    s.session.Project.OfflineDir(),
		Tell:   func(sentence string) { s.session.Report(&report.NoteEvent{Message: "offline: " + sentence}) },
		Killer: killer{s.session.Interrupts},
	}
	var err error
	if options.Rehearsal, err = offline.ReadRehearsal(s.session.Environ.Get(rehearsalVariable)); err != nil {
		return &failure.Error{Reason: failure.Refused, Problem: rehearsalVariable + ": " + err.Error(), Cause: err}
	}
	if s.file != nil && !s.session.EmptyAccount {
		for _, existing := range s.file.Existing(s.management) {
			options.Seeds = append(options.Seeds, seedOf(existing))
		}
	}
	account, err := offline.Serve(options)
	if err != nil {
		return fmt.Errorf("serving the offline account: %w", err)
	}
	s.account = account
	s.command.Environ = s.command.Environ.With("PULUMI_DEBUG_PROVIDERS", account.Providers())
	return nil
}

// reportOfflineRest says what stacks still have in the offline accounts.
func (s *Stack) reportOfflineRest() error {
	accounts, err := offline.Accounts(s.session.Project.OfflineDir())
	if err != nil {
		return fmt.Errorf("reading the offline accounts: %w", err)
	}
	for _, account := range accounts {
		made := 0
		for _, resource := range account.Resources() {
			if !resource.Seed && !resource.Operator {
				made++
			}
		}
		s.reportRest("account "+account.ID(), "resources", made)
		s.reportOperators(account)
	}
	clusters, err := offline.Clusters(s.session.Project.OfflineDir())
	if err != nil {
		return fmt.Errorf("reading the offline Kubernetes clusters: %w", err)
	}
	for _, cluster := range clusters {
		made := 0
		for _, object := range cluster.Objects() {
			// Namespaces are shared, and stay.
			if object.Kind != "Namespace" {
				made++
			}
		}
		s.reportRest("Kubernetes cluster "+cluster.Name(), "objects", made)
		if err := cluster.Close(); err != nil {
			return fmt.Errorf("closing offline Kubernetes cluster %s: %w", cluster.Name(), err)
		}
	}
	return nil
}

// reportLeft says what keeps a destroy from its end: what HyperShift's operators have made and not taken away.
func (s *Stack) reportLeft() error {
	accounts, err := offline.Accounts(s.session.Project.OfflineDir())
	if err != nil {
		return fmt.Errorf("reading the offline accounts: %w", err)
	}
	for _, account := range accounts {
		s.reportOperators(account)
	}
	return nil
}

// reportOperators says what HyperShift's operators have in an account, thing by thing.
func (s *Stack) reportOperators(account *offline.Account) {
	for _, resource := range account.Resources() {
		if resource.Operator {
			s.session.Report(&report.NoteEvent{Message: fmt.Sprintf("offline: account %s holds %s %s, which HyperShift's operators made for a hosted cluster",
				account.ID(), report.TypeName(resource.Type), resource.ID)})
		}
	}
}

// reportRest says how much other stacks have made somewhere.
func (s *Stack) reportRest(where, what string, made int) {
	rest := "nothing that a stack made"
	if made > 0 {
		rest = fmt.Sprintf("%d %s of other stacks", made, what)
	}
	s.session.Report(&report.NoteEvent{Message: fmt.Sprintf("offline: %s holds %s", where, rest)})
}

// seedOf is the seed that puts into an offline account what a config refers to. The kinds have the same names.
func seedOf(e config.Existing) offline.Seed {
	return offline.Seed{Kind: offline.SeedKind(e.Kind), Name: e.Name, VPC: e.VPC, Zone: e.Zone, Domain: e.Domain, Document: e.Document}
}
