// Package props reads the properties of resources, in the form in which the engine records them.
package props

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// Map is the properties of a resource, or of an object in them: string, bool, float64, []any and map[string]any.
type Map map[string]any

// At returns the value at a path of keys, nil if there is none.
func (p Map) At(path ...string) any {
	last := len(path) - 1
	for _, key := range path[:last] {
		p = p.Object(key)
	}
	return p[path[last]]
}

// String returns the string at a path of keys, or "" if there is none.
func (p Map) String(path ...string) string {
	s, _ := p.At(path...).(string)
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
	return untyped.Clone(map[string]any(p)).(map[string]any)
}

// Resource is a resource that the engine or AWS records, with its inputs or outputs.
type Resource struct {
	// URN and Name are its names in the program, "" for a resource of no stack; Type is its token,
	// "aws:ec2/subnet:Subnet".
	URN, Name, Type string
	// ID is its ID in AWS.
	ID string
	Map
	// Protected is true if the engine refuses to delete it.
	Protected bool
}

// ResourceOf returns a resource of a state with its inputs or outputs.
func ResourceOf(r apitype.ResourceV3, properties Map) Resource {
	return Resource{
		URN:       string(r.URN),
		Name:      r.URN.Name(),
		Type:      string(r.Type),
		ID:        string(r.ID),
		Map:       properties,
		Protected: r.Protect,
	}
}

// Hidden replaces a secret: in the engine's events, and in values for users.
const Hidden = "[secret]"

// HideSecrets returns a value with Hidden for each secret of a state or a plan in it.
func HideSecrets(properties any) any {
	if object, ok := properties.(Map); ok {
		properties = map[string]any(object)
	}
	return untyped.Map(properties, func(inner any) any {
		if object, ok := inner.(map[string]any); ok && object[sig.Key] == sig.Secret {
			return Hidden
		}
		return inner
	})
}
