package awstype_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

func TestEveryTypeHasAnAdoptionRecord(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, a := range awstype.Adoptions() {
		count[a.Token]++
		record, known := awstype.Of(a.Token)
		require.True(t, known, "%s is no type of package awstype", a.Token)
		switch a.By {
		case awstype.AdoptByImportID:
			require.NotEmpty(t, record.Find.ImportID, "%s: an import ID that no record has", a.Token)
			require.NotEmpty(t, a.Match, a.Token)
		case awstype.AdoptBySearch:
			require.True(t, len(a.Match) > 0 || a.Owned, "%s: nothing distinguishes instances", a.Token)
		case awstype.AdoptByRecord:
			require.True(t, record.Find.NotImportable || a.Token == awstype.KeyPair, "%s: the provider can import it", a.Token)
			require.NotEmpty(t, a.Note, a.Token)
		case awstype.AdoptBySetting, awstype.AdoptByID, awstype.AdoptNever:
			require.NotEmpty(t, a.Note, a.Token)
			require.False(t, a.Must, a.Token)
		}
	}
	for _, record := range awstype.All() {
		require.Equal(t, 1, count[record.Token], "%s: the ways in which it is adopted", record.Token)
	}
}
