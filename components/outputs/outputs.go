// Package outputs lists the outputs of components and stacks.
package outputs

import (
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Of returns the outputs of a component: its fields with a "pulumi" tag, by the name in the tag. A struct or a map of outputs is a map. A
// field that is not set is left out.
func Of(component any) pulumi.Map {
	value := reflect.Indirect(reflect.ValueOf(component))
	found := pulumi.Map{}
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("pulumi"), ",")
		if name == "" {
			continue
		}
		field := value.Field(i)
		if input, ok := field.Interface().(pulumi.Input); ok {
			found[name] = input
		} else if field.Kind() == reflect.Struct {
			found[name] = Of(field.Interface())
		} else if field.Kind() == reflect.Map {
			found[name] = mapOf(field)
		}
	}
	return found
}

func mapOf(values reflect.Value) pulumi.Map {
	found := pulumi.Map{}
	for _, key := range values.MapKeys() {
		if input, ok := values.MapIndex(key).Interface().(pulumi.Input); ok {
			found[key.String()] = input
		}
	}
	return found
}
