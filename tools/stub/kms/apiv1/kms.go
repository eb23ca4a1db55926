// Package kms replaces the client of Google Cloud KMS when the engine is built. The engine uses it for stacks whose
// secrets a gcpkms:// key encrypts, and for nothing else; but it registers its messages at each start of the engine.
package kms

import (
	"context"
	"errors"

	"cloud.google.com/go/kms/apiv1/kmspb"
)

// KeyManagementClient does nothing.
type KeyManagementClient struct{}

var errNone = errors.New("this pulumi was built without Google Cloud KMS; install one from https://www.pulumi.com/docs/install")

// NewKeyManagementClient always fails.
func NewKeyManagementClient[Option any](context.Context, ...Option) (*KeyManagementClient, error) {
	return nil, errNone
}

// Close is never reached.
func (*KeyManagementClient) Close() error { return nil }

// Encrypt is never reached.
func (*KeyManagementClient) Encrypt(context.Context, *kmspb.EncryptRequest) (*kmspb.EncryptResponse, error) {
	return nil, errNone
}

// Decrypt is never reached.
func (*KeyManagementClient) Decrypt(context.Context, *kmspb.DecryptRequest) (*kmspb.DecryptResponse, error) {
	return nil, errNone
}
