package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where only a time tells a resource from a later one of the same name, a program, which does not see it, goes by the
// name; everything else needs the time.
func TestAConsentWithATimeIsForOneResource(t *testing.T) {
	t.Parallel()
	c := &Config{Allowed: []Allowed{
		{Name: "bucket", ID: "oidc@2026-11-28T19:00:00Z"}, {Name: "role", ID: "operator@AROA1"}, {Name: "nat", ID: "nat-1"},
	}}
	for id, allowed := range map[string]bool{
		"oidc@2026-11-28T19:00:00Z": true, "oidc@2026-11-28T20:00:00Z": false, "oidc": true, "other": false,
	} {
		require.Equal(t, allowed, c.Allows("bucket", id), id)
	}
	require.False(t, c.Allows("other", "oidc"))
	require.True(t, c.Allows("role", "operator@AROA1"))
	require.False(t, c.Allows("role", "operator"))
	require.True(t, c.Allows("nat", "nat-1"))
	require.False(t, (&Config{
		Allowed: []Allowed{{Name: "bucket", ID: "oidc"}},
	}).Allows("bucket", "oidc@2026-11-28T19:00:00Z"))
}
