package crd

import (
	"fmt"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Fields returns the converter that determines which fields of a kind's objects have separate owners: the fields of a
// list or map that is declared atomic have one owner. It returns an error for a kind that is not in the set.
func (s *Set) Fields(kind Kind) (managedfields.TypeConverter, error) {
	found, err := s.lookup(kind)
	if err != nil {
		return nil, err
	}
	return found.fields()
}

// Prune removes the fields that an object's schema does not have, as an API server does on creation and update. The
// object's values have JSON's types. A set that is Dated keeps them.
func (s *Set) Prune(object map[string]any) error {
	kindSchema, err := s.schemaOf(object)
	if err != nil || kindSchema.dated {
		return err
	}
	kindSchema.prune(object)
	return nil
}

// fieldsOf converts a kind's structure and the metadata that every object has.
func fieldsOf(kind Kind, structure *structural.Structural) (managedfields.TypeConverter, error) {
	group, version, _ := strings.Cut(kind.APIVersion, "/")
	object := structure.ToKubeOpenAPI()
	text := *spec.StringProperty()
	object.SetProperty("apiVersion", text)
	object.SetProperty("kind", text)
	object.SetProperty("metadata", metadataSchema())
	object.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{
		"group":   group,
		"version": version,
		"kind":    kind.Kind,
	}})
	converter, err := managedfields.NewTypeConverter(map[string]*spec.Schema{kind.Kind: object}, false)
	if err != nil {
		return nil, fmt.Errorf("compiling the fields of %s: %w", kind.Kind, err)
	}
	return converter, nil
}

// metadataSchema returns the schema of metadata, limited to which of its fields have separate owners.
// Source: io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta in Kubernetes' OpenAPI document.
func metadataSchema() spec.Schema {
	text, number := spec.StringProperty(), spec.Int64Property()
	atomic := spec.MapProperty(nil)
	atomic.AddExtension("x-kubernetes-map-type", "atomic")
	finalizers, owners, managed := spec.ArrayProperty(text), spec.ArrayProperty(ownerSchema()), spec.ArrayProperty(atomic)
	finalizers.AddExtension("x-kubernetes-list-type", "set")
	owners.AddExtension("x-kubernetes-list-type", "map")
	owners.AddExtension("x-kubernetes-list-map-keys", []any{"uid"})
	managed.AddExtension("x-kubernetes-list-type", "atomic")
	metadata := spec.Schema{}
	metadata.Typed("object", "")
	for _, name := range []string{"name", "generateName", "namespace", "uid", "resourceVersion", "selfLink",
		"creationTimestamp", "deletionTimestamp"} {
		metadata.SetProperty(name, *text)
	}
	for _, name := range []string{"generation", "deletionGracePeriodSeconds"} {
		metadata.SetProperty(name, *number)
	}
	for _, name := range []string{"annotations", "labels"} {
		metadata.SetProperty(name, *spec.MapProperty(text))
	}
	metadata.SetProperty("finalizers", *finalizers)
	metadata.SetProperty("ownerReferences", *owners)
	metadata.SetProperty("managedFields", *managed)
	return metadata
}

func ownerSchema() *spec.Schema {
	owner := &spec.Schema{}
	owner.Typed("object", "")
	for _, name := range []string{"apiVersion", "kind", "name", "uid"} {
		owner.SetProperty(name, *spec.StringProperty())
	}
	for _, name := range []string{"controller", "blockOwnerDeletion"} {
		owner.SetProperty(name, *spec.BooleanProperty())
	}
	owner.AddExtension("x-kubernetes-map-type", "atomic")
	return owner
}
