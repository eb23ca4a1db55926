// Package outputs lists the outputs of components and stacks, keeps values in a stack, and reads the outputs of others.
//
// What Pulumi returns as an AnyOutput is here alone. Each package that uses that type takes four seconds more to
// compile: the compiler instantiates all of Pulumi's generic outputs in it.
package outputs

import (
	"maps"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Clear sets the outputs of a component to their empty values, so that what it does not create is "" or has no items.
func Clear(component any) { clearFields(reflect.ValueOf(component).Elem()) }

func clearFields(value reflect.Value) {
	for i := range value.NumField() {
		field, declared := value.Field(i), value.Type().Field(i)
		if !declared.IsExported() || declared.Tag.Get("pulumi") == "" && !declared.Anonymous {
			continue
		}
		switch field.Interface().(type) {
		case pulumi.StringOutput:
			field.Set(reflect.ValueOf(pulumi.String("").ToStringOutput()))
		case pulumi.StringMapOutput:
			field.Set(reflect.ValueOf(pulumi.StringMap{}.ToStringMapOutput()))
		case pulumi.StringArrayOutput:
			field.Set(reflect.ValueOf(pulumi.StringArray{}.ToStringArrayOutput()))
		default:
			if field.Kind() == reflect.Map {
				field.Set(reflect.MakeMap(field.Type()))
			} else if field.Kind() == reflect.Struct {
				clearFields(field)
			}
		}
	}
}

// Collect returns the outputs of a component: its fields with a "pulumi" tag, by the name in the tag, including fields
// of embedded structs. A struct or a map of outputs is a map. A field that is not set is left out.
func Collect(component any) pulumi.Map { return collect(reflect.ValueOf(component)) }

// collect copies no struct: Pulumi changes the embedded ResourceState while it registers the children.
func collect(value reflect.Value) pulumi.Map {
	value = reflect.Indirect(value)
	found := pulumi.Map{}
	for i := range value.NumField() {
		field, declared := value.Field(i), value.Type().Field(i)
		name, _, _ := strings.Cut(declared.Tag.Get("pulumi"), ",")
		switch {
		case declared.IsExported() && declared.Anonymous && name == "":
			maps.Copy(found, collect(field))
			continue
		case !declared.IsExported() || name == "":
			continue
		}
		if input, ok := field.Interface().(pulumi.Input); ok {
			found[name] = input
		} else if field.Kind() == reflect.Struct {
			found[name] = collect(field)
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
