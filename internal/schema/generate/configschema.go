package main

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// node is a part of a schema.
type node map[string]any

// schema returns the JSON Schema of a stack's file.
func (c reference) schema() ([]byte, error) {
	kinds := stacks.Kinds().Names()
	sections := node{
		config.KindKey: node{"type": "string", "enum": kinds, "description": "What the stack creates."},
	}
	allowed := []string{config.KindKey}
	for _, kind := range kinds {
		sections[kind.Key()] = c.object(stacks.Kinds().Type(kind))
		allowed = append(allowed, kind.Key())
	}
	for _, shared := range config.Shared() {
		value := c.value(shared.Type)
		value["description"] = shared.Meaning
		sections[shared.Key] = value
		allowed = append(allowed, shared.Key)
	}
	var perKind []node
	for _, kind := range kinds {
		others := node{}
		for _, other := range kinds {
			if other != kind {
				others[other.Key()] = false
			}
		}
		perKind = append(perKind, node{
			"if":   node{"properties": node{config.KindKey: node{"const": kind}}},
			"then": node{"required": []string{kind.Key()}, "properties": others},
		})
	}
	document := node{
		"$schema": "http://json-schema.org/draft-07/schema#",
		"title":   "Pulumi.<stack>.yaml of hypershift-aws",
		"type":    "object",
		"properties": node{
			"config": node{
				"type":       "object",
				"properties": sections,
				"propertyNames": node{"anyOf": []node{
					{"enum": allowed},
					{"pattern": ":", "not": node{"pattern": "^" + config.ProjectName + ":"}},
				}},
				"required": []string{config.KindKey},
				"allOf":    perKind,
			},
		},
		"required":    []string{"config"},
		"definitions": node{"account": c.object(reflect.TypeFor[config.Account]())},
	}
	return indented(document)
}

// object returns the schema of a struct, without the keys of credentials, which are refused. Values may be null, which
// leaves a key out.
func (c reference) object(t reflect.Type) node {
	properties, required := node{}, []string{}
	for _, field := range configfield.All(t) {
		if field.Secret {
			continue
		}
		value := c.value(field.Type)
		if description := c.Note(field.Struct, field.Name).Description(); description != "" && value["$ref"] == nil {
			value["description"] = description
		}
		if field.KeySuffix != "" {
			delete(value, "additionalProperties")
			value["patternProperties"] = node{field.KeySuffix + "$": c.value(field.Type.Elem())}
			value["additionalProperties"] = false
		}
		properties[field.Key] = value
		if field.FileKey != "" {
			properties[field.FileKey] = node{
				"type":        []string{"string", "null"},
				"description": "The path of a file with the text of " + field.Key + ", from the stack's file.",
			}
		}
		if field.Required {
			required = append(required, field.Key)
		}
	}
	object := node{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		object["required"] = required
	}
	return object
}

// value returns the schema of a type.
func (c reference) value(t reflect.Type) node {
	t = configfield.Indirect(t)
	if values := c.Enum(t); values != nil {
		allowed := []any{nil, ""}
		for _, value := range values {
			allowed = append(allowed, value.Text)
		}
		return node{"enum": allowed}
	}
	switch {
	case t == reflect.TypeFor[pulumi.StringInput]():
		return node{"type": []string{"string", "null"}}
	case t == reflect.TypeFor[config.Account]():
		return node{"$ref": "#/definitions/account"}
	case t == reflect.TypeFor[map[string]any]():
		return node{"type": []string{"object", "null"}}
	case configfield.IsText(t):
		return node{"anyOf": []node{{"type": "string"}, c.object(t)}}
	}
	switch t.Kind() { //nolint:exhaustive // config has no other kinds
	case reflect.Bool:
		return node{"type": []string{"boolean", "null"}}
	case reflect.Int:
		return node{"type": []string{"integer", "null"}}
	case reflect.String:
		return node{"type": []string{"string", "null"}}
	case reflect.Slice:
		return node{"type": []string{"array", "null"}, "items": c.value(t.Elem())}
	case reflect.Map:
		return node{"type": []string{"object", "null"}, "additionalProperties": c.value(t.Elem())}
	}
	return c.object(t)
}
