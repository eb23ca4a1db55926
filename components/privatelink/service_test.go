package privatelink

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

func demo() hypershift.Cluster {
	return hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}
}

const serviceName = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"

func TestPortsNamesAndTagsAreThoseOfHyperShiftsOperator(t *testing.T) {
	t.Parallel()
	require.Equal(t, 443, Service("").Port())
	require.Equal(t, 6443, KubeAPIServerPrivate.Port())
	require.Equal(t, []string{"api", "*.apps"}, PrivateRouter.Names())
	require.Equal(t, []string{"api"}, KubeAPIServerPrivate.Names())
	require.Equal(t, "demo-x1-vpce-private-router", Service("").securityGroupName(demo()))
}

func TestAServiceOfAnotherRegionIsRefused(t *testing.T) {
	t.Parallel()
	require.NoError(t, ValidateServiceName(serviceName, "us-east-1"))
	require.NoError(t, ValidateServiceName(serviceName, ""))
	require.ErrorContains(t, ValidateServiceName(serviceName, "eu-west-1"),
		"is a service of another region than eu-west-1; use a service of eu-west-1")
	require.ErrorContains(t, ValidateServiceName("com.amazonaws.us-east-1.s3", ""),
		"is not the name of an endpoint service; use one such as")
}
