package crd

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
)

// Kind identifies the schema of one kind: an apiVersion and a kind, as in objects.
type Kind struct{ APIVersion, Kind string }

// Set contains the CRDs of one API. Each is compiled at first use, once per process; its rules in CEL when an object
// has a value for them.
type Set struct {
	// API names the API in faults: "HyperShift's API".
	api   string
	kinds []Kind
	load  map[Kind]func() (*schema, error)
}

// schema is the compiled schema of one kind.
type schema struct {
	structure *structural.Structural
	shape     validation.SchemaValidator
	rules     *rules
	// dated is true if objects may have fields below spec that the schema does not have.
	dated bool
	// namespaced is true if objects of the kind are in a namespace.
	namespaced bool
}

// NewSet returns the set of the CRDs in files, which maps each kind to the JSON file, or the JSON file compressed by
// gzip (".gz"), that its CRD is in. api names the API in faults, such as "HyperShift's API".
func NewSet(api string, from fs.FS, files map[Kind]string) *Set {
	s := &Set{api: api, load: map[Kind]func() (*schema, error){}}
	for kind, file := range files {
		s.kinds = append(s.kinds, kind)
		s.load[kind] = sync.OnceValues(func() (*schema, error) { return load(from, file, kind) })
	}
	slices.SortFunc(s.kinds, func(a, b Kind) int {
		return strings.Compare(a.APIVersion+"/"+a.Kind, b.APIVersion+"/"+b.Kind)
	})
	return s
}

// Dated makes the set one of the API at a date: objects may have fields below spec of later versions.
func (s *Set) Dated() *Set {
	for kind, load := range s.load {
		s.load[kind] = sync.OnceValues(func() (*schema, error) {
			loaded, err := load()
			if err == nil {
				loaded.dated = true
			}
			return loaded, err
		})
	}
	return s
}

// Structure returns a copy of the structure of a kind's objects. In a set that is Dated, objects may have fields that
// it does not declare. It returns an error for a kind that is not in the set.
func (s *Set) Structure(kind Kind) (*structural.Structural, error) {
	found, err := s.lookup(kind)
	if err != nil {
		return nil, err
	}
	structure := found.structure.DeepCopy()
	if found.dated {
		keepUnknown(structure)
	}
	return structure, nil
}

// keepUnknown lets every object of a schema have fields that it does not declare.
func keepUnknown(structure *structural.Structural) {
	(&structural.Visitor{Structural: func(s *structural.Structural) bool {
		if s.Type == "object" && s.AdditionalProperties == nil {
			s.XPreserveUnknownFields = true
		}
		return true
	}}).Visit(structure)
}

// Kinds lists the kinds of the set, by apiVersion and kind.
func (s *Set) Kinds() []Kind { return slices.Clone(s.kinds) }

// Namespaced reports whether objects of a kind are in a namespace. It returns an error for a kind that is not in the
// set.
func (s *Set) Namespaced(kind Kind) (bool, error) {
	found, err := s.lookup(kind)
	if err != nil {
		return false, err
	}
	return found.namespaced, nil
}

// schemaOf returns the schema of an object's kind.
func (s *Set) schemaOf(object map[string]any) (*schema, error) {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return s.lookup(Kind{version, kind})
}

func (s *Set) lookup(kind Kind) (*schema, error) {
	compile, ok := s.load[kind]
	if !ok {
		return nil, fmt.Errorf("no schema for kind %q of apiVersion %q; known kinds: %s", kind.Kind, kind.APIVersion,
			s.list())
	}
	return compile()
}

func (s *Set) list() string {
	var texts []string
	for _, kind := range s.kinds {
		texts = append(texts, kind.APIVersion+" "+kind.Kind)
	}
	return strings.Join(texts, ", ")
}

func load(from fs.FS, file string, kind Kind) (*schema, error) {
	text, err := read(from, file)
	if err != nil {
		return nil, fmt.Errorf("reading the CRD in %s: %w", file, err)
	}
	var crd v1.CustomResourceDefinition
	if err := json.Unmarshal(text, &crd); err != nil {
		return nil, fmt.Errorf("reading the CRD in %s: %w", file, err)
	}
	for _, version := range crd.Spec.Versions {
		if crd.Spec.Group+"/"+version.Name != kind.APIVersion || crd.Spec.Names.Kind != kind.Kind {
			continue
		}
		s, err := compile(version.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, fmt.Errorf("compiling the CRD in %s: %w", file, err)
		}
		if s.rules.nested {
			return nil, fmt.Errorf("the CRD in %s has rules in allOf, anyOf, oneOf or not, which are not supported", file)
		}
		s.namespaced = crd.Spec.Scope == v1.NamespaceScoped
		return s, nil
	}
	return nil, fmt.Errorf("the CRD in %s has no %s of version %s", file, kind.Kind, kind.APIVersion)
}

func read(from fs.FS, file string) ([]byte, error) {
	text, err := fs.ReadFile(from, file)
	if err != nil || !strings.HasSuffix(file, ".gz") {
		return text, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unpacked)
}

func compile(properties *v1.JSONSchemaProps) (*schema, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(properties, internal, nil); err != nil {
		return nil, err
	}
	structure, err := structural.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	shape, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, err
	}
	return &schema{structure: structure, shape: shape, rules: newRules(structure)}, nil
}
