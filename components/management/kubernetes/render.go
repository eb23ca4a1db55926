package kubernetes

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// manifestsLimit is the maximum size of a render without compression. HyperShift's, with the definitions of all
// platforms, has about 6 MB.
const manifestsLimit = 64 << 20

// renderLine is the command whose output a render is.
const renderLine = "hypershift install render"

// ReadManifests returns the objects in the output of `hypershift install render`: one or more YAML documents, or a List
// in JSON, compressed with gzip or not. It drops what an object's creation does not need: nulls, the status, and
// objects without content.
func ReadManifests(text string) ([]unstructured.Unstructured, error) {
	content, err := unzipped(text)
	if err != nil {
		return nil, &fault.Fault{
			Problem: "cannot be decompressed: " + err.Error(),
			Remedy:  "use the output of `" + renderLine + "`, as it is or compressed with gzip",
		}
	}
	var objects []unstructured.Unstructured
	var faults fault.Faults
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for document := 1; ; document++ {
		var read map[string]any
		if err := decoder.Decode(&read); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			faults.Add("", nil, fmt.Sprintf("is not YAML or JSON in document %d: %s", document, err),
				"use the output of `"+renderLine+"`")
			return nil, faults
		}
		found, err := objectsIn(read, fmt.Sprintf("document %d", document))
		faults.Join("", err)
		objects = append(objects, found...)
	}
	first := map[string]bool{}
	for _, object := range objects {
		if id := describe(object); first[id] {
			faults.Add("", id, "is twice in the render", "use the output of one `"+renderLine+"`")
		} else {
			first[id] = true
		}
	}
	if len(objects) == 0 && len(faults) == 0 {
		faults.Add("", nil, "has no objects", "use the output of `"+renderLine+"`")
	}
	return objects, faults.Err()
}

// unzipped returns a text, decompressed if it is compressed with gzip.
func unzipped(text string) ([]byte, error) {
	if !strings.HasPrefix(text, "\x1f\x8b") {
		return []byte(text), nil
	}
	reader, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(reader, manifestsLimit+1))
	if err == nil && len(content) > manifestsLimit {
		err = fmt.Errorf("it has more than %d MB", manifestsLimit>>20)
	}
	return content, err
}

// objectsIn returns the object of a document, or the items of a List.
func objectsIn(document map[string]any, place string) ([]unstructured.Unstructured, error) {
	// A render has nulls for fields without a value, such as creationTimestamp.
	document = untyped.WithoutNulls(document)
	if len(document) == 0 {
		return nil, nil // an empty document, such as one with comments only
	}
	object := unstructured.Unstructured{Object: document}
	switch kind := object.GetKind(); {
	case kind == "Template":
		return nil, &fault.Fault{
			Value:   kind,
			Problem: "is OpenShift's template, whose parameters have no values",
			Remedy:  "render without --template",
		}
	case kind == "List" && object.GetAPIVersion() == "v1":
		items, _ := document["items"].([]any)
		var objects []unstructured.Unstructured
		var faults fault.Faults
		for i, item := range items {
			at := fmt.Sprintf("item %d of %s", i+1, place)
			inner, isObject := item.(map[string]any)
			if !isObject {
				faults.Add("", nil, "has no object as "+at, "use the output of `"+renderLine+"`")
				continue
			}
			found, err := objectsIn(inner, at)
			faults.Join("", err)
			objects = append(objects, found...)
		}
		return objects, faults.Err()
	case kind == "" || object.GetAPIVersion() == "" || object.GetName() == "":
		return nil, &fault.Fault{
			Problem: "has no apiVersion, kind or metadata.name in " + place,
			Remedy:  "use the output of `" + renderLine + "`",
		}
	}
	delete(document, "status")
	return []unstructured.Unstructured{object}, nil
}

// describe returns an object's kind and name: "Deployment hypershift/operator".
func describe(object unstructured.Unstructured) string {
	return object.GetKind() + " " + strings.TrimPrefix(object.GetNamespace()+"/"+object.GetName(), "/")
}

// isDefinition reports whether an object is a CustomResourceDefinition.
func isDefinition(object unstructured.Unstructured) bool {
	return object.GetKind() == "CustomResourceDefinition" && strings.HasPrefix(object.GetAPIVersion(),
		"apiextensions.k8s.io/")
}

// isDeployment reports whether an object is the Deployment with a name.
func isDeployment(object unstructured.Unstructured, name string) bool {
	return object.GetKind() == "Deployment" && strings.HasPrefix(object.GetAPIVersion(),
		"apps/") && object.GetName() == name
}

// versionsOf returns the names of a definition's versions.
func versionsOf(definition unstructured.Unstructured) []string {
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	var names []string
	for _, version := range versions {
		if fields, isObject := version.(map[string]any); isObject {
			name, _ := fields["name"].(string)
			names = append(names, name)
		}
	}
	return names
}

// checkStored returns the faults of OperatorArgs.CheckStored.
func checkStored(objects []unstructured.Unstructured, stored map[string][]string) error {
	var faults fault.Faults
	for _, object := range objects {
		if !isDefinition(object) {
			continue
		}
		versions := versionsOf(object)
		for _, version := range stored[object.GetName()] {
			if !slices.Contains(versions, version) {
				faults.Add("", object.GetName()+" "+version, fmt.Sprintf("is a version in which the management cluster stores objects (status.storedVersions), but the render "+
					"has only %s", strings.Join(versions, ", ")), "use the render of a version of HyperShift that has it")
			}
		}
	}
	return faults.Err()
}
