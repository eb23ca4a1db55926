package policy

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestADocumentIsWrittenInIAMsFormat(t *testing.T) {
	t.Parallel()
	d := New(
		Statement{
			Effect: Allow, Principal: &Principal{Federated: Names{"arn:x"}}, Action: List{"sts:AssumeRoleWithWebIdentity"},
			Condition: Condition{"StringEquals": {"b": {"2", "1"}, "a": {"x"}}},
		},
		Statement{Effect: Deny, Principal: &Principal{Anyone: true}, NotAction: List{"s3:Get*"}, Resource: List{"*"}},
	)
	const want = `{"Version":"2012-10-17","Statement":[` +
		`{"Effect":"Allow","Principal":{"Federated":"arn:x"},"Action":["sts:AssumeRoleWithWebIdentity"],` +
		`"Condition":{"StringEquals":{"a":["x"],"b":["2","1"]}}},` +
		`{"Effect":"Deny","Principal":"*","NotAction":["s3:Get*"],"Resource":["*"]}]}`
	require.Equal(t, want, d.JSON())
	read, err := Parse(want)
	require.NoError(t, err)
	require.Equal(t, d, read)
}

func TestADocumentIsReadInEveryFormThatIAMAccepts(t *testing.T) {
	t.Parallel()
	read, err := Parse(`{"Version": "2012-10-17", "Id": "x", "Statement": {"Sid": "y", "Effect": "Allow", "Action": "s3:*", "NotResource": ["a", "b"],
		"NotPrincipal": {"AWS": ["1", "2"], "Service": "ec2.amazonaws.com"},
		"Condition": {"Bool": {"aws:SecureTransport": false}, "NumericLessThan": {"k": 3}}}}`)
	require.NoError(t, err)
	require.Equal(t, Document{Version: Version, ID: "x", Statement: Statements{{
		SID: "y", Effect: Allow, Action: List{"s3:*"}, NotResource: List{"a", "b"},
		NotPrincipal: &Principal{AWS: Names{"1", "2"}, Service: Names{"ec2.amazonaws.com"}},
		Condition:    Condition{"Bool": {"aws:SecureTransport": {"false"}}, "NumericLessThan": {"k": {"3"}}},
	}}}, read)
}

func TestAnInvalidDocumentIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `x`, `[]`, `{"Statement": 1}`, `{"Statement": [1]}`, `{"Statement": {"Action": 1}}`, `{"Statement": {"Principal": "ec2"}}`,
		`{"Statement": {"Condition": {"StringEquals": {"k": {"x": 1}}}}}`,
		`{"Statement": {"Condition": {"StringIs": {"k": "v"}}}}`,
		`{"Statement": {"Condition": {"ForAllValues:Null": {"k": "true"}}}}`,
	} {
		_, err := Parse(text)
		require.Error(t, err, text)
	}
}

func TestMergedStatementsAllowTheSameAsSeparateOnes(t *testing.T) {
	t.Parallel()
	apart := []Statement{
		Allows([]string{"a:One", "a:Two"}, "*"),
		Allows([]string{"a:Three"}, "arn:x"),
		Allows([]string{"a:Two", "a:Four"}, "*"),
		Allows([]string{"a:Five"}, "*").When("Bool", "a:Key", "true"),
	}
	require.Equal(t, []Statement{
		Allows([]string{"a:One", "a:Two", "a:Four"}, "*"),
		Allows([]string{"a:Three"}, "arn:x"),
		Allows([]string{"a:Five"}, "*").When("Bool", "a:Key", "true"),
	}, Merge(apart))
	require.Equal(t, List{"a:One", "a:Two"}, apart[0].Action, "what is merged is left as it was")
}

func TestAddingAConditionDoesNotChangeTheOriginalStatement(t *testing.T) {
	t.Parallel()
	one := Allows([]string{"a:One"}, "*").When("StringEquals", "a", "1")
	two := one.When("StringEquals", "b", "2")
	require.Equal(t, Condition{"StringEquals": {"a": {"1"}}}, one.Condition)
	require.Equal(t, Condition{"StringEquals": {"a": {"1"}, "b": {"2"}}}, two.Condition)
	require.True(t, json.Valid([]byte(New(two).JSON())))
}
