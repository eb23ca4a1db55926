package capa_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/test/webhookcases"
)

// stricter says what Cluster API's webhooks complete in a case, instead of refusing it as the rules do: the completed
// value would differ from the stack's, and be a drift.
func stricter(name string) string {
	switch {
	case strings.Contains(name, `version = "1.33.4"`):
		return "puts the v in front"
	case strings.Contains(name, "spec.identityRef = null"):
		return "uses the controllers' own identity"
	}
	return ""
}

// The file has the answers of Cluster API's own webhooks, which `make conformance` compares with it.
func TestTheRulesOfTheWebhooksAreThoseOfClusterAPI(t *testing.T) {
	t.Parallel()
	const root = "../.."
	text, err := os.ReadFile(filepath.Join(root, webhookcases.Verdicts))
	require.NoError(t, err)
	lines, cases := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), webhookcases.Cases(t, root)
	require.Len(t, lines, len(cases))
	for i, c := range cases {
		name, message, _ := strings.Cut(lines[i], " -> ")
		require.Equal(t, c.Name, name)
		invalid, refused := crd.Set.Validate(c.Object), crd.RefusedByWebhooks(c.Object, c.Old)
		switch {
		case message != "":
			assert.True(t, invalid != nil || len(refused) > 0, "%s: Cluster API says: %s", name, message)
		case stricter(name) != "":
			assert.NotEmpty(t, refused, "%s: Cluster API %s, and the rules do not refuse it either", name, stricter(name))
		default:
			assert.True(t, invalid != nil || len(refused) == 0, "%s: Cluster API accepts it: %v", name, refused)
		}
	}
}
