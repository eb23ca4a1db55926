package privatelink

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const balancerARN = "arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/net/router/0123456789abcdef"

func TestLoadBalancersAreSelectedInOneWayAndAreNetworkLoadBalancers(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]LoadBalancers{
		"is empty; use arns, names, or tags":                  {},
		`"arns, names" are mutually exclusive`:                {ARNs: input.Strings(balancerARN), Names: input.Strings("router")},
		`arns[0]: "router" is not the ARN of a load balancer`: {ARNs: input.Strings("router")},
		"arns[0]: \"arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/app/web/01\" is not a network load balancer": {
			ARNs: input.Strings("arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/app/web/01")},
		`names[0]: "-router" is not the name of a load balancer`: {Names: input.Strings("-router")},
	} {
		err := l.Validate("us-east-1")
		require.ErrorContains(t, err, want)
		require.Len(t, fault.In(err), 1)
	}
	require.ErrorContains(t, LoadBalancers{
		ARNs: input.Strings(balancerARN),
	}.Validate("eu-west-1"), "is in another region than eu-west-1")
	require.NoError(t, LoadBalancers{ARNs: input.Strings(balancerARN)}.Validate("us-east-1"))
	require.NoError(t, LoadBalancers{Tags: map[string]string{"a": "b"}}.Validate("us-east-1"))
}
