package config

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// decodeObject reads part of a Kubernetes object, whose keys are the API's. The values have the types of JSON, and
// integers stay integers.
func (d *decoder) decodeObject(node *yaml.Node, out *map[string]any, path string) {
	if !d.expect(node, yaml.MappingNode, false, path) {
		return
	}
	var values map[string]any
	err := node.Decode(&values)
	if err == nil {
		var text []byte
		if text, err = json.Marshal(values); err == nil {
			*out, err = fromJSON(text)
		}
	}
	if err != nil {
		d.faults.Add(path, nil, "cannot be part of an object: "+err.Error(), "use keys and values as in HyperShift's API")
	}
}

// fromJSON reads an object as Kubernetes does: integers stay integers.
func fromJSON(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		return nil, err
	}
	return withNumbers(values).(map[string]any), nil
}

func withNumbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = withNumbers(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = withNumbers(inner)
		}
	case json.Number:
		if integer, err := v.Int64(); err == nil {
			return integer
		}
		fraction, _ := v.Float64()
		return fraction
	}
	return value
}
