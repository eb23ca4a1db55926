package hostedcluster

import (
	"encoding/json"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
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
	faults.Join("spec", kube.MergePatch(into, spec))
	return faults.Err()
}

// HyperShift's operators read objects into Go types and write them back: a duration "10m" becomes "10m0s". The
// operators then own the field, and a later server-side apply of it fails with a conflict. A value that is applied in
// the operators' format stays owned by the stack.

// canonicalCluster rewrites a HostedCluster's durations, quantities and CIDRs in HyperShift's format.
func canonicalCluster(object map[string]any) { canonical(object, &hyperv1.HostedCluster{}) }

// canonicalPool does the same for a NodePool.
func canonicalPool(object map[string]any) { canonical(object, &hyperv1.NodePool{}) }

// canonical replaces the texts in an object by those that its Go type marshals for them. Fields that the type does not
// have stay. An object that does not fit the type is unchanged: the schema reports the fault.
func canonical(object map[string]any, typed any) {
	text, err := json.Marshal(object)
	if err != nil || json.Unmarshal(text, typed) != nil {
		return
	}
	if text, err = json.Marshal(typed); err != nil {
		return
	}
	var written map[string]any
	if json.Unmarshal(text, &written) == nil {
		takeTexts(object, written)
	}
}

// takeTexts returns value with the texts of written at the same paths.
func takeTexts(value, written any) any {
	switch v := value.(type) {
	case map[string]any:
		w, _ := written.(map[string]any)
		for key, inner := range v {
			if there, ok := w[key]; ok {
				v[key] = takeTexts(inner, there)
			}
		}
	case []any:
		if w, ok := written.([]any); ok && len(w) == len(v) {
			for i := range v {
				v[i] = takeTexts(v[i], w[i])
			}
		}
	case string:
		if w, ok := written.(string); ok {
			return w
		}
	}
	return value
}
