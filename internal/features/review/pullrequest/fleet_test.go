package pullrequest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// fleetOf returns a fleet with stacks of each rank, the best first, whose plans have n replacements.
func fleetOf(stacks, n int) Fleet {
	f := Fleet{Operation: "preview"}
	big := comment(n).Digest()
	for i := range stacks {
		id := func(name string) string { return fmt.Sprintf("%s-%04d", name, i) }
		f.Stacks = append(f.Stacks,
			FleetStack{
				ID:      id("same"),
				Account: "111111111111",
				Result:  "succeeded",
				Ended:   true,
				Digest:  Digest{Text: "### t\n\nsame"},
			},
			FleetStack{
				ID:      id("made"),
				Account: "111111111111",
				Result:  "succeeded",
				Ended:   true,
				Changes: "3 to create",
				Changed: 3,
				Digest:  Digest{Text: "### t\n\n3 to create"},
			},
			FleetStack{
				ID:      id("drift"),
				Account: "111111111111",
				Result:  "changed",
				Ended:   true,
				Digest:  Digest{Text: "### t\n\ndrift", Drift: 2},
			},
			FleetStack{
				ID:      id("big"),
				Account: "222222222222",
				Result:  "succeeded",
				Ended:   true,
				Changes: fmt.Sprintf("%d to replace", n),
				Changed: 2 * n,
				Digest:  big,
			},
			FleetStack{ID: id("locked"), Account: "222222222222", Result: "locked", Problem: "held by a|b\nsince then"})
	}
	return f
}

func TestTheSummaryOfAFleetShowsTheWorstStacksFirst(t *testing.T) {
	t.Parallel()
	text := fleetOf(1, 2).Markdown()
	assert.Contains(t, text, "### hypershift-aws: preview of 5 stacks\n\n**1 failed, 1 would be refused, 1 with drift, 1 with other changes**\n\nWithout changes: 1 stack.\n")
	assert.Contains(t, text, "| `locked-0000` | 222222222222 | locked: held by a\\|b since then |  |  |  |\n| `big-0000` | 222222222222 | succeeded | 2 to replace | 2 | 2 |\n")
	at := 0
	for _, part := range []string{"| `drift-0000`", "| `made-0000`", "<summary>stack big-0000: 2 to replace</summary>", "**replace** VPC `r00000`",
		"<summary>stack drift-0000</summary>", "<summary>stack made-0000: 3 to create"} {
		i := strings.Index(text[at:], part)
		assert.GreaterOrEqual(t, i, 0, "%s is missing or in the wrong place", part)
		at += max(i, 0)
	}
	assert.NotContains(t, text, "same-0000")
	assert.NotContains(t, text, "No room")
	assert.Contains(t, Fleet{Operation: "drift", Label: "offline"}.Markdown(), "**No changes**")
}

func TestTheSummaryOfAFleetHasWhatFleetUpWouldRefuse(t *testing.T) {
	t.Parallel()
	f := fleetOf(1, 0)
	f.Refused = []string{"elastic IPs: limit 5, 1 too many"}
	text := f.Markdown()
	refused, table := strings.Index(text, "would refuse these plans together:**\n\n- elastic IPs: limit 5, 1 too many\n"),
		strings.Index(text, "| stack |")
	assert.Greater(t, refused, 0)
	assert.Less(t, refused, table)
}

func TestTheSummaryOfAFleetNamesStacksWhoseFilesAreGone(t *testing.T) {
	t.Parallel()
	f := fleetOf(1, 0)
	f.WithoutFile = []string{"east"}
	left, table := strings.Index(f.Markdown(),
		"deletes them without the file:**\n\n- `east`\n"), strings.Index(f.Markdown(), "| stack |")
	assert.Greater(t, left, 0)
	assert.Less(t, left, table)
}

func TestTheSummaryOfAFleetIsNeverLongerThanGitHubAllows(t *testing.T) {
	t.Parallel()
	for _, stacks := range []int{1, 20, 300, 1000} {
		for _, n := range []int{1, 100, 3000} {
			if stacks*n > 300_000 {
				continue
			}
			text := fleetOf(stacks, n).Markdown()
			assert.LessOrEqual(t, len(text), Limit, "%d stacks, %d", stacks, n)
			assert.Equal(t, strings.Count(text, "<details>"), strings.Count(text, "</details>"))
			assert.Zero(t, strings.Count(text, "```")%2)
			if stacks >= 300 {
				assert.Regexp(t, `… \d+ more`, text)
				assert.Regexp(t, `Without details, for lack of space: \d+ stacks`, text)
			}
		}
	}
}
