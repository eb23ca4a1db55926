// Package v3 has the operations of a document.
package v3

import (
	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/orderedmap"
	"go.yaml.in/yaml/v4"
)

// Document is what a document describes.
type Document struct {
	Info       *Info
	Components *Components
	Paths      *Paths
}

// Info is about the document.
type Info struct{ Version string }

// Components are the schemas that operations refer to.
type Components struct {
	Schemas *orderedmap.Map[string, *base.SchemaProxy]
}

// Paths are the operations by path.
type Paths struct {
	PathItems *orderedmap.Map[string, *PathItem]
}

// PathItem has the operations of one path.
type PathItem struct{ Get, Post, Put, Delete, Patch, Head *Operation }

// Operation is one request.
type Operation struct {
	OperationId, Summary, Description string
	Tags                              []string
	Parameters                        []*Parameter
	RequestBody                       *RequestBody
	Responses                         *Responses
	Deprecated                        *bool
	Extensions                        *orderedmap.Map[string, *yaml.Node]
}

// Parameter is one parameter of a request.
type Parameter struct {
	Name, In, Description string
	Required              *bool
	Schema                *base.SchemaProxy
}

// RequestBody is a request's body.
type RequestBody struct {
	Content *orderedmap.Map[string, *MediaType]
}

// MediaType is a body of one type.
type MediaType struct{ Schema *base.SchemaProxy }

// Responses are the answers by HTTP status.
type Responses struct {
	Codes   *orderedmap.Map[string, *Response]
	Default *Response
}

// Response is one answer.
type Response struct {
	Description string
	Content     *orderedmap.Map[string, *MediaType]
}
