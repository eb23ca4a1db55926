package hostedcluster

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/patch"
)

// untyped returns an object in the API's form: without a status, and without the empty fields that the Go types
// marshal.
func untyped(object any) (map[string]any, error) {
	values, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("converting a %T to the API's form: %w", object, err)
	}
	delete(values, "status")
	dropEmpty(values)
	return values, nil
}

// textAt returns the text at a path of an object, "" if there is none.
func textAt(object any, path ...string) string {
	fields, _ := object.(map[string]any)
	text, _, _ := unstructured.NestedString(fields, path...)
	return text
}

// dropEmpty removes nulls and, recursively, empty maps.
func dropEmpty(values map[string]any) {
	for key, value := range values {
		if inner, ok := value.(map[string]any); ok {
			dropEmpty(inner)
			if len(inner) == 0 {
				delete(values, key)
			}
		} else if value == nil {
			delete(values, key)
		}
	}
}

// merge merges spec into an object's spec. The error has the paths in the object.
func merge(object, spec map[string]any) error {
	into, _ := object["spec"].(map[string]any)
	var faults fault.Faults
	faults.Join("spec", patch.Merge(into, spec))
	return faults.Err()
}
