package privatelink

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrincipalsAreComparedWithoutARolesPath(t *testing.T) {
	t.Parallel()
	for arn, want := range map[string]string{
		"arn:aws:iam::123456789012:role/a/b/name":      "arn:aws:iam::123456789012:role/name",
		"arn:aws-cn:iam::123456789012:role/name":       "arn:aws-cn:iam::123456789012:role/name",
		"arn:aws:iam::123456789012:root":               "arn:aws:iam::123456789012:root",
		"arn:aws:iam::123456789012:user/team/operator": "arn:aws:iam::123456789012:user/team/operator",
	} {
		require.Equal(t, want, withoutPath(arn))
		require.NoError(t, ValidatePrincipal(arn))
	}
	for _, bad := range []string{"*", "", "123456789012", "arn:aws:iam::123456789012:group/x",
		"arn:aws:sts::123456789012:assumed-role/x/y", "arn:aws:iam::12:root"} {
		require.ErrorContains(t, ValidatePrincipal(bad),
			"is not the ARN of a principal; use the ARN of a role, a user or an account", bad)
	}
}
