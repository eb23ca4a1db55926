package awstype_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func TestEveryTypeHasAnAdoptionRecord(t *testing.T) {
	t.Parallel()
	for _, record := range awstype.All() {
		a := record.Adopt
		switch a.By {
		case awstype.AdoptByImportID:
			require.NotEmpty(t, record.Find.ImportID, "%s: an import ID that no record has", record.Token)
			require.NotEmpty(t, a.Match, record.Token)
		case awstype.AdoptBySearch:
			require.True(t, len(a.Match) > 0 || a.Owned, "%s: nothing distinguishes instances", record.Token)
		case awstype.AdoptByRecord:
			require.True(t, record.Find.NotImportable || record.Token == awstype.KeyPair, "%s: the provider can import it",
				record.Token)
			require.NotEmpty(t, a.Note, record.Token)
		case awstype.AdoptBySetting, awstype.AdoptByID, awstype.AdoptNever:
			require.NotEmpty(t, a.Note, record.Token)
			require.False(t, a.Must, record.Token)
		default:
			require.Fail(t, "no way of adoption", record.Token)
		}
	}
}
