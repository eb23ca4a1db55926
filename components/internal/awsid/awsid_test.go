package awsid

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIdentifiersOfAWSAreRecognized(t *testing.T) {
	t.Parallel()
	require.True(t, IsAccount("123456789012"))
	require.False(t, IsAccount("12345678901"))
	require.True(t, IsPath("/"))
	require.True(t, IsPath("/a/b/"))
	require.False(t, IsPath("a/"))
	require.False(t, IsPath("/"+strings.Repeat("a", 511)+"/"))
	require.True(t, IsName("a+=,.@_-1"))
	require.False(t, IsName("a/b"))
	require.True(t, IsEC2("vpc", "vpc-01234567"))
	require.True(t, IsEC2("sg", "sg-0123456789abcdef0"))
	require.False(t, IsEC2("sg", "vpc-01234567"))
	require.False(t, IsEC2("vpc", "vpc-012345678"))
	require.Equal(t, "eu-west-1", EndpointServiceRegion("com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0"))
	require.Equal(t, "cn-north-1", EndpointServiceRegion("cn.com.amazonaws.vpce.cn-north-1.vpce-svc-0a"))
	require.Empty(t, EndpointServiceRegion("com.amazonaws.eu-west-1.s3"))
}
