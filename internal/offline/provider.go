package offline

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
)

// provider is one instance of the aws provider: one connection of the engine's, with its configuration.
type provider struct {
	attached

	types catalogue
	open  func(site) (*Account, error)
	// note hears of everything that is asked.
	note  func(at site, token string, inputs props)
	stage *stage

	// Set by Configure, which the engine calls before anything that needs them.
	site    site
	account *Account
}

var _ pulumirpc.ResourceProviderServer = (*provider)(nil)

// GetPluginInfo stands in for whatever version of pulumi-aws 6 the program asks for: the engine warns of an older one.
func (p *provider) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "6.999.0"}, nil
}

// CheckConfig refuses configuration that the provider does not know and asks for a region.
func (p *provider) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	config, err := unmarshal(req.GetNews())
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.CheckResponse{Inputs: req.GetNews()}
	for _, name := range config.keys() {
		if !p.types.config[name] {
			response.Failures = append(response.Failures, &pulumirpc.CheckFailure{Property: name,
				Reason: "could not validate provider configuration: Invalid or unknown key. Examine values at 'aws:" + name + "'."})
		}
	}
	if _, err := siteOf(config); err != nil && !holdsUnknown(config["region"]) {
		response.Failures = append(response.Failures, &pulumirpc.CheckFailure{Property: "region", Reason: err.Error()})
	}
	return response, nil
}

// DiffConfig reports which configuration changes. None replaces what the provider has made, as in pulumi-aws.
func (p *provider) DiffConfig(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	olds, news, err := unmarshalBoth(req.GetOldInputs(), req.GetNews())
	if err != nil {
		return nil, err
	}
	return diff(&kind{}, olds, news, req.GetIgnoreChanges()).response(), nil
}

// Configure chooses the account and the region. The engine does not call it while a preview cannot know the
// configuration.
func (p *provider) Configure(_ context.Context, req *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	config, err := unmarshal(req.GetArgs())
	if err != nil {
		return nil, err
	}
	if p.site, err = siteOf(config); err != nil {
		return nil, err
	}
	if p.account, err = p.open(p.site); err != nil {
		return nil, err
	}
	return &pulumirpc.ConfigureResponse{SupportsPreview: true}, nil
}

// Check holds inputs against their type and completes them.
func (p *provider) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	k, err := p.types.kind(req.GetType())
	if err != nil {
		return nil, err
	}
	olds, news, err := unmarshalBoth(req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	inputs, failures := k.check(p.site, req.GetName(), req.GetRandomSeed(), olds, news)
	p.note(p.site, req.GetType(), inputs)
	response := &pulumirpc.CheckResponse{}
	for _, f := range failures {
		response.Failures = append(response.Failures, &pulumirpc.CheckFailure{
			Property: f.property(), Reason: f.reason + " Examine values at '" + req.GetName() + "." + f.path + "'."})
	}
	response.Inputs, err = inputs.marshal()
	return response, err
}

// Diff says what a change of inputs does.
func (p *provider) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	k, err := p.types.kind(req.GetType())
	if err != nil {
		return nil, err
	}
	olds, news, err := unmarshalBoth(req.GetOldInputs(), req.GetNews())
	if err != nil {
		return nil, err
	}
	return diff(k, olds, news, req.GetIgnoreChanges()).response(), nil
}

// Create makes a resource; in a preview it tells what is known of it beforehand.
func (p *provider) Create(_ context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	k, inputs, err := p.request(req.GetType(), req.GetProperties())
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.CreateResponse{}
	var out props
	if req.GetPreview() {
		out = k.planned(inputs)
	} else {
		err = p.perform(creating, k, "", func(c *call) error {
			if err := c.create(inputs, byStack); err != nil {
				return err
			}
			response.Id, out = c.rec.ID, c.outputs(c.rec)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	response.Properties, err = out.marshal()
	return response, err
}

// Read reports a resource as it is, for refresh, import and lookups by ID. The ID is empty if there is none.
func (p *provider) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	k, olds, err := p.request(req.GetType(), req.GetInputs())
	if err != nil {
		return nil, err
	}
	// The engine sends a state with a refresh, and none with an import.
	refresh := len(req.GetProperties().GetFields()) > 0
	var inputs, out props
	response := &pulumirpc.ReadResponse{}
	err = p.perform(reading, k, req.GetId(), func(c *call) error {
		rec := c.named(req.GetId())
		if rec == nil {
			return nil
		}
		response.Id, out = rec.ID, c.outputs(rec)
		if refresh {
			inputs = k.refreshed(out, olds)
		} else {
			inputs = k.imported(out)
		}
		return nil
	})
	if err != nil || response.Id == "" {
		return response, err
	}
	if response.Properties, err = out.marshal(); err != nil {
		return nil, err
	}
	response.Inputs, err = inputs.marshal()
	return response, err
}

// Update changes a resource in place.
func (p *provider) Update(_ context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	k, inputs, err := p.request(req.GetType(), req.GetNews())
	if err != nil {
		return nil, err
	}
	var out props
	if req.GetPreview() {
		olds, err := unmarshal(req.GetOlds())
		if err != nil {
			return nil, err
		}
		out = k.merge(olds, inputs)
	} else {
		err = p.perform(updating, k, req.GetId(), func(c *call) error {
			if err := c.update(req.GetId(), inputs); err != nil {
				return err
			}
			out = c.outputs(c.rec)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	properties, err := out.marshal()
	return &pulumirpc.UpdateResponse{Properties: properties}, err
}

// Delete removes a resource.
func (p *provider) Delete(_ context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	k, _, err := p.request(req.GetType(), nil)
	if err != nil {
		return nil, err
	}
	err = p.perform(deleting, k, req.GetId(), func(c *call) error { return c.remove(req.GetId()) })
	return &emptypb.Empty{}, err
}

// Invoke answers a function.
func (p *provider) Invoke(_ context.Context, req *pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error) {
	f, err := p.types.function(req.GetTok())
	if err != nil {
		return nil, err
	}
	args, err := unmarshal(req.GetArgs())
	if err != nil {
		return nil, err
	}
	if p.account == nil {
		return nil, errNotConfigured
	}
	p.note(p.site, req.GetTok(), args)
	var result props
	err = p.account.transact(func(t *accountTx) error {
		result, err = f.run(&call{accountTx: t, site: p.site}, args)
		return err
	})
	if err != nil {
		return nil, err
	}
	returned, err := result.marshal()
	return &pulumirpc.InvokeResponse{Return: returned}, err
}
