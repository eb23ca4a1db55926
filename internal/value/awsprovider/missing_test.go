package awsprovider

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestALookupWithoutAResultIsDistinguishedFromAFailure(t *testing.T) {
	t.Parallel()
	const invoke = "invocation of aws:ec2/getVpcEndpointService:getVpcEndpointService returned an error: invoking aws:ec2/getVpcEndpointService:getVpcEndpointService: 1 error occurred:\n\t* "
	for words, missing := range map[string]bool{
		"reading EC2 VPC Endpoint Services: couldn't find resource":                                         true,
		"reading ELBv2 Load Balancers: couldn't find resource":                                              true,
		"Search returned 0 results, please revise so only one is returned":                                  true,
		"no matching EC2 VPC Endpoint Service found":                                                        true,
		"no matching EC2 VPC Endpoint found":                                                                true,
		"reading EC2 VPC Endpoint: empty result":                                                            true,
		"Search returned 2 results, please revise so only one is returned":                                  false,
		"multiple EC2 VPC Endpoints matched; use additional constraints to reduce matches to a single":      false,
		"reading ELBv2 Load Balancers: operation error: https response error StatusCode: 403, AccessDenied": false,
	} {
		require.Equal(t, missing, IsMissing(errors.New(invoke+words)), words)
	}
}
