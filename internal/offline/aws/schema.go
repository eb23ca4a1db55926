package aws

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/plugin"
)

// GetSchema returns the types and functions of the catalogue, for programs in YAML.
func (p *Provider) GetSchema(
	context.Context, *pulumirpc.GetSchemaRequest,
) (*pulumirpc.GetSchemaResponse, error) {
	schema := plugin.Schema{
		Name: "aws", Version: pluginVersion, Config: p.Types.config,
		Resources: map[string]plugin.Members{}, Functions: map[string]plugin.Members{},
	}
	for token, kind := range p.Types.Kinds {
		schema.Resources[token] = plugin.Members{Inputs: kind.Inputs, Outputs: kind.Outputs, Required: kind.Required}
	}
	for token, function := range p.Types.Functions {
		if function.args != nil {
			schema.Functions[token] = plugin.Members{Inputs: function.args, Outputs: function.result}
		}
	}
	return schema.Response()
}
