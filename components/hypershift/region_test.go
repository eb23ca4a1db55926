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

func TestARegionHasThePartitionAndTheDomainOfItsServices(t *testing.T) {
	t.Parallel()
	for region, want := range map[string][2]string{
		"us-east-1": {"aws", "amazonaws.com"}, "eu-central-2": {"aws", "amazonaws.com"}, "mars-1": {"aws", "amazonaws.com"},
		"us-gov-west-1": {"aws-us-gov", "amazonaws.com"}, "cn-north-1": {"aws-cn", "amazonaws.com.cn"},
		"eusc-de-east-1": {"aws-eusc", "amazonaws.eu"}, "us-iso-east-1": {"aws-iso", "c2s.ic.gov"},
		"ap-southeast-6": {"aws", "amazonaws.com"},
	} {
		partition := Partition(region)
		require.Equal(t, want, [2]string{partition, DNSSuffix(partition)}, region)
		require.Equal(t, region != "mars-1", IsRegion(region), region)
	}
}
