package finding_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
)

func TestTheJSONOfAFindingHasTheNamesOfItsCommand(t *testing.T) {
	for _, test := range []struct {
		finding finding.Finding
		want    string
	}{
		{
			finding.Finding{Severity: finding.Error, Check: "quota", Account: "111122223333", Subject: "VPCs", Problem: "5 of 5",
				Figures: &finding.Figures{Limit: 5, Used: 5, Needed: 1}, Remedy: "ask"},
			`{"verdict":"fails","check":"quota","account":"111122223333","subject":"VPCs","message":"5 of 5","figures":{"limit":5,"used":5,"needed":1},"remedy":"ask"}`,
		},
		{
			finding.Finding{Severity: finding.Warning, Subject: "nodes", Problem: "1 of 2", Cause: "none", Unread: true},
			`{"severity":"warning","subject":"nodes","problem":"1 of 2","cause":"none"}`,
		},
		{
			finding.Finding{
				Rule:         "open-ingress",
				URN:          "urn:x",
				Name:         "a",
				ResourceType: "aws:x",
				Problem:      "is open",
				Remedy:       "close it",
				Checks:       []string{"checkov"},
			},
			`{"rule":"open-ingress","urn":"urn:x","name":"a","resourceType":"aws:x","problem":"is open","remedy":"close it","checks":["checkov"]}`,
		},
	} {
		text, err := json.Marshal(test.finding)
		require.NoError(t, err)
		require.Equal(t, test.want, string(text))
	}
}

func TestFindingsThatDifferOnlyInTheirSubjectsAreOne(t *testing.T) {
	t.Parallel()
	taken := finding.Finding{
		Severity: finding.Error,
		Check:    "names",
		Subject:  "IAM role a",
		Problem:  "exists already",
		Remedy:   "adopt it",
	}
	other, elsewhere, passed := taken, taken, finding.Finding{
		Severity: finding.Passed,
		Subject:  "x",
		Problem:  "the name is free",
	}
	other.Subject, elsewhere.Account = "IAM role b", "111122223333"
	merged := finding.Merge([]finding.Finding{taken, passed, other, passed, elsewhere})
	require.Len(t, merged, 4)
	require.Equal(t, "IAM role a, IAM role b: exists already; adopt it", merged[0].String())
	require.Equal(t, "IAM role a", taken.Subject)
}
