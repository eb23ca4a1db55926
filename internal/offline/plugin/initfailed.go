package plugin

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil/rpcerror"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// InitFailed returns the error of a resource that was created but is not ready: the engine stores the resource with its errors.
func InitFailed(id string, err error, state props.Map) error {
	properties, marshalErr := props.Marshal(state)
	if marshalErr != nil {
		return marshalErr
	}
	return rpcerror.WithDetails(rpcerror.New(codes.Unknown, err.Error()), &pulumirpc.ErrorResourceInitFailed{
		Id: id, Properties: properties, Reasons: []string{err.Error()},
	})
}
