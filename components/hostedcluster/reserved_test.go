package hostedcluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheMarkOfTheOwnerCannotBeSetAsAnAnnotation(t *testing.T) {
	t.Parallel()
	require.Empty(t, reserved(map[string]string{"team": "a", "hypershift.openshift.io/force-upgrade-to": "x"}))
	require.Len(t, reserved(map[string]string{InfraIDAnnotation: "other-x1", "hypershift-aws/other": "x", "team": "a"}), 2)
}
