package faults

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

// kubernetes is the service of calls that go to a cluster's API server.
const kubernetes = "Kubernetes"

// Intercept takes the calls of the kubernetes provider through the settings: they count, and can be refused and killed on, as those
// of AWS do.
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
