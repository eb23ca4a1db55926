package crd

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"sigs.k8s.io/yaml"
)

const schemaWithRules = `
type: object
x-kubernetes-validations:
- {rule: "!has(self.first) || self.first != self.last", message: first is last}
properties:
  first: {type: string}
  last: {type: string, x-kubernetes-validations: [{rule: "self == oldSelf", message: last is immutable}]}
  parts:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [name]
    items:
      type: object
      required: [name]
      properties:
        name: {type: string}
        size: {type: integer, x-kubernetes-validations: [{rule: "self >= oldSelf", message: size shrinks}]}
        deep:
          type: object
          properties:
            end: {type: string, x-kubernetes-validations: [{rule: "self.startsWith('e')", message: end starts with e}]}
  once: {type: string, x-kubernetes-validations: [{rule: "oldSelf.hasValue() || self != 'late'", message: once is late, optionalOldSelf: true}]}
  labels:
    type: object
    additionalProperties: {type: string, x-kubernetes-validations: [{rule: "self.size() < 5", message: label is long}]}
`

func structureOf(t *testing.T, text string) *structural.Structural {
	t.Helper()
	var properties v1.JSONSchemaProps
	require.NoError(t, yaml.Unmarshal([]byte(text), &properties))
	internal := &apiextensions.JSONSchemaProps{}
	require.NoError(t, v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&properties, internal, nil))
	structure, err := structural.NewStructural(internal)
	require.NoError(t, err)
	return structure
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	document, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	var content map[string]any
	require.NoError(t, json.Unmarshal(document, &content)) // integers as int64
	return content
}

// TestRulesCompiledOnDemandRefuseWhatAnAPIServerRefuses checks objects one after another, each with values that the
// objects before it lack, against the validator that has all rules from the start.
func TestRulesCompiledOnDemandRefuseWhatAnAPIServerRefuses(t *testing.T) {
	t.Parallel()
	structure := structureOf(t, schemaWithRules)
	onDemand := newRules(structure)
	all := cel.NewValidator(structure, true, celconfig.PerCallLimit)
	for _, c := range []struct {
		object, old string
		refused     int
	}{
		{object: "{}"},
		{object: "{first: a, last: b}"},
		{object: "{first: a, last: a}", refused: 1},
		{object: "{last: b}", old: "{last: a}", refused: 1},
		{object: "{once: late}", refused: 1},
		{object: "{once: late}", old: "{once: early}"},
		{object: "{parts: [{name: x}]}"},
		{
			object:  "{parts: [{name: x, size: 1}, {name: y, size: 2}]}",
			old:     "{parts: [{name: y, size: 3}, {name: x, size: 1}]}",
			refused: 1,
		},
		{object: "{parts: [{name: x, deep: {}}]}"},
		{object: "{parts: [{name: x}, {name: y, deep: {end: a}}], labels: {}}", refused: 1},
		{object: "{parts: [{name: x, deep: {end: e}}], labels: {a: short}, last: null}", refused: 1},
		{object: "{labels: {a: long label, b: long label, c: ok}, first: a, last: b}", old: "{last: c}", refused: 3},
	} {
		var old map[string]any
		var before any
		var options []cel.Option
		ratchet := (*common.CorrelatedObject)(nil)
		if c.old != "" {
			old = object(t, c.old)
			before = old
			ratchet = common.NewCorrelatedObject(object(t, c.object), before, &model.Structural{Structural: structure})
			options = append(options, cel.WithRatcheting(ratchet))
		}
		want, _ := all.Validate(context.Background(), nil, structure, object(t, c.object), before,
			celconfig.RuntimeCELCostBudget, options...)
		assert.Len(t, want, c.refused, c.object)
		assert.ElementsMatch(t, want, onDemand.check(object(t, c.object), old, ratchet), c.object)
	}
	assert.NotNil(t, structure.Properties["last"].XValidations, "the schema keeps its rules")
}

func TestRulesThatAreNotCompiledOnDemandAreKnown(t *testing.T) {
	t.Parallel()
	require.True(t, newRules(structureOf(t, "{type: object, allOf: [{x-kubernetes-validations: [{rule: 'true'}]}]}")).nested)
	require.False(t, newRules(structureOf(t, "{type: object, x-kubernetes-validations: [{rule: 'true'}]}")).nested)
}
