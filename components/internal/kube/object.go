// Package kube registers the objects of a management cluster as pulumi-kubernetes does: those of Kubernetes' core API
// that components need, and custom resources, with what a user's patch changes in their specs.
//
// Pulumi's own package corev1 has hundreds of types. Each has an init, so Go can leave none out, and the package takes
// minutes to compile. A package that uses its types of metadata takes four seconds more to compile, because it
// instantiates all of Pulumi's generic outputs.
package kube

import (
	"strings"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/utilities"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Object is an object that the engine has registered.
type Object struct {
	pulumi.CustomResourceState

	// Metadata is the object's metadata as the API server has it.
	Metadata pulumi.MapOutput `pulumi:"metadata"`
}

// Name returns the object's name as the API server has it.
func (o *Object) Name() pulumi.StringOutput {
	return o.Metadata.ApplyT(func(metadata map[string]any) string {
		name, _ := metadata["name"].(string)
		return name
	}).(pulumi.StringOutput)
}

// Metadata is the metadata of an object to be registered. A field that is nil is left out.
type Metadata struct {
	Name, Namespace     pulumi.StringInput
	Labels, Annotations pulumi.StringMap
}

func (m Metadata) inputs() pulumi.Map {
	inputs := pulumi.Map{"name": m.Name}
	if m.Namespace != nil {
		inputs["namespace"] = m.Namespace
	}
	if m.Labels != nil {
		inputs["labels"] = m.Labels
	}
	if m.Annotations != nil {
		inputs["annotations"] = m.Annotations
	}
	return inputs
}

// NewNamespace creates a namespace.
func NewNamespace(ctx *pulumi.Context, name string, metadata Metadata, opts ...pulumi.ResourceOption) (*Object, error) {
	object := &Object{}
	return object, register(ctx, object, "Namespace", name, pulumi.Map{"metadata": metadata.inputs()}, opts)
}

// NewNamespacePatch creates the namespace where it is missing. It owns only the namespace's metadata except the name,
// and its deletion leaves the namespace in place.
func NewNamespacePatch(
	ctx *pulumi.Context,
	name string,
	metadata Metadata,
	opts ...pulumi.ResourceOption,
) (*Object, error) {
	object := &Object{}
	return object, register(ctx, object, "NamespacePatch", name, pulumi.Map{"metadata": metadata.inputs()}, opts)
}

// ConfigMapArgs are the inputs of a ConfigMap.
type ConfigMapArgs struct {
	Metadata Metadata
	Data     pulumi.StringMap
}

// NewConfigMap creates a ConfigMap.
func NewConfigMap(
	ctx *pulumi.Context,
	name string,
	args *ConfigMapArgs,
	opts ...pulumi.ResourceOption,
) (*Object, error) {
	object := &Object{}
	return object, register(ctx, object, "ConfigMap", name, pulumi.Map{
		"metadata": args.Metadata.inputs(),
		"data":     args.Data,
	}, opts)
}

// SecretArgs are the inputs of a Secret: one of Data, in base 64, and StringData. Both are secret in the state.
type SecretArgs struct {
	Metadata         Metadata
	Data, StringData pulumi.StringMap
}

// Secret is a Secret that the engine has registered.
type Secret struct {
	pulumi.CustomResourceState

	// Data is in base 64.
	Data pulumi.StringMapOutput `pulumi:"data"`
}

// NewSecret creates a Secret. Its type is the API server's default, Opaque. Reading a Secret of the cluster for an
// import returns the type too: it is kept, because another type, or none, would replace the Secret.
func NewSecret(ctx *pulumi.Context, name string, args *SecretArgs, opts ...pulumi.ResourceOption) (*Secret, error) {
	inputs := pulumi.Map{"metadata": args.Metadata.inputs()}
	if args.Data != nil {
		inputs["data"] = pulumi.ToSecret(args.Data)
	}
	if args.StringData != nil {
		inputs["stringData"] = pulumi.ToSecret(args.StringData)
	}
	secret := &Secret{}
	opts = append(opts, pulumi.AdditionalSecretOutputs([]string{"data", "stringData"}),
		pulumi.IgnoreChanges([]string{"type"}))
	return secret, register(ctx, secret, "Secret", name, inputs, opts)
}

// NewObject registers an object of any API by its inputs. kind is the object's kind, with the suffix "Patch" for a
// patch.
func NewObject(
	ctx *pulumi.Context, name, apiVersion, kind string, inputs pulumi.Map, opts ...pulumi.ResourceOption,
) (*Object, error) {
	group := apiVersion
	if !strings.Contains(apiVersion, "/") {
		group = "core/" + apiVersion
	}
	inputs["apiVersion"], inputs["kind"] = pulumi.String(apiVersion), pulumi.String(strings.TrimSuffix(kind, "Patch"))
	object := &Object{}
	return object, ctx.RegisterResource("kubernetes:"+group+":"+kind, name, inputs, object,
		utilities.PkgResourceDefaultOpts(opts)...)
}

// NewCustomResource registers an object of an API that a CustomResourceDefinition defines. Like pulumi-kubernetes'
// CustomResource, and unlike its other resources, it does not request a version of the provider.
func NewCustomResource(
	ctx *pulumi.Context, name, apiVersion, kind string, metadata Metadata, spec pulumi.Input,
	opts ...pulumi.ResourceOption,
) (*Object, error) {
	object := &Object{}
	return object, ctx.RegisterResource("kubernetes:"+apiVersion+":"+kind, name, pulumi.Map{
		"apiVersion": pulumi.String(apiVersion), "kind": pulumi.String(kind), "metadata": metadata.inputs(), "spec": spec,
	}, object, opts...)
}

// register registers an object by its type, "Namespace", or the patch of one, "NamespacePatch".
func register(
	ctx *pulumi.Context, object pulumi.CustomResource, token, name string, inputs pulumi.Map, opts []pulumi.ResourceOption,
) error {
	inputs["apiVersion"], inputs["kind"] = pulumi.String("v1"), pulumi.String(strings.TrimSuffix(token, "Patch"))
	return ctx.RegisterResource("kubernetes:core/v1:"+token, name, inputs, object,
		utilities.PkgResourceDefaultOpts(opts)...)
}
