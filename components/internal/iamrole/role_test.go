package iamrole

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAttachmentsOfARoleHaveDifferentNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, "team-X", policyLabel("arn:aws:iam::123456789012:policy/team/X"))
	require.Equal(t, "aws-service-role-X", policyLabel("arn:aws:iam::aws:policy/service-role/X"))
	require.NotEqual(t, policyLabel("arn:aws:iam::123456789012:policy/X"), policyLabel("arn:aws:iam::aws:policy/X"))
}
