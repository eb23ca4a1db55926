package iam

import (
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// minSigningKeyBits is the least length of a key for RS256. Source: RFC 7518, section 3.3.
const minSigningKeyBits = 2048

// ReadSigningKey reads an RSA private key in PEM, of PKCS #1 or PKCS #8 and at least 2048 bits, with which a cluster
// signs the tokens of its service accounts. The error is a *fault.Fault without the key.
func ReadSigningKey(text string) (*rsa.PrivateKey, error) {
	refuse := func(problem string) (*rsa.PrivateKey, error) {
		return nil, &fault.Fault{Problem: problem, Remedy: "generate one: openssl genrsa -out sa-signer.key 4096"}
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return refuse("is not an RSA private key in PEM: it has no block in PEM")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		isRSA := false
		if key, isRSA = parsed.(*rsa.PrivateKey); err != nil || !isRSA {
			return refuse("is not an RSA private key in PEM: the first block is of another kind of key, or cannot be read")
		}
	}
	if bits := key.N.BitLen(); bits < minSigningKeyBits {
		return refuse(fmt.Sprintf("is an RSA key of %d bits, but RS256 requires %d", bits, minSigningKeyBits))
	}
	return key, nil
}

// SigningKeyPEM returns a key as HyperShift reads it: in PEM, of PKCS #1. Source: HyperShift's PemToPrivateKey,
// support/certs.
func SigningKeyPEM(key *rsa.PrivateKey) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// SigningKeyID returns the ID that tokens and the JWKS have for a key: its public key's SHA-256 in base64url. Source:
// HyperShift, support/oidc, and the API server's token generator.
func SigningKeyID(public *rsa.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return "", fmt.Errorf("encoding the public key: %w", err)
	}
	sum := sha256.Sum256(der)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}

// The paths of the documents below the issuer. Source: HyperShift, support/oidc.
const (
	configurationPath = "/.well-known/openid-configuration"
	jwksPath          = "/openid/v1/jwks"
)

// configurationDocument returns an issuer's OpenID configuration, byte for byte as HyperShift's operator writes it.
func configurationDocument(issuerURL string) string {
	return fmt.Sprintf(`{
	"issuer": "%s",
	"jwks_uri": "%s%s",
	"response_types_supported": [
		"id_token"
	],
	"subject_types_supported": [
		"public"
	],
	"id_token_signing_alg_values_supported": [
		"RS256"
	]
}`, issuerURL, issuerURL, jwksPath)
}

// webKey is a public key in a JWKS, with its fields in the order in which HyperShift's operator writes them.
type webKey struct {
	Use string `json:"use"`
	Kty string `json:"kty"`
	Kid string `json:"kid"`
	Alg string `json:"alg"`
	N   string `json:"n"`
	E   string `json:"e"`
}

// jwksDocument returns the JWKS of a public key, byte for byte as HyperShift's operator writes it.
func jwksDocument(public *rsa.PublicKey) (string, error) {
	id, err := SigningKeyID(public)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	text, err := json.MarshalIndent(map[string][]webKey{"keys": {{
		Use: "sig", Kty: "RSA", Kid: id, Alg: "RS256", N: encode(public.N.Bytes()),
		E: encode(big.NewInt(int64(public.E)).Bytes()),
	}}}, "", "  ")
	return string(text), err
}
