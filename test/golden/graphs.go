package golden

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// graphs are the folders of golden graphs, by the first part of a graph's name: each is beside its component.
var graphs = map[string]string{
	"capa":            "components/capa/testdata/graphs",
	"hostedcluster":   "components/hostedcluster/testdata/graphs/hostedcluster",
	"iam":             "components/iam/testdata/graphs",
	"management":      "components/management/testdata/graphs",
	"network":         "components/network/testdata/graphs/modes",
	"networkoptions":  "components/network/testdata/graphs/options",
	"nodepools":       "components/hostedcluster/testdata/graphs/nodepools",
	"operatorinstall": "components/management/kubernetes/testdata/graphs",
	"privatelink":     "components/privatelink/testdata/graphs",
	"sharedvpc":       "components/network/testdata/graphs/sharedvpc",
}

// Graph returns the path of the golden graph with a name such as network/Public-Single-1.
func Graph(t testing.TB, name string) string {
	t.Helper()
	group, option, _ := strings.Cut(name, "/")
	require.Contains(t, graphs, group)
	return repo.Path(filepath.FromSlash(graphs[group]), option+".txt")
}

// Graphs returns the names of all golden graphs of the groups, or of all groups if none is given.
func Graphs(t testing.TB, groups ...string) (names []string) {
	t.Helper()
	if len(groups) == 0 {
		groups = slices.Sorted(maps.Keys(graphs))
	}
	for _, group := range groups {
		files, err := filepath.Glob(Graph(t, group+"/*"))
		require.NoError(t, err)
		require.NotEmpty(t, files, group)
		for _, file := range files {
			names = append(names, path.Join(group, strings.TrimSuffix(filepath.Base(file), ".txt")))
		}
	}
	return names
}

// RequireGraph compares a graph with the golden one.
func RequireGraph(t *testing.T, name, got string) {
	t.Helper()
	Require(t, Graph(t, name), got)
}

// RequireRoles compares the roles of a stack with the golden graph of an option of iam, which has the differences from
// the roles of a public cluster if they are few.
func RequireRoles(t *testing.T, option, got string) {
	t.Helper()
	path := Graph(t, "iam/"+option)
	switch option {
	case "Private", "PublicAndPrivate", "existing-some", "extra-policies", "interruption-queue", "karpenter", "spot-role",
		"workload-roles":
		RequireLike(t, path, "Public.txt", got)
	default:
		Require(t, path, got)
	}
}
