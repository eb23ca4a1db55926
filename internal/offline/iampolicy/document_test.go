package iampolicy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	identityPolicy = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:b","Resource":"*"}]}`
	trustPolicy    = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}`
)

func TestPolicyDocuments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text      string
		identity, trust bool
	}{
		{"a role's policy", identityPolicy, true, false},
		{"a trust policy", trustPolicy, false, true},
		{"one statement without a list", `{"Version":"2012-10-17","Statement":{"Effect":"Deny","NotAction":"s3:b","NotResource":"*"}}`, true, false},
		{"no version", `{"Statement":[{"Effect":"Allow","Action":"s3:b","Resource":"*"}]}`, true, false},
		{"a version of its own", `{"Version":"2020-01-01","Statement":[{"Effect":"Allow","Action":"s3:b","Resource":"*"}]}`, false, false},
		{"no statement", `{"Version":"2012-10-17"}`, false, false},
		{"an empty list", `{"Version":"2012-10-17","Statement":[]}`, false, false},
		{"an effect of its own", `{"Version":"2012-10-17","Statement":[{"Effect":"Maybe","Action":"s3:b","Resource":"*"}]}`, false, false},
		{"no action", `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Resource":"*"}]}`, false, false},
		{"a list", `[]`, false, false},
	} {
		require.Equal(t, c.identity, IdentityPolicyFault(c.text) == "", "%s as a role's policy", c.name)
		require.Equal(t, c.trust, TrustPolicyFault(c.text) == "", "%s as a trust policy", c.name)
	}
}
