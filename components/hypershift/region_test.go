package hypershift

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMistypedRegionHasANearestOne(t *testing.T) {
	t.Parallel()
	for name, nearest := range map[string]string{
		"us-esat-1": "us-east-1", "us-east-3": "us-east-1", "eu-wst-2": "eu-west-2", "eu-centrl-1": "eu-central-1",
		"cn-nroth-1":    "cn-north-1",
		"us-gov-wets-1": "us-gov-west-1", "us-west-1": "us-west-1",
	} {
		require.Equal(t, nearest, NearestRegion(name), name)
		require.Equal(t, name == nearest, IsRegion(name), name)
	}
}
