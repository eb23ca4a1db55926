package adopt

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// table returns the rows of docs/appendix/adopt.md for each type.
func table() string {
	rows := awstype.All()
	slices.SortFunc(rows, func(a, b awstype.Type) int { return strings.Compare(a.Label, b.Label) })
	var b strings.Builder
	b.WriteString("| resource | taken by | must exist | note |\n|---|---|---|---|\n")
	for _, r := range rows {
		must := ""
		if r.Adopt.Must {
			must = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Label, howOf(r.Adopt), must, r.Adopt.Note)
	}
	return b.String()
}

func howOf(a awstype.Adoption) string {
	match := slices.Clone(a.Match)
	if a.Named {
		match = append(match, "tag Name")
	}
	if a.Owned {
		match = append([]string{"the owner's tag"}, match...)
	}
	switch a.By {
	case awstype.AdoptBySearch:
		return "search: " + strings.Join(match, ", ")
	case awstype.AdoptByImportID:
		return "name: " + strings.Join(match, ", ")
	case awstype.AdoptByWriting:
		return "a record in the state"
	case awstype.AdoptBySetting:
		return "creation"
	case awstype.AdoptByID:
		return "`--id`"
	case awstype.AdoptNever:
		return "not taken"
	}
	return string(a.By)
}

func TestTheDocumentListsHowEachTypeIsAdopted(t *testing.T) {
	t.Parallel()
	const path = "../../../docs/appendix/adopt.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, _, _ := strings.Cut(string(text), "| resource | taken by |")
	golden.Require(t, path, before+table())
}
