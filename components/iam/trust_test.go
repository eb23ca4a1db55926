package iam

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	trustIssuer  = "https://b.s3.us-east-1.amazonaws.com/demo-x1"
	trustAccount = "kube-system:capa-controller-manager"
)

func TestATrustPolicyIsEvaluatedAsByIAM(t *testing.T) {
	t.Parallel()
	statement := func(condition string) string {
		return fmt.Sprintf(`{"Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity",
			"Principal": {"Federated": "arn:aws:iam::123456789012:oidc-provider/b.s3.us-east-1.amazonaws.com/demo-x1"}, "Condition": {%s}}`, condition)
	}
	const (
		sub = `"b.s3.us-east-1.amazonaws.com/demo-x1:sub"`
		aud = `"b.s3.us-east-1.amazonaws.com/demo-x1:aud"`
	)
	for _, test := range []struct {
		why, statement string
		trusts         bool
	}{
		{"by name", statement(`"StringEquals": {` + sub + `: "system:serviceaccount:kube-system:capa-controller-manager"}`), true},
		{"by name and audience", statement(`"StringEquals": {` + sub + `: ["system:serviceaccount:kube-system:capa-controller-manager"], ` + aud + `: ["openshift", "x"]}`), true},
		{"by pattern", statement(`"StringLike": {` + sub + `: "system:serviceaccount:kube-system:*"}`), true},
		{"without a condition", statement(``), true},
		{"under a condition on something else", statement(`"StringEquals": {"aws:SourceIp": "192.0.2.1"}`), true},
		{"another service account", statement(`"StringEquals": {` + sub + `: "system:serviceaccount:kube-system:karpenter"}`), false},
		{"a pattern that is taken by the letter", statement(`"StringEquals": {` + sub + `: "system:serviceaccount:kube-system:*"}`), false},
		{"all but this one", statement(`"StringNotEquals": {` + sub + `: "system:serviceaccount:kube-system:capa-controller-manager"}`), false},
		{"another audience", statement(`"StringEquals": {` + aud + `: "sts.amazonaws.com"}`), false},
		{"another issuer", `{"Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity", "Principal": {"Federated": "arn:aws:iam::123456789012:oidc-provider/other"}}`, false},
		{"another action", `{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Federated": "arn:aws:iam::123456789012:oidc-provider/b.s3.us-east-1.amazonaws.com/demo-x1"}}`, false},
		{"a denial", `{"Effect": "Deny", "Action": "*", "Principal": {"Federated": ["arn:aws:iam::123456789012:oidc-provider/b.s3.us-east-1.amazonaws.com/demo-x1"]}}`, false},
	} {
		for _, list := range []string{"[" + test.statement + "]", test.statement} {
			document := `{"Version": "2012-10-17", "Statement": ` + list + `}`
			require.Equal(t, test.trusts, trustsServiceAccount(document, trustIssuer, trustAccount), test.why)
		}
	}
	require.False(t, trustsServiceAccount("no document", trustIssuer, trustAccount))
}

func TestACreatedTrustPolicyIsAcceptedAsExisting(t *testing.T) {
	t.Parallel()
	for _, spec := range roleSpecs() {
		document := trustPolicy("arn:aws-cn:iam::123456789012:oidc-provider/issuer.example.com/x",
			"https://issuer.example.com/x", spec.serviceAccounts).JSON()
		for _, account := range spec.serviceAccounts {
			require.True(t, trustsServiceAccount(document, "https://issuer.example.com/x", account))
		}
	}
}

func TestTheNodesRoleMustTrustEC2(t *testing.T) {
	t.Parallel()
	trust := func(principal string) string {
		return `{"Statement": {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": ` + principal + `}}`
	}
	require.True(t, trustsService(trust(`{"Service": "ec2.amazonaws.com"}`), ec2Principals()...))
	require.True(t, trustsService(trust(`{"Service": ["x", "ec2.amazonaws.com.cn"]}`), ec2Principals()...))
	require.True(t, trustsService(trust(`"*"`), ec2Principals()...))
	require.False(t, trustsService(trust(`{"Service": "lambda.amazonaws.com"}`), ec2Principals()...))
	require.False(t, trustsService(trust(`{"AWS": "*"}`), ec2Principals()...))
}
