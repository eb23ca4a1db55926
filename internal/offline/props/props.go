// Package props has resources' properties as plain Go values: their types, comparison, and conversion to the engine's wire format.
package props

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"google.golang.org/protobuf/types/known/structpb"
)

// Secret marks a value as secret for the engine. The engine sends values without the mark.
type Secret struct{ Value any }

// Map is a resource's properties in plain Go: string, bool, float64, []any, map[string]any, and unknown.
type Map map[string]any

// Unknown is a value that a preview cannot know yet.
type Unknown struct{}

// String returns the string at key, or "" if there is none.
func (p Map) String(key string) string {
	s, _ := p[key].(string)
	return s
}

// Bool returns the bool at key, or false if there is none.
func (p Map) Bool(key string) bool {
	b, _ := p[key].(bool)
	return b
}

// Number returns the number at key, or 0 if there is none.
func (p Map) Number(key string) float64 {
	n, _ := p[key].(float64)
	return n
}

// Strings returns the strings of the list at key.
func (p Map) Strings(key string) []string {
	var texts []string
	list, _ := p[key].([]any)
	for _, v := range list {
		if s, ok := v.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// Objects returns the objects of the list at key.
func (p Map) Objects(key string) []Map {
	var objects []Map
	list, _ := p[key].([]any)
	for _, v := range list {
		if o, ok := v.(map[string]any); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

// Object returns the object at key, or nil if there is none.
func (p Map) Object(key string) Map {
	o, _ := p[key].(map[string]any)
	return o
}

// Has reports whether there is a value at key, known or unknown.
func (p Map) Has(key string) bool {
	return p[key] != nil
}

// Keys returns p's keys in order.
func (p Map) Keys() []string {
	return slices.Sorted(maps.Keys(p))
}

// Clone returns a deep copy of p.
func (p Map) Clone() Map {
	return CloneValue(map[string]any(p)).(map[string]any)
}

// CloneValue returns a deep copy of a property's value.
func CloneValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := make(map[string]any, len(v))
		for k, e := range v {
			o[k] = CloneValue(e)
		}
		return o
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = CloneValue(e)
		}
		return l
	default:
		return v
	}
}

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
func (p Map) Marshal() (*structpb.Struct, error) {
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
	switch v := v.(type) {
	case Unknown:
		return true
	case []any:
		return slices.ContainsFunc(v, HoldsUnknown)
	case map[string]any:
		for _, e := range v {
			if HoldsUnknown(e) {
				return true
			}
		}
	}
	return false
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
