package componentplugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheGuardIsLeftOutByABooleanAlone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"true": true, "false": false, "1": true} {
		found, err := unguarded(map[string]string{"hypershift-aws:unguarded": text, "hypershift-aws:policy": "mandatory"})
		require.NoError(t, err)
		require.Equal(t, want, found, text)
	}
	found, err := unguarded(map[string]string{"other:unguarded": "true"})
	require.NoError(t, err)
	require.False(t, found)
	_, err = unguarded(map[string]string{"hypershift-aws:unguarded": "yes please"})
	require.ErrorContains(t, err, `hypershift-aws:unguarded: "yes please" is not a boolean; use true or false`)
}
