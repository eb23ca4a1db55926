package documents

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// The table of supported versions has those of the code, of go.mod, and of the API servers of `make conformance`.
func TestTheTableOfSupportedVersionsIsThatOfTheCode(t *testing.T) {
	t.Parallel()
	read := func(path ...string) string {
		text, err := os.ReadFile(repo.Path(path...))
		require.NoError(t, err)
		return string(text)
	}
	find := func(text, pattern string) string {
		match := regexp.MustCompile("(?m)" + pattern).FindStringSubmatch(text)
		require.NotNil(t, match, pattern)
		return match[1]
	}
	modules, makefile := read("go.mod"), read("Makefile")
	minor := func(version string) string {
		parts := strings.Split(version, ".")
		return parts[0] + "." + parts[1]
	}
	tried := []string{minor(find(makefile, `^KUBE_VERSION\s*:= (\S+)$`))}
	for _, version := range strings.Fields(find(makefile, `^KUBE_OTHERS\s*:= (.*)$`)) {
		tried = append(tried, minor(version))
	}
	slices.Sort(tried)
	last := len(tried) - 1
	_, after, _ := strings.Cut(read("docs", "appendix", "tried.md"), "\n## Supported versions\n")
	for of, versions := range map[string]string{
		"the Pulumi engine": fmt.Sprintf("%s or later, below %d", engine.Minimum(), engine.Minimum().Major+1),
		"Pulumi's providers": "aws " + find(modules, `pulumi-aws/sdk/v6 v(\S+)`) + ", kubernetes " +
			find(modules, `pulumi-kubernetes/sdk/v4 v(\S+)`),
		"HyperShift on the management cluster": "fields of " +
			find(read("internal", "value", "hypershift", "crd", "schema.go"), `HyperShift's repository at (\w+), of Date`) +
			" (" + crd.Date + ")" +
			"; a field that the cluster's own CRDs lack is refused",
		"OpenShift of a hosted cluster": "those that the operator publishes in `supported-versions`; nodes up to " +
			find(read("components", "hostedcluster", "live.go"), `^const maxSkew = (\d)$`) + " minor versions behind their control plane",
		"Kubernetes of the management cluster": "tried on " + strings.Join(tried[:last], ", ") + ", and " + tried[last] +
			", with client libraries of 1." + strings.Split(find(modules, `k8s.io/client-go v(\S+)`), ".")[1],
		"Go, to build or to embed": find(modules, `^go (\S+)$`) + " or later",
	} {
		require.Contains(t, after, "\n| "+of+" | "+versions+" |\n", of)
	}
}
