package offline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUserIdentifiers(t *testing.T) {
	t.Parallel()
	e := start(t)
	id, user := e.create(userToken, props{"name": "operator", "path": "/x/"})
	require.Equal(t, "operator", id)
	require.Equal(t, "arn:aws:iam::123456789012:user/x/operator", user["arn"])
	require.Regexp(t, `^AIDA[A-Z0-9]{17}$`, user["uniqueId"])
	id, key := e.create(accessKeyToken, props{"user": "operator"})
	require.Regexp(t, `^AKIA[A-Z0-9]{16}$`, id)
	require.Len(t, key["secret"], 40)
}

func TestIAMRefusesForUsers(t *testing.T) {
	t.Parallel()
	e := start(t)
	user := e.id(userToken, props{"name": "taken"})
	policy := e.id(userPolicyToken, props{"name": "p", "user": user, "policy": policyText})
	first := e.id(accessKeyToken, props{"user": user})
	second := e.id(accessKeyToken, props{"user": user})
	for _, c := range []struct {
		name, token string
		inputs      props
		code        string
	}{
		{"a user's name twice", userToken, props{"name": "TAKEN"}, "EntityAlreadyExists"},
		{"a policy's user", userPolicyToken, props{"name": "p", "user": "none", "policy": policyText}, "NoSuchEntity"},
		{"a policy without resource", userPolicyToken, props{"name": "x", "user": user, "policy": trustText}, "MalformedPolicyDocument"},
		{"inline policies over 2,048 in all", userPolicyToken, props{"name": "x", "user": user,
			"policy": strings.Replace(policyText, `"Resource":"`, `"Resource":"`+strings.Repeat("x", 2048), 1)}, "LimitExceeded"},
		{"a third access key", accessKeyToken, props{"user": user}, "LimitExceeded"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	refused(t, e.delete(userToken, user), "DeleteConflict")
	for token, ids := range map[string][]string{userPolicyToken: {policy}, accessKeyToken: {first, second}} {
		for _, id := range ids {
			require.NoError(t, e.delete(token, id))
		}
	}
	require.NoError(t, e.delete(userToken, user))
}
