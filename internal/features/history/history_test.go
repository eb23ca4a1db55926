package history

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/consent"
)

func TestAHistoryHasTheConsentsBetweenItsChanges(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return parsed
	}
	changes := []backend.Entry{
		{Time: at("2026-11-02T10:00:00Z"), Kind: "destroy", Result: "in-progress"},
		{Time: at("2026-11-01T10:00:00Z"), Kind: "update", Result: "succeeded"},
	}
	use := consent.Use{
		Time: at("2026-11-01T12:00:00Z"), Flag: "--allow", Value: "network-vpc", By: "ana@laptop",
		Resources: []string{"network-vpc"},
	}
	require.Equal(t, []backend.Entry{
		changes[0],
		{
			Time: use.Time, Kind: backend.KindConsent, By: "ana@laptop", Consent: "--allow network-vpc",
			Resources: []string{"network-vpc"},
		},
		changes[1],
	}, merge(changes, []consent.Use{use}, 10))
	use.Time = at("2026-10-01T12:00:00Z")
	require.Len(t, merge(changes, []consent.Use{use}, 2), 2, "older than the oldest change that was read")
	require.Len(t, merge(changes, []consent.Use{use}, 3), 3)
}
