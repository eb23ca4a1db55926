// Package props has resources' properties as plain Go values: their types, comparison, and conversion to the engine's wire format.
package props

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
)

// Secret marks a value as secret for the engine. The engine sends values without the mark.
type Secret struct{ Value any }

// Map is a resource's properties in plain Go, and Unknown for what a preview cannot know.
type Map = props.Map

// Unknown is a value that a preview cannot know yet.
type Unknown struct{}

// CloneValue returns a deep copy of a property's value.
func CloneValue(v any) any { return props.CloneValue(v) }

// List makes a property list of strings.
func List(texts ...string) []any {
	l := make([]any, len(texts))
	for i, s := range texts {
		l[i] = s
	}
	return l
}

// Unmarshal reads properties as the engine sends them. Nulls are left out.
func Unmarshal(s *structpb.Struct) (Map, error) {
	m, err := plugin.UnmarshalProperties(s, plugin.MarshalOptions{KeepUnknowns: true, SkipNulls: true})
	if err != nil {
		return nil, err
	}
	p := Map{}
	for k, v := range m {
		if e := plain(v); e != nil {
			p[string(k)] = e
		}
	}
	return p, nil
}

// Marshal writes properties for the engine.
func Marshal(p Map) (*structpb.Struct, error) {
	m := resource.PropertyMap{}
	for k, v := range p {
		m[resource.PropertyKey(k)] = property(v)
	}
	return plugin.MarshalProperties(m, plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true})
}

func plain(v resource.PropertyValue) any {
	switch {
	case v.IsSecret():
		return plain(v.SecretValue().Element)
	case v.IsOutput() && v.OutputValue().Known:
		return plain(v.OutputValue().Element)
	case v.IsComputed(), v.IsOutput():
		return Unknown{}
	case v.IsArray():
		l := make([]any, 0, len(v.ArrayValue()))
		for _, e := range v.ArrayValue() {
			l = append(l, plain(e))
		}
		return l
	case v.IsObject():
		o := map[string]any{}
		for k, e := range v.ObjectValue() {
			if p := plain(e); p != nil {
				o[string(k)] = p
			}
		}
		return o
	case v.IsString():
		return v.StringValue()
	case v.IsBool():
		return v.BoolValue()
	case v.IsNumber():
		return v.NumberValue()
	default:
		return nil
	}
}

func property(v any) resource.PropertyValue {
	switch v := v.(type) {
	case Unknown:
		return resource.MakeComputed(resource.NewStringProperty(""))
	case Secret:
		return resource.MakeSecret(property(v.Value))
	case []any:
		l := make([]resource.PropertyValue, len(v))
		for i, e := range v {
			l[i] = property(e)
		}
		return resource.NewArrayProperty(l)
	case map[string]any:
		o := resource.PropertyMap{}
		for k, e := range v {
			o[resource.PropertyKey(k)] = property(e)
		}
		return resource.NewObjectProperty(o)
	default:
		return resource.NewPropertyValue(v)
	}
}

// HoldsUnknown reports whether v is unknown or contains an unknown value.
func HoldsUnknown(v any) bool {
	return props.Holds(v, func(value any) bool {
		_, unknown := value.(Unknown)
		return unknown
	})
}

// UnmarshalBoth reads the old and the new properties of a request.
func UnmarshalBoth(olds, news *structpb.Struct) (Map, Map, error) {
	o, err := Unmarshal(olds)
	if err != nil {
		return nil, nil, err
	}
	n, err := Unmarshal(news)
	return o, n, err
}

// CanonicalJSON returns the content of a JSON document in a canonical form: without the order of keys, and as in policies without the order
// of lists of strings, with a list of one string as the string.
func CanonicalJSON(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	return canonical(v)
}

func canonical(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := make(map[string]any, len(v))
		for k, e := range v {
			o[k] = canonical(e)
		}
		return o
	case []any:
		l := make([]any, len(v))
		allText := true
		for i, e := range v {
			l[i] = canonical(e)
			_, text := e.(string)
			allText = allText && text
		}
		if len(l) == 1 {
			return l[0]
		}
		if allText {
			slices.SortFunc(l, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
		return l
	default:
		return v
	}
}

// Failure is an error in an input.
type Failure struct{ Path, Reason string }

// Property returns the input that the path is in.
func (f Failure) Property() string {
	end := strings.IndexAny(f.Path, ".[")
	if end < 0 {
		return f.Path
	}
	return f.Path[:end]
}

// Missing returns the failure of a required property that is not set.
func Missing(path string) Failure {
	return Failure{path, fmt.Sprintf(
		"Missing required argument. The argument %q is required, but no definition was found.", path)}
}
