package network

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInterfaceEndpointsAreNamedWithoutTheRegion(t *testing.T) {
	t.Parallel()
	for item, refused := range map[string]string{
		"com.amazonaws.us-east-1.sts":                   "use the part after the region, such as ecr.api or sts",
		"cn.com.amazonaws.cn-north-1.ec2":               "use the part after the region",
		"com.amazonaws.vpce.us-east-1.vpce-svc-0123456": "is the name of an endpoint service",
		"STS": "is not the name of a service's endpoint", "sagemaker.runtime-fips": "", "ecr.api": "",
	} {
		err := validateInterfaceEndpoints([]string{item}, nil)
		if refused == "" {
			require.NoError(t, err, item)
			continue
		}
		require.ErrorContains(t, err, refused, item)
	}
}

func TestEndpointServicesHaveTheNamesOfTheirRegion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ region, service, name string }{
		{"us-east-1", "ec2", "com.amazonaws.us-east-1.ec2"},
		{"us-gov-west-1", "sts", "com.amazonaws.us-gov-west-1.sts"},
		{"cn-north-1", "s3", "com.amazonaws.cn-north-1.s3"},
		{"cn-north-1", "ec2", "cn.com.amazonaws.cn-north-1.ec2"},
		{"cn-north-1", "ecr.api", "cn.com.amazonaws.cn-north-1.ecr.api"},
		{"cn-northwest-1", "ecr.dkr", "cn.com.amazonaws.cn-northwest-1.ecr.dkr"},
		{"cn-northwest-1", "sts", "cn.com.amazonaws.cn-northwest-1.sts"},
		{"cn-north-1", "elasticloadbalancing", "com.amazonaws.cn-north-1.elasticloadbalancing"},
		{"cn-north-1", "kms", "com.amazonaws.cn-north-1.kms"},
	} {
		require.Equal(t, test.name, serviceName(test.region, test.service))
	}
}
