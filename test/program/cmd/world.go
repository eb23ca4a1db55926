package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// world is a provider called aws that keeps resources as files and does what their inputs say: "hold"
// makes an operation wait until it is released, "fail" makes it fail with that text. It is for signals,
// locks and failures, where it matters when something happens; package offline is for what AWS does.
type world struct {
	pulumirpc.UnimplementedResourceProviderServer
	dir string
}

// serveWorld serves until it is killed, and writes its port into dir/port.
func serveWorld(dir string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	pulumirpc.RegisterResourceProviderServer(server, &world{dir: dir})
	port := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	if err := os.WriteFile(filepath.Join(dir, "port.new"), []byte(port), 0o644); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "port.new"), filepath.Join(dir, "port")); err != nil {
		return err
	}
	return server.Serve(listener)
}

func (w *world) path(id string) string { return filepath.Join(w.dir, "resource-"+id) }

// obey waits and fails as the inputs say.
func (w *world) obey(inputs *structpb.Struct) error {
	if err := w.hold(inputs.GetFields()["hold"].GetStringValue()); err != nil {
		return err
	}
	if text := inputs.GetFields()["fail"].GetStringValue(); text != "" {
		return fmt.Errorf("%s", text)
	}
	return nil
}

func (w *world) hold(hold string) error {
	if hold != "" {
		if err := os.WriteFile(filepath.Join(w.dir, "began-"+hold), nil, 0o644); err != nil {
			return err
		}
		for !exists(filepath.Join(w.dir, "release-"+hold)) {
			time.Sleep(20 * time.Millisecond)
		}
	}
	return nil
}

func (w *world) save(id string, inputs *structpb.Struct) error {
	text, err := json.Marshal(inputs.AsMap())
	if err != nil {
		return err
	}
	return os.WriteFile(w.path(id), text, 0o644)
}

func (w *world) Create(_ context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	if req.GetPreview() {
		return &pulumirpc.CreateResponse{Properties: req.GetProperties()}, nil
	}
	if err := w.obey(req.GetProperties()); err != nil {
		return nil, err
	}
	_, name, _ := strings.Cut(req.GetUrn()[strings.LastIndex(req.GetUrn(), "::"):], "::")
	return &pulumirpc.CreateResponse{Id: name, Properties: req.GetProperties()}, w.save(name, req.GetProperties())
}

func (w *world) Update(_ context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	if !req.GetPreview() {
		if err := w.obey(req.GetNews()); err != nil {
			return nil, err
		}
		if err := w.save(req.GetId(), req.GetNews()); err != nil {
			return nil, err
		}
	}
	return &pulumirpc.UpdateResponse{Properties: req.GetNews()}, nil
}

func (w *world) Delete(_ context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	if err := w.hold(req.GetOldInputs().GetFields()["holdDelete"].GetStringValue()); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, os.Remove(w.path(req.GetId()))
}

func (w *world) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	if !exists(w.path(req.GetId())) {
		return &pulumirpc.ReadResponse{}, nil
	}
	return &pulumirpc.ReadResponse{Id: req.GetId(), Properties: req.GetProperties(), Inputs: req.GetInputs()}, nil
}

// Diff replaces for the inputs that replace in AWS.
func (w *world) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	before, after := req.GetOldInputs().AsMap(), req.GetNews().AsMap()
	var diff pulumirpc.DiffResponse
	diff.Changes = pulumirpc.DiffResponse_DIFF_NONE
	for _, key := range []string{"cidrBlock", "availabilityZone", "subnetId", "name", "tags"} {
		if fmt.Sprint(before[key]) != fmt.Sprint(after[key]) {
			diff.Changes = pulumirpc.DiffResponse_DIFF_SOME
			diff.Diffs = append(diff.Diffs, key)
			if key != "tags" {
				diff.Replaces = append(diff.Replaces, key)
			}
		}
	}
	slices.Sort(diff.Diffs)
	return &diff, nil
}

func (w *world) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

func (w *world) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

func (w *world) DiffConfig(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
}

func (w *world) Configure(context.Context, *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	return &pulumirpc.ConfigureResponse{SupportsPreview: true}, nil
}

func (w *world) Attach(context.Context, *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// Cancel is called by an engine that begins no further operation. Sessions wait for that: the CLI says that it stops
// before.
func (w *world) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, os.WriteFile(filepath.Join(w.dir, "cancelled"), nil, 0o644)
}

func (w *world) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "6.83.4"}, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
