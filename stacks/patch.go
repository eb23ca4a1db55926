package stacks

import (
	"encoding/json"

	"gopkg.in/yaml.v3"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// PatchConfig is part of an object of HyperShift's API, whose keys are the API's.
type PatchConfig struct {
	values map[string]any
}

var _ selfDecoding = (*PatchConfig)(nil)

// decode implements selfDecoding: the values are those that JSON has.
func (p *PatchConfig) decode(node *yaml.Node, path string, faults *fault.Faults) {
	if !expect(node, yaml.MappingNode, false, path, faults) {
		return
	}
	var values map[string]any
	err := node.Decode(&values)
	if err == nil {
		var text []byte
		if text, err = json.Marshal(values); err == nil {
			p.values, err = fromJSON(text)
		}
	}
	if err != nil {
		faults.Add(path, nil, "cannot be part of an object: "+err.Error(), "give keys and values as in HyperShift's API")
	}
}
