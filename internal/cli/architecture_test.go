package cli

import (
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/hypershift-aws/hypershift-aws/"

// layers are the folders and modules, from the top down: a package imports packages of lower layers only. A folder has the layer of the nearest
// folder around it that is listed. Packages of test and examples may import everything.
var layers = []string{
	"cmd/hypershift-aws cmd/program plugin internal/manpages", // programs
	"internal/image",       // image
	"internal/enginefront", // front
	"internal/cli",         // CLI
	// commands
	"internal/cli/author internal/cli/operate internal/cli/inspect internal/cli/fleetcmd",
	"internal/cli/view",                            // views
	"internal/cli/invocation",                      // invocation
	"github.com/spf13/cobra",                       // cobra
	"automation",                                   // library
	"internal/operation internal/forecast program", // operations
	"internal/environment",                         // environments
	"internal/bucket",                              // beside the state
	"internal/inmemory",                            // in memory
	"internal/offline",                             // offline
	"internal/offline/hypershift internal/offline/capa internal/offline/seed", // operators
	// services
	"internal/offline/ec2 internal/offline/elbv2 internal/offline/iam internal/offline/route53 internal/offline/s3 " +
		"internal/offline/kms internal/offline/cloudfront internal/offline/sqs internal/offline/eventbridge internal/offline/ram " +
		"internal/offline/kubernetes",
	"internal/offline/aws", // account
	// provider
	"internal/offline/faults internal/offline/plugin internal/offline/store internal/offline/iampolicy",
	"internal/offline/props internal/offline/ids internal/offline/awserr", // properties
	// cluster access
	"internal/kubeapi internal/fleet internal/savedplan internal/pullrequest internal/adopt internal/sweep",
	"internal/kind", // kinds
	"internal/recovery internal/clusterstatus internal/plan internal/project", // parts of an operation
	"internal/offline/transit",                                 // secrets
	"internal/state",                                           // state
	"internal/engine internal/report",                          // engine
	"github.com/pulumi/pulumi/sdk/v3/go/auto",                  // Automation API
	"internal/preflight internal/picture internal/policy/pack", // checks
	// resources
	"internal/account internal/permissions internal/connectivity internal/estimate internal/price internal/policy",
	"internal/packageschema internal/configreference",             // generators
	"internal/componentplugin internal/languagehost internal/pko", // plugins
	"stacks",           // stacks
	"stacks/documents", // documents
	"stacks/config",    // config
	"components/capa components/hostedcluster components/management/kubernetes", // clusters
	"components/internal/corev1",               // core objects
	"github.com/pulumi/pulumi-kubernetes",      // Kubernetes
	"components/privatelink",                   // private link
	"components/network components/management", // networks
	"components/iam",                           // roles
	// AWS and HyperShift
	"components/hypershift components/location components/internal/component components/network/layout " +
		"components/internal/iamrole components/internal/patch components/capa/crd components/hostedcluster/crd",
	// inputs and outputs
	"components/input components/internal/awsid components/enum components/outputs components/lookup components/crd " +
		"components/iam/policy",
	"components/fault",                     // faults
	"internal/consent internal/gate",       // gates
	"internal/guarded internal/kubeconfig", // what clusters depend on, and which cluster a kubeconfig selects
	// leaves
	"internal/awstype internal/awsconfig internal/reachability internal/trial internal/failure internal/atomicfile " +
		"internal/jsonl internal/dist internal/doccomment",
	"internal/props", // values
}

// limits are imports from lower layers that are refused nevertheless, each with its exceptions.
var limits = []struct{ packages, refused, except string }{
	// others embed them; the operator's objects follow from stack files alone
	{"components stacks internal/pko", "internal", ""},
	// what judges the components must not be built from them
	{"internal/offline", "components stacks", "components/crd components/capa/crd components/hostedcluster/crd components/iam/policy"},
	// the API server is independent of AWS
	{"internal/offline/kubernetes", "internal/offline/aws", ""},
	// they work on files, states and accounts, which are real or offline
	{"internal/fleet internal/savedplan internal/pullrequest internal/adopt internal/sweep internal/kubeapi internal/recovery " +
		"internal/clusterstatus", "internal/engine internal/offline", ""},
	// they are independent of stacks
	{"internal/kubeapi internal/savedplan internal/pullrequest internal/inmemory", "internal/project internal/state internal/recovery", ""},
	// it is independent of operations
	{"internal/kubeapi", "internal/plan", ""},
	// it reads commands
	{"internal/manpages", "internal/operation internal/engine internal/offline", ""},
}

// layerOf returns the index of a package's or module's layer, and the folder by which it has it; -1 if it has none.
func layerOf(name string) (layer int, folder string) {
	for folder := name; folder != "."; folder = path.Dir(folder) {
		for i, layer := range layers {
			if slices.Contains(strings.Fields(layer), folder) {
				return i, folder
			}
		}
	}
	return -1, ""
}

// within reports whether a package is one of the folders or in one of them.
func within(name, folders string) bool {
	return slices.ContainsFunc(strings.Fields(folders), func(folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") })
}

// mayImport reports whether a package may import another package or module.
func mayImport(importer, imported string) bool {
	from, fromFolder := layerOf(importer)
	to, toFolder := layerOf(imported)
	if to < 0 || fromFolder == toFolder {
		return true
	}
	for _, l := range limits {
		if within(importer, l.packages) && within(imported, l.refused) && !within(imported, l.except) {
			return false
		}
	}
	return from < to
}

// listed returns what `go list` prints of each package of this module.
func listed(t *testing.T, format string) []string {
	t.Helper()
	command := exec.Command("go", "list", "-f", format, "./...")
	command.Dir = filepath.Join("..", "..")
	output, err := command.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(output), module, "")), "\n")
}

func TestEachPackageImportsLowerLayersOnly(t *testing.T) {
	t.Parallel()
	for _, line := range listed(t, `{{if .GoFiles}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}`) {
		imports := strings.Fields(line)
		if len(imports) == 0 || within(imports[0], "test examples") {
			continue
		}
		layer, _ := layerOf(imports[0])
		assert.GreaterOrEqual(t, layer, 0, "%s has no layer", imports[0])
		for _, imported := range imports[1:] {
			assert.True(t, mayImport(imports[0], imported), "%s imports %s", imports[0], imported)
		}
	}
	assert.False(t, mayImport("internal/plan", "internal/operation"), "an import upward")
	assert.False(t, mayImport("internal/plan", "internal/recovery"), "an import in a layer")
	assert.False(t, mayImport("components/network", "internal/failure"), "a limit")
	assert.True(t, mayImport("internal/offline/kubernetes", "components/crd"), "an exception")
}

func TestNoPackageHasMoreThan25Files(t *testing.T) {
	t.Parallel()
	for _, line := range listed(t, `{{.ImportPath}}{{range .GoFiles}} {{.}}{{end}}`) {
		files := strings.Fields(line)
		assert.LessOrEqual(t, len(files)-1, 25, "%s: split it by concern", files[0])
	}
}
