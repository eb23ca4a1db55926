package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// engine implements the part of the engine that receives a program's messages, and discards them.
type engine struct {
	pulumirpc.UnimplementedEngineServer
}

// Log implements pulumirpc.EngineServer.
func (*engine) Log(context.Context, *pulumirpc.LogRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// monitor implements the part of the engine that receives a program's registrations.
type monitor struct {
	pulumirpc.UnimplementedResourceMonitorServer
	o Options

	mu          sync.Mutex
	connections []*grpc.ClientConn
	// instances are the AWS providers, by the names under which the program registers them; "" is the stack's own.
	instances map[string]pulumirpc.ResourceProviderClient
	resources []Resource
}

func (m *monitor) close() {
	for _, connection := range m.connections {
		_ = connection.Close()
	}
}

// configure connects a provider instance.
func (m *monitor) configure(ctx context.Context, name string, settings resource.PropertyMap) error {
	connection, err := grpc.NewClient(m.o.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("connecting to the AWS provider: %w", err)
	}
	client := pulumirpc.NewResourceProviderClient(connection)
	m.mu.Lock()
	m.connections = append(m.connections, connection)
	m.instances[name] = client
	m.mu.Unlock()
	args, err := plugin.MarshalProperties(settings, plugin.MarshalOptions{KeepUnknowns: true})
	if err != nil {
		return fmt.Errorf("configuring the AWS provider: %w", err)
	}
	if _, err := client.Configure(ctx, &pulumirpc.ConfigureRequest{Args: args}); err != nil {
		return fmt.Errorf("configuring the AWS provider: %w", err)
	}
	return nil
}

// providerID is the ID of every provider here.
const providerID = "registered"

// providerName returns the name in a reference to a provider, "URN::ID"; "" for the stack's own.
func providerName(reference string) string {
	urn := strings.TrimSuffix(reference, "::"+providerID)
	return urn[strings.LastIndex(urn, ":")+1:]
}

func (m *monitor) instance(reference string) pulumirpc.ResourceProviderClient {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.instances[providerName(reference)]
}

// SupportsFeature implements pulumirpc.ResourceMonitorServer. It supports only plain values, without markers of
// outputs, of resources and, in a preview, of secrets.
func (m *monitor) SupportsFeature(
	_ context.Context,
	in *pulumirpc.SupportsFeatureRequest,
) (*pulumirpc.SupportsFeatureResponse, error) {
	plain := slices.Contains([]string{"secrets", "outputValues", "resourceReferences"}, in.GetId())
	return &pulumirpc.SupportsFeatureResponse{HasSupport: !plain || m.o.Create && in.GetId() == "secrets"}, nil
}

// RegisterResource implements pulumirpc.ResourceMonitorServer.
func (m *monitor) RegisterResource(
	ctx context.Context,
	in *pulumirpc.RegisterResourceRequest,
) (*pulumirpc.RegisterResourceResponse, error) {
	made := &pulumirpc.RegisterResourceResponse{
		Urn:    m.urn(in.GetParent(), in.GetType(), in.GetName()),
		Object: in.GetObject(),
	}
	switch {
	case in.GetType() == "pulumi:providers:aws":
		settings, err := plugin.UnmarshalProperties(in.GetObject(), plugin.MarshalOptions{})
		if err != nil {
			return nil, err
		}
		made.Id = providerID
		return made, m.configure(ctx, in.GetName(), settings)
	case strings.HasPrefix(in.GetType(), "pulumi:providers:"):
		made.Id = providerID
	case in.GetType() == "pulumi:index:Stash":
		value, err := m.stashed(in.GetName(), in.GetObject())
		if err != nil {
			return nil, err
		}
		made.Object = value
		if m.o.Create {
			m.record(in, made, in.GetObject())
		}
	case strings.HasPrefix(in.GetType(), "aws:") && m.o.Create:
		checked, err := m.create(ctx, in, made)
		if err != nil {
			return nil, fmt.Errorf("creating %s %s: %w", in.GetType(), in.GetName(), err)
		}
		m.record(in, made, checked)
	case strings.HasPrefix(in.GetType(), "aws:"), strings.HasPrefix(in.GetType(), "kubernetes:"):
		made.Id = m.o.Known[made.GetUrn()]
		m.record(in, made, in.GetObject())
	case m.o.Create:
		m.record(in, made, in.GetObject())
	}
	return made, nil
}

// record adds a resource to those that the program registers.
func (m *monitor) record(
	in *pulumirpc.RegisterResourceRequest,
	made *pulumirpc.RegisterResourceResponse,
	inputs *structpb.Struct,
) {
	r := Resource{
		URN: made.GetUrn(), Type: in.GetType(), ID: made.GetId(), Parent: in.GetParent(), Custom: in.GetCustom(),
		Provider: providerName(in.GetProvider()),
		Inputs:   inputs.AsMap(), From: map[string][]string{},
	}
	for input, dependencies := range in.GetPropertyDependencies() {
		r.From[input] = dependencies.GetUrns()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resources = append(m.resources, r)
}

// create creates a resource, or reads the one that the program imports. It sets the ID and the outputs, and returns the
// checked inputs.
func (m *monitor) create(
	ctx context.Context,
	in *pulumirpc.RegisterResourceRequest,
	made *pulumirpc.RegisterResourceResponse,
) (*structpb.Struct, error) {
	provider := m.instance(in.GetProvider())
	if id := in.GetImportId(); id != "" {
		read, err := provider.Read(ctx, &pulumirpc.ReadRequest{
			Type: in.GetType(),
			Name: in.GetName(),
			Urn:  made.GetUrn(),
			Id:   id,
		})
		made.Id, made.Object = read.GetId(), read.GetProperties()
		return in.GetObject(), err
	}
	inputs, err := plugin.UnmarshalProperties(in.GetObject(), plugin.MarshalOptions{})
	if err != nil {
		return nil, err
	}
	news, err := plugin.MarshalProperties(inputs, plugin.MarshalOptions{})
	if err != nil {
		return nil, err
	}
	checked, err := provider.Check(ctx, &pulumirpc.CheckRequest{
		Type: in.GetType(), Name: in.GetName(), Urn: made.GetUrn(), News: news, RandomSeed: []byte(in.GetName()),
	})
	if err != nil {
		return nil, err
	}
	for _, failure := range checked.GetFailures() {
		return nil, fmt.Errorf("%s: %s", failure.GetProperty(), failure.GetReason())
	}
	created, err := provider.Create(ctx, &pulumirpc.CreateRequest{
		Type:       in.GetType(),
		Name:       in.GetName(),
		Urn:        made.GetUrn(),
		Properties: checked.GetInputs(),
	})
	made.Id, made.Object = created.GetId(), created.GetProperties()
	kept := checked.GetInputs()
	for name, value := range in.GetObject().GetFields() {
		if value.GetStructValue().GetFields()[resource.SigKey].GetStringValue() == resource.SecretSig {
			kept.Fields[name] = value
		}
	}
	return kept, err
}

// stashed returns the engine's answer for a Stash: the value of the state or, for a new one, the program's.
func (m *monitor) stashed(name string, object *structpb.Struct) (*structpb.Struct, error) {
	kept, exists := m.o.Stashed[name]
	value := object.GetFields()["input"]
	if exists {
		var err error
		if value, err = structpb.NewValue(kept); err != nil {
			return nil, fmt.Errorf("answering with the value of stash %s: %w", name, err)
		}
	}
	return &structpb.Struct{Fields: map[string]*structpb.Value{"input": value, "output": value}}, nil
}

// urn returns the URN that the engine gives a resource.
func (m *monitor) urn(parent, token, name string) string {
	parentType := tokens.Type("")
	if parent := resource.URN(parent); parent != "" && parent.QualifiedType() != resource.RootStackType {
		parentType = parent.QualifiedType()
	}
	return string(resource.NewURN(tokens.QName(m.o.Stack), tokens.PackageName(m.o.Project), parentType, tokens.Type(token),
		name))
}

// ReadResource implements pulumirpc.ResourceMonitorServer.
func (m *monitor) ReadResource(
	ctx context.Context,
	in *pulumirpc.ReadResourceRequest,
) (*pulumirpc.ReadResourceResponse, error) {
	read := &pulumirpc.ReadResourceResponse{Urn: m.urn(in.GetParent(), in.GetType(), in.GetName())}
	if in.GetType() == "pulumi:pulumi:StackReference" {
		var err error
		read.Properties, err = m.reference(in.GetProperties())
		return read, err
	}
	found, err := m.instance(in.GetProvider()).Read(ctx, &pulumirpc.ReadRequest{Type: in.GetType(), Id: in.GetId()})
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", in.GetType(), in.GetId(), err)
	}
	read.Properties = found.GetProperties()
	return read, nil
}

// Invoke implements pulumirpc.ResourceMonitorServer.
func (m *monitor) Invoke(ctx context.Context, in *pulumirpc.ResourceInvokeRequest) (*pulumirpc.InvokeResponse, error) {
	if in.GetTok() == "pulumi:pulumi:readStackOutputs" {
		answer, err := m.reference(in.GetArgs())
		return &pulumirpc.InvokeResponse{Return: answer}, err
	}
	if in.GetTok() == "pulumi:pulumi:readStackResourceOutputs" {
		answer, err := plugin.MarshalProperties(resource.NewPropertyMapFromMap(map[string]any{"outputs": m.o.Resources}),
			plugin.MarshalOptions{})
		return &pulumirpc.InvokeResponse{Return: answer}, err
	}
	if !strings.HasPrefix(in.GetTok(), "aws:") {
		return nil, errors.New(in.GetTok() + " is not a lookup of AWS")
	}
	if m.o.Lookup != nil {
		if err := m.o.Lookup(in.GetTok()); err != nil {
			return nil, err
		}
	}
	// The program reads the provider's error, as it does behind the engine.
	return m.instance(in.GetProvider()).Invoke(ctx, &pulumirpc.InvokeRequest{Tok: in.GetTok(), Args: in.GetArgs()})
}

// reference returns the engine's answer for the stack that the program refers to, or for its own stack.
func (m *monitor) reference(args *structpb.Struct) (*structpb.Struct, error) {
	name := args.GetFields()["name"].GetStringValue()
	var outputs map[string]any
	switch {
	case name == m.o.Stack || strings.HasSuffix(name, "/"+m.o.Project+"/"+m.o.Stack):
		outputs = m.o.Outputs
	case m.o.Reference != nil:
		outputs = m.o.Reference(name)
	}
	return plugin.MarshalProperties(resource.NewPropertyMapFromMap(map[string]any{
		"name": name, "outputs": outputs, "secretOutputNames": []any{},
	}), plugin.MarshalOptions{})
}

// RegisterResourceHook implements pulumirpc.ResourceMonitorServer. No hook is called, because nothing is created.
func (*monitor) RegisterResourceHook(context.Context, *pulumirpc.RegisterResourceHookRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// RegisterResourceOutputs implements pulumirpc.ResourceMonitorServer.
func (*monitor) RegisterResourceOutputs(
	context.Context,
	*pulumirpc.RegisterResourceOutputsRequest,
) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// SignalAndWaitForShutdown implements pulumirpc.ResourceMonitorServer.
func (*monitor) SignalAndWaitForShutdown(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// RegisterPackage implements pulumirpc.ResourceMonitorServer.
func (*monitor) RegisterPackage(
	context.Context,
	*pulumirpc.RegisterPackageRequest,
) (*pulumirpc.RegisterPackageResponse, error) {
	return &pulumirpc.RegisterPackageResponse{Ref: "package"}, nil
}
