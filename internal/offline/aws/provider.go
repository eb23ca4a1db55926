package aws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/plugin"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Provider is one instance of the aws provider: one connection of the engine, with its configuration.
type Provider struct {
	plugin.Base

	Types Catalogue
	Open  func(Site) (*Account, error)
	// Note is called for each resource that is checked and each function that is called, which has no URN.
	Note func(at Site, token, urn string, inputs props.Map)
	// Caller is the user whose policies AWS evaluates. May be nil.
	Caller Caller
	Stage  *faults.Run

	// Set by Configure, which the engine calls before any call that needs them.
	site    Site
	account *Account
}

var _ pulumirpc.ResourceProviderServer = (*Provider)(nil)

// pluginVersion is later than each version of pulumi-aws 6 that a program may require: the engine warns about an older
// one.
const pluginVersion = "6.999.0"

// GetPluginInfo returns the version.
func (p *Provider) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: pluginVersion}, nil
}

// CheckConfig refuses unknown configuration keys and requires a region.
func (p *Provider) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	config, err := props.Unmarshal(req.GetNews())
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.CheckResponse{Inputs: req.GetNews()}
	for _, name := range config.Keys() {
		if _, known := p.Types.config[name]; !known && !slices.Contains(ofEveryProvider, name) {
			response.Failures = append(response.Failures, &pulumirpc.CheckFailure{Property: name,
				Reason: "could not validate provider configuration: Invalid or unknown key. Examine values at 'aws:" + name + "'."})
		}
	}
	var excluded notAllowedError // reported by Configure, as by pulumi-aws
	if _, err := NewSite(config); err != nil && !errors.As(err, &excluded) && !props.HoldsUnknown(config["region"]) {
		response.Failures = append(response.Failures, &pulumirpc.CheckFailure{Property: "region", Reason: err.Error()})
	}
	return response, nil
}

// DiffConfig reports which configuration changes. As in pulumi-aws, no change replaces resources.
func (p *Provider) DiffConfig(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	olds, news, err := props.UnmarshalBoth(req.GetOldInputs(), req.GetNews())
	if err != nil {
		return nil, err
	}
	return diff(&Kind{}, olds, news, req.GetIgnoreChanges()).Response(), nil
}

// Configure selects the account and the region. In a preview, the engine does not call it while the configuration is
// unknown.
func (p *Provider) Configure(_ context.Context, req *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	config, err := props.Unmarshal(req.GetArgs())
	if err != nil {
		return nil, err
	}
	if p.site, err = NewSite(config); err != nil {
		return nil, err
	}
	if p.account, err = p.Open(p.site); err != nil {
		return nil, err
	}
	return &pulumirpc.ConfigureResponse{SupportsPreview: true}, nil
}

// Check validates inputs against their type and completes them.
func (p *Provider) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	k, err := p.Types.kind(req.GetType())
	if err != nil {
		return nil, err
	}
	olds, news, err := props.UnmarshalBoth(req.GetOlds(), req.GetNews())
	if err != nil {
		return nil, err
	}
	inputs, failures := k.Check(p.site, req.GetName(), req.GetRandomSeed(), olds, news)
	p.Note(p.site, req.GetType(), req.GetUrn(), inputs)
	response := &pulumirpc.CheckResponse{}
	for _, f := range failures {
		response.Failures = append(response.Failures, &pulumirpc.CheckFailure{
			Property: f.Property(), Reason: f.Reason + " Examine values at '" + req.GetName() + "." + f.Path + "'."})
	}
	response.Inputs, err = props.Marshal(inputs)
	return response, err
}

// Diff returns the effect of a change of inputs.
func (p *Provider) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	k, err := p.Types.kind(req.GetType())
	if err != nil {
		return nil, err
	}
	olds, news, err := props.UnmarshalBoth(req.GetOldInputs(), req.GetNews())
	if err != nil {
		return nil, err
	}
	return diff(k, olds, news, req.GetIgnoreChanges()).Response(), nil
}

// Create creates a resource; in a preview it returns what is known of it.
func (p *Provider) Create(_ context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	k, inputs, err := p.request(req.GetType(), req.GetProperties())
	if err != nil {
		return nil, err
	}
	inputs = k.withAllTags(p.site, inputs)
	response := &pulumirpc.CreateResponse{}
	var out props.Map
	if req.GetPreview() {
		out = k.planned(inputs)
	} else {
		var unready error
		err = p.perform(Creating, k, "", func(c *Call) error {
			sent := inputs
			if c.stopAfter >= 0 {
				sent, c.Unset = k.unfinished(inputs, c.stopAfter)
			}
			if err := c.Create(sent, store.ByStack); err != nil {
				return err
			}
			response.Id, out = c.Resource.ID, c.Outputs(c.Resource)
			if c.stopped != nil { // the provider's state has what it was going to set
				out, unready = inputs, refusal(Creating, k, response.Id, c.stopped)
				return nil
			}
			now := states{now: withID(out, response.Id)}
			if err := p.authorize(c, k.Token, Creating, now); err != nil {
				return err
			}
			if k.AfterCreate != nil {
				unready = k.AfterCreate(c)
			}
			if p.Stage.LateRead(k.Token) {
				unready = fmt.Errorf("reading %s %s (%s): couldn't find resource", k.Service, k.Noun, response.Id)
			}
			if unready == nil {
				unready = refusal(reading, k, response.Id, p.authorize(c, k.Token, reading, now))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		out = k.providerOutputs(response.Id, out)
		if unready != nil {
			return nil, plugin.InitFailed(response.Id, unready, out)
		}
	}
	response.Properties, err = props.Marshal(out)
	return response, err
}

// Read returns a resource as it is now, for refresh, import and lookups by ID. The ID is empty if there is none.
func (p *Provider) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	k, olds, err := p.request(req.GetType(), req.GetInputs())
	if err != nil {
		return nil, err
	}
	// The engine passes a state with a refresh, and none with an import.
	refresh := len(req.GetProperties().GetFields()) > 0
	var inputs, out props.Map
	response := &pulumirpc.ReadResponse{}
	err = p.perform(reading, k, req.GetId(), func(c *Call) error {
		rec := c.byImportID(req.GetId())
		if rec == nil && !refresh && k.OnImport != nil {
			var err error
			if rec, err = k.OnImport(c, req.GetId()); err != nil {
				return err
			}
		}
		if rec == nil {
			return nil
		}
		response.Id, out = rec.ID, c.Outputs(rec)
		if err := p.authorize(c, k.Token, reading, states{now: withID(out, rec.ID)}); err != nil {
			return err
		}
		if refresh {
			inputs = k.refreshed(out, olds)
		} else {
			inputs = k.imported(out)
			for _, name := range k.Unread {
				delete(out, name)
			}
		}
		return nil
	})
	if err != nil || response.Id == "" {
		return response, err
	}
	if response.Properties, err = props.Marshal(k.providerOutputs(response.Id, out)); err != nil {
		return nil, err
	}
	response.Inputs, err = props.Marshal(inputs)
	return response, err
}

// withID returns outputs with the ID.
func withID(out props.Map, id string) props.Map {
	all := maps.Clone(out)
	all["id"] = id
	return all
}

// Update changes a resource in place.
func (p *Provider) Update(_ context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	k, news, err := p.request(req.GetType(), req.GetNews())
	if err != nil {
		return nil, err
	}
	inputs := k.withAllTags(p.site, news)
	var out props.Map
	if req.GetPreview() {
		olds, err := props.Unmarshal(req.GetOlds())
		if err != nil {
			return nil, err
		}
		out = k.merge(olds, inputs)
	} else {
		olds, err := props.Unmarshal(req.GetOldInputs())
		if err != nil {
			return nil, err
		}
		// An update that continues a creation that failed: the provider only reads, because the state has what the creation
		// was going to set.
		nothing := len(olds) > 0 && len(diff(k, olds, news, req.GetIgnoreChanges()).Changed) == 0
		err = p.perform(updating, k, req.GetId(), func(c *Call) error {
			if c.Resource = c.Find(k.Token, req.GetId()); nothing && c.Resource != nil {
				c.Old = c.Resource
			} else if err := c.Update(req.GetId(), inputs); err != nil {
				return err
			}
			read := c.Outputs(c.Resource)
			out = k.providerOutputs(req.GetId(), read)
			changed := states{now: withID(read, req.GetId()), before: withID(c.Outputs(c.Old), req.GetId())}
			if err := p.authorize(c, k.Token, updating, changed); err != nil {
				return err
			}
			return p.authorize(c, k.Token, reading, changed)
		})
		if err != nil {
			return nil, err
		}
	}
	properties, err := props.Marshal(out)
	return &pulumirpc.UpdateResponse{Properties: properties}, err
}

// Delete removes a resource.
func (p *Provider) Delete(_ context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	k, kept, err := p.request(req.GetType(), req.GetProperties())
	if err != nil {
		return nil, err
	}
	err = p.perform(deleting, k, req.GetId(), func(c *Call) error {
		// The provider decides by the engine's state what it deletes.
		if err := p.authorize(c, k.Token, deleting, states{now: withID(kept, req.GetId())}); err != nil {
			return err
		}
		if k.MissingOnDelete.Code != "" && c.Find(k.Token, req.GetId()) == nil {
			return k.MissingOnDelete.For(req.GetId())
		}
		return c.Remove(req.GetId())
	})
	return &emptypb.Empty{}, err
}

// Invoke runs a function.
func (p *Provider) Invoke(_ context.Context, req *pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error) {
	f, err := p.Types.function(req.GetTok())
	if err != nil {
		return nil, err
	}
	args, err := props.Unmarshal(req.GetArgs())
	if err != nil {
		return nil, err
	}
	if p.account == nil {
		return nil, plugin.ErrNotConfigured
	}
	p.Note(p.site, req.GetTok(), "", args)
	var result props.Map
	err = p.account.Transact(func(t *Tx) error {
		c := &Call{Tx: t, Site: p.site}
		if result, err = f.run(c, args); err != nil {
			return err
		}
		known := args.Clone()
		maps.Copy(known, result)
		return p.authorize(c, req.GetTok(), invoking, states{now: known})
	})
	if err != nil {
		//nolint:revive,staticcheck // as the AWS provider's bridge writes it
		return nil, fmt.Errorf("invoking %s: 1 error occurred:\n\t* %w\n\n", req.GetTok(), err)
	}
	returned, err := props.Marshal(result)
	return &pulumirpc.InvokeResponse{Return: returned}, err
}

// request reads a request's type and properties.
func (p *Provider) request(token string, s *structpb.Struct) (*Kind, props.Map, error) {
	k, err := p.Types.kind(token)
	if err != nil {
		return nil, nil, err
	}
	if p.account == nil {
		return nil, nil, plugin.ErrNotConfigured
	}
	read, err := props.Unmarshal(s)
	return k, read, err
}
