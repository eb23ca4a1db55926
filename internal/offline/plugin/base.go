// Package plugin is the common part of the two offline providers as plugins of the engine.
package plugin

import (
	"context"
	"errors"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Base implements the calls that are the same in every provider that the engine attaches to.
type Base struct {
	pulumirpc.UnimplementedResourceProviderServer
}

// ErrNotConfigured is the error of a call before Configure.
var ErrNotConfigured = errors.New("the provider is not configured yet")

// Attach does nothing: the provider never calls the engine.
func (Base) Attach(context.Context, *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// Handshake negotiates the protocol. Secrets and references are sent as plain values: the engine marks secrets again in what it sent.
func (Base) Handshake(
	context.Context, *pulumirpc.ProviderHandshakeRequest,
) (*pulumirpc.ProviderHandshakeResponse, error) {
	return &pulumirpc.ProviderHandshakeResponse{}, nil
}

// Cancel does nothing: no call takes long.
func (Base) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// GetSchema returns an empty schema: these providers are used only through the SDKs, which do not read it.
func (Base) GetSchema(context.Context, *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	return &pulumirpc.GetSchemaResponse{Schema: "{}"}, nil
}
