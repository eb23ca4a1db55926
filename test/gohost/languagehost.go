// Package gohost replaces pulumi-language-go if that is not installed: enough of the
// language host's protocol for `pulumi` to build and run a Go program or plugin. It is for this project's suites.
package gohost

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Host is a language host for Go, on a loopback port.
type Host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	server   *grpc.Server
	address  net.Addr
	programs *Programs
	engine   atomic.Value
}

// Serve starts a host that runs programs.
func Serve(programs *Programs) (*Host, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the engine: %w", err)
	}
	h := &Host{server: grpc.NewServer(), address: listener.Addr(), programs: programs}
	pulumirpc.RegisterLanguageRuntimeServer(h.server, h)
	go func() { _ = h.server.Serve(listener) }()
	return h, nil
}

// Languages returns the value of PULUMI_DEBUG_LANGUAGES by which the engine finds the host.
func (h *Host) Languages() string {
	return fmt.Sprintf("go:%d", h.address.(*net.TCPAddr).Port)
}

// Close stops the host.
func (h *Host) Close() { h.server.Stop() }

// Handshake learns where the engine is.
func (h *Host) Handshake(
	_ context.Context,
	req *pulumirpc.LanguageHandshakeRequest,
) (*pulumirpc.LanguageHandshakeResponse, error) {
	h.engine.Store(req.GetEngineAddress())
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

// GetPluginInfo returns no version: the host has none.
func (h *Host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

// GetRequiredPackages returns no plugins: the tests' providers are attached.
func (h *Host) GetRequiredPackages(
	context.Context,
	*pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

// Cancel does nothing: the program ends with the engine.
func (h *Host) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// Run builds the program and runs it to its end.
func (h *Host) Run(ctx context.Context, req *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	folder := filepath.Join(req.GetInfo().GetProgramDirectory(), req.GetInfo().GetEntryPoint())
	binary, err := h.programs.build(folder)
	if err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	env, err := h.environment(req)
	if err != nil {
		return nil, err
	}
	program := exec.CommandContext(ctx, binary)
	program.Dir, program.Env = req.GetPwd(), env
	var output bytes.Buffer
	program.Stdout, program.Stderr = &output, &output
	if err := program.Run(); err != nil {
		return &pulumirpc.RunResponse{Error: fmt.Sprintf("running %s: %v\n%s", folder, err, output.String())}, nil
	}
	return &pulumirpc.RunResponse{}, nil
}

// environment returns the variables from which pulumi.Run reads the engine's request.
func (h *Host) environment(req *pulumirpc.RunRequest) ([]string, error) {
	config, err := json.Marshal(req.GetConfig())
	if err != nil {
		return nil, err
	}
	secretKeys, err := json.Marshal(req.GetConfigSecretKeys())
	if err != nil {
		return nil, err
	}
	engine, _ := h.engine.Load().(string)
	return append(os.Environ(),
		pulumi.EnvOrganization+"="+req.GetOrganization(),
		pulumi.EnvProject+"="+req.GetProject(),
		pulumi.EnvPulumiRootDirectory+"="+req.GetInfo().GetRootDirectory(),
		pulumi.EnvStack+"="+req.GetStack(),
		pulumi.EnvConfig+"="+string(config),
		pulumi.EnvConfigSecretKeys+"="+string(secretKeys),
		pulumi.EnvDryRun+"="+strconv.FormatBool(req.GetDryRun()),
		pulumi.EnvParallel+"="+strconv.Itoa(int(req.GetParallel())),
		pulumi.EnvMonitor+"="+req.GetMonitorAddress(),
		pulumi.EnvEngine+"="+engine,
	), nil
}

// InstallDependencies does nothing: the build takes the modules.
func (h *Host) InstallDependencies(
	*pulumirpc.InstallDependenciesRequest,
	pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	return nil
}

// RunPlugin builds a plugin and runs it until the engine ends the call. What it writes to stderr is the test's.
func (h *Host) RunPlugin(req *pulumirpc.RunPluginRequest, stream pulumirpc.LanguageRuntime_RunPluginServer) error {
	binary, err := h.programs.build(filepath.Join(req.GetInfo().GetProgramDirectory(), req.GetInfo().GetEntryPoint()))
	if err != nil {
		return err
	}
	plugin := exec.CommandContext(stream.Context(), binary, req.GetArgs()...)
	plugin.Dir, plugin.Env = req.GetPwd(), append(os.Environ(), req.GetEnv()...)
	plugin.Stdout, plugin.Stderr = stdout{stream}, os.Stderr
	if err := plugin.Run(); err != nil && plugin.ProcessState == nil {
		return fmt.Errorf("running %s: %w", binary, err)
	}
	//nolint:gosec // below 256
	return stream.Send(&pulumirpc.RunPluginResponse{
		Output: &pulumirpc.RunPluginResponse_Exitcode{Exitcode: int32(plugin.ProcessState.ExitCode())},
	})
}

// stdout sends what a plugin writes.
type stdout struct {
	stream pulumirpc.LanguageRuntime_RunPluginServer
}

func (s stdout) Write(text []byte) (int, error) {
	return len(text), s.stream.Send(&pulumirpc.RunPluginResponse{
		Output: &pulumirpc.RunPluginResponse_Stdout{Stdout: text},
	})
}
