// Package plugin is what the two offline providers have in common as plugins of the engine.
package plugin

import (
	"context"
	"errors"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Base is what every provider answers alike to the engine that attaches to it.
type Base struct {
	pulumirpc.UnimplementedResourceProviderServer
}

// ErrNotConfigured is a call that came before the provider's configuration.
var ErrNotConfigured = errors.New("the provider is not configured yet")

// Attach takes note that the engine is there; nothing is ever asked of it.
func (Base) Attach(context.Context, *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// Handshake settles the protocol. Secrets and references come in plain: the engine puts the secret marks back on what
// it sent.
func (Base) Handshake(
	context.Context, *pulumirpc.ProviderHandshakeRequest,
) (*pulumirpc.ProviderHandshakeResponse, error) {
	return &pulumirpc.ProviderHandshakeResponse{}, nil
}

// Cancel has nothing to do: no call lasts.
func (Base) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// GetSchema is for languages that read schemas; these providers are reached through the SDKs alone.
func (Base) GetSchema(context.Context, *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	return &pulumirpc.GetSchemaResponse{Schema: "{}"}, nil
}
