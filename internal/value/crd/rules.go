package crd

import (
	"context"
	"errors"
	"sync"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// rules are the rules in CEL of a schema. A rule is compiled when the first object has a value that it applies to: most rules belong to fields
// that objects don't have, and compiling all 250 rules of a HostedCluster takes longer than everything else that a command does offline.
type rules struct {
	// structure is the schema, and types the same without its rules.
	structure, types *structural.Structural
	mutex            sync.Mutex
	compiled         *cel.Validator
}

// newRules returns the rules of a schema. It returns an error for rules within allOf, anyOf, oneOf or not.
func newRules(structure *structural.Structural) (*rules, error) {
	types, nested := structure.DeepCopy(), false
	without := structural.Visitor{
		Structural: func(s *structural.Structural) bool {
			has := len(s.XValidations) > 0
			s.XValidations = nil
			return has
		},
		NestedValueValidation: func(v *structural.NestedValueValidation) bool {
			nested = nested || len(v.XValidations) > 0
			return false
		},
	}
	without.Visit(types)
	if nested {
		return nil, errors.New("x-kubernetes-validations in allOf, anyOf, oneOf or not is not supported")
	}
	return &rules{structure: structure, types: types}, nil
}

// check lists the rules that an object breaks; old is nil for a new object.
func (r *rules) check(object map[string]any, old any) field.ErrorList {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.compiled = compiledFor(r.compiled, r.structure, r.types, true, object)
	broken, _ := r.compiled.Validate(context.Background(), nil, r.structure, object, old, celconfig.RuntimeCELCostBudget)
	return broken
}

// compiledFor returns the validator of a node of the schema, nil if none is compiled yet, with the rules of the node and of all values inside of
// value.
func compiledFor(v *cel.Validator, node, types *structural.Structural, isRoot bool, value any) *cel.Validator {
	if v == nil {
		v = compileNode(node, types, isRoot)
	}
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if property, ok := node.Properties[key]; ok {
				propertyTypes := types.Properties[key]
				var known *cel.Validator
				if found, ok := v.Properties[key]; ok {
					known = &found
				}
				v.Properties[key] = *compiledFor(known, &property, &propertyTypes, property.XEmbeddedResource, inner)
			}
			if node.AdditionalProperties != nil && node.AdditionalProperties.Structural != nil {
				values := node.AdditionalProperties.Structural
				v.AdditionalProperties = compiledFor(v.AdditionalProperties, values, types.AdditionalProperties.Structural, values.XEmbeddedResource, inner)
			}
		}
	case []any:
		for _, inner := range value {
			if node.Items != nil {
				v.Items = compiledFor(v.Items, node.Items, types.Items, node.Items.XEmbeddedResource, inner)
			}
		}
	}
	return v
}

// compileNode returns a validator with the rules of one node of the schema.
func compileNode(node, types *structural.Structural, isRoot bool) *cel.Validator {
	own := *types
	own.XValidations = node.XValidations
	v := cel.NewValidator(&own, isRoot, celconfig.PerCallLimit)
	if v == nil { // without rules
		v = &cel.Validator{Schema: &own}
	}
	if v.Properties == nil {
		v.Properties = map[string]cel.Validator{}
	}
	return v
}
