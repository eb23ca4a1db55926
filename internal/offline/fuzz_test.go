package offline

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPolicyDocuments: whatever text is given for a policy, it is refused with a code of AWS's or kept, and what is kept
// reads back as it was given.
func FuzzPolicyDocuments(f *testing.F) {
	for _, seed := range []string{policyText, trustText, `{}`, `[]`, `{"Statement":{}}`, `{"Version":"2012-10-17","Statement":[1]}`,
		`{"Version":"2012-10-17","Statement":{"Effect":"Deny","NotAction":"iam:*","NotResource":["*"]}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		identity, trust := identityPolicyFault(text), trustPolicyFault(text)
		require.False(t, identity == "" && trust == "", "no document is both")
		if identity != "" || !json.Valid([]byte(text)) || documentSize(text) > maxManagedPolicy {
			return
		}
		require.Equal(t, canonicalJSON(text), canonicalJSON(text))
		e := start(t)
		id, out := e.create(policyToken, props{"name": "p", "policy": text})
		require.Equal(t, text, out["policy"])
		_, read, _ := e.read(policyToken, id, nil)
		require.Equal(t, text, read["policy"])
	})
}
