package hostedcluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"fmt"
)

// newSSHKey generates a pair of keys for SSH: the public one in OpenSSH's format, and the private one in PEM. ECDSA is allowed in FIPS mode.
func newSSHKey() (public, private string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return "", "", fmt.Errorf("generating the SSH key: %w", err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		return "", "", fmt.Errorf("encoding the SSH key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return "", "", fmt.Errorf("encoding the SSH key: %w", err)
	}
	// Source of the format: RFC 5656, section 3.1.
	const algorithm, curve = "ecdsa-sha2-nistp384", "nistp384"
	var wire []byte
	for _, part := range [][]byte{[]byte(algorithm), []byte(curve), point} {
		wire = append(binary.BigEndian.AppendUint32(wire, uint32(len(part))), part...)
	}
	public = algorithm + " " + base64.StdEncoding.EncodeToString(wire) + "\n"
	return public, string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})), nil
}
