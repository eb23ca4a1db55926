// Package credentialspb has the messages of Google Cloud's IAM that the engine's source names.
package credentialspb

// SignBlobRequest asks for a signature.
type SignBlobRequest struct {
	Name    string
	Payload []byte
}

// SignBlobResponse is empty.
type SignBlobResponse struct{}

// GetSignedBlob returns nothing.
func (*SignBlobResponse) GetSignedBlob() []byte { return nil }
