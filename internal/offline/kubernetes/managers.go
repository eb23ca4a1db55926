package kubernetes

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/hypershift-aws/hypershift-aws/components/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// createdBy is the field manager of objects that pulumi-kubernetes creates, even if it later applies them as another manager.
const createdBy = "pulumi-kubernetes"

// fields tracks the managers of a custom resource's fields, with the API server's own code.
func (k *ObjectKind) fields() *managedfields.FieldManager {
	gvk := k.gvk()
	types, err := k.schemas.Fields(crd.Kind{APIVersion: k.apiVersion, Kind: k.kind})
	if err != nil {
		panic(err) // the definitions are embedded, and valid
	}
	manager, err := managedfields.NewDefaultCRDFieldManager(types, oneVersion{}, definition{k.schemas},
		creator{}, gvk, gvk.GroupVersion(), "", nil)
	if err != nil {
		panic(err) // it fails only without a converter
	}
	return manager
}

// none returns an empty object of the kind.
func (k *ObjectKind) none() *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(k.gvk())
	return o
}

// ownedByApplier returns an object whose fields from the creation belong to the applying manager: pulumi-kubernetes takes them over before
// it applies for the first time.
func ownedByApplier(object props.Map, manager string) props.Map {
	object = object.Clone()
	for _, entry := range object.Object("metadata").Objects("managedFields") {
		if entry.String("manager") == createdBy && entry.String("operation") == "Update" {
			entry["manager"], entry["operation"] = manager, "Apply"
		}
	}
	return object
}

// createdNotApplied reports whether an object has fields that pulumi-kubernetes created and has not applied since.
func createdNotApplied(object props.Map) bool {
	return slices.ContainsFunc(object.Object("metadata").Objects("managedFields"), func(entry props.Map) bool {
		return entry.String("manager") == createdBy && entry.String("operation") == "Update"
	})
}

// left returns an object after its former manager has released it, without the fields that no other manager applied.
func (k *ObjectKind) left(object runtime.Object, former string) (runtime.Object, error) {
	name, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	nothing := k.none()
	nothing.SetName(name.GetName())
	nothing.SetNamespace(name.GetNamespace())
	return k.fields().Apply(object, nothing, former, true)
}

// oneVersion converts between the versions of a kind that has only one.
type oneVersion struct{}

var _ runtime.ObjectConvertor = oneVersion{}

func (oneVersion) Convert(_, _, _ any) error {
	return runtime.NewNotRegisteredErrForKind("", schema.GroupVersionKind{})
}

func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// definition sets an object's defaults from its definition.
type definition struct{ schemas *crd.Set }

var _ runtime.ObjectDefaulter = definition{}

func (d definition) Default(in runtime.Object) {
	if o, ok := in.(*unstructured.Unstructured); ok {
		_ = d.schemas.Default(o.Object) // fails only for kinds without a definition, which do not get here
	}
}

// creator makes empty objects.
type creator struct{}

var _ runtime.ObjectCreater = creator{}

func (creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(kind)
	return o, nil
}
