package identity

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks"
)

func TestTheProviderOfTheAWSKeysIsTheStacksOwn(t *testing.T) {
	t.Parallel()
	require.True(t, IsOwnProvider("urn:pulumi:dev::hypershift-aws::pulumi:providers:aws::default_6_83_4::0a1b"))
	require.False(t, IsOwnProvider("urn:pulumi:dev::hypershift-aws::pulumi:providers:aws::vpc-owner-account::0a1b"))
}

func TestAProgramComparesTheAccountOfItsOwnCredentialsWithTheLastState(t *testing.T) {
	t.Parallel()
	const vpc, role = "arn:aws:ec2:us-east-1:123456789012:vpc/vpc-1", "arn:aws:iam::210987654321:role/owner"
	const own, further = "pulumi:providers:aws::default_6_83_4", "pulumi:providers:aws::vpc-owner-account"
	for name, c := range map[string]struct {
		providers, arns []string
		account         string
		refused         bool
	}{
		"the same account": {[]string{own}, []string{vpc}, "123456789012", false},
		"another account":  {[]string{own}, []string{vpc}, "210987654321", true},
		"two versions of the own provider, another account": {[]string{own, own + "0"}, []string{vpc}, "210987654321",
			true},
		"two accounts, one of them": {[]string{own, further}, []string{vpc, role}, "123456789012",
			false},
		"two accounts, none of them": {[]string{own, further}, []string{vpc, role}, "333333333333",
			true},
		"one account, which may be that of the other": {[]string{own, further}, []string{role}, "123456789012",
			false},
		"the account cannot be looked up": {[]string{own}, []string{vpc}, "", false},
		"ARNs without an account": {[]string{own},
			[]string{"arn:aws:s3:::bucket", "arn:aws:route53:::hostedzone/Z1"}, "123456789012", false},
		"a first update": {nil, nil, "123456789012", false},
		"a stack whose resources have been released, but one": {[]string{own}, []string{"", vpc}, "210987654321", true},
	} {
		last := stacks.LastState{Stack: "dev", Outputs: map[string]map[string]any{}}
		for _, provider := range c.providers {
			last.Outputs["urn:pulumi:dev::hypershift-aws::"+provider] = map[string]any{"region": "us-east-1"}
		}
		for i, arn := range c.arns {
			last.Outputs[fmt.Sprintf("urn:pulumi:dev::hypershift-aws::aws:ec2/vpc:Vpc::%d", i)] = map[string]any{"arn": arn}
		}
		err := CheckOwnAccount(last, func() (string, error) {
			if c.account == "" {
				return "", errors.New("no credentials")
			}
			return c.account, nil
		})
		require.Equal(t, c.refused, err != nil, name)
		if c.refused {
			require.ErrorContains(t, err, "the credentials of aws: are of account "+c.account, name)
		}
	}
}
