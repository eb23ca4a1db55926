// Package kubernetes is the API server of an offline cluster, and the kubernetes provider that the engine attaches to.
package kubernetes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"sync"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/plugin"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Provider is one instance of the kubernetes provider: one connection of the engine, with the cluster that its
// configuration selects.
type Provider struct {
	plugin.Base

	objects map[string]*ObjectKind
	open    func(cluster string) (*Cluster, error)

	// engine receives warnings. Set by Attach.
	engine pulumirpc.EngineClient
	// cancelled is closed when the engine cancels.
	cancelled chan struct{}
	cancel    sync.Once

	// Set by Configure.
	config  props.Map
	cluster *Cluster
}

var _ pulumirpc.ResourceProviderServer = (*Provider)(nil)

// NewProvider returns a provider of objects in the clusters that open returns by name.
func NewProvider(objects map[string]*ObjectKind, open func(string) (*Cluster, error)) *Provider {
	return &Provider{objects: objects, open: open, cancelled: make(chan struct{})}
}

// Attach connects to the engine, which prints warnings.
func (p *Provider) Attach(_ context.Context, req *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	connection, err := grpc.NewClient(req.GetAddress(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("reaching the engine at %s: %w", req.GetAddress(), err)
	}
	p.engine = pulumirpc.NewEngineClient(connection)
	return &emptypb.Empty{}, nil
}

// Cancel ends all waits.
func (p *Provider) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	p.cancel.Do(func() { close(p.cancelled) })
	return &emptypb.Empty{}, nil
}

// pluginVersion is later than each version of pulumi-kubernetes 4 that a program may require.
const pluginVersion = "4.999.0"

// GetSchema returns the configuration of the provider, which programs in YAML pass to components, and no types.
func (p *Provider) GetSchema(context.Context, *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	return plugin.Schema{
		Name: "kubernetes", Version: pluginVersion, Config: props.ShapeOf(kubernetes.ProviderArgs{}),
	}.Response()
}

// GetPluginInfo returns the version.
func (p *Provider) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: pluginVersion}, nil
}

// CheckConfig accepts any configuration: errors in a kubeconfig appear only when the cluster is used.
func (p *Provider) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

// DiffConfig reports which configuration changes. Configuration that selects another cluster replaces the provider and
// all its objects, unless the cluster's identifier is unchanged. Adding or removing an identifier replaces nothing.
func (p *Provider) DiffConfig(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	olds, news, err := props.UnmarshalBoth(req.GetOldInputs(), req.GetNews())
	if err != nil {
		return nil, err
	}
	response := (&ObjectKind{}).diff(nil, olds, news, req.GetIgnoreChanges()).Response()
	const identifier = "clusterIdentifier"
	switch before, after := olds.String(identifier), news.String(identifier); {
	case before != "" && before == after:
	case before != "" && after != "":
		response.Replaces = []string{identifier}
	default:
		for _, key := range []string{"kubeconfig", "context", "cluster"} {
			if olds.String(key) != news.String(key) {
				response.Replaces = append(response.Replaces, key)
			}
		}
	}
	return response, nil
}

// Configure selects the cluster: two kubeconfigs, or two contexts of one, are two clusters.
func (p *Provider) Configure(_ context.Context, req *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	config, err := props.Unmarshal(req.GetArgs())
	if err != nil {
		return nil, err
	}
	p.config = config
	if p.cluster, err = p.open(ClusterName(config)); err != nil {
		return nil, err
	}
	return &pulumirpc.ConfigureResponse{SupportsPreview: true}, nil
}

// ClusterName returns the name of the cluster that a configuration selects.
func ClusterName(config props.Map) string {
	name := cmp.Or(config.String("context"), "default")
	if kubeconfig := config.String("kubeconfig"); kubeconfig != "" {
		sum := sha256.Sum256([]byte(kubeconfig))
		name += "-" + hex.EncodeToString(sum[:4])
	}
	return url.PathEscape(name)
}

// request returns the kind of a request, and two of its sets of properties.
func (p *Provider) request(token string, one, other *structpb.Struct) (*ObjectKind, props.Map, props.Map, error) {
	k := p.objects[token]
	switch {
	case k == nil:
		return nil, nil, nil, fmt.Errorf("resource type %q is not part of the offline cluster", token)
	case p.cluster == nil:
		return nil, nil, nil, plugin.ErrNotConfigured
	}
	first, second, err := props.UnmarshalBoth(one, other)
	return k, first, second, err
}

// answers fails, in the provider's words, where the API server does not answer.
func (p *Provider) answers() error {
	if err := p.cluster.Answers(); err != nil {
		return fmt.Errorf("configured Kubernetes cluster is unreachable: unable to load schema information from the API server: %w", err)
	}
	return nil
}

// removeUnreachable is the provider's advice for an object whose cluster does not answer. Source: pulumi-kubernetes,
// provider/pkg/provider/provider.go.
const removeUnreachable = "If the cluster was deleted, you can remove this resource from Pulumi state by rerunning the operation with the " +
	"PULUMI_K8S_DELETE_UNREACHABLE environment variable set to \"true\""

// deletesUnreachable reports whether the provider removes such objects from the state. The environment's variable is
// not passed to the engine.
func (p *Provider) deletesUnreachable() bool { return p.config.String("deleteUnreachable") == "true" }

// Check validates an object against its type and completes it.
func (p *Provider) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	k, olds, news, err := p.request(req.GetType(), req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	inputs, failures := k.check(req.GetName(), req.GetRandomSeed(), olds, news)
	response := &pulumirpc.CheckResponse{}
	for _, f := range failures {
		response.Failures = append(response.Failures, &pulumirpc.CheckFailure{
			Property: f.Property(),
			Reason:   f.Path + ": " + f.Reason,
		})
	}
	response.Inputs, err = props.Marshal(inputs)
	return response, err
}

// Diff returns the effect of a change of an object. A custom resource is compared with the cluster's object.
func (p *Provider) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	k, olds, news, err := p.request(req.GetType(), req.GetOldInputs(), req.GetNews())
	if err != nil {
		return nil, err
	}
	if k.custom {
		state, err := props.Unmarshal(req.GetOlds())
		if err != nil {
			return nil, err
		}
		// The inputs of the last request, without the ignored fields that it left to other managers.
		if sent := state.Object(inputsKey); sent != nil {
			olds = sent
		}
		olds = pruned(map[string]any(live(state)), map[string]any(olds)).(map[string]any)
	}
	return k.diff(p.config, olds, news, req.GetIgnoreChanges()).Response(), nil
}

// Create creates an object; a preview makes a dry run on the API server, if that is possible yet.
func (p *Provider) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	k, inputs, _, err := p.request(req.GetType(), req.GetProperties(), nil)
	if err != nil {
		return nil, err
	}
	unreachable := p.answers()
	if req.GetPreview() && (!k.custom || props.HoldsUnknown(map[string]any(inputs)) || unreachable != nil) {
		properties, err := props.Marshal(k.planned(inputs))
		return &pulumirpc.CreateResponse{Properties: properties}, err
	}
	if unreachable != nil {
		return nil, unreachable
	}
	how := asManager(p.config, nil, inputs)
	how.dry = req.GetPreview()
	if operators, err := p.cluster.Operators(); err != nil || operators.ReadOnly && !how.dry {
		return nil, errors.Join(err, fmt.Errorf("resource %q was not successfully created by the Kubernetes API server: %w",
			k.ID(inputs),
			apierrors.NewForbidden(schema.GroupResource{
				Resource: strings.ToLower(k.kind),
			}, k.ID(inputs), errors.New("the caller may only read"))))
	}
	id, out, err := p.cluster.create(k, inputs, how)
	switch {
	case how.dry && (apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)):
		// Its namespace does not exist yet, or the object that it replaces still exists.
		return &pulumirpc.CreateResponse{Properties: req.GetProperties()}, nil
	case err != nil:
		return nil, fmt.Errorf("resource %q was not successfully created by the Kubernetes API server: %w", k.ID(inputs), err)
	case how.dry:
		properties, err := props.Marshal(k.checkpoint(out, inputs, how.manager))
		return &pulumirpc.CreateResponse{Properties: properties}, err
	}
	now, err := p.awaitReady(ctx, k, id, inputs, req.GetTimeout())
	if now != nil {
		out = now
	}
	out = k.checkpoint(out, inputs, how.manager)
	if err != nil {
		return nil, plugin.InitFailed(id, fmt.Errorf("resource %q was successfully created, but the Kubernetes API server "+
			"reported that it failed to fully initialize or become live: %w", id, err), out)
	}
	properties, err := props.Marshal(out)
	return &pulumirpc.CreateResponse{Id: id, Properties: properties}, err
}

// Read returns an object as it is now. The ID is empty if there is none.
func (p *Provider) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	k, olds, state, err := p.request(req.GetType(), req.GetInputs(), req.GetProperties())
	if err != nil {
		return nil, err
	}
	if p.answers() != nil {
		if p.deletesUnreachable() {
			return &pulumirpc.ReadResponse{}, nil
		}
		return nil, errors.New("failed to read resource state due to unreachable cluster. " + removeUnreachable)
	}
	out, err := p.cluster.read(k, req.GetId())
	if err != nil || out == nil {
		return &pulumirpc.ReadResponse{}, err
	}
	inputs := k.found(out, olds)
	response := &pulumirpc.ReadResponse{Id: req.GetId()}
	if response.Properties, err = props.Marshal(k.checkpoint(out, inputs,
		asManager(p.config, state, olds).manager)); err != nil {
		return nil, err
	}
	response.Inputs, err = props.Marshal(k.withSecrets(inputs))
	return response, err
}

// Update changes an object in place; a preview makes a dry run on the API server.
func (p *Provider) Update(ctx context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	k, state, inputs, err := p.request(req.GetType(), req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	olds, err := props.Unmarshal(req.GetOldInputs())
	if err != nil {
		return nil, err
	}
	unreachable := p.answers()
	if req.GetPreview() && (!k.custom || props.HoldsUnknown(map[string]any(inputs)) || unreachable != nil) {
		properties, err := props.Marshal(k.applied(live(state), inputs))
		return &pulumirpc.UpdateResponse{Properties: properties}, err
	}
	if unreachable != nil {
		return nil, unreachable
	}
	how := asManager(p.config, state, inputs)
	how.dry = req.GetPreview()
	how.was, how.ignored = olds, req.GetIgnoreChanges()
	out, err := p.cluster.update(k, req.GetId(), inputs, how)
	if err == nil && !how.dry {
		var now props.Map
		if now, err = p.awaitReady(ctx, k, req.GetId(), inputs, req.GetTimeout()); now != nil {
			out = now
		}
	}
	if err != nil {
		return nil, p.notUpdated(k, req.GetId(), inputs, how, err)
	}
	properties, err := props.Marshal(k.checkpoint(out, inputs, how.manager))
	return &pulumirpc.UpdateResponse{Properties: properties}, err
}

// notUpdated returns the error of a failed change; the engine stores the object as it is now.
func (p *Provider) notUpdated(k *ObjectKind, id string, inputs props.Map, how WriteOptions, err error) error {
	if apierrors.IsConflict(err) {
		err = fmt.Errorf("server-side apply field conflict detected, see https://www.pulumi.com/registry/packages/kubernetes/"+
			"how-to-guides/managing-resources-with-server-side-apply/#handle-field-conflicts-on-existing-resources for troubleshooting help\n"+
			"The resource managed by field manager %q had an apply conflict: %w", how.manager, err)
	}
	now, readErr := p.cluster.read(k, id)
	if readErr != nil || now == nil {
		return errors.Join(fmt.Errorf("update of resource %q failed: %w", id, err), readErr)
	}
	return plugin.InitFailed(id, fmt.Errorf("the Kubernetes API server reported that %q failed to fully initialize or become live: %w", id, err),
		k.checkpoint(now, inputs, how.manager))
}

// Delete deletes an object, and with a namespace all objects in it, and waits until it is deleted.
func (p *Provider) Delete(ctx context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	k, inputs, state, err := p.request(req.GetType(), req.GetOldInputs(), req.GetProperties())
	if err != nil {
		return nil, err
	}
	if p.answers() != nil {
		if p.deletesUnreachable() {
			return &emptypb.Empty{}, nil
		}
		return nil, errors.New("configured Kubernetes cluster is unreachable. " + removeUnreachable)
	}
	object, err := p.cluster.read(k, req.GetId())
	if err != nil || object == nil {
		return &emptypb.Empty{}, err
	}
	if k.patches != "" {
		return &emptypb.Empty{}, p.cluster.relinquish(k, req.GetId(), inputs)
	}
	if err := p.cluster.remove(k, req.GetId()); err != nil {
		return nil, err
	}
	left, err := p.awaitGone(ctx, k, req, inputs, object.Object("metadata").String("uid"))
	if err != nil && left != nil {
		return nil, plugin.InitFailed(req.GetId(), err, k.checkpoint(left, inputs, state.String(ManagerKey)))
	}
	return &emptypb.Empty{}, err
}

// Besides an object's own fields, pulumi-kubernetes stores in its state the inputs and the field manager, for objects
// of each kind.
const (
	inputsKey     = "__inputs"
	ManagerKey    = "__fieldManager"
	apiVersionKey = "__initialApiVersion"
)

// checkpoint returns an object in the form in which the engine stores it.
func (k *ObjectKind) checkpoint(object, inputs props.Map, manager string) props.Map {
	out := object.Clone()
	out[inputsKey] = map[string]any(k.withSecrets(inputs))
	out[ManagerKey] = manager
	out[apiVersionKey] = k.apiVersion
	return out
}

// withSecrets returns inputs with the content of a Secret marked as secret.
func (k *ObjectKind) withSecrets(inputs props.Map) props.Map {
	if k.kind != "Secret" {
		return inputs
	}
	marked := inputs.Clone()
	for _, name := range k.data {
		if marked.Has(name) {
			marked[name] = props.Secret{Value: marked[name]}
		}
	}
	return marked
}

// live returns the object of a checkpoint.
func live(p props.Map) props.Map {
	object := maps.Clone(p)
	maps.DeleteFunc(object, func(key string, _ any) bool { return strings.HasPrefix(key, "__") })
	return object
}

// asManager returns the options for applying an object: the manager of an annotation, otherwise the one in the state,
// otherwise a new one for the resource.
func asManager(config, state, inputs props.Map) WriteOptions {
	manager := Annotation(inputs, "pulumi.com/patchFieldManager")
	manager = cmp.Or(manager, state.String(ManagerKey))
	manager = cmp.Or(manager, "pulumi-kubernetes-"+ids.RandomOf("0123456789abcdef", 8))
	force := Annotation(inputs, "pulumi.com/patchForce") == "true" || config.String("enablePatchForce") == "true" ||
		config.Bool("enablePatchForce")
	return WriteOptions{manager: manager, force: force, former: state.String(ManagerKey)}
}
