package iam

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of docs/day-two.md is from the policies in HyperShift's branches release-4.14 to release-5.1:
// cmd/infra/aws/iam.go and iam_policies.go.
func TestRolesHaveThePermissionsThatEachReleaseAdded(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "day-two.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| ([45]\\.[0-9]+)[0-9., ]* \\| `([a-z-]+)` \\| (.*) \\|$").
		FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, 6)
	listed, known := 0, 0
	for _, row := range rows {
		i := slices.IndexFunc(roleSpecs(), func(spec roleSpec) bool { return spec.suffix == row[2] })
		require.GreaterOrEqual(t, i, 0, row[2])
		policy := roleSpecs()[i].policy(placeholders()).JSON()
		actions := regexp.MustCompile("`([a-z0-9]+:[A-Za-z]+)`").FindAllStringSubmatch(row[3], -1)
		require.NotEmpty(t, actions, row[0])
		for _, action := range actions {
			require.Contains(t, policy, `"`+action[1]+`"`, row[2])
			require.Equal(t, row[1], addedIn(row[2], action[1]), "%s %s", row[2], action[1])
			listed++
		}
	}
	for _, releases := range addedActions() {
		for _, actions := range releases {
			known += len(actions)
		}
	}
	require.Equal(t, known, listed, "the page has all of addedActions")
}
