package crd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// Published is the schema of spec in the objects of a kind, as an API server publishes it.
type Published struct{ schema *schema }

// Publish compiles the schema of a kind in the OpenAPI document of an API server. Rules that only later versions of
// Kubernetes' libraries know are left to the server.
func Publish(document map[string]any) (*Published, error) {
	properties, _ := document["properties"].(map[string]any)
	text, err := json.Marshal(map[string]any{
		"type": "object", "x-kubernetes-validations": document["x-kubernetes-validations"],
		"properties": map[string]any{
			"apiVersion": map[string]any{"type": "string"}, "kind": map[string]any{"type": "string"},
			"metadata": map[string]any{"type": "object"}, "spec": properties["spec"],
		},
	})
	if err != nil {
		return nil, err
	}
	var of v1.JSONSchemaProps
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("reading a published schema: %w", err)
	}
	compiled, err := compile(&of)
	if err != nil {
		return nil, fmt.Errorf("compiling a published schema: %w", err)
	}
	compiled.dated, compiled.namespaced = true, true // what a schema does not have is the caller's to judge
	return &Published{compiled}, nil
}

// Refused returns the faults with which the API server would refuse the values of an object's spec, none if it would
// not; old is nil for a new object. Faults in values that contain placeholder, which stands for one that is not known
// yet, are left out.
func (p *Published) Refused(object, old map[string]any, placeholder string) (fault.Faults, error) {
	object, err := specOf(object)
	if err != nil {
		return nil, err
	}
	if old != nil {
		if old, err = specOf(old); err != nil {
			return nil, err
		}
	}
	var errs field.ErrorList
	for _, e := range p.schema.check(object, old) {
		if isUncompiled(e) {
			continue // the server's to judge
		}
		text, err := json.Marshal(around(object, e))
		if err == nil && (placeholder == "" || !strings.Contains(string(text), placeholder)) {
			errs = append(errs, e)
		}
	}
	return fault.In(refused("the management cluster's API", object, errs)), nil
}

// around returns the value that an error is about. A missing value is that of the field around it.
func around(object map[string]any, e *field.Error) any {
	path := e.Field
	for path != "" {
		if value := valueAt(object, path); value != nil {
			return value
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			break
		}
		path = path[:i]
	}
	return object
}

// specOf returns an object with only its name and spec, with whole numbers as integers.
func specOf(object map[string]any) (map[string]any, error) {
	text, err := json.Marshal(object["spec"])
	if err != nil {
		return nil, err
	}
	var spec any
	if err := kjson.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string) // rules may be about it
	return map[string]any{
		"apiVersion": object["apiVersion"], "kind": object["kind"], "spec": spec,
		"metadata": map[string]any{"name": cmp.Or(name, "any"), "namespace": "any"},
	}, nil
}
