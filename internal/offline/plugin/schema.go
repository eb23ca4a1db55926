package plugin

import (
	"encoding/json"
	"fmt"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Schema is what programs in YAML need of a provider: SDKs have it already.
type Schema struct {
	Name, Version string
	// Config is the configuration of the provider.
	Config    props.Shape
	Resources map[string]Members
	Functions map[string]Members
}

// Members are the properties of a type or a function. Required are the inputs that are lists or objects.
type Members struct {
	Inputs, Outputs props.Shape
	Required        []string
}

// Response returns the schema as the engine reads it. It has the names of properties, each of which takes any value:
// the provider's checks have the types.
func (s Schema) Response() (*pulumirpc.GetSchemaResponse, error) {
	properties := func(shape props.Shape) map[string]any {
		found := map[string]any{}
		for name := range shape {
			if name != "id" && name != "urn" { // every resource has them
				found[name] = map[string]string{"$ref": "pulumi.json#/Any"}
			}
		}
		return found
	}
	resources, functions := map[string]any{}, map[string]any{}
	for token, of := range s.Resources {
		resources[token] = map[string]any{
			"inputProperties": properties(of.Inputs),
			"requiredInputs":  append(of.Inputs.Required(), of.Required...),
			"properties":      properties(of.Outputs),
		}
	}
	for token, of := range s.Functions {
		functions[token] = map[string]any{
			"inputs":  map[string]any{"type": "object", "properties": properties(of.Inputs), "required": of.Inputs.Required()},
			"outputs": map[string]any{"type": "object", "properties": properties(of.Outputs)},
		}
	}
	text, err := json.Marshal(map[string]any{
		"name": s.Name, "version": s.Version,
		"meta":      map[string]string{"moduleFormat": "(.*)(?:/[^/]*)"},
		"provider":  map[string]any{"inputProperties": properties(s.Config)},
		"resources": resources, "functions": functions,
	})
	if err != nil {
		return nil, fmt.Errorf("writing the schema of %s: %w", s.Name, err)
	}
	return &pulumirpc.GetSchemaResponse{Schema: string(text)}, nil
}
