package awsprovider

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func TestTheCauseOfAFailedLookupIsAWSsMessageOnOneLine(t *testing.T) {
	t.Parallel()
	const invoke = "rpc error: code = Unknown desc = invocation of aws:ec2/getKeyPair:getKeyPair returned an error: "
	for said, cause := range map[string]string{
		invoke + "invoking aws:ec2/getKeyPair:getKeyPair: 1 error occurred:\n\t* reading EC2 Key Pair: couldn't find resource\n\n": "reading EC2 Key Pair: couldn't find resource",
		invoke + "reading EC2 Key Pair: InvalidKeyPair.NotFound":                                                                   "reading EC2 Key Pair: InvalidKeyPair.NotFound",
		"rpc error: code = Unknown desc = reading EC2 Key Pair: no":                                                                "reading EC2 Key Pair: no",
		"rpc error: code = Unknown desc = invocation of aws:route53/getZone:getZone returned an error: invoking aws:route53/getZone:getZone: 1 error occurred:\n\t* no matching Route53Zone found\n\n":                                                                                           "no matching Route53Zone found",
		invoke + "operation error EC2: DescribeKeyPairs, exceeded maximum number of attempts, 9, https response error StatusCode: 0, RequestID: , request send failed, Post \"https://ec2.us-esat-1.amazonaws.com/\": dial tcp: lookup ec2.us-esat-1.amazonaws.com on 10.0.0.2:53: no such host": "AWS cannot be reached (dial tcp: lookup ec2.us-esat-1.amazonaws.com on 10.0.0.2:53: no such host): check the network, the proxy settings, aws:region and aws:endpoints",
		invoke + "Post \"http://127.0.0.1:1/\": dial tcp 127.0.0.1:1: connect: connection refused": "AWS cannot be reached (dial tcp 127.0.0.1:1: connect: connection refused): check the network, the proxy settings, aws:region and aws:endpoints",
		"no matching VPC found":                  "no matching VPC found",
		"the policy returned an error: of sorts": "the policy returned an error: of sorts",
	} {
		require.Equal(t, cause, Cause(errors.New(said)))
	}
}

func TestADomainWithSeveralPublicZonesIsNotCalledOneWithoutAny(t *testing.T) {
	t.Parallel()
	for said, several := range map[string]bool{
		"no matching Route53Zone found":                 false,
		"multiple Route53Zone found please use vpc_id":  true,
		"multiple Route 53 Hosted Zones matched; use a": true,
	} {
		err := PublicZone("example.com", errors.New("invoking aws:route53/getZone:getZone: 1 error occurred:\n\t* "+said+
			"\n\n"), "create the zone", "choose one")
		var found *fault.Fault
		require.ErrorAs(t, err, &found)
		require.Equal(t, "example.com", found.Value)
		require.Equal(t, !several, found.Remedy == "create the zone", said)
		require.Equal(t, several, strings.HasPrefix(found.Remedy, "choose one; "), said)
	}
}

func TestAZoneThatTheCallerMayNotLookUpIsNotToBeCreated(t *testing.T) {
	t.Parallel()
	err := PublicZone("example.com", errors.New(
		"api error AccessDenied: not authorized to perform route53:ListHostedZones",
	),
		"create the zone", "choose one")
	require.ErrorContains(t, err, "has no public zone that can be looked up: ")
	require.ErrorContains(t, err, mayRead)
	require.NotContains(t, err.Error(), "create the zone")
}
