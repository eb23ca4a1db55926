package test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/stacks/inventory"
)

// graph is a golden graph: the text of each AWS resource by "<type> <name>".
type graph map[string]string

// goldenGraph reads the resources of golden files, components left out.
func goldenGraph(t *testing.T, names ...string) graph {
	t.Helper()
	head := regexp.MustCompile(`^\S+ / (\S+ \S+) \(provider`)
	g := graph{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
		require.NoError(t, err)
		key := ""
		for line := range strings.Lines(string(text)) {
			if found := head.FindStringSubmatch(line); found != nil {
				key = found[1]
			} else if !strings.HasPrefix(line, " ") {
				key = ""
			}
			if key != "" {
				g[key] += line
			}
		}
	}
	return g
}

// matching are the resources that a pattern of the inventory means.
func (g graph) matching(pattern string) []string {
	whole := regexp.MustCompile("^(" + pattern + ")$")
	var found []string
	for key := range g {
		if whole.MatchString(key) {
			found = append(found, key)
		}
	}
	slices.Sort(found)
	return found
}

// estateGraph is all that the project makes for a cluster of that mode, with all options of its management
// stack.
func estateGraph(t *testing.T, mode hypershift.EndpointAccess, zones int) graph {
	t.Helper()
	return goldenGraph(t, "management/whole.txt", fmt.Sprintf("network/%s-PerZone-%d.txt", mode, zones), fmt.Sprintf("iam/%s.txt", mode))
}

func TestStageByStageWhatThisProjectMakesIsThere(t *testing.T) {
	t.Parallel()
	for _, mode := range hypershift.EndpointAccesses() {
		one, three := estateGraph(t, mode, 1), estateGraph(t, mode, 3)
		claimed := map[string]string{}
		for _, item := range inventory.Items() {
			if !item.Stage.Ours() {
				continue
			}
			found := one.matching(item.Resources)
			if !item.In(mode) {
				require.Empty(t, found, "%s: %s", mode, item.What)
				continue
			}
			require.NotEmpty(t, found, "%s: %s", mode, item.What)
			times := 1
			if item.PerZone {
				times = 3
			}
			require.Len(t, three.matching(item.Resources), times*len(found), "%s with three zones: %s", mode, item.What)
			for _, key := range found {
				require.Empty(t, claimed[key], "%s: %s is in the inventory twice", mode, key)
				claimed[key] = item.What
			}
		}
		for key := range one {
			require.NotEmpty(t, claimed[key], "%s: %s is not in the inventory", mode, key)
		}
	}
}

func TestWhatOthersMakeLaterIsNotMadeHereButIsReadyFor(t *testing.T) {
	t.Parallel()
	for _, mode := range hypershift.EndpointAccesses() {
		made := estateGraph(t, mode, 1)
		for _, item := range inventory.Items() {
			if item.Stage.Ours() {
				continue
			}
			require.Empty(t, made.matching(item.Resources), "%s: %s", mode, item.What)
			if !item.In(mode) {
				continue
			}
			if role := item.Ready.Role; role != "" {
				require.Contains(t, made, "iam.Role "+role, "%s: %s", mode, item.What)
				require.Contains(t, made["iam.RolePolicy "+role], `"`+item.Ready.Action+`"`, "%s: %s", mode, item.What)
			}
			if tag := item.Ready.Tag; tag != "" {
				tagged := false
				for _, key := range made.matching(`ec2\.Subnet .*`) {
					tagged = tagged || strings.Contains(made[key], `"`+tag+`"`)
				}
				require.True(t, tagged, "%s: no subnet has the tag %s for %s", mode, tag, item.What)
			}
			if quota := item.Ready.Quota; quota != (inventory.Quota{}) {
				require.Regexp(t, `^L-[0-9A-F]{8}$`, quota.Code, item.What)
				require.NotEmpty(t, quota.Name, item.What)
			}
		}
	}
}

func TestTheTableOfOwnershipIsWhatTheInventorySays(t *testing.T) {
	t.Parallel()
	const path = "../docs/ownership.md"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(inventory.Markdown()), 0o600))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, inventory.Markdown(), string(text), "go test ./test -update writes it anew")
}
