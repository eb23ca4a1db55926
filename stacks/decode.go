package stacks

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// shorthand is a config value that is a mapping or, in short, a text.
type shorthand interface{ fromText(text string) }

// selfDecoding is a config value whose keys are not its fields.
type selfDecoding interface {
	decode(node *yaml.Node, path string, faults *fault.Faults)
}

// keyOf is a field's key: this project's own, or that of Pulumi's structs.
func keyOf(field reflect.StructField) string {
	if key := field.Tag.Get("yaml"); key != "" {
		return key
	}
	return field.Tag.Get("pulumi")
}

// decode reads node into the struct, map, list or scalar that out points to. It refuses what out has no
// place for, and collects every fault under path.
func decode(node *yaml.Node, out reflect.Value, path string, faults *fault.Faults) {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Tag == "!!null" {
		return
	}
	if short, ok := out.Addr().Interface().(shorthand); ok && node.Tag == "!!str" {
		short.fromText(node.Value)
		return
	}
	if own, ok := out.Addr().Interface().(selfDecoding); ok {
		own.decode(node, path, faults)
		return
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		decode(node, out.Elem(), path, faults)
	case reflect.Struct:
		decodeStruct(node, out, path, faults)
	case reflect.Map:
		decodeMap(node, out, path, faults)
	case reflect.Slice:
		decodeList(node, out, path, faults)
	default:
		decodeScalar(node, out, path, faults)
	}
}

func decodeStruct(node *yaml.Node, out reflect.Value, path string, faults *fault.Faults) {
	fields, names := map[string]reflect.Value{}, []string{}
	for i := range out.NumField() {
		name := keyOf(out.Type().Field(i))
		if name == "" {
			continue // it is no part of the config
		}
		fields[name], names = out.Field(i), append(names, name)
	}
	if _, short := out.Addr().Interface().(shorthand); !expect(node, yaml.MappingNode, short, path, faults) {
		return
	}
	eachKey(node, path, faults, func(key, value *yaml.Node) {
		field, known := fields[key.Value]
		if !known {
			faults.Add(dotted(path, key.Value), nil, "is no key of the config", suggest(key.Value, names))
			return
		}
		decode(value, field, dotted(path, key.Value), faults)
	})
}

func decodeMap(node *yaml.Node, out reflect.Value, path string, faults *fault.Faults) {
	if !expect(node, yaml.MappingNode, false, path, faults) {
		return
	}
	out.Set(reflect.MakeMap(out.Type()))
	eachKey(node, path, faults, func(key, value *yaml.Node) {
		item := reflect.New(out.Type().Elem()).Elem()
		decode(value, item, path+"["+key.Value+"]", faults)
		out.SetMapIndex(reflect.ValueOf(key.Value), item)
	})
}

func decodeList(node *yaml.Node, out reflect.Value, path string, faults *fault.Faults) {
	if !expect(node, yaml.SequenceNode, false, path, faults) {
		return
	}
	out.Set(reflect.MakeSlice(out.Type(), len(node.Content), len(node.Content)))
	for i, item := range node.Content {
		decode(item, out.Index(i), fmt.Sprintf("%s[%d]", path, i), faults)
	}
}

func decodeScalar(node *yaml.Node, out reflect.Value, path string, faults *fault.Faults) {
	switch {
	case isSecure(node):
		faults.Add(path, nil, "is encrypted, and is checked before anything can decrypt it", "give it in the clear: it is no secret")
	case out.Kind() == reflect.String && node.Tag == "!!str":
		out.SetString(node.Value)
	case out.Kind() == reflect.String && node.Kind == yaml.ScalarNode:
		faults.Add(path, node.Value, "is "+describe(node)+", and a text is wanted", fmt.Sprintf("put it in quotes: %q", node.Value))
	case out.Kind() == reflect.Int && node.Tag == "!!int":
		value, err := strconv.ParseInt(node.Value, 0, 32)
		if err != nil {
			faults.Add(path, node.Value, "is out of range", "give a smaller number")
		}
		out.SetInt(value)
	case out.Kind() == reflect.Bool && node.Tag == "!!bool":
		out.SetBool(node.Value == "true")
	default:
		wanted := map[reflect.Kind]string{reflect.String: "a text", reflect.Int: "a whole number", reflect.Bool: "true or false"}[out.Kind()]
		faults.Add(path, valueOf(node), "is "+describe(node), "give "+wanted)
	}
}

// expect adds a fault where node is not of the kind; short says that a text would do as well.
func expect(node *yaml.Node, kind yaml.Kind, short bool, path string, faults *fault.Faults) bool {
	if node.Kind == kind && !isSecure(node) {
		return true
	}
	wanted := map[yaml.Kind]string{yaml.MappingNode: "keys with values", yaml.SequenceNode: "a list"}[kind]
	if short {
		wanted = "a text or " + wanted
	}
	faults.Add(path, valueOf(node), "is "+describe(node), "give "+wanted)
	return false
}

// eachKey visits the keys of a mapping, and adds a fault for one that stands there twice.
func eachKey(node *yaml.Node, path string, faults *fault.Faults, visit func(key, value *yaml.Node)) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if seen[key.Value] {
			faults.Add(dotted(path, key.Value), nil, "stands there twice", "give it once")
			continue
		}
		seen[key.Value] = true
		visit(key, node.Content[i+1])
	}
}

// isSecure says whether node is a value that Pulumi has encrypted.
func isSecure(node *yaml.Node) bool {
	return node.Kind == yaml.MappingNode && len(node.Content) == 2 && node.Content[0].Value == "secure"
}

func describe(node *yaml.Node) string {
	switch {
	case isSecure(node):
		return "an encrypted value"
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	}
	return map[string]string{
		"!!str": "a text", "!!int": "a number", "!!float": "a number", "!!bool": "a truth value", "!!timestamp": "a date",
	}[node.Tag]
}

func valueOf(node *yaml.Node) any {
	if node.Kind != yaml.ScalarNode {
		return nil
	}
	return node.Value
}

func dotted(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// suggest names the key that was meant, where one differs in letters' case or by little, else all.
func suggest(key string, known []string) string {
	for _, name := range known {
		if strings.EqualFold(name, key) || (len(key) > 3 && (strings.HasPrefix(name, key) || strings.HasPrefix(key, name))) {
			return "did you mean " + name + "?"
		}
	}
	slices.Sort(known)
	return "the keys here are " + strings.Join(known, ", ")
}
