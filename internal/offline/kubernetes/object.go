package kubernetes

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	v1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	schemas "github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// ObjectKind declares a type of Kubernetes object.
type ObjectKind struct {
	token string
	// apiVersion and kind are the object's own; plural is its name in errors.
	apiVersion, kind, plural string
	// namespaced objects have a namespace; the others are cluster-scoped.
	namespaced bool
	// data are the inputs whose change replaces the object, unless the provider's configuration or the object says
	// mutable.
	data    []string
	mutable string
	// replaces are further inputs whose change replaces the object: "roleRef", "spec.selector".
	replaces []string
	// complete sets what the API server derives from the inputs.
	complete func(props.Map)
	// custom objects are custom resources: they have their definition's schema, are applied field by field, and changes
	// are computed from the cluster's object.
	custom bool
	// schemas are the definitions of custom objects.
	schemas *schemas.Set
	// webhook returns what the kind's admission webhook refuses in a custom resource, given its former state. It is nil if
	// there is no webhook.
	webhook func(object, old map[string]any) field.ErrorList
	// installed objects keep the fields of their inputs, whatever they are.
	installed bool
	// refuses returns the API server's error for a change of an object, nil if it accepts every change.
	refuses func(was, is props.Map) error
	// patches is the type of which this one manages some fields, "" for a type that is an object itself.
	patches string

	// inputs are the names and types of the object's inputs.
	inputs props.Shape
}

// ObjectKinds returns the kinds of objects of an offline cluster, by Pulumi type.
func ObjectKinds() map[string]*ObjectKind {
	kinds := map[string]*ObjectKind{}
	for _, k := range []*ObjectKind{
		{
			token: "kubernetes:core/v1:Namespace", apiVersion: "v1", kind: "Namespace", plural: "namespaces",
			inputs:   props.ShapeFor[namespaceInputs](),
			complete: completeNamespace,
		},
		namespacePatch(),
		{
			token: "kubernetes:core/v1:ConfigMap", apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true,
			inputs: props.ShapeFor[configMapInputs](), data: []string{"binaryData", "data"}, mutable: "enableConfigMapMutable",
		},
		{
			token: "kubernetes:core/v1:Secret", apiVersion: "v1", kind: "Secret", plural: "secrets", namespaced: true,
			inputs: props.ShapeFor[secretInputs](), data: []string{"data", "stringData"}, mutable: "enableSecretMutable",
			replaces: []string{"type"}, complete: completeSecret,
		},
	} {
		kinds[k.token] = k
	}
	for _, k := range append(customKinds(), installedKinds()...) {
		kinds[k.token] = k
	}
	return kinds
}

// completeSecret replaces stringData by data, as the API server does.
func completeSecret(o props.Map) {
	o["data"] = encodedData(o)
	delete(o, "stringData")
	o["type"] = cmp.Or(o.String("type"), "Opaque")
}

// check completes an object and lists the errors in it.
func (k *ObjectKind) check(name string, seed []byte, olds, news props.Map) (props.Map, []props.Failure) {
	inputs := news.Clone()
	inputs["apiVersion"], inputs["kind"] = k.apiVersion, k.kind
	metadata := inputs.Object("metadata").Clone()
	if !metadata.Has("name") {
		// The provider names an object after the resource, and keeps the name as long as the object exists.
		sum := sha256.Sum256(append([]byte(name), seed...))
		metadata["name"] = cmp.Or(olds.Object("metadata").String("name"), name+"-"+hex.EncodeToString(sum[:])[:8])
	}
	if k.namespaced && !metadata.Has("namespace") {
		metadata["namespace"] = "default"
	}
	inputs["metadata"] = map[string]any(metadata)
	var failures []props.Failure
	if !k.custom && !k.installed { // pulumi-kubernetes leaves the checks of a custom resource to the API server
		failures = k.inputs.Faults("", inputs)
	}
	// Names of RBAC's objects only have to be segments of a path, such as "hypershift:reader".
	if given := metadata.String("name"); given != "" && len(validation.IsDNS1123Subdomain(given)) > 0 && !strings.Contains(k.apiVersion, "rbac.authorization.k8s.io/") {
		failures = append(failures, props.Failure{Path: "metadata.name",
			Reason: fmt.Sprintf("Invalid value: %q: a lowercase RFC 1123 subdomain must "+
				"consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character", given)})
	}
	for _, input := range k.data {
		for _, key := range inputs.Object(input).Keys() {
			if len(validation.IsConfigMapKey(key)) > 0 {
				failures = append(failures, props.Failure{Path: input + "." + key,
					Reason: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"})
			}
		}
	}
	return inputs, failures
}

// ID returns "<namespace>/<name>", or the name of an object without a namespace.
func (k *ObjectKind) ID(object props.Map) string {
	metadata := object.Object("metadata")
	if k.namespaced {
		return metadata.String("namespace") + "/" + metadata.String("name")
	}
	return metadata.String("name")
}

// planned returns the result of a preview's creation.
func (k *ObjectKind) planned(inputs props.Map) props.Map {
	out := inputs.Clone()
	out.Object("metadata")["uid"] = props.Unknown{}
	if k.complete != nil && !props.HoldsUnknown(map[string]any(out)) {
		k.complete(out)
	}
	return out
}

// applied returns an object with new inputs; the fields that the API server has set stay.
func (k *ObjectKind) applied(was, inputs props.Map) props.Map {
	out := inputs.Clone()
	for _, own := range []string{"uid", "creationTimestamp", "resourceVersion", "generation"} {
		if v := was.Object("metadata")[own]; v != nil {
			out.Object("metadata")[own] = v
		}
	}
	if k.installed && was.Has("status") {
		out["status"] = untyped.Clone(was["status"])
	}
	if k.complete != nil {
		k.complete(out)
	}
	return out
}

// found returns the old inputs with their current values, or without old inputs those that would create the object. A
// Secret's text is then data.
// https://github.com/pulumi/pulumi-kubernetes/blob/v4.30.0/provider/pkg/provider/provider.go (Read, pruneLiveState)
func (k *ObjectKind) found(object, olds props.Map) props.Map {
	if k.kind == "Secret" {
		olds = encoded(olds)
	}
	if len(olds) > 0 {
		return pruned(map[string]any(object), map[string]any(olds)).(map[string]any)
	}
	if k.custom || k.installed {
		return importable(object)
	}
	inputs := props.Map{}
	for name := range k.inputs {
		if object.Has(name) {
			inputs[name] = untyped.Clone(object[name])
		}
	}
	delete(inputs, "spec")
	metadata := inputs.Object("metadata")
	for _, own := range []string{"uid", "creationTimestamp", "resourceVersion"} {
		delete(metadata, own)
	}
	return inputs
}

// diff compares two objects value by value. A replacement with the same name deletes the old object first.
func (k *ObjectKind) diff(config, olds, news props.Map, ignored []string) props.Difference {
	d := props.Difference{Changed: map[string]pulumirpc.PropertyDiff_Kind{}}
	if k.kind == "Secret" && olds.Has("stringData") != news.Has("stringData") {
		olds, news = encoded(olds), encoded(news)
	}
	before, after := leaves(nil, map[string]any(olds)), leaves(nil, map[string]any(news))
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	for text := range paths {
		if reflect.DeepEqual(before[text].value, after[text].value) {
			continue
		}
		path := paths[text].path
		replace := k.replacing(config, olds, path)
		_, was := before[text]
		_, is := after[text]
		d.Note(path, was, is, replace, ignored)
		d.DeleteBeforeReplace = d.DeleteBeforeReplace || replace && k.ID(olds) == k.ID(news)
	}
	return d
}

// encoded returns a Secret with its stringData as data: an imported Secret has data, and equals one with the same
// content as stringData.
// https://github.com/pulumi/pulumi-kubernetes/blob/v4.30.0/provider/pkg/clients/unstructured.go (normalizeSecret)
func encoded(secret props.Map) props.Map {
	texts := secret.Object("stringData")
	if texts == nil || props.HoldsUnknown(map[string]any(texts)) {
		return secret
	}
	secret = secret.Clone()
	secret["data"] = encodedData(secret)
	delete(secret, "stringData")
	return secret
}

// encodedData returns a Secret's data with its stringData in base 64.
func encodedData(secret props.Map) map[string]any {
	data := secret.Object("data").Clone()
	for key, text := range secret.Object("stringData") {
		if s, ok := text.(string); ok {
			data[key] = base64.StdEncoding.EncodeToString([]byte(s))
		}
	}
	return data
}

// replacing reports whether a change at a path replaces the object.
func (k *ObjectKind) replacing(config, olds props.Map, path resource.PropertyPath) bool {
	switch root := path[0]; {
	case root == "metadata" && len(path) > 1 && (path[1] == "name" || path[1] == "namespace"):
		return true
	case slices.ContainsFunc(k.replaces, func(input string) bool {
		return strings.HasPrefix(path.String()+".", input+".")
	}):
		return true
	case slices.ContainsFunc(k.data, func(name string) bool { return name == root }):
		return olds.Bool("immutable") || config.String(k.mutable) != "true" && !config.Bool(k.mutable)
	}
	return false
}

// leaf is a value within an object, with its path.
type leaf struct {
	path  resource.PropertyPath
	value any
}

// leaves returns an object's values by their paths; a list is one value.
func leaves(at resource.PropertyPath, v any) map[string]leaf {
	found := map[string]leaf{}
	object, ok := v.(map[string]any)
	if !ok {
		found[at.String()] = leaf{at, v}
		return found
	}
	for key, inner := range object {
		if at == nil && len(key) > 1 && key[:2] == "__" {
			continue
		}
		maps.Copy(found, leaves(append(at[:len(at):len(at)], key), inner))
	}
	return found
}

// Kinds returns the kinds of an API, such as "hypershift.openshift.io/v1beta1", that an offline cluster serves.
func Kinds(apiVersion string) []string {
	var kinds []string
	for _, k := range ObjectKinds() {
		if k.apiVersion == apiVersion {
			kinds = append(kinds, k.kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// The inputs of the core API's objects, with the names and types of pulumi-kubernetes 4.
type (
	namespaceInputs struct {
		typeMeta
		Metadata *v1.ObjectMeta `pulumi:"metadata"`
		Spec     *namespaceSpec `pulumi:"spec"`
	}
	namespacePatchInputs struct {
		typeMeta
		Metadata *v1.ObjectMetaPatch `pulumi:"metadata"`
		Spec     *namespaceSpec      `pulumi:"spec"`
	}
	namespaceSpec struct {
		Finalizers []string `pulumi:"finalizers"`
	}
	configMapInputs struct {
		typeMeta
		BinaryData map[string]string `pulumi:"binaryData"`
		Data       map[string]string `pulumi:"data"`
		Immutable  *bool             `pulumi:"immutable"`
		Metadata   *v1.ObjectMeta    `pulumi:"metadata"`
	}
	secretInputs struct {
		typeMeta
		Data       map[string]string `pulumi:"data"`
		Immutable  *bool             `pulumi:"immutable"`
		Metadata   *v1.ObjectMeta    `pulumi:"metadata"`
		StringData map[string]string `pulumi:"stringData"`
		Type       *string           `pulumi:"type"`
	}
)

// typeMeta are the fields that identify an object's type.
type typeMeta struct {
	APIVersion *string `pulumi:"apiVersion"`
	Kind       *string `pulumi:"kind"`
}
