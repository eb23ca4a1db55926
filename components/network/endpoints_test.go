package network

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
