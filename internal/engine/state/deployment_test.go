package state

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheKeysOfAStatesEncryptionAreThoseOfItsSecretsProvider(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]map[string]string{
		`{"type": "passphrase", "state": {"salt": "v1:a"}}`:                                 {"encryptionsalt": "v1:a"},
		`{"type": "cloud", "state": {"url": "awskms://alias/a", "encryptedkey": "k"}}`:      {"secretsprovider": "awskms://alias/a", "encryptedkey": "k"},
		`{"type": "service", "state": {"url": "https://api.example.com", "owner": "acme"}}`: nil,
		`null`: nil,
	} {
		read, err := ParseExport([]byte(`{"version": 3, "deployment": {"secrets_providers": ` + provider + `, "resources": []}}`))
		require.NoError(t, err)
		require.Equal(t, want, read.SecretsSettings(), provider)
	}
}
