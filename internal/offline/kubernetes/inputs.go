package kubernetes

import v1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"

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
