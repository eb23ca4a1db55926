// Package outputs registers what components output.
package outputs

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Of is the outputs of a component: its fields with a "pulumi" tag, by the name in the tag. A struct of outputs is a map.
func Of(component any) pulumi.Map {
	value := reflect.Indirect(reflect.ValueOf(component))
	found := pulumi.Map{}
	for i := range value.NumField() {
		name, tagged := value.Type().Field(i).Tag.Lookup("pulumi")
		if !tagged {
			continue
		}
		field := value.Field(i)
		if input, ok := field.Interface().(pulumi.Input); ok {
			found[name] = input
		} else if field.Kind() == reflect.Struct {
			found[name] = Of(field.Interface())
		}
	}
	return found
}
