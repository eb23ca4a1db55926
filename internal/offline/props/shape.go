package props

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Shape is the names and types of a set of properties, from a struct of the Go SDK.
type Shape map[string]field

// field is the type of one property.
type field struct {
	Kind reflect.Kind // String, Bool, Float64, Slice, Map, Struct, or Interface where the SDK takes more than one type
	elem *field       // of a Slice or a Map
	// fields are a Struct's fields.
	fields Shape
	// Required is true of a scalar that is not a pointer. Lists and maps are never pointers: a Kind lists its required
	// ones.
	Required bool
}

// ShapeOf reads the shape of an SDK input such as ec2.SubnetArgs{}: its element type is the plain struct, whose tags
// are the wire's names.
func ShapeOf(input pulumi.Input) Shape {
	return fieldsOf(input.ElementType())
}

// ShapeFor reads the shape of a struct whose tags are the wire's names.
func ShapeFor[T any]() Shape { return fieldsOf(reflect.TypeFor[T]()) }

// Required lists the properties that must be set, of those whose type says so.
func (s Shape) Required() []string {
	names := []string{}
	for name, f := range s {
		if f.Required {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func fieldsOf(t reflect.Type) Shape {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := Shape{}
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			maps.Copy(s, fieldsOf(t.Field(i).Type))
			continue
		}
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("pulumi"), ",")
		if name != "" {
			s[name] = fieldOf(t.Field(i).Type)
		}
	}
	return s
}

func fieldOf(t reflect.Type) field {
	switch t.Kind() {
	case reflect.Pointer:
		f := fieldOf(t.Elem())
		f.Required = false
		return f
	case reflect.Slice, reflect.Map:
		elem := fieldOf(t.Elem())
		return field{Kind: t.Kind(), elem: &elem}
	case reflect.Struct:
		return field{Kind: reflect.Struct, fields: fieldsOf(t), Required: true}
	case reflect.Int, reflect.Float64:
		return field{Kind: reflect.Float64, Required: true}
	case reflect.String, reflect.Bool:
		return field{Kind: t.Kind(), Required: true}
	default:
		return field{Kind: reflect.Interface}
	}
}

// faults lists the errors in v as a value of f, each with its path.
func (f field) faults(path string, v any) []Failure {
	if _, ok := v.(Unknown); ok || f.Kind == reflect.Interface {
		return nil
	}
	var faults []Failure
	switch value := v.(type) {
	case []any:
		if f.Kind != reflect.Slice {
			return []Failure{f.mismatch(path, v)}
		}
		for i, e := range value {
			faults = append(faults, f.elem.faults(fmt.Sprintf("%s[%d]", path, i), e)...)
		}
	case map[string]any:
		switch f.Kind {
		case reflect.Map:
			for _, k := range Map(value).Keys() {
				faults = append(faults, f.elem.faults(path+"."+k, value[k])...)
			}
		case reflect.Struct:
			faults = f.fields.Faults(path+".", value)
		default:
			return []Failure{f.mismatch(path, v)}
		}
	default:
		if reflect.TypeOf(v).Kind() != f.Kind {
			return []Failure{f.mismatch(path, v)}
		}
	}
	return faults
}

// Faults lists inputs that are unknown, of a wrong type, or missing.
func (s Shape) Faults(prefix string, p Map) []Failure {
	var faults []Failure
	for _, name := range p.Keys() {
		f, ok := s[name]
		if !ok {
			faults = append(faults, Failure{prefix + name, fmt.Sprintf(
				"An argument named %q is not expected here.", name)})
			continue
		}
		faults = append(faults, f.faults(prefix+name, p[name])...)
	}
	for name, f := range s {
		if f.Required && !p.Has(name) {
			faults = append(faults, Missing(prefix+name))
		}
	}
	return faults
}

func (f field) mismatch(path string, v any) Failure {
	return Failure{path, fmt.Sprintf("expected %s type, got %q of type %s.", typeName(f.Kind), fmt.Sprint(v),
		typeName(reflect.TypeOf(v).Kind()))}
}

func typeName(k reflect.Kind) string {
	switch k {
	case reflect.Slice:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Float64:
		return "number"
	default:
		return k.String()
	}
}
