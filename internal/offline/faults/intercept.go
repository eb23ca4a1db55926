package faults

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

// kubernetes is the service name of calls to a cluster's API server.
const kubernetes = "Kubernetes"

// Intercept applies the settings to the calls of the kubernetes provider: like those of AWS, they count, and can be refused or end in a
// kill.
func (s *Run) Intercept(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (answer any, err error) {
	op := Operation{Service: kubernetes}
	switch r := req.(type) {
	case *pulumirpc.CreateRequest:
		if r.GetPreview() {
			return handle(ctx, req)
		}
		op.Token, op.Creates = r.GetType(), true
	case *pulumirpc.UpdateRequest:
		if r.GetPreview() {
			return handle(ctx, req)
		}
		op.Token = r.GetType()
	case *pulumirpc.ReadRequest:
		op.Token = r.GetType()
	case *pulumirpc.DeleteRequest:
		op.Token = r.GetType()
	default:
		return handle(ctx, req)
	}
	err = s.Do(op, func() (string, error) {
		var err error
		answer, err = handle(ctx, req)
		return "", err
	})
	return answer, err
}
