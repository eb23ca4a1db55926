package capa

import (
	"cmp"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

const clusterType = "hypershift-aws:capa:Cluster"

// deleteTimeout limits the deletion of an object: Cluster API drains and terminates its machines first.
const deleteTimeout = "60m"

// ClusterArgs are a cluster's objects.
type ClusterArgs struct {
	// Args describe the cluster. Required.
	Args Args `pulumi:"settings"`
	// Site describes the cluster's AWS resources. Required.
	Site SiteArgs `pulumi:"site"`
	// DependsOn are the resources that the machines use: the objects are created after all of them, and deleted before any
	// of them. Resources that Site refers to need not be listed. Default none.
	DependsOn []pulumi.Resource
	// Unprotected lets the Cluster be deleted. Default false.
	Unprotected bool `pulumi:"unprotected,optional"`
}

// Validate returns every fault in args that can be found before the objects are created.
func (args *ClusterArgs) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Args.Validate())
	faults.Join("site", args.Site.validate(&args.Args))
	return faults.Err()
}

// Cluster is a cluster's objects in its management cluster, applied with the caller's kubernetes provider. The Cluster
// is created last and deleted first: Cluster API then deletes everything that it created, in its own order, before the
// objects that describe it are deleted.
type Cluster struct {
	pulumi.ResourceState

	// Name is the name of the Cluster.
	Name pulumi.StringOutput `pulumi:"name"`
	// Namespace is the namespace of the Cluster.
	Namespace pulumi.StringOutput `pulumi:"namespace"`
	// MachineDeployments are the names of the machine deployments.
	MachineDeployments pulumi.StringArrayOutput `pulumi:"machineDeployments"`
}

// NewCluster registers the objects. The error lists every fault in args, including violations of the objects' schemas.
func NewCluster(ctx *pulumi.Context, name string, args *ClusterArgs, opts ...pulumi.ResourceOption) (*Cluster, error) {
	return component.New(ctx, clusterType, "cluster", name, args, opts, func(c *Cluster, args *ClusterArgs) error {
		in := input.Placeholders{}
		objects, err := args.objects(in)
		if err != nil {
			return err
		}
		return (&applier{ctx: ctx, name: name, args: args, cluster: c, inputs: in}).apply(objects)
	})
}

// objects returns the objects with placeholders for the outputs in args.
func (args *ClusterArgs) objects(in input.Placeholders) ([]Object, error) {
	settings, site := &Args{}, &Site{}
	in.Fill(settings, &args.Args)
	in.Fill(site, &args.Site)
	return settings.Objects(site)
}

// applier applies the objects of one cluster.
type applier struct {
	ctx     *pulumi.Context
	name    string
	args    *ClusterArgs
	cluster *Cluster
	inputs  input.Placeholders
}

func (a *applier) apply(objects []Object) error {
	namespace, err := a.namespace()
	if err != nil {
		return err
	}
	first := append([]pulumi.Resource{namespace}, a.args.DependsOn...)
	changes, err := a.refuseForbiddenChanges()
	if err != nil {
		return err
	}
	// Templates are registered before the objects that refer to them: their names may be known only after AWS has created
	// what they contain.
	for _, o := range objects {
		if o.Template {
			a.nameByContent(o)
		}
	}
	all := first
	var deployments pulumi.StringArray
	for _, o := range objects {
		opts := []pulumi.ResourceOption{pulumi.DependsOn(first)}
		switch {
		case o.Part == PartCluster:
			opts = []pulumi.ResourceOption{pulumi.DependsOn(all), pulumi.Protect(!a.args.Unprotected)}
		case o.Template:
			// Machines refer to their template until they are replaced. Cluster API makes the Cluster the template's owner, so
			// it is deleted with the Cluster.
			opts = append(opts, pulumi.RetainOnDelete(true))
		}
		made, err := a.object(o, append(opts, pulumi.ResourceHooks(&pulumi.ResourceHookBinding{
			BeforeUpdate: []*pulumi.ResourceHook{changes},
		}))...)
		if err != nil {
			return err
		}
		all = append(all, made)
		if o.Object["kind"] == "MachineDeployment" {
			deployments = append(deployments, pulumi.String(nameOf(o)))
		}
	}
	a.cluster.Name = pulumi.String(a.args.Args.Name).ToStringOutput()
	a.cluster.Namespace = pulumi.String(a.namespaceName()).ToStringOutput()
	a.cluster.MachineDeployments = deployments.ToStringArrayOutput()
	return nil
}

func (a *applier) namespaceName() string { return cmp.Or(a.args.Args.Namespace, DefaultNamespace) }

// nameByContent replaces the template's name, wherever it occurs, by an output that depends on the inputs in the
// template.
func (a *applier) nameByContent(o Object) {
	spec, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "template", "spec")
	name := nameOf(o)
	placeholders := placeholdersIn(a.inputs, spec)
	if len(placeholders) == 0 {
		return
	}
	base := name[:len(name)-len(contentHash(spec))]
	values := make([]any, len(placeholders))
	for i, placeholder := range placeholders {
		values[i] = a.inputs[placeholder]
	}
	a.inputs[name] = pulumi.All(values...).ApplyT(func(known []any) string {
		resolved := input.Placeholders{}
		for i, placeholder := range placeholders {
			resolved[placeholder] = pulumi.String(known[i].(string))
		}
		return base + contentHash(withTexts(resolved, spec))
	}).(pulumi.StringOutput)
}

// placeholdersIn returns the placeholders in a value, in alphabetical order.
func placeholdersIn(inputs input.Placeholders, object any) []string {
	var found []string
	untyped.Contains(object, func(inner any) bool {
		text, _ := inner.(string)
		if _, ok := inputs[text]; ok {
			found = append(found, text)
		}
		return false
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// withTexts returns a value with its placeholders replaced by plain texts.
func withTexts(inputs input.Placeholders, object any) any {
	return untyped.Map(object, func(inner any) any {
		text, _ := inner.(string)
		if plain, ok := inputs[text].(pulumi.String); ok {
			return string(plain)
		}
		return inner
	})
}

// namespace registers the namespace, which several clusters may share: it is created if missing, and stays when a
// cluster is deleted.
func (a *applier) namespace() (*kube.Object, error) {
	return kube.NewNamespacePatch(a.ctx, a.name+"-namespace", kube.Metadata{Name: pulumi.String(a.namespaceName())}, pulumi.Parent(a.cluster))
}

func (a *applier) object(o Object, opts ...pulumi.ResourceOption) (pulumi.Resource, error) {
	object := o.unstructured()
	annotations := pulumi.StringMap{
		"pulumi.com/patchFieldManager": pulumi.String(hypershift.FieldManager),
		// After an interrupted creation, it distinguishes the object from another stack's with the same name.
		hypershift.StackTag: pulumi.String(a.args.Args.stackTag(a.ctx)),
	}
	metadata := kube.Metadata{Name: a.inputs.Text(object.GetName()), Annotations: annotations}
	if namespace := object.GetNamespace(); namespace != "" {
		metadata.Namespace = pulumi.String(namespace)
	}
	for key, value := range object.GetAnnotations() {
		annotations[key] = pulumi.String(value)
	}
	if labels := object.GetLabels(); labels != nil {
		metadata.Labels = pulumi.ToStringMap(labels)
	}
	return kube.NewCustomResource(a.ctx, a.name+"-"+o.Part, object.GetAPIVersion(), object.GetKind(), metadata, a.inputs.In(o.Object["spec"]),
		append(opts, pulumi.Parent(a.cluster), pulumi.Timeouts(&pulumi.CustomTimeouts{Delete: deleteTimeout}))...)
}
