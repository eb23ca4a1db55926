package awstype_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

func TestEveryTypeHasAnAdoptionRecord(t *testing.T) {
	t.Parallel()
	for _, info := range awstype.All() {
		a := info.Adopt
		switch a.By {
		case awstype.AdoptByImportID:
			require.NotEmpty(t, info.Find.ImportID, "%s: an import ID that no record has", info.Token)
			require.NotEmpty(t, a.Match, info.Token)
		case awstype.AdoptBySearch:
			require.True(t, len(a.Match) > 0 || a.Owned, "%s: nothing distinguishes instances", info.Token)
		case awstype.AdoptByWriting:
			require.True(t, info.Find.NotImportable || info.Token == awstype.KeyPair, "%s: the provider can import it",
				info.Token)
			require.NotEmpty(t, a.Note, info.Token)
		case awstype.AdoptBySetting, awstype.AdoptByID, awstype.AdoptNever:
			require.NotEmpty(t, a.Note, info.Token)
			require.False(t, a.Must, info.Token)
		default:
			require.Fail(t, "no way of adoption", info.Token)
		}
	}
}
