// Package credentials replaces the client of Google Cloud's IAM when the engine is built. The engine signs URLs of
// objects at gs:// with it, and uses it for nothing else; but it registers its messages at each start of the engine.
package credentials

import (
	"context"
	"errors"

	"cloud.google.com/go/iam/credentials/apiv1/credentialspb"
	"github.com/googleapis/gax-go/v2"
)

// IamCredentialsClient does nothing.
type IamCredentialsClient struct{}

var errNone = errors.New("this pulumi was built without Google Cloud's IAM; install one from https://www.pulumi.com/docs/install")

// NewIamCredentialsClient always fails.
func NewIamCredentialsClient(context.Context) (*IamCredentialsClient, error) { return nil, errNone }

// SignBlob is never reached.
func (*IamCredentialsClient) SignBlob(
	context.Context,
	*credentialspb.SignBlobRequest,
	...gax.CallOption,
) (*credentialspb.SignBlobResponse, error) {
	return nil, errNone
}
