package componentplugin

import (
	"fmt"
	"math"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	"go.yaml.in/yaml/v3"
)

// sectionInputs are the inputs of a component that is a whole stack, as a stack's file has them; nothing for other
// components.
type sectionInputs struct {
	keys *yaml.Node
	// outputs are the nodes that represent an output or a secret, and values their values, in the same order.
	outputs []*yaml.Node
	values  []resource.PropertyValue
	// providers are the AWS providers among the inputs, by their paths.
	providers map[string]string
}

// outputsKey is the property that has the values of outputs for the constructor. No property of a component begins with
// "__".
const outputsKey resource.PropertyKey = "__outputs"

// node returns a checked value as YAML.
func (s *sectionInputs) node(v resource.PropertyValue) *yaml.Node {
	switch {
	case v.IsObject():
		node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range v.ObjectValue().StableKeys() {
			node.Content = append(node.Content, scalar("!!str", string(key)), s.node(v.ObjectValue()[key]))
		}
		return node
	case v.IsArray():
		node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v.ArrayValue() {
			node.Content = append(node.Content, s.node(item))
		}
		return node
	case v.IsOutput(), v.IsSecret(), v.IsComputed():
		node := scalar("!!str", "")
		s.outputs, s.values = append(s.outputs, node), append(s.values, v)
		return node
	case v.IsString():
		return scalar("!!str", v.StringValue())
	case v.IsBool():
		return scalar("!!bool", strconv.FormatBool(v.BoolValue()))
	case v.IsNumber() && v.NumberValue() == math.Trunc(v.NumberValue()):
		return scalar("!!int", strconv.FormatInt(int64(v.NumberValue()), 10))
	case v.IsNumber():
		return scalar("!!float", strconv.FormatFloat(v.NumberValue(), 'g', -1, 64))
	}
	return scalar("!!null", "")
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// outputsIn returns the outputs and the secrets among a constructor's inputs, by the nodes that represent them.
func (s sectionInputs) outputsIn(inputs provider.ConstructInputs) (map[*yaml.Node]pulumi.StringInput, error) {
	var args struct {
		Outputs []pulumi.StringInput `pulumi:"__outputs"`
	}
	if err := inputs.CopyTo(&args); err != nil {
		return nil, err
	}
	if len(args.Outputs) != len(s.outputs) {
		return nil, fmt.Errorf("%d of %d outputs have arrived", len(args.Outputs), len(s.outputs))
	}
	outputs := map[*yaml.Node]pulumi.StringInput{}
	for i, node := range s.outputs {
		outputs[node] = args.Outputs[i]
	}
	return outputs, nil
}
