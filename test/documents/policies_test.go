package documents

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

// A policy's wildcards are identified by the policy, as its resource is named, and by the service whose actions
// they are for: "roles-node-pool ec2".
type wildcards map[string]map[string]bool

// collect adds what a policy document allows on "*".
func (w wildcards) collect(t *testing.T, policy, document string) {
	t.Helper()
	var parsed struct {
		Statement []struct{ Action, Resource listOrText }
	}
	require.NoError(t, json.Unmarshal([]byte(document), &parsed), policy)
	for _, statement := range parsed.Statement {
		if !slices.Contains(statement.Resource, "*") {
			continue
		}
		for _, action := range statement.Action {
			service, _, _ := strings.Cut(action, ":")
			key := policy + " " + service
			if w[key] == nil {
				w[key] = map[string]bool{}
			}
			w[key][action] = true
		}
	}
}

// listOrText is a list of texts, or one by itself.
type listOrText []string

func (l *listOrText) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*l = listOrText{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(l))
}

// wildcardsInGraphs collects the wildcards of every policy in the golden graphs, but for those of endpoints, which the
// user writes.
func wildcardsInGraphs(t *testing.T) wildcards {
	t.Helper()
	found := wildcards{}
	resource, document := regexp.MustCompile(`^\S+ / \S+ (\S+)`), regexp.MustCompile(`^    \w*[pP]olicy: \{$`)
	for _, graph := range golden.Graphs(t) {
		var name string
		var lines []string
		for line := range strings.Lines(golden.Read(t, golden.Graph(t, graph))) {
			line = strings.TrimSuffix(line, "\n")
			switch match := resource.FindStringSubmatch(line); {
			case lines != nil:
				if lines = append(lines, line); line == "      }" {
					found.collect(t, name, strings.Join(lines, "\n"))
					lines = nil
				}
			case match != nil && strings.Contains(line, " ec2.VpcEndpoint "):
				name = ""
			case match != nil:
				name = match[1]
			case document.MatchString(line) && name != "":
				lines = []string{"{"}
			}
		}
	}
	return found
}

func TestEveryWildcardInAPolicyHasItsReasonInTheDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(repo.Path("docs", "appendix", "policies.md"))
	require.NoError(t, err)
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([a-z0-9]+) \\| ([0-9]+) \\| .{10,} \\|$").FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, strings.Join(row[1:4], " "))
	}
	var found []string
	for key, actions := range wildcardsInGraphs(t) {
		found = append(found, fmt.Sprintf("%s %d", key, len(slices.Collect(maps.Keys(actions)))))
	}
	require.Greater(t, len(found), 20)
	require.ElementsMatch(t, found, documented)
}
