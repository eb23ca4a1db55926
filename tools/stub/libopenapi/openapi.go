// Package libopenapi stands in for the OpenAPI library of the same name when the engine is built. The engine describes
// the HTTP API of Pulumi Cloud with it, in `pulumi api`, and nothing else; but the library takes a third of the time in
// which the engine compiles. The packages have what the engine's source names.
package libopenapi

import (
	"errors"

	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
)

// Document is an OpenAPI document.
type Document struct{}

// Model is what a document describes.
type Model struct{ Model v3.Document }

// NewDocument always fails.
func NewDocument([]byte) (*Document, error) {
	return nil, errors.New("this pulumi was built without OpenAPI; install one from https://www.pulumi.com/docs/install")
}

// BuildV3Model is never reached.
func (*Document) BuildV3Model() (*Model, error) { return nil, nil }
