package componentplugin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil/rpcerror"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// Schema is the schema of the Pulumi package.
//
//go:embed schema.json
var Schema []byte

// Server serves the components to an engine.
type Server struct {
	pulumirpc.UnimplementedResourceProviderServer
	host       *provider.HostClient
	components map[string]Component
	guarded    Guarded
}

// Guarded calls register, which registers the component with a URN, and gives its resources an option with which they
// are registered only if the update of the component is not refused.
type Guarded func(ctx *pulumi.Context, component string, register func(guard pulumi.ResourceOption) error) error

// UnguardedKey is the key of the package in a stack's config that leaves out the guard.
const UnguardedKey = "unguarded"

// unguarded reports whether the config of the stack leaves out the guard.
func unguarded(stack map[string]string) (bool, error) {
	const key = Package + ":" + UnguardedKey
	text, given := stack[key]
	if !given {
		return false, nil
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%s: %q is not a boolean; use true or false", key, text)
	}
	return value, nil
}

var _ pulumirpc.ResourceProviderServer = (*Server)(nil)

// New returns a server for the engine of host; nil for one that attaches later. guarded checks the update of each
// component.
func New(host *provider.HostClient, guarded Guarded) (pulumirpc.ResourceProviderServer, error) {
	return newServer(host, Components(), guarded), nil
}

func newServer(host *provider.HostClient, components []Component, guarded Guarded) *Server {
	s := &Server{host: host, components: map[string]Component{}, guarded: guarded}
	for _, c := range components {
		s.components[c.Token] = c
	}
	return s
}

// GetPluginInfo returns the version in the schema.
func (s *Server) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	var described struct{ Version string }
	if err := json.Unmarshal(Schema, &described); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	return &pulumirpc.PluginInfo{Version: described.Version}, nil
}

// GetSchema returns the schema.
func (s *Server) GetSchema(context.Context, *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	return &pulumirpc.GetSchemaResponse{Schema: string(Schema)}, nil
}

// CheckConfig accepts the provider's config, which is the stack's.
func (s *Server) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

// DiffConfig reports no changes.
func (s *Server) DiffConfig(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
}

// Configure reports to the engine that inputs may be secrets, resources and outputs.
func (s *Server) Configure(context.Context, *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	return &pulumirpc.ConfigureResponse{
		AcceptSecrets:   true,
		AcceptResources: true,
		AcceptOutputs:   true,
		SupportsPreview: true,
	}, nil
}

// Attach connects the server to an engine that finds it already running.
func (s *Server) Attach(_ context.Context, req *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	host, err := provider.NewHostClient(req.GetAddress())
	if err != nil {
		return nil, fmt.Errorf("connecting to the engine at %s: %w", req.GetAddress(), err)
	}
	s.host = host
	return &emptypb.Empty{}, nil
}

// Cancel does nothing: requests end with the engine.
func (s *Server) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// Construct registers a component. The error lists every fault in the inputs, each on its property.
func (s *Server) Construct(ctx context.Context, req *pulumirpc.ConstructRequest) (*pulumirpc.ConstructResponse, error) {
	c, known := s.components[req.GetType()]
	if !known {
		return nil, status.Errorf(codes.NotFound, "the package has no component %s", req.GetType())
	}
	guarded := s.guarded
	switch without, err := unguarded(req.GetConfig()); {
	case err != nil:
		return nil, status.Error(codes.InvalidArgument, err.Error())
	case without:
		guarded = nil
	}
	return c.register(ctx, req, s.host.EngineConn(), guarded)
}

// register registers the component with the engine that a request comes from. guarded is nil if no update is checked.
func (c Component) register(
	ctx context.Context, req *pulumirpc.ConstructRequest, engine *grpc.ClientConn, guarded Guarded,
) (*pulumirpc.ConstructResponse, error) {
	inputs, err := plugin.UnmarshalProperties(req.GetInputs(), keep())
	if err != nil {
		return nil, fmt.Errorf("reading the inputs: %w", err)
	}
	given, err := c.prepare(req)
	if err != nil {
		return nil, rpcerror.WrapDetailedError(c.refusedAsGiven(req.GetName(), inputs, err))
	}
	response, err := provider.Construct(ctx, req, engine, func(
		ctx *pulumi.Context, _, name string, prepared provider.ConstructInputs, opts pulumi.ResourceOption,
	) (*provider.ConstructResult, error) {
		opts, err := withDependencies(opts)
		if err != nil {
			return nil, err
		}
		if err := checkProviders(ctx, req.GetProviders(), given.providers); err != nil {
			return nil, c.refusedAsGiven(name, inputs, err)
		}
		var result *provider.ConstructResult
		register := func(guard pulumi.ResourceOption) error {
			result, err = c.construct(ctx, name, prepared, given, pulumi.Composite(opts, guard))
			return err
		}
		if guarded == nil {
			err = register(pulumi.Transformations(nil))
		} else {
			err = guarded(ctx, urnOf(req), register)
		}
		if err != nil {
			return nil, c.refused(name, inputs, err)
		}
		return result, nil
	})
	if fault.In(err) != nil { // of an output whose value became known
		return nil, rpcerror.WrapDetailedError(c.refused(req.GetName(), inputs, err))
	}
	return response, err
}

// urnOf returns the URN of the component that a request constructs.
func urnOf(req *pulumirpc.ConstructRequest) string {
	parent := urn.URN(req.GetParent()).QualifiedType()
	if parent == resource.RootStackType {
		parent = ""
	}
	return string(urn.New(tokens.QName(req.GetStack()), tokens.PackageName(req.GetProject()), parent,
		tokens.Type(req.GetType()), req.GetName()))
}

// withDependencies returns options that make all resources of a component depend on what the component depends on.
// Pulumi makes only the component itself depend on it, so that what a program created first could be deleted while the
// component's resources use it.
func withDependencies(opts pulumi.ResourceOption) (pulumi.ResourceOption, error) {
	given, err := pulumi.NewResourceOptions(opts)
	if err != nil {
		return nil, fmt.Errorf("reading the options: %w", err)
	}
	if len(given.DependsOn) == 0 {
		return opts, nil
	}
	depend := func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
		return &pulumi.ResourceTransformationResult{
			Props: args.Props,
			Opts:  append(args.Opts, pulumi.DependsOn(given.DependsOn)),
		}
	}
	return pulumi.Composite(opts, pulumi.Transformations([]pulumi.ResourceTransformation{depend})), nil
}

// keep returns the options with which inputs are read and written as they are.
func keep() plugin.MarshalOptions {
	return plugin.MarshalOptions{KeepSecrets: true, KeepResources: true, KeepUnknowns: true, KeepOutputValues: true}
}

// prepare checks the inputs of a request and replaces them by what the constructor reads.
func (c Component) prepare(req *pulumirpc.ConstructRequest) (sectionInputs, error) {
	inputs, err := plugin.UnmarshalProperties(req.GetInputs(), keep())
	if err != nil {
		return sectionInputs{}, fmt.Errorf("reading the inputs: %w", err)
	}
	check := checker{section: c.Section != ""}
	fields, checked := properties(c.Inputs, check.section), resource.PropertyMap{}
	for _, key := range inputs.StableKeys() {
		if resource.IsInternalPropertyKey(key) {
			checked[key] = inputs[key]
			continue
		}
		check.property(checked, fields, string(key), inputs[key], string(key), carriedBy(req, inputs, key))
	}
	if err := check.faults.Err(); err != nil {
		return sectionInputs{}, err
	}
	var given sectionInputs
	if check.section {
		given.keys = given.node(resource.NewProperty(checked))
		checked[outputsKey] = resource.NewProperty(given.values)
	}
	given.providers = check.providers
	req.InputDependencies = nil // the values carry them
	for _, source := range check.dependencies {
		if !slices.Contains(req.Dependencies, string(source)) {
			req.Dependencies = append(req.Dependencies, string(source))
		}
	}
	req.Inputs, err = plugin.MarshalProperties(checked, keep())
	if err != nil {
		return sectionInputs{}, fmt.Errorf("preparing the inputs: %w", err)
	}
	return given, nil
}

// carriedBy returns the dependencies of an input that no output in it has.
func carriedBy(req *pulumirpc.ConstructRequest, inputs resource.PropertyMap, key resource.PropertyKey) carried {
	var nested []resource.URN
	gather(inputs[key], &nested)
	var from carried
	for _, source := range req.GetInputDependencies()[string(key)].GetUrns() {
		if !slices.Contains(nested, resource.URN(source)) {
			from.dependencies = append(from.dependencies, resource.URN(source))
		}
	}
	return from
}

func gather(v resource.PropertyValue, urns *[]resource.URN) {
	switch {
	case v.IsSecret():
		gather(v.SecretValue().Element, urns)
	case v.IsOutput():
		*urns = append(*urns, v.OutputValue().Dependencies...)
		gather(v.OutputValue().Element, urns)
	case v.IsArray():
		for _, item := range v.ArrayValue() {
			gather(item, urns)
		}
	case v.IsObject():
		for _, item := range v.ObjectValue() {
			gather(item, urns)
		}
	}
}
