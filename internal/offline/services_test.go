package offline

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestAnActionIsOneOfAServiceThatAWSHas(t *testing.T) {
	t.Parallel()
	e := start(t)
	policy := func(action string) error {
		text := `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":` + action + `,"Resource":"*"}]}`
		_, _, err := e.try(awstype.Policy, props.Map{"name": "p", "policy": text}, true)
		if err == nil {
			var id string
			id, _, err = e.try(awstype.Policy, props.Map{"name": "p", "policy": text}, false)
			if err == nil {
				require.NoError(t, e.delete(awstype.Policy, id))
			}
		}
		return err
	}
	for _, action := range []string{`"*"`, `"ec2:DescribeVpcs"`, `["s3:*","STS:AssumeRole"]`} {
		require.NoError(t, policy(action), action)
	}
	for action, says := range map[string]string{
		`"ec3:DescribeVpcs"`: "Vendor ec3 is not valid", `["ec2:DescribeVpcs","DescribeVpcs"]`: "must be prefaced by a vendor",
		`[{"a":1}]`: "Syntax errors in policy",
	} {
		err := policy(action)
		refused(t, err, "MalformedPolicyDocument")
		require.ErrorContains(t, err, says)
	}
}

// TestTheTypesOfTheOfflineAccountAreTheTypesWithARecord also finds duplicate records.
func TestTheTypesOfTheOfflineAccountAreTheTypesWithARecord(t *testing.T) {
	t.Parallel()
	var records []string
	for _, record := range awstype.All() {
		records = append(records, record.Token)
	}
	served := slices.DeleteFunc(Tokens(), func(token string) bool { return strings.Contains(token, "/get") })
	require.Equal(t, served, records)
}
