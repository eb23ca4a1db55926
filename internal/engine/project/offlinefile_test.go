package project

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheOfflineStackFileHasNoSecretsAndKeepsItsProvider(t *testing.T) {
	t.Parallel()
	file := `secretsprovider: awskms://alias/real
encryptedkey: cipher
environment: [shared]
config:
  aws:region: us-east-1
  hypershift-aws:cluster:
    name: demo
    nested:
      - token: {secure: cipher}
`
	first, err := offlineStackFile([]byte(file), nil)
	require.NoError(t, err)
	assert.YAMLEq(t, `config: {"aws:region": us-east-1, "hypershift-aws:cluster": {name: demo, nested: [{token: offline}]}}
secretsprovider: hashivault://offline`, string(first))

	second, err := offlineStackFile([]byte(file), append(first, "encryptedkey: key\n"...))
	require.NoError(t, err)
	assert.Contains(t, string(second), "secretsprovider: hashivault://offline\nencryptedkey: key")

	old, err := offlineStackFile([]byte(file), []byte("encryptionsalt: v1:salt\n"))
	require.NoError(t, err)
	assert.Contains(t, string(old), "encryptionsalt: v1:salt")
	assert.NotContains(t, string(old), "hashivault")

	for _, text := range []string{"", "- list", "a: b: c"} {
		_, err := offlineStackFile([]byte(text), nil)
		assert.Error(t, err, text)
	}
}
