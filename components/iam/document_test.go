package iam

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMergedStatementsAllowWhatTheyAllowedApart(t *testing.T) {
	t.Parallel()
	apart := []Statement{
		allow([]string{"a:One", "a:Two"}, everything),
		allow([]string{"a:Three"}, "arn:x"),
		allow([]string{"a:Two", "a:Four"}, everything),
		allow([]string{"a:Five"}, everything).on("Bool", "a:Key", "true"),
	}
	require.Equal(t, []Statement{
		allow([]string{"a:One", "a:Two", "a:Four"}, everything),
		allow([]string{"a:Three"}, "arn:x"),
		allow([]string{"a:Five"}, everything).on("Bool", "a:Key", "true"),
	}, merged(apart))
	require.Equal(t, []string{"a:One", "a:Two"}, apart[0].Action, "what is merged is left as it was")
}

func TestTheSharedRolesPolicyFitsTheQuotaOfARole(t *testing.T) {
	t.Parallel()
	var all []Statement
	for _, spec := range everySpec() {
		all = append(all, spec.policy(placeholders()).Statement...)
	}
	const quota = 10240
	require.Less(t, len(NewDocument(merged(all)...).JSON())+room, quota)
}

// room is for names that are longer than the placeholders.
const room = 1500
