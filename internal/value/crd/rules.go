package crd

import (
	"context"
	"regexp"
	"strings"
	"sync"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// rules are the rules in CEL of a schema. A rule is compiled when the first object has a value that it applies to, one
// about a change when the first object is changed: most rules belong to fields that objects don't have, and compiling
// all 250 rules of a HostedCluster takes longer than everything else that a command does offline.
type rules struct {
	// structure is the schema, and types the same without its rules.
	structure, types *structural.Structural
	// nested is true if the schema has rules that are left out.
	nested bool
	mutex  sync.Mutex
	// always are the rules for new and changed objects, changes those for changed ones alone.
	always, changes *cel.Validator
}

// newRules returns the rules of a schema, but for those within allOf, anyOf, oneOf or not.
func newRules(structure *structural.Structural) *rules {
	r := &rules{structure: structure, types: structure.DeepCopy()}
	without := structural.Visitor{
		Structural: func(s *structural.Structural) bool {
			has := len(s.XValidations) > 0
			s.XValidations = nil
			return has
		},
		NestedValueValidation: func(v *structural.NestedValueValidation) bool {
			has := len(v.XValidations) > 0
			r.nested, v.XValidations = r.nested || has, nil
			return has
		},
	}
	without.Visit(r.types)
	return r
}

// check lists the rules that an object breaks; old is nil for a new object. A rule that the same value broke before is
// left out, as ratchet says.
func (r *rules) check(object, old map[string]any, ratchet *common.CorrelatedObject) field.ErrorList {
	var before any
	var options []cel.Option
	if old != nil {
		before, options = old, append(options, cel.WithRatcheting(ratchet))
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.always = compiledFor(r.always, r.structure, r.types, true, object, func(rule v1.ValidationRule) bool {
		return !isTransition(rule)
	})
	broken, _ := r.always.Validate(context.Background(), nil, r.structure, object, before,
		celconfig.RuntimeCELCostBudget, options...)
	if old == nil {
		return broken
	}
	r.changes = compiledFor(r.changes, r.structure, r.types, true, object, isTransition)
	forbidden, _ := r.changes.Validate(context.Background(), nil, r.structure, object, before,
		celconfig.RuntimeCELCostBudget, options...)
	return append(broken, forbidden...)
}

// compiledFor returns the validator of a node of the schema, nil if none is compiled yet, with the rules of the node
// and of all values inside of value that selected selects.
func compiledFor(
	v *cel.Validator,
	node, types *structural.Structural,
	isRoot bool,
	value any,
	selected func(v1.ValidationRule) bool,
) *cel.Validator {
	if v == nil {
		v = compileNode(node, types, isRoot, selected)
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
				v.Properties[key] = *compiledFor(known, &property, &propertyTypes, property.XEmbeddedResource, inner, selected)
			}
			if node.AdditionalProperties != nil && node.AdditionalProperties.Structural != nil {
				values := node.AdditionalProperties.Structural
				v.AdditionalProperties = compiledFor(v.AdditionalProperties, values, types.AdditionalProperties.Structural,
					values.XEmbeddedResource, inner, selected)
			}
		}
	case []any:
		for _, inner := range value {
			if node.Items != nil {
				v.Items = compiledFor(v.Items, node.Items, types.Items, node.Items.XEmbeddedResource, inner, selected)
			}
		}
	}
	return v
}

// oldSelf matches the former value in a rule.
var oldSelf = regexp.MustCompile(`\boldSelf\b`)

// isUncompiled reports whether an error is that of a rule which this version of Kubernetes' libraries cannot compile,
// such as one with a function of a later version.
func isUncompiled(e *field.Error) bool { return strings.HasPrefix(e.Detail, "rule compile") }

// isTransition reports whether a rule applies to changes only.
func isTransition(rule v1.ValidationRule) bool {
	return oldSelf.MatchString(rule.Rule) && (rule.OptionalOldSelf == nil || !*rule.OptionalOldSelf)
}

// compileNode returns a validator with the selected rules of one node of the schema.
func compileNode(
	node, types *structural.Structural,
	isRoot bool,
	selected func(v1.ValidationRule) bool,
) *cel.Validator {
	own := *types
	for _, rule := range node.XValidations {
		if selected(rule) {
			own.XValidations = append(own.XValidations, rule)
		}
	}
	v := cel.NewValidator(&own, isRoot, celconfig.PerCallLimit)
	if v == nil { // without rules
		v = &cel.Validator{Schema: &own}
	}
	if v.Properties == nil {
		v.Properties = map[string]cel.Validator{}
	}
	return v
}
