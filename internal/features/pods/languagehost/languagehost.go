// Package languagehost makes this program a language host of the pulumi engine: a project with `runtime:
// hypershift-aws` needs no Go toolchain and compiles nothing. The engine starts the program that it finds on PATH under
// the name Executable.
package languagehost

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Runtime is the value of `runtime` in Pulumi.yaml.
const Runtime = "hypershift-aws"

// Executable is the name under which the engine searches for the host of Runtime.
const Executable = "pulumi-language-" + Runtime

// Wanted reports whether the engine started a program as the language host.
func Wanted(program string) bool { return filepath.Base(program) == Executable }

// healthInterval is how often the host checks whether the engine still runs.
const healthInterval = 5 * time.Second

// Run serves the language, whose only program is given, until the engine ends, and returns the exit code of the
// process. It writes its port to stdout, as the engine's protocol requires; the last argument is the engine's address.
func Run(program pulumi.RunFunc, args []string, stdout, stderr io.Writer) int {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := serve(ctx, stop, &host{program: program}, args, stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, stop context.CancelFunc, h *host, args []string, stdout io.Writer) error {
	if len(args) > 0 {
		address := args[len(args)-1]
		h.engine.Store(address)
		if err := rpcutil.Healthcheck(ctx, address, healthInterval, stop); err != nil {
			return fmt.Errorf("calling the engine at %s: %w", address, err)
		}
	}
	cancelled := make(chan bool)
	go func() {
		<-ctx.Done()
		close(cancelled)
	}()
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: cancelled,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, h)
			return nil
		},
	})
	if err != nil {
		return fmt.Errorf("serving the language host: %w", err)
	}
	fmt.Fprintln(stdout, handle.Port)
	if err := <-handle.Done; err != nil {
		return fmt.Errorf("serving the language host: %w", err)
	}
	return nil
}

// host is the language host. It does not implement methods for converting or generating programs.
type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	program pulumi.RunFunc
	// engine is the engine's address, a string.
	engine atomic.Value
}

// Handshake stores the engine's address.
func (h *host) Handshake(
	_ context.Context,
	req *pulumirpc.LanguageHandshakeRequest,
) (*pulumirpc.LanguageHandshakeResponse, error) {
	if address := req.GetEngineAddress(); address != "" {
		h.engine.Store(address)
	}
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

// GetPluginInfo returns no version: the host has none.
func (h *host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

// About names the executable.
func (h *host) About(context.Context, *pulumirpc.AboutRequest) (*pulumirpc.AboutResponse, error) {
	executable, _ := os.Executable()
	return &pulumirpc.AboutResponse{Executable: executable}, nil
}

// GetRequiredPackages returns the provider plugins that stacks use, in the versions of the SDKs that this program was
// built with.
func (h *host) GetRequiredPackages(
	context.Context,
	*pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	resp := &pulumirpc.GetRequiredPackagesResponse{}
	for _, p := range Providers() {
		resp.Packages = append(resp.Packages, &pulumirpc.PackageDependency{
			Name:    p.Name,
			Kind:    "resource",
			Version: p.Version,
		})
	}
	return resp, nil
}

// GetProgramDependencies returns the packages of GetRequiredPackages: a compiled program has no other dependencies that
// could be changed.
func (h *host) GetProgramDependencies(
	context.Context, *pulumirpc.GetProgramDependenciesRequest,
) (*pulumirpc.GetProgramDependenciesResponse, error) {
	resp := &pulumirpc.GetProgramDependenciesResponse{}
	for _, p := range Providers() {
		resp.Dependencies = append(resp.Dependencies, &pulumirpc.DependencyInfo{Name: p.Name, Version: p.Version})
	}
	return resp, nil
}

// InstallDependencies installs nothing: the program is compiled.
func (h *host) InstallDependencies(
	*pulumirpc.InstallDependenciesRequest,
	grpc.ServerStreamingServer[pulumirpc.InstallDependenciesResponse],
) error {
	return nil
}

// RuntimeOptionsPrompts returns no prompts.
func (h *host) RuntimeOptionsPrompts(
	context.Context,
	*pulumirpc.RuntimeOptionsRequest,
) (*pulumirpc.RuntimeOptionsResponse, error) {
	return &pulumirpc.RuntimeOptionsResponse{}, nil
}

// Cancel does nothing: the engine ends the process.
func (h *host) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// Run runs the program in this process. An error or panic of the program is part of the result, not an error of the
// call.
func (h *host) Run(ctx context.Context, req *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	root := req.GetInfo().GetRootDirectory()
	if root == "" {
		root = req.GetPwd()
	}
	engine, _ := h.engine.Load().(string)
	program, err := pulumi.NewContext(ctx, pulumi.RunInfo{
		EngineAddr: engine, MonitorAddr: req.GetMonitorAddress(),
		Config: req.GetConfig(), ConfigSecretKeys: req.GetConfigSecretKeys(),
		Organization: req.GetOrganization(), Project: req.GetProject(), Stack: req.GetStack(), RootDirectory: root,
		Parallel: req.GetParallel(), DryRun: req.GetDryRun(),
	})
	if err != nil {
		return nil, fmt.Errorf("calling the engine at %s: %w", engine, err)
	}
	defer program.Close() //nolint:errcheck // the engine's connections are closed with the process
	if err := run(program, h.program); err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	return &pulumirpc.RunResponse{}, nil
}

func run(ctx *pulumi.Context, program pulumi.RunFunc) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the program panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return pulumi.RunWithContext(ctx, program)
}

// Provider is a plugin that stacks use.
type Provider struct {
	// Name is the name in Pulumi's registry, and Version is like "v6.83.4".
	Name, Version string
}

// Providers returns the plugins of the SDKs that this program was built with, AWS's first.
func Providers() []Provider {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	return ProvidersOf(build)
}

// ProvidersOf is Providers of another program.
func ProvidersOf(build *debug.BuildInfo) []Provider {
	var providers []Provider
	for _, module := range []Provider{{"aws", "github.com/pulumi/pulumi-aws/sdk/v6"},
		{"kubernetes", "github.com/pulumi/pulumi-kubernetes/sdk/v4"}} {
		for _, dep := range build.Deps {
			if dep.Path == module.Version {
				providers = append(providers, Provider{module.Name, dep.Version})
			}
		}
	}
	return providers
}
