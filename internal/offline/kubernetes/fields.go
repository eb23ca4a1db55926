package kubernetes

import (
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/hypershift-aws/hypershift-aws/internal/value/crd"
)

// converters has a converter per definition of custom objects, compiled once per process.
var converters sync.Map

// definitionOf is the definition of a kind in a set.
type definitionOf struct {
	set  *crd.Set
	kind crd.Kind
}

// converter returns what determines which fields of the kind's objects have separate owners: the fields of a list or
// map that is declared atomic have one owner.
func (d definitionOf) converter() (managedfields.TypeConverter, error) {
	compiled, _ := converters.LoadOrStore(d, sync.OnceValues(d.compile))
	return compiled.(func() (managedfields.TypeConverter, error))()
}

// compile converts the kind's structure and the metadata that every object has.
func (d definitionOf) compile() (managedfields.TypeConverter, error) {
	structure, err := d.set.Structure(d.kind)
	if err != nil {
		return nil, err
	}
	group, version, _ := strings.Cut(d.kind.APIVersion, "/")
	object := structure.ToKubeOpenAPI()
	text := *spec.StringProperty()
	object.SetProperty("apiVersion", text)
	object.SetProperty("kind", text)
	object.SetProperty("metadata", metadataSchema())
	object.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{
		"group":   group,
		"version": version,
		"kind":    d.kind.Kind,
	}})
	converter, err := managedfields.NewTypeConverter(map[string]*spec.Schema{d.kind.Kind: object}, false)
	if err != nil {
		return nil, fmt.Errorf("compiling the fields of %s: %w", d.kind.Kind, err)
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
