package inmemory

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// rehearsalVariable contains the settings of a rehearsal: see offline.ReadRehearsal.
const rehearsalVariable = "HYPERSHIFT_AWS_OFFLINE_FAULTS"

// offlinePassphrase decrypts offline states created before package transit encrypted their secrets.
const offlinePassphrase = "offline"

// Environ removes from the engine's environment all access to real accounts and states, and sets a separate home, so
// that the user's logins and plugins are not used.
func Environ(environ engine.Environ, dir string) engine.Environ {
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
		With("PULUMI_HOME", engineHome(dir))
}

// engineHome returns the engine's home in the folder of the offline accounts.
func engineHome(dir string) string { return filepath.Join(dir, "home") }

// Options configure a served account.
type Options struct {
	// Dir is the folder of the offline accounts and clusters.
	Dir string
	// Environ may contain the settings of a rehearsal.
	Environ    engine.Environ
	Interrupts *engine.Interrupts
	// Report receives the account's events; it must not be nil.
	Report func(report.Event)
	// Existing are the seeds of new accounts, each in the account that has it. Providers are the settings of the AWS
	// providers by their names. Without them, each account gets all seeds.
	Existing  []config.Existing
	Providers map[string]map[string]any
}

// Serve serves the account in memory. The server must be closed.
func Serve(o Options) (*offline.Server, error) {
	options := offline.Options{
		Dir:    o.Dir,
		Tell:   func(sentence string) { o.Report(&event.Note{Message: "offline: " + sentence}) },
		Killer: killer(o.Interrupts),
	}
	var err error
	if options.Rehearsal, err = ReadRehearsal(o.Environ); err != nil {
		return nil, err
	}
	for _, existing := range o.Existing {
		options.Seeds = append(options.Seeds, seedsOf(existing, o.Providers)...)
	}
	if err := engine.HomeWithoutLogs(engineHome(o.Dir)); err != nil {
		return nil, err
	}
	server, err := offline.Serve(options)
	if err != nil {
		return nil, fmt.Errorf("serving the offline account: %w", err)
	}
	return server, nil
}

// ReadRehearsal returns the rehearsal that an environment configures.
func ReadRehearsal(environ engine.Environ) (offline.Rehearsal, error) {
	rehearsal, err := offline.ReadRehearsal(environ.Get(rehearsalVariable))
	if err != nil {
		return rehearsal, &failure.Error{Reason: failure.Refused, Problem: rehearsalVariable + ": " + err.Error(), Cause: err}
	}
	return rehearsal, nil
}

// arnAccount matches the ARN of what only the account in it has.
var arnAccount = regexp.MustCompile(`^arn:[a-z-]+:(?:iam|kms):[a-z0-9-]*:(\d{12}):`)

// seedsOf returns the seeds that put into offline accounts what a config refers to. A resource is in the account that
// has it. The subnets of a VPC that is shared are seen in two.
func seedsOf(e config.Existing, providers map[string]map[string]any) []offline.Seed {
	one := seedOf(e)
	settings, known := providers[e.Provider]
	if !known || awsconfig.Encrypted(settings) {
		return []offline.Seed{one}
	}
	own, named := offline.AccountOf(settings)
	one.Account = own
	if m := arnAccount.FindStringSubmatch(e.Name); m != nil {
		for name, settings := range providers {
			further, _ := offline.AccountOf(settings)
			named = named || name != e.Provider && further == m[1]
		}
		if named {
			one.Account = m[1]
		}
	}
	switch {
	case e.Owner == "" || e.Owner == own:
	case e.Kind == config.ExistingPrivateZone:
		one.Account = e.Owner
	default:
		owners := one
		owners.Account, one.Owner = e.Owner, e.Owner
		return []offline.Seed{one, owners}
	}
	return []offline.Seed{one}
}

// seedOf returns the seed that puts into an offline account what a config refers to. The kinds have the same names.
func seedOf(e config.Existing) offline.Seed {
	return offline.Seed{Kind: offline.SeedKind(e.Kind), Name: e.Name, VPC: e.VPC, Zone: e.Zone, Domain: e.Domain,
		Document: e.Document,
		Tags:     e.Tags, InstanceType: e.InstanceType, CIDR: e.CIDR, Services: e.Services,
		Region: e.Region, LoadBalancer: e.LoadBalancer}
}

// killer returns what kills the engine and this program, if a rehearsal requires it.
func killer(interrupts *engine.Interrupts) faults.Killer {
	return func(process faults.Process, signal faults.Signal) {
		number := syscall.SIGKILL
		if signal == faults.SignalTerm {
			number = syscall.SIGTERM
		}
		if process != faults.CLI {
			interrupts.Signal(number)
		}
		if process != faults.Engine {
			_ = proc.Signal(os.Getpid(), number)
		}
	}
}
