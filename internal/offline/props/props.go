// Package props has resources' properties as plain Go values: their types, comparison, and conversion to the engine's
// wire format.
package props

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// Secret marks a value as secret for the engine. The engine sends values without the mark.
type Secret struct{ Value any }

// Map is a resource's properties in plain Go, and Unknown for what a preview cannot know.
type Map = props.Map

// Unknown is a value that a preview cannot know yet.
type Unknown struct{}

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
	return untyped.WithoutNulls(m.MapRepl(nil, func(v resource.PropertyValue) (any, bool) {
		return Unknown{}, v.IsComputed()
	})), nil
}

// Marshal writes properties for the engine.
func Marshal(p Map) (*structpb.Struct, error) {
	m := resource.PropertyMap{}
	for k, v := range p {
		m[resource.PropertyKey(k)] = property(v)
	}
	return plugin.MarshalProperties(m, plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true})
}

func property(v any) resource.PropertyValue {
	return resource.NewPropertyValueRepl(v, nil, func(inner any) (resource.PropertyValue, bool) {
		switch inner := inner.(type) {
		case Unknown:
			return resource.MakeComputed(resource.NewStringProperty("")), true
		case Secret:
			return resource.MakeSecret(property(inner.Value)), true
		}
		return resource.PropertyValue{}, false
	})
}

// HoldsUnknown reports whether v is unknown or contains an unknown value.
func HoldsUnknown(v any) bool {
	return untyped.Contains(v, func(inner any) bool {
		_, unknown := inner.(Unknown)
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

// CanonicalJSON returns the content of a JSON document in a canonical form: without the order of keys, and as in
// policies without the order of lists of strings, with a list of one string as the string.
func CanonicalJSON(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	return untyped.Map(v, func(inner any) any {
		list, isList := inner.([]any)
		if !isList {
			return inner
		}
		if len(list) == 1 {
			return list[0]
		}
		isText := func(item any) bool { _, ok := item.(string); return ok }
		if !slices.ContainsFunc(list, func(item any) bool { return !isText(item) }) {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
		return list
	})
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
