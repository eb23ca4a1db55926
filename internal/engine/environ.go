package engine

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
)

// Environ is the environment of a process: "NAME=value" entries, where the last entry with a name counts.
type Environ []string

// Lookup returns the value of name, and whether it is set at all: an empty value is a value.
func (e Environ) Lookup(name string) (string, bool) {
	for i := len(e) - 1; i >= 0; i-- {
		if key, value, found := strings.Cut(e[i], "="); found && key == name {
			return value, true
		}
	}
	return "", false
}

// Get returns the value of name, "" where it is not set.
func (e Environ) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// Region returns the AWS region of the environment, "" if it has none.
func (e Environ) Region() string { return cmp.Or(e.Get("AWS_REGION"), e.Get("AWS_DEFAULT_REGION")) }

// With returns a copy in which name has value.
func (e Environ) With(name, value string) Environ {
	return append(e.Without(func(n string) bool { return n == name }), name+"="+value)
}

// Without returns a copy without the variables whose names drop selects.
func (e Environ) Without(drop func(name string) bool) Environ {
	kept := make(Environ, 0, len(e)+1)
	for _, entry := range e {
		if name, _, _ := strings.Cut(entry, "="); !drop(name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

// PlanVariable in the environment is the value of the engine's flag --plan.
const PlanVariable = "PULUMI_OPTION_PLAN"

// ProvidersVariable in the environment names providers that run already to the engine, as NAME:PORT, separated by
// commas.
const ProvidersVariable = "PULUMI_DEBUG_PROVIDERS"

// The least and the most operations that the engine runs at once by default. The engine's own default is four per
// processor, but operations wait for AWS and need no processor: with eight at once, the resources that others wait for
// longest wait for a place themselves. Of many more at once, AWS throttles some.
const leastParallel, mostParallel = 8, 32

// Parallel returns how many operations the engine runs at once in this environment on a stack with that many resources,
// 0 if their number is not known: PULUMI_OPTION_PARALLEL or PULUMI_PARALLEL, by default one for each resource, but at
// least 8 and at most 32.
// Source: defaultParallel in cmd/pulumi/operations/up.go of github.com/pulumi/pulumi.
func (e Environ) Parallel(resources int) int {
	if n := e.givenParallel(); n > 0 {
		return n
	}
	if resources == 0 {
		return mostParallel
	}
	return min(max(resources, leastParallel), mostParallel)
}

// OwnParallel returns the variable with which the engine runs Parallel operations at once; none if the environment has
// one.
func (e Environ) OwnParallel(resources int) []string {
	if e.givenParallel() > 0 {
		return nil
	}
	return []string{"PULUMI_PARALLEL=" + strconv.Itoa(e.Parallel(resources))}
}

// givenParallel returns the value that the environment has, 0 for none.
func (e Environ) givenParallel() int {
	for _, name := range []string{"PULUMI_OPTION_PARALLEL", "PULUMI_PARALLEL"} {
		if n, err := strconv.Atoi(e.Get(name)); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// passedOn are the variables of Pulumi, without their prefix, that the engine gets: they say where states, credentials,
// plugins and secrets are, how an operation is shown, and how fast it is, and change neither what it does nor what it
// records. What a later engine adds is not known to be harmless. A name that ends with * stands for all that begin so.
// Source: sdk/go/common/env of github.com/pulumi/pulumi, and the schema of pulumi-kubernetes.
func passedOn() []string {
	return []string{
		"HOME", "API", "ACCESS_TOKEN", "CONSOLE_DOMAIN", "CREDENTIALS_PATH", "BACKEND_URL", "STACK", "AUTOMATION_API",
		"AUTOMATION_API_SKIP_VERSION_CHECK",
		"CONFIG_PASSPHRASE", "CONFIG_PASSPHRASE_FILE", "FALLBACK_TO_STATE_SECRETS_MANAGER", "DISABLE_SECRET_CACHE",
		"GITSSH_PASSPHRASE",
		"DEBUG_PROVIDERS", "DEBUG_LANGUAGES", "IGNORE_AMBIENT_PLUGINS", "DISABLE_AUTOMATIC_PLUGIN_ACQUISITION",
		"PLUGIN_DOWNLOAD_URL_OVERRIDES",
		"SKIP_UPDATE_CHECK", "PARALLEL", "PARALLEL_DIFF", "PARALLEL_ANALYZE",
		// Forms of states that this program reads.
		"DIY_BACKEND_GZIP", "DIY_BACKEND_ZSTD", "DIY_BACKEND_PARALLEL", "DIY_BACKEND_RETAIN_CHECKPOINTS",
		"DIY_BACKEND_NO_LEGACY_WARNING",
		"DIY_BACKEND_IGNORE_DEPRECATION_WARNING",
		"DEBUG_GRPC", "LOG_*", "OTEL_*", "TRACING_*", "SUPPRESS_NEO_LINK", "CI_*", "DISABLE_CI_DETECTION", "PR_NUMBER",
		"COMMIT_MESSAGE", "GIT_*", "VCS_*",
		"OPTION_COLOR", "OPTION_EMOJI", "OPTION_LOGFLOW", "OPTION_LOGTOSTDERR", "OPTION_MEMPROFILERATE",
		"OPTION_NO_DEPENDENCIES", "OPTION_NO_PLUGINS",
		"OPTION_NON_INTERACTIVE", "OPTION_PARALLEL", "OPTION_POLICY_PACK", "OPTION_POLICY_PACK_CONFIG", "OPTION_PROFILING",
		"OPTION_SUPPRESS_OUTPUTS",
		"OPTION_SUPPRESS_PERMALINK", "OPTION_SUPPRESS_PROGRESS", "OPTION_TRACING", "OPTION_VERBOSE",
		"K8S_CLIENT_*", "K8S_AWAIT_ALL", "K8S_HELM_*", "K8S_SUPPRESS_*",
	}
}

// KubernetesOptions returns the variables of the environment that change which objects pulumi-kubernetes deletes,
// skips, takes over or overwrites.
func (e Environ) KubernetesOptions() []string {
	return e.names(func(name string) bool { return slices.Contains(proc.KubernetesVariables(), name) })
}

// WithoutKubernetesOptions returns a copy without KubernetesOptions.
func (e Environ) WithoutKubernetesOptions() Environ {
	return e.Without(func(name string) bool { return slices.Contains(proc.KubernetesVariables(), name) })
}

// Options returns Pulumi's variables of the environment that may change what an operation does or records: flags of the
// engine such as PULUMI_OPTION_TARGET, PULUMI_SKIP_CHECKPOINTS, those of pulumi-kubernetes, and all that are not known.
func (e Environ) Options() []string { return e.names(isOption) }

// WithoutOptions returns a copy without Options.
func (e Environ) WithoutOptions() Environ { return e.Without(isOption) }

func isOption(name string) bool {
	own, pulumi := strings.CutPrefix(name, "PULUMI_")
	return pulumi && !slices.ContainsFunc(passedOn(), func(known string) bool {
		prefix, group := strings.CutSuffix(known, "*")
		return own == known || group && strings.HasPrefix(own, prefix)
	})
}

// names returns the sorted names of variables that are not empty.
func (e Environ) names(wanted func(name string) bool) []string {
	var list []string
	for _, entry := range e {
		if name, _, _ := strings.Cut(entry, "="); wanted(name) && e.Get(name) != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// HomeWithoutLogs prepares home as a PULUMI_HOME in which the engine keeps no log of its operations. Writing and
// compressing the log takes a fifth of the engine's processor time, and no setting turns it off; but the engine writes
// none if `logs` is not a folder. An existing folder is not changed.
func HomeWithoutLogs(home string) error {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("creating the engine's home: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(home, "logs"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("turning off the engine's logs: %w", err)
	}
	return file.Close()
}
