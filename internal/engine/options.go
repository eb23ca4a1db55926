package engine

import (
	"slices"
	"strings"
)

// kubernetesOptions are the variables that change which objects pulumi-kubernetes deletes, skips, takes over or overwrites.
// Source: Configure in provider/pkg/provider/provider.go of github.com/pulumi/pulumi-kubernetes 4.30.
func kubernetesOptions() []string {
	return []string{
		"PULUMI_K8S_DELETE_UNREACHABLE", "PULUMI_K8S_SKIP_UPDATE_UNREACHABLE", "PULUMI_K8S_ENABLE_SERVER_SIDE_APPLY",
		"PULUMI_K8S_ENABLE_PATCH_FORCE", "PULUMI_K8S_UPSERT_EXISTING_OBJECTS",
	}
}

// harmlessOptions are the flags of the engine that change no operation: how it is shown, how fast it is, and what it refuses.
func harmlessOptions() []string {
	return []string{
		"COLOR", "EMOJI", "LOGFLOW", "LOGTOSTDERR", "MEMPROFILERATE", "NO_DEPENDENCIES", "NO_PLUGINS", "NON_INTERACTIVE", "PARALLEL", "POLICY_PACK",
		"POLICY_PACK_CONFIG", "PROFILING", "SUPPRESS_OUTPUTS", "SUPPRESS_PERMALINK", "SUPPRESS_PROGRESS", "TRACING", "VERBOSE",
	}
}

// KubernetesOptions returns the variables of the environment that change which objects pulumi-kubernetes deletes, skips, takes over or overwrites.
func (e Environ) KubernetesOptions() []string {
	return e.names(func(name string) bool { return slices.Contains(kubernetesOptions(), name) })
}

// WithoutKubernetesOptions returns a copy without KubernetesOptions.
func (e Environ) WithoutKubernetesOptions() Environ {
	return e.Without(func(name string) bool { return slices.Contains(kubernetesOptions(), name) })
}

// Options returns the variables of the environment that change what an operation does: those of pulumi-kubernetes, and flags of the engine such as
// PULUMI_OPTION_TARGET.
func (e Environ) Options() []string { return e.names(isOption) }

// WithoutOptions returns a copy without Options.
func (e Environ) WithoutOptions() Environ { return e.Without(isOption) }

func isOption(name string) bool {
	flag, option := strings.CutPrefix(name, "PULUMI_OPTION_")
	return option && !slices.Contains(harmlessOptions(), flag) || name == "PULUMI_RUN_PROGRAM" || slices.Contains(kubernetesOptions(), name)
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
