package aws

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestTheAccountFollowsFromTheConfiguration(t *testing.T) {
	t.Parallel()
	role := func(account string) map[string]any {
		return map[string]any{"roleArn": "arn:aws:iam::" + account + ":role/x"}
	}
	for _, c := range []struct {
		name   string
		config props.Map
		want   string
	}{
		{"nothing said", props.Map{}, "123456789012"},
		{"a role", props.Map{"assumeRole": role("111111111111")}, "111111111111"},
		{"a role as JSON", props.Map{"assumeRole": `{"roleArn":"arn:aws-cn:iam::111111111111:role/x"}`}, "111111111111"},
		{"the last of several", props.Map{"assumeRoles": []any{role("111111111111"), role("222222222222")}}, "222222222222"},
		{"several as JSON", props.Map{"assumeRoles": `[{"roleArn":"arn:aws:iam::111111111111:role/x"},{"roleArn":"arn:aws:iam::222222222222:role/x"}]`},
			"222222222222"},
		{"a role before what is allowed", props.Map{
			"assumeRole":        role("111111111111"),
			"allowedAccountIds": props.List("333333333333"),
		}, "111111111111"},
		{"the first that is allowed", props.Map{"allowedAccountIds": `["333333333333","444444444444"]`, "profile": "x"}, "333333333333"},
		{"no endpoints", props.Map{"endpoints": "[]"}, "123456789012"},
	} {
		require.Equal(t, c.want, accountOf(c.config), c.name)
	}
}

func TestCredentialsMakeAnAccountOfTheirOwn(t *testing.T) {
	t.Parallel()
	configs := []props.Map{{}, {"profile": "one"}, {"profile": "two"}, {"accessKey": "one"}, {"endpoints": `[{"ec2":"http://localhost:4566"}]`}}
	seen := map[string]bool{}
	for _, config := range configs {
		account := accountOf(config)
		require.Regexp(t, `^\d{12}$`, account)
		require.Equal(t, account, accountOf(config), "the same the next time")
		seen[account] = true
	}
	require.Len(t, seen, len(configs))
}
