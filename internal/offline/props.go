package offline

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"google.golang.org/protobuf/types/known/structpb"
)

// props is a resource's properties in plain Go: string, bool, float64, []any, map[string]any, and unknown.
type props map[string]any

// unknown stands for a value that a preview cannot know yet.
type unknown struct{}

// text is the string at key, empty where there is none.
func (p props) text(key string) string {
	s, _ := p[key].(string)
	return s
}

// yes is the bool at key, false where there is none.
func (p props) yes(key string) bool {
	b, _ := p[key].(bool)
	return b
}

// number is the number at key, 0 where there is none.
func (p props) number(key string) float64 {
	n, _ := p[key].(float64)
	return n
}

// texts are the strings of the list at key.
func (p props) texts(key string) []string {
	var texts []string
	list, _ := p[key].([]any)
	for _, v := range list {
		if s, ok := v.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// objects are the objects of the list at key.
func (p props) objects(key string) []props {
	var objects []props
	list, _ := p[key].([]any)
	for _, v := range list {
		if o, ok := v.(map[string]any); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

// object is the object at key, nil where there is none.
func (p props) object(key string) props {
	o, _ := p[key].(map[string]any)
	return o
}

// has says whether there is a value at key, known or not.
func (p props) has(key string) bool {
	return p[key] != nil
}

// keys are p's keys in order.
func (p props) keys() []string {
	return slices.Sorted(maps.Keys(p))
}

// clone copies p, deep down.
func (p props) clone() props {
	return cloneValue(map[string]any(p)).(map[string]any)
}

func cloneValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := make(map[string]any, len(v))
		for k, e := range v {
			o[k] = cloneValue(e)
		}
		return o
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = cloneValue(e)
		}
		return l
	default:
		return v
	}
}

// list makes a property list of strings.
func list(texts ...string) []any {
	l := make([]any, len(texts))
	for i, s := range texts {
		l[i] = s
	}
	return l
}

// unmarshal reads properties as the engine sends them. Nulls are left out.
func unmarshal(s *structpb.Struct) (props, error) {
	m, err := plugin.UnmarshalProperties(s, plugin.MarshalOptions{KeepUnknowns: true, SkipNulls: true})
	if err != nil {
		return nil, err
	}
	p := props{}
	for k, v := range m {
		if e := plain(v); e != nil {
			p[string(k)] = e
		}
	}
	return p, nil
}

// marshal writes properties for the engine.
func (p props) marshal() (*structpb.Struct, error) {
	m := resource.PropertyMap{}
	for k, v := range p {
		m[resource.PropertyKey(k)] = property(v)
	}
	return plugin.MarshalProperties(m, plugin.MarshalOptions{KeepUnknowns: true})
}

func plain(v resource.PropertyValue) any {
	switch {
	case v.IsSecret():
		return plain(v.SecretValue().Element)
	case v.IsOutput() && v.OutputValue().Known:
		return plain(v.OutputValue().Element)
	case v.IsComputed(), v.IsOutput():
		return unknown{}
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
	case unknown:
		return resource.MakeComputed(resource.NewStringProperty(""))
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

// holdsUnknown says whether v is unknown or holds something that is.
func holdsUnknown(v any) bool {
	switch v := v.(type) {
	case unknown:
		return true
	case []any:
		return slices.ContainsFunc(v, holdsUnknown)
	case map[string]any:
		for _, e := range v {
			if holdsUnknown(e) {
				return true
			}
		}
	}
	return false
}
