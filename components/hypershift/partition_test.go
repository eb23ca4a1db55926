package hypershift

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachRegionHasOnePartition(t *testing.T) {
	t.Parallel()
	for region, partition := range map[string]string{
		"us-east-1": "aws", "eu-west-1": "aws", "us-gov-west-1": "aws-us-gov", "us-gov-east-1": "aws-us-gov",
		"cn-north-1": "aws-cn", "cn-northwest-1": "aws-cn",
	} {
		require.Equal(t, partition, Partition(region), region)
	}
}
