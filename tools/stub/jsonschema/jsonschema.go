// Package jsonschema stands in front of the library of the same name when the engine is built. It compiles a schema
// when a document is first validated: the engine compiles five at each start, which is a quarter of the processor time
// that a start takes, and validates by one of them, that of projects.
package jsonschema

import (
	"io"
	"sync"

	library "github.com/hypershift-aws/jsonschema/v5"
)

// ValidationError is the library's.
type ValidationError = library.ValidationError

// LoadURL loads the document at a URL.
func LoadURL(url string) (io.ReadCloser, error) { return library.LoadURL(url) }

// Schema is a schema that is compiled at its first use. Its fields are empty: the engine suggests names by them, for an
// unknown attribute of a project.
type Schema struct {
	Ref, Items2020       *Schema
	Properties           map[string]*Schema
	AdditionalProperties any

	compiled func() *library.Schema
}

// Validate validates a document.
func (s *Schema) Validate(document any) error { return s.compiled().Validate(document) }

// Compiler compiles schemas.
type Compiler struct {
	// LoadURL loads the schema at a URL.
	LoadURL func(url string) (io.ReadCloser, error)
}

// NewCompiler returns a compiler that loads schemas from the places that the library knows.
func NewCompiler() *Compiler { return &Compiler{LoadURL: LoadURL} }

// MustCompile returns the schema at a URL. It panics at its first use if it cannot be compiled.
func (c *Compiler) MustCompile(url string) *Schema {
	return &Schema{compiled: sync.OnceValue(func() *library.Schema {
		compiler := library.NewCompiler()
		compiler.LoadURL = c.LoadURL
		return compiler.MustCompile(url)
	})}
}
