// Package kubernetes creates the objects that `hypershift install` and `hypershift create cluster` read in the
// management cluster. It is a separate package so that package management does not depend on Kubernetes' types.
package kubernetes

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const (
	installObjectsType = "hypershift-aws:management:InstallObjects"
	// componentLabel is the label that HyperShift gives its own parts.
	componentLabel = "hypershift.openshift.io/component"
)

// InstallObjects are the operator's namespace, its credentials, and the ConfigMap with the location of the OIDC
// documents; with operator, also all objects that `hypershift install` would create. They are created with the caller's
// kubernetes provider. Source: HyperShift, cmd/install/install.go and cmd/install/assets/hypershift_operator.go.
type InstallObjects struct {
	pulumi.ResourceState

	// Namespace is the operator's namespace.
	Namespace pulumi.StringOutput `pulumi:"namespace"`
}

// InstallObjectsArgs are the inputs of InstallObjects.
type InstallObjectsArgs struct {
	// Namespace is the namespace of the operator. Required.
	Namespace string `yaml:"-" pulumi:"namespace" set:"the namespace that the operator is installed in"`
	// Secrets are the names of the Secrets with AWS credentials. Default none: the operator assumes roles.
	Secrets []string `yaml:"-" pulumi:"secrets,optional"`
	// Credentials maps the name of each of Secrets to an AWS credentials file. Required with Secrets.
	Credentials pulumi.StringMapInput `secret:"true" yaml:"-" pulumi:"credentials,optional"`
	// RetainSecrets keeps the Secrets when the stack no longer has them: `hypershift install` has given them other
	// contents. Default false.
	RetainSecrets bool `yaml:"-" pulumi:"retainSecrets,optional"`
	// BucketName is the name of the OIDC bucket. Required.
	BucketName pulumi.StringInput `yaml:"-" pulumi:"bucketName" set:"the OIDC bucket"`
	// BucketRegion is the region of the OIDC bucket. Required.
	BucketRegion pulumi.StringInput `yaml:"-" pulumi:"bucketRegion" set:"the OIDC bucket's region"`
	// Stack names the stack in an annotation of each object: after an interrupted creation it
	// distinguishes the stack's object from another one with the same name. Default "<project>/<stack>".
	Stack string `yaml:"-" pulumi:"stack,optional"`
	// ExistingNamespace is true if the namespace exists outside the stack: only its labels and annotation are the stack's,
	// and it stays when the stack is deleted. Default false: the stack creates and deletes it.
	ExistingNamespace bool `yaml:"-" pulumi:"existingNamespace,optional"`
	// Operator installs HyperShift's operator and external-dns. Default: they are installed by `hypershift install`.
	Operator *OperatorArgs `yaml:"-" pulumi:"operator,optional"`
}

// Validate returns every fault in args.
func (args *InstallObjectsArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", input.Required(args))
	if len(args.Secrets) > 0 && args.Credentials == nil {
		faults.Add("credentials", nil, "is missing", "set a credentials file for each of secrets")
	}
	if args.Operator != nil {
		faults.Join("operator", args.Operator.validate(args.Namespace))
	}
	return faults.Err()
}

// NewInstallObjects registers the objects. The error lists every fault in args.
func NewInstallObjects(
	ctx *pulumi.Context,
	name string,
	args *InstallObjectsArgs,
	opts ...pulumi.ResourceOption,
) (*InstallObjects, error) {
	return component.New(ctx, installObjectsType, "install objects", name, args, opts,
		func(o *InstallObjects, args *InstallObjectsArgs) error {
			return o.build(ctx, name, args)
		})
}

func (o *InstallObjects) build(ctx *pulumi.Context, name string, args *InstallObjectsArgs) error {
	stack := args.Stack
	if stack == "" {
		stack = ctx.Project() + "/" + ctx.Stack()
	}
	marks := pulumi.StringMap{hypershift.StackTag: pulumi.String(stack)}
	labels := map[string]string{componentLabel: operatorName}
	var render *rendered
	if args.Operator != nil {
		var err error
		if render, err = args.Operator.render(args.Namespace); err != nil {
			return err
		}
		labels = render.namespaceLabels()
	}
	namespace, err := o.namespace(ctx, name+"-namespace", args, pulumi.ToStringMap(labels), marks)
	if err != nil {
		return err
	}
	// Known in previews: an adoption finds what is in the namespace.
	o.Namespace = pulumi.String(args.Namespace).ToStringOutput()
	before := []pulumi.Resource{namespace}
	for _, secret := range args.Secrets {
		created, err := kube.NewSecret(ctx, name+"-"+secret, &kube.SecretArgs{
			Metadata: kube.Metadata{Name: pulumi.String(secret), Namespace: o.Namespace, Annotations: marks},
			StringData: pulumi.StringMap{
				"credentials": args.Credentials.ToStringMapOutput().MapIndex(pulumi.String(secret)),
			},
		}, pulumi.Parent(o), pulumi.RetainOnDelete(args.RetainSecrets), pulumi.DependsOn([]pulumi.Resource{namespace}))
		if err != nil {
			return err
		}
		before = append(before, created)
	}
	// `hypershift create cluster` reads the issuer of a new cluster from this ConfigMap.
	location, err := kube.NewConfigMap(ctx, name+"-oidc", &kube.ConfigMapArgs{
		Metadata: kube.Metadata{
			Name: pulumi.String(oidcConfigMap), Namespace: pulumi.String(oidcConfigMapArea), Annotations: marks,
		},
		Data: pulumi.StringMap{"name": args.BucketName, "region": args.BucketRegion},
	}, pulumi.Parent(o))
	if err != nil || render == nil {
		return err
	}
	return (&installer{
		ctx:       ctx,
		name:      name,
		parent:    o,
		render:    render,
		marks:     marks,
		namespace: namespace,
	}).install(append(before, location))
}

// namespace registers the operator's namespace, or the stack's fields of one that exists.
func (o *InstallObjects) namespace(
	ctx *pulumi.Context, name string, args *InstallObjectsArgs, labels, annotations pulumi.StringMap,
) (*kube.Object, error) {
	called := pulumi.String(args.Namespace)
	if args.ExistingNamespace {
		return kube.NewNamespacePatch(ctx, name, kube.Metadata{
			Name:        called,
			Labels:      labels,
			Annotations: annotations,
		}, pulumi.Parent(o))
	}
	return kube.NewNamespace(ctx, name, kube.Metadata{
		Name:        called,
		Labels:      labels,
		Annotations: annotations,
	}, pulumi.Parent(o))
}
