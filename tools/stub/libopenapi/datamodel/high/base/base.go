// Package base has the schemas of a document.
package base

import (
	"github.com/pb33f/libopenapi/orderedmap"
	"go.yaml.in/yaml/v4"
)

// Schema is a JSON Schema.
type Schema struct {
	Type                         []string
	AllOf, OneOf, AnyOf          []*SchemaProxy
	Discriminator                *Discriminator
	Items, AdditionalProperties  *DynamicValue
	Properties                   *orderedmap.Map[string, *SchemaProxy]
	Required                     []string
	Description, Format, Pattern string
	Default                      *yaml.Node
	Enum                         []*yaml.Node
	Extensions                   *orderedmap.Map[string, *yaml.Node]
	MinLength, MaxLength         *int64
	Minimum, Maximum, MultipleOf *float64
	Nullable, ReadOnly           *bool
}

// GoLow returns nil.
func (*Schema) GoLow() *Low { return nil }

// MarshalJSONInline returns nothing.
func (*Schema) MarshalJSONInline() ([]byte, error) { return nil, nil }

// Low is how a schema was written.
type Low struct{}

// Hash returns 0.
func (*Low) Hash() uint64 { return 0 }

// SchemaProxy refers to a schema.
type SchemaProxy struct{}

// Schema returns nil.
func (*SchemaProxy) Schema() *Schema { return nil }

// DynamicValue is a schema or a boolean.
type DynamicValue struct{ A *SchemaProxy }

// IsA reports whether it is a schema.
func (*DynamicValue) IsA() bool { return false }

// Discriminator distinguishes the schemas of a union.
type Discriminator struct {
	PropertyName string
	Mapping      *orderedmap.Map[string, string]
}
