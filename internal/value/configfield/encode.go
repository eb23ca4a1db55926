package configfield

import (
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Encode returns a struct of the config as YAML, with the keys that are set, in the order of the reference. note
// returns the comment at a key, such as "zones", or "" for none. Inputs that are outputs are left out. replace returns
// what is written in place of a value; nil replaces none.
func Encode(section any, note func(key string) string, replace func(reflect.Value) reflect.Value) *yaml.Node {
	if replace == nil {
		replace = func(v reflect.Value) reflect.Value { return v }
	}
	return writer{note, replace}.node(reflect.ValueOf(section))
}

type writer struct {
	note    func(key string) string
	replace func(reflect.Value) reflect.Value
}

// node returns a value as YAML, nil for one that is not set.
func (w writer) node(v reflect.Value) *yaml.Node {
	if v.Kind() != reflect.Pointer && v.IsZero() {
		return nil
	}
	v = w.replace(v)
	if text, ok := v.Interface().(pulumi.StringInput); ok {
		if v = reflect.ValueOf(input.Text(text)); v.IsZero() {
			return nil
		}
	}
	switch v.Kind() { //nolint:exhaustive // the others are scalars
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if node := w.node(v.Elem()); node != nil {
			return node
		}
		if v.Elem().Kind() == reflect.Struct { // it is set, with the defaults of all keys
			return &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		}
		return scalar(v.Elem())
	case reflect.Struct:
		node := &yaml.Node{Kind: yaml.MappingNode}
		for _, field := range All(v.Type()) {
			if w.put(node, field.Key, v.FieldByIndex(field.Index)) && field.KeySuffix != "" {
				for keys := node.Content[len(node.Content)-1].Content; len(keys) > 0; keys = keys[2:] {
					keys[0].Value += field.KeySuffix
				}
			}
		}
		if len(node.Content) == 2 && IsText(v.Type()) {
			return node.Content[1]
		}
		return unlessEmpty(node)
	case reflect.Map:
		node := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int {
			return strings.Compare(a.String(), b.String())
		}) {
			w.put(node, key.String(), v.MapIndex(key))
		}
		return unlessEmpty(node)
	case reflect.Slice:
		node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for i := range v.Len() {
			node.Content = append(node.Content, w.node(v.Index(i)))
		}
		if item := Indirect(v.Type().Elem()); item.Kind() == reflect.Struct && !IsText(item) { // one per line
			node.Style = 0
			for _, item := range node.Content {
				item.Style = yaml.FlowStyle
			}
		}
		return unlessEmpty(node)
	}
	return scalar(v)
}

// put appends a key with its value, and reports whether it is set.
func (w writer) put(object *yaml.Node, key string, v reflect.Value) bool {
	value := w.node(v)
	if value != nil {
		name := scalar(reflect.ValueOf(key))
		name.HeadComment = w.note(key)
		object.Content = append(object.Content, name, value)
	}
	return value != nil
}

func scalar(v reflect.Value) *yaml.Node {
	node := &yaml.Node{}
	if err := node.Encode(v.Interface()); err != nil {
		panic(err) // strings, booleans and numbers always encode
	}
	return node
}

func unlessEmpty(node *yaml.Node) *yaml.Node {
	if len(node.Content) == 0 {
		return nil
	}
	return node
}
