package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/plugin"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
)

// realClusters is the environment in memory with real API servers as management clusters: the program reads them as it
// does outside of tests, and a provider of this package writes to them.
type realClusters struct {
	workspace.Environment
	// provider is the address of the kubernetes provider.
	provider *net.TCPAddr
}

// OpenCluster implements workspace.Environment.
func (realClusters) OpenCluster(k config.Kubeconfig) (workspace.Cluster, error) {
	return kubeapi.Open(k.File, k.Context)
}

// Accounts implements workspace.Environment.
func (e realClusters) Accounts(
	referred func() workspace.Referred,
	tell func(report.Event),
) (workspace.Accounts, error) {
	accounts, err := e.Environment.Accounts(referred, tell)
	return realAccounts{accounts, e.provider.Port}, err
}

type realAccounts struct {
	workspace.Accounts
	port int
}

// Attach implements workspace.Accounts.
func (a realAccounts) Attach(environ engine.Environ) engine.Environ {
	const variable = "PULUMI_DEBUG_PROVIDERS"
	environ = a.Accounts.Attach(environ)
	return environ.With(variable, regexp.MustCompile(`kubernetes:\d+`).ReplaceAllString(environ.Get(variable), fmt.Sprintf("kubernetes:%d", a.port)))
}

// serveObjects serves a kubernetes provider of API servers, by the paths of their kubeconfigs, until the test ends.
func serveObjects(
	t *testing.T,
	servers map[string]*apiserver.Server,
	options ...grpc.ServerOption,
) *net.TCPAddr {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	dir := t.TempDir()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			server := grpc.NewServer(options...)
			empty := func(name string) (*kubernetes.Cluster, error) {
				return kubernetes.Open(dir, name, kubernetes.Controllers{})
			}
			pulumirpc.RegisterResourceProviderServer(server, &objectProvider{
				Provider: kubernetes.NewProvider(kubernetes.ObjectKinds(), empty),
				servers:  servers,
			})
			go func() { _ = server.Serve(plugin.OneConnection(conn)) }()
		}
	}()
	return listener.Addr().(*net.TCPAddr)
}

// objectProvider writes objects to API servers by server-side apply, as pulumi-kubernetes does, which cannot be built
// from its module. Checks and differences are those of the offline provider.
type objectProvider struct {
	*kubernetes.Provider
	servers map[string]*apiserver.Server
	server  *apiserver.Server
}

// Configure implements the provider.
func (p *objectProvider) Configure(
	ctx context.Context,
	req *pulumirpc.ConfigureRequest,
) (*pulumirpc.ConfigureResponse, error) {
	settings, err := props.Unmarshal(req.GetArgs())
	if err != nil {
		return nil, err
	}
	if p.server = p.servers[settings.String("kubeconfig")]; p.server == nil {
		return nil, fmt.Errorf("there is no API server with the kubeconfig %q", settings.String("kubeconfig"))
	}
	return p.Provider.Configure(ctx, req)
}

// pathOf returns where an API server has an object of a Pulumi type, such as "kubernetes:core/v1:Secret".
func pathOf(token, id string) string {
	parts := strings.Split(token, ":")
	path, kind := "/apis/"+parts[1], strings.ToLower(strings.TrimSuffix(parts[2], "Patch"))+"s"
	if version, core := strings.CutPrefix(parts[1], "core/"); core {
		path = "/api/" + version
	}
	if namespace, name, namespaced := strings.Cut(id, "/"); namespaced {
		return path + "/namespaces/" + namespace + "/" + kind + "/" + name
	}
	return path + "/" + kind + "/" + id
}

// ask sends a request, and returns the object of the answer, nil if there is none.
func (p *objectProvider) ask(method, path, contentType string, body any) (props.Map, error) {
	code, text, err := p.server.Try(method, path, contentType, body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("configured Kubernetes cluster is unreachable: %w", err)
	case code == http.StatusNotFound && method != http.MethodPatch:
		return nil, nil
	case code >= http.StatusBadRequest:
		return nil, fmt.Errorf("%s %s: %d %s", method, path, code, text)
	}
	var object props.Map
	return object, json.Unmarshal(text, &object)
}

// apply applies an object, and returns its ID and what the engine keeps of it.
func (p *objectProvider) apply(
	token, manager string,
	inputs props.Map,
	dry, force bool,
) (id string, out props.Map, err error) {
	metadata := inputs.Object("metadata")
	id = strings.TrimPrefix(metadata.String("namespace")+"/"+metadata.String("name"), "/")
	query := url.Values{"fieldManager": {manager}}
	if dry {
		query.Set("dryRun", "All")
	}
	if force {
		query.Set("force", "true")
	}
	if out, err = p.ask(http.MethodPatch, pathOf(token, id)+"?"+query.Encode(), "application/apply-patch+yaml",
		inputs); err != nil {
		return "", nil, err
	}
	return id, kept(out, inputs, manager), nil
}

// appliedAs returns the field manager that applies an object: that of an annotation, otherwise the one in the state.
func appliedAs(name string, state, inputs props.Map) string {
	return cmp.Or(kubernetes.Annotation(inputs, "pulumi.com/patchFieldManager"), state.String(kubernetes.ManagerKey),
		"pulumi-kubernetes-"+name)
}

// kept returns what the engine keeps of an object: it, its inputs, and the field manager.
func kept(object, inputs props.Map, manager string) props.Map {
	object["__inputs"], object[kubernetes.ManagerKey], object["__initialApiVersion"] = map[string]any(inputs.Clone()),
		manager, inputs.String("apiVersion")
	return object
}

// Create implements the provider.
func (p *objectProvider) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	if req.GetPreview() {
		return p.Provider.Create(ctx, req)
	}
	inputs, err := props.Unmarshal(req.GetProperties())
	if err != nil {
		return nil, err
	}
	id, out, err := p.apply(req.GetType(), appliedAs(req.GetName(), nil, inputs), inputs, false, false)
	if err != nil {
		return nil, err
	}
	properties, err := props.Marshal(out)
	return &pulumirpc.CreateResponse{Id: id, Properties: properties}, err
}

// Update implements the provider.
func (p *objectProvider) Update(_ context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	state, inputs, err := props.UnmarshalBoth(req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	if req.GetPreview() && props.HoldsUnknown(map[string]any(inputs)) {
		return &pulumirpc.UpdateResponse{Properties: req.GetNews()}, nil
	}
	manager := appliedAs(req.GetName(), state, inputs)
	object, err := p.ask(http.MethodGet, pathOf(req.GetType(), req.GetId()), "", nil)
	if err != nil {
		return nil, err
	}
	owned, err := kubernetes.OwnedByApplier(object, manager)
	if err != nil {
		return nil, err
	}
	if fields := owned.Object("metadata")["managedFields"]; !req.GetPreview() {
		if _, err := p.ask(http.MethodPatch, pathOf(req.GetType(), req.GetId()), "application/merge-patch+json",
			props.Map{"metadata": props.Map{"managedFields": fields}}); err != nil {
			return nil, err
		}
	}
	if err := kubernetes.LeaveIgnored(inputs, owned, manager, req.GetIgnoreChanges()); err != nil {
		return nil, err
	}
	_, out, err := p.apply(req.GetType(), manager, inputs, req.GetPreview(),
		req.GetPreview() && kubernetes.CreatedNotApplied(object))
	if err != nil {
		return nil, err
	}
	properties, err := props.Marshal(out)
	return &pulumirpc.UpdateResponse{Properties: properties}, err
}

// readOnly are the fields of metadata that an API server sets, which an import does not read as inputs.
func readOnly() []string {
	return []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "finalizers"}
}

// Read implements the provider: the inputs stay, and those of an import are the object's.
func (p *objectProvider) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	inputs, state, err := props.UnmarshalBoth(req.GetInputs(), req.GetProperties())
	if err != nil {
		return nil, err
	}
	object, err := p.ask(http.MethodGet, pathOf(req.GetType(), req.GetId()), "", nil)
	if err != nil || object == nil {
		return &pulumirpc.ReadResponse{}, err
	}
	manager, read := state.String(kubernetes.ManagerKey), req.GetInputs()
	if len(inputs) == 0 {
		manager = "pulumi-kubernetes-" + req.GetName()
		inputs = object.Clone()
		delete(inputs, "status")
		for _, field := range readOnly() {
			delete(inputs.Object("metadata"), field)
		}
		if read, err = props.Marshal(inputs); err != nil {
			return nil, err
		}
	}
	properties, err := props.Marshal(kept(object, inputs, manager))
	return &pulumirpc.ReadResponse{Id: req.GetId(), Inputs: read, Properties: properties}, err
}

// Delete implements the provider. Nothing collects garbage on the API servers, so that it does not wait.
func (p *objectProvider) Delete(_ context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	if !strings.HasSuffix(req.GetType(), "Patch") {
		if _, err := p.ask(http.MethodDelete, pathOf(req.GetType(), req.GetId()), "", nil); err != nil {
			return nil, err
		}
	}
	return &emptypb.Empty{}, nil
}
