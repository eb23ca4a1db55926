package harness

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FormsOf returns a secret as text, quoted for a URL, in hexadecimal and in base 64 at each position within an encoded
// text.
func FormsOf(secret string) []string {
	forms := []string{secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret))}
	for before := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		// The first and the last characters depend on what is around the secret.
		if len(encoded) > 16 {
			forms = append(forms, encoded[4:len(encoded)-4])
		}
	}
	return forms
}

// Signer writes a new RSA key in PEM into a file, and returns the key.
func Signer(t *testing.T, path string) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	return key
}
