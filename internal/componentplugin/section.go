package componentplugin

import (
	"math"
	"slices"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"go.yaml.in/yaml/v3"
)

// sections are the inputs of a component that is a whole stack, as a stack's file has them; nothing for other components.
type sections struct{ keys *yaml.Node }

// nodeOf returns a checked value as YAML. Secrets are not in it: their fields are left out.
func nodeOf(v resource.PropertyValue) *yaml.Node {
	switch {
	case v.IsObject():
		node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range v.ObjectValue().StableKeys() {
			if value := nodeOf(v.ObjectValue()[key]); value != nil {
				node.Content = append(node.Content, scalar("!!str", string(key)), value)
			}
		}
		return node
	case v.IsArray():
		node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v.ArrayValue() {
			node.Content = append(node.Content, nodeOf(item))
		}
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

// withoutSecrets returns the inputs of a Cluster without those that are secrets, which are read as inputs.
func withoutSecrets(inputs resource.PropertyMap) resource.PropertyMap {
	hosted, given := inputs["hostedCluster"]
	if !given || !hosted.IsObject() {
		return inputs
	}
	kept := resource.PropertyMap{}
	for key, value := range hosted.ObjectValue() {
		if !slices.Contains([]resource.PropertyKey{"pullSecret", "sshKey", "etcdKey"}, key) {
			kept[key] = value
		}
	}
	others := inputs.Copy()
	others["hostedCluster"] = resource.NewProperty(kept)
	return others
}
