package components_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

func TestTheNetworkAndTheRolesImportNoCLINoEngineAndNoKubernetes(t *testing.T) {
	t.Parallel()
	output, err := exec.Command("go", "list", "-deps", repo.Path("components", "network"),
		repo.Path("components", "iam")).Output()
	require.NoError(t, err)
	for dependency := range strings.Lines(string(output)) {
		if strings.Contains(dependency, "hypershift-aws/internal/value/") {
			continue // below the components
		}
		for _, unwanted := range []string{"hypershift-aws/internal", "hypershift-aws/stacks", "pulumi/sdk/v3/go/auto",
			"pulumi-kubernetes", "k8s.io"} {
			require.NotContains(t, dependency, unwanted)
		}
	}
}

func TestTheManagementComponentsImportNoKubernetes(t *testing.T) {
	t.Parallel()
	output, err := exec.Command("go", "list", "-deps", repo.Path("components", "management")).Output()
	require.NoError(t, err)
	for dependency := range strings.Lines(string(output)) {
		require.NotContains(t, dependency, "pulumi-kubernetes")
	}
}
