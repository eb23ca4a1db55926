package iam

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
)

func TestTheSharedRolesPolicyFitsTheQuotaOfARole(t *testing.T) {
	t.Parallel()
	var all []policy.Statement
	for _, spec := range roleSpecs() {
		all = append(all, spec.policy(placeholders()).Statement...)
	}
	const quota = 10240
	require.Less(t, len(policy.New(policy.Merge(all)...).JSON())+room, quota)
}

// room is for names that are longer than the placeholders.
const room = 1500
