package offline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
)

// kubernetesProvider is one instance of the kubernetes provider: one connection of the engine's, with the cluster that
// its configuration leads to.
type kubernetesProvider struct {
	attached

	objects map[string]*objectKind
	open    func(cluster string) (*Cluster, error)

	// Set by Configure.
	config  props
	cluster *Cluster
}

var _ pulumirpc.ResourceProviderServer = (*kubernetesProvider)(nil)

// GetPluginInfo stands in for whatever version of pulumi-kubernetes 4 the program asks for.
func (p *kubernetesProvider) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "4.999.0"}, nil
}

// CheckConfig takes any configuration: what is wrong with a kubeconfig shows only where there is a cluster.
func (p *kubernetesProvider) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

// DiffConfig reports which configuration changes. None replaces what the provider has made.
func (p *kubernetesProvider) DiffConfig(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	olds, news, err := unmarshalBoth(req.GetOldInputs(), req.GetNews())
	if err != nil {
		return nil, err
	}
	return diff(&kind{}, olds, news, req.GetIgnoreChanges()).response(), nil
}

// Configure chooses the cluster: two kubeconfigs, or two contexts of one, are two clusters.
func (p *kubernetesProvider) Configure(_ context.Context, req *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	config, err := unmarshal(req.GetArgs())
	if err != nil {
		return nil, err
	}
	p.config = config
	if p.cluster, err = p.open(clusterOf(config)); err != nil {
		return nil, err
	}
	return &pulumirpc.ConfigureResponse{SupportsPreview: true}, nil
}

// clusterOf names the cluster that a configuration leads to.
func clusterOf(config props) string {
	name := or(config.text("context"), "default")
	if kubeconfig := config.text("kubeconfig"); kubeconfig != "" {
		sum := sha256.Sum256([]byte(kubeconfig))
		name += "-" + hex.EncodeToString(sum[:4])
	}
	return url.PathEscape(name)
}

// request reads what most methods begin with.
func (p *kubernetesProvider) request(token string) (*objectKind, error) {
	k := p.objects[token]
	switch {
	case k == nil:
		return nil, fmt.Errorf("resource type %q is not part of the offline cluster", token)
	case p.cluster == nil:
		return nil, errNotConfigured
	}
	return k, nil
}

// Check holds an object against its type and completes it.
func (p *kubernetesProvider) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	k, err := p.request(req.GetType())
	if err != nil {
		return nil, err
	}
	olds, news, err := unmarshalBoth(req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	inputs, failures := k.check(req.GetName(), req.GetRandomSeed(), olds, news)
	response := &pulumirpc.CheckResponse{}
	for _, f := range failures {
		response.Failures = append(response.Failures, &pulumirpc.CheckFailure{Property: f.property(), Reason: f.path + ": " + f.reason})
	}
	response.Inputs, err = inputs.marshal()
	return response, err
}

// Diff says what a change of an object does.
func (p *kubernetesProvider) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	k, err := p.request(req.GetType())
	if err != nil {
		return nil, err
	}
	olds, news, err := unmarshalBoth(req.GetOldInputs(), req.GetNews())
	if err != nil {
		return nil, err
	}
	return k.diff(p.config, olds, news, req.GetIgnoreChanges()).response(), nil
}

// Create makes an object; in a preview it tells what is known of it beforehand.
func (p *kubernetesProvider) Create(_ context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	k, err := p.request(req.GetType())
	if err != nil {
		return nil, err
	}
	inputs, err := unmarshal(req.GetProperties())
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.CreateResponse{}
	out := k.planned(inputs)
	if !req.GetPreview() {
		if response.Id, out, err = p.cluster.create(k, inputs); err != nil {
			return nil, fmt.Errorf("resource %q was not successfully created by the Kubernetes API server: %w", k.id(inputs), err)
		}
	}
	response.Properties, err = out.marshal()
	return response, err
}

// Read reports an object as it is. The ID is empty if there is none.
func (p *kubernetesProvider) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	k, err := p.request(req.GetType())
	if err != nil {
		return nil, err
	}
	olds, err := unmarshal(req.GetInputs())
	if err != nil {
		return nil, err
	}
	out, err := p.cluster.read(k, req.GetId())
	if err != nil || out == nil {
		return &pulumirpc.ReadResponse{}, err
	}
	response := &pulumirpc.ReadResponse{Id: req.GetId()}
	if response.Properties, err = out.marshal(); err != nil {
		return nil, err
	}
	response.Inputs, err = k.found(out, olds).marshal()
	return response, err
}

// Update changes an object in place.
func (p *kubernetesProvider) Update(_ context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	k, err := p.request(req.GetType())
	if err != nil {
		return nil, err
	}
	olds, inputs, err := unmarshalBoth(req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	out := k.applied(olds, inputs)
	if !req.GetPreview() {
		if out, err = p.cluster.update(k, req.GetId(), inputs); err != nil {
			return nil, fmt.Errorf("resource %q was not successfully updated by the Kubernetes API server: %w", req.GetId(), err)
		}
	}
	properties, err := out.marshal()
	return &pulumirpc.UpdateResponse{Properties: properties}, err
}

// Delete removes an object, and with a namespace all that is in it.
func (p *kubernetesProvider) Delete(_ context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	k, err := p.request(req.GetType())
	if err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, p.cluster.remove(k, req.GetId())
}
