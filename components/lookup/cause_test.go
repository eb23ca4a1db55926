package lookup

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheCauseOfAFailedLookupIsAWSsMessageOnOneLine(t *testing.T) {
	t.Parallel()
	const invoke = "rpc error: code = Unknown desc = invocation of aws:ec2/getKeyPair:getKeyPair returned an error: "
	for said, cause := range map[string]string{
		invoke + "invoking aws:ec2/getKeyPair:getKeyPair: 1 error occurred:\n\t* reading EC2 Key Pair: couldn't find resource\n\n": "reading EC2 Key Pair: couldn't find resource",
		invoke + "reading EC2 Key Pair: InvalidKeyPair.NotFound":                                                                   "reading EC2 Key Pair: InvalidKeyPair.NotFound",
		"rpc error: code = Unknown desc = reading EC2 Key Pair: no":                                                                "reading EC2 Key Pair: no",
		"no matching VPC found":                  "no matching VPC found",
		"the policy returned an error: of sorts": "the policy returned an error: of sorts",
	} {
		require.Equal(t, cause, Cause(errors.New(said)))
	}
}
