// Package kmspb has the messages of Google Cloud KMS that the engine's source names.
package kmspb

// EncryptRequest asks for an encryption.
type EncryptRequest struct {
	Name                                   string
	Plaintext, AdditionalAuthenticatedData []byte
}

// DecryptRequest asks for a decryption.
type DecryptRequest struct {
	Name                                    string
	Ciphertext, AdditionalAuthenticatedData []byte
}

// EncryptResponse is empty.
type EncryptResponse struct{}

// DecryptResponse is empty.
type DecryptResponse struct{}

// GetCiphertext returns nothing.
func (*EncryptResponse) GetCiphertext() []byte { return nil }

// GetPlaintext returns nothing.
func (*DecryptResponse) GetPlaintext() []byte { return nil }
