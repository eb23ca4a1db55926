package offline

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// FuzzPolicyDocuments: whatever text is given for a policy, it is refused with a code of AWS's or kept, and what is
// kept reads back as it was given.
func FuzzPolicyDocuments(f *testing.F) {
	for _, seed := range []string{policyText, trustText, `{}`, `[]`, `{"Statement":{}}`, `{"Version":"2012-10-17","Statement":[1]}`,
		`{"Version":"2012-10-17","Statement":{"Effect":"Deny","NotAction":"iam:*","NotResource":["*"]}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		identity, trust := iampolicy.IdentityPolicyFault(text), iampolicy.TrustPolicyFault(text)
		require.False(t, identity == "" && trust == "", "no document is both")
		if identity != "" || !json.Valid([]byte(text)) || iam.DocumentSize(text) > iam.MaxManagedPolicy {
			return
		}
		require.Equal(t, props.CanonicalJSON(text), props.CanonicalJSON(text))
		e := start(t)
		id, out := e.create(awstype.Policy, props.Map{"name": "p", "policy": text})
		require.Equal(t, text, out["policy"])
		_, read, _ := e.read(awstype.Policy, id, nil)
		require.Equal(t, text, read["policy"])
	})
}
