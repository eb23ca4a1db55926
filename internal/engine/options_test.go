package engine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVariablesThatChangeAnOperationAreFound(t *testing.T) {
	t.Parallel()
	harmless := Environ{
		"PATH=/bin", "PULUMI_OPTION_COLOR=always", "PULUMI_OPTION_NO_PLUGINS=true", "PULUMI_OPTION_POLICY_PACK=/policies", "PULUMI_PARALLEL=4",
		"PULUMI_K8S_CLIENT_QPS=10", "PULUMI_K8S_AWAIT_ALL=true",
	}
	require.Empty(t, harmless.Options())
	require.Equal(t, harmless, harmless.WithoutOptions())

	changing := Environ{"PULUMI_OPTION_TARGET=urn", "PULUMI_K8S_DELETE_UNREACHABLE=true", "PULUMI_RUN_PROGRAM=true", "PULUMI_OPTION_REPLACE=", "PULUMI_OPTION_TARGET=other"}
	all := slices.Concat(changing, harmless)
	require.Equal(t, []string{"PULUMI_K8S_DELETE_UNREACHABLE", "PULUMI_OPTION_TARGET", "PULUMI_RUN_PROGRAM"}, all.Options())
	require.Equal(t, []string{"PULUMI_K8S_DELETE_UNREACHABLE"}, all.KubernetesOptions())
	require.Equal(t, harmless, all.WithoutOptions())
}

func TestTheEngineOfAPodHasNoVariablesThatChangeWhatTheKubernetesProviderDeletes(t *testing.T) {
	t.Parallel()
	environ := Environ{"HOME=/home/pod", "PULUMI_K8S_DELETE_UNREACHABLE=true", "PULUMI_OPTION_NO_PLUGINS=true"}
	require.Equal(t, []string{"PULUMI_K8S_DELETE_UNREACHABLE"}, environ.KubernetesOptions())
	require.Equal(t, Environ{"HOME=/home/pod", "PULUMI_OPTION_NO_PLUGINS=true"}, environ.WithoutKubernetesOptions())
}
