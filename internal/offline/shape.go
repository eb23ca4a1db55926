package offline

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// shape is what the Go SDK's struct says about a set of properties.
type shape map[string]field

// field is the type of one property.
type field struct {
	kind reflect.Kind // String, Bool, Float64, Slice, Map, Struct, or Interface where the SDK takes more than one type
	elem *field       // of a Slice or a Map
	// fields are those of a Struct.
	fields shape
	// required is true of a scalar that is no pointer. Lists and maps are never pointers: a kind names its required
	// ones itself.
	required bool
}

// shapeOf reads the shape of an SDK input such as ec2.SubnetArgs{}: its element type is the plain struct behind it,
// whose tags give the wire's names.
func shapeOf(input pulumi.Input) shape {
	return fieldsOf(input.ElementType())
}

func fieldsOf(t reflect.Type) shape {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := shape{}
	for i := range t.NumField() {
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
		f.required = false
		return f
	case reflect.Slice, reflect.Map:
		elem := fieldOf(t.Elem())
		return field{kind: t.Kind(), elem: &elem}
	case reflect.Struct:
		return field{kind: reflect.Struct, fields: fieldsOf(t), required: true}
	case reflect.Int, reflect.Float64:
		return field{kind: reflect.Float64, required: true}
	case reflect.String, reflect.Bool:
		return field{kind: t.Kind(), required: true}
	default:
		return field{kind: reflect.Interface}
	}
}

// faults lists what is wrong with v as a value of f, each with the path under which it stands.
func (f field) faults(path string, v any) []failure {
	if _, ok := v.(unknown); ok || f.kind == reflect.Interface {
		return nil
	}
	var faults []failure
	switch value := v.(type) {
	case []any:
		if f.kind != reflect.Slice {
			return []failure{f.mismatch(path, v)}
		}
		for i, e := range value {
			faults = append(faults, f.elem.faults(fmt.Sprintf("%s[%d]", path, i), e)...)
		}
	case map[string]any:
		switch f.kind {
		case reflect.Map:
			for _, k := range props(value).keys() {
				faults = append(faults, f.elem.faults(path+"."+k, value[k])...)
			}
		case reflect.Struct:
			faults = f.fields.faults(path+".", value)
		default:
			return []failure{f.mismatch(path, v)}
		}
	default:
		if reflect.TypeOf(v).Kind() != f.kind {
			return []failure{f.mismatch(path, v)}
		}
	}
	return faults
}

// faults lists the inputs that s does not know, those of a wrong type and those that are missing.
func (s shape) faults(prefix string, p props) []failure {
	var faults []failure
	for _, name := range p.keys() {
		f, ok := s[name]
		if !ok {
			faults = append(faults, failure{prefix + name, fmt.Sprintf(
				"An argument named %q is not expected here.", name)})
			continue
		}
		faults = append(faults, f.faults(prefix+name, p[name])...)
	}
	for name, f := range s {
		if f.required && !p.has(name) {
			faults = append(faults, missing(prefix+name))
		}
	}
	return faults
}

func (f field) mismatch(path string, v any) failure {
	return failure{path, fmt.Sprintf("expected %s type, got %q of type %s.", typeName(f.kind), fmt.Sprint(v),
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

func missing(path string) failure {
	return failure{path, fmt.Sprintf(
		"Missing required argument. The argument %q is required, but no definition was found.", path)}
}
