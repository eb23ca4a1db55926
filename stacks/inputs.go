package stacks

import (
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// inputsOf returns the inputs of a resource as the engine records them: string, bool, float64, []any and
// map[string]any. What the program does not know yet is plugin.UnknownStringValue, as in a preview. It reports false if
// the resource has no inputs, because it is only read.
func inputsOf(props any) (map[string]any, bool) {
	value := reflect.ValueOf(props)
	if !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil() ||
		strings.HasSuffix(reflect.Indirect(value).Type().Name(), "State") {
		return nil, false
	}
	inputs, _ := plain(value).(map[string]any)
	return inputs, true
}

// plain returns a value as the engine records it.
func plain(value reflect.Value) any {
	if !value.IsValid() {
		return nil
	}
	if _, isOutput := value.Interface().(pulumi.Output); isOutput {
		return plugin.UnknownStringValue
	}
	switch value.Kind() { //nolint:exhaustive // inputs have no other kinds
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			return nil
		}
		if value.Elem().Kind() == reflect.Struct {
			return properties(value.Elem(), value.Interface())
		}
		return plain(value.Elem())
	case reflect.String:
		return value.String()
	case reflect.Bool:
		return value.Bool()
	case reflect.Int, reflect.Int32, reflect.Int64:
		return float64(value.Int())
	case reflect.Float32, reflect.Float64:
		return value.Float()
	case reflect.Slice, reflect.Array:
		list := make([]any, value.Len())
		for i := range list {
			list[i] = plain(value.Index(i))
		}
		return list
	case reflect.Map:
		found := map[string]any{}
		for _, key := range value.MapKeys() {
			found[key.String()] = plain(value.MapIndex(key))
		}
		return found
	case reflect.Struct:
		return properties(value, value.Interface())
	}
	return nil
}

// properties returns the fields of a struct by the names of the inputs, which are tags of its plain struct. An Args
// struct and its plain struct have fields of the same names.
func properties(value reflect.Value, original any) any {
	tagged := value.Type()
	if input, isInput := original.(pulumi.Input); isInput {
		for tagged = input.ElementType(); tagged.Kind() == reflect.Pointer; {
			tagged = tagged.Elem()
		}
	}
	if tagged.Kind() != reflect.Struct {
		return nil
	}
	found := map[string]any{}
	for _, field := range reflect.VisibleFields(tagged) {
		name, _, _ := strings.Cut(field.Tag.Get("pulumi"), ",")
		if part := value.FieldByName(field.Name); name != "" && part.IsValid() && !part.IsZero() {
			found[name] = plain(part)
		}
	}
	return found
}
