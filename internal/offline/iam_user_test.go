package offline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestUserIdentifiers(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, user := e.create(awstype.User, props.Map{"name": "operator", "path": "/x/"})
	require.Equal(t, "operator", id)
	require.Equal(t, "arn:aws:iam::123456789012:user/x/operator", user["arn"])
	require.Regexp(t, `^AIDA[A-Z0-9]{17}$`, user["uniqueId"])
	id, key := e.create(awstype.AccessKey, props.Map{"user": "operator"})
	require.Regexp(t, `^AKIA[A-Z0-9]{16}$`, id)
	require.Len(t, key["secret"], 40)
}

func TestUsersAreRefusedAsIAMRefusesThem(t *testing.T) {
	t.Parallel()
	e := start(t)
	user := e.id(awstype.User, props.Map{"name": "taken"})
	policy := e.id(awstype.UserPolicy, props.Map{"name": "p", "user": user, "policy": policyText})
	first := e.id(awstype.AccessKey, props.Map{"user": user})
	second := e.id(awstype.AccessKey, props.Map{"user": user})
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		code        string
	}{
		{"a user's name twice", awstype.User, props.Map{"name": "TAKEN"}, "EntityAlreadyExists"},
		{"a policy's user", awstype.UserPolicy, props.Map{"name": "p", "user": "none", "policy": policyText}, "NoSuchEntity"},
		{"a policy without resource", awstype.UserPolicy, props.Map{
			"name":   "x",
			"user":   user,
			"policy": trustText,
		}, "MalformedPolicyDocument"},
		{"inline policies over 2,048 in all", awstype.UserPolicy, props.Map{"name": "x", "user": user,
			"policy": strings.Replace(policyText, `"Resource":"`, `"Resource":"`+strings.Repeat("x", 2048), 1)}, "LimitExceeded"},
		{"a third access key", awstype.AccessKey, props.Map{"user": user}, "LimitExceeded"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	refused(t, e.delete(awstype.User, user), "DeleteConflict")
	for token, ids := range map[string][]string{awstype.UserPolicy: {policy}, awstype.AccessKey: {first, second}} {
		for _, id := range ids {
			require.NoError(t, e.delete(token, id))
		}
	}
	require.NoError(t, e.delete(awstype.User, user))
}
