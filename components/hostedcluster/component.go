package hostedcluster

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const hostedClusterType = "hypershift-aws:hostedcluster:HostedCluster"

// InfraIDAnnotation is set on every object of a hosted cluster to the cluster's infra ID. After an interrupted creation
// it distinguishes the stack's object from another stack's with the same name.
const InfraIDAnnotation = reservedPrefix + "infra-id"

// reservedPrefix is what the annotations begin with that this program sets alone.
const reservedPrefix = "hypershift-aws/"

// deleteTimeout limits the deletion of a HostedCluster or NodePool: its operators drain nodes, and delete load
// balancers, endpoints and volumes first. The provider's default, 10 minutes, is too short for that.
const deleteTimeout = "60m"

// HostedCluster is a hosted cluster's objects in its management cluster. They are created with the caller's kubernetes
// provider, by server-side apply.
type HostedCluster struct {
	pulumi.ResourceState

	// Name and Namespace find the HostedCluster.
	Name      pulumi.StringOutput `pulumi:"name"`
	Namespace pulumi.StringOutput `pulumi:"namespace"`
	// NodePools are the names of the node pools.
	NodePools pulumi.StringArrayOutput `pulumi:"nodePools"`
	// EtcdEncryptionKey is the key in base 64 that encrypts secrets in etcd, marked as a secret; "" with a KMS key.
	EtcdEncryptionKey pulumi.StringOutput `pulumi:"etcdEncryptionKey"`

	// Stages are the changes that a further update continues, in words; none if there is nothing to continue.
	Stages []string
}

// Args are the inputs of a HostedCluster.
type Args struct {
	// Settings describe the cluster. Required.
	Settings Settings `yaml:"-" pulumi:"settings"`
	// Site describes the cluster's AWS resources. Required.
	Site SiteArgs `yaml:"-" pulumi:"site"`
	// Secrets are the contents of Settings.Secrets. PullSecret is required, and SSHKey with Settings.SSHKey. Default for
	// EtcdKey: a key that is generated with the cluster and kept in the stack's state. SigningKey is required with
	// Settings.SigningKey.
	Secrets map[SecretValue]pulumi.StringInput `secret:"true" yaml:"-" pulumi:"secrets,optional"`
	// Dependencies are the resources that the control plane uses as long as it exists: they are created before it and
	// deleted after it. Resources that Site refers to need not be listed. Default none.
	Dependencies []pulumi.Resource `yaml:"-"`
	// Egress are the resources that nodes need to reach the internet, which only node pools wait for. Default none.
	Egress []pulumi.Resource `yaml:"-"`
	// NodeAddresses are the public addresses of NAT gateways, by any keys. A HostedCluster whose
	// spec.networking.apiServer.allowedCIDRBlocks does not include them, although nodes reach the control plane over the
	// internet, is refused before it is created or changed. Default none.
	NodeAddresses pulumi.StringMapInput `yaml:"-"`
	// Held are fields that an update leaves as they are in the management cluster, because other clients manage them:
	// paths of field names, such as "spec.replicas", by the kind and the name of the object, such as
	// "NodePool/demo-us-east-1a". Default none.
	Held map[string][]string `yaml:"-"`
	// Unpreviewed are NodePools, by name, that a preview does not send to the API server, because it would not remove the
	// field that is replaced: its dry run of a change from replicas to autoScaling, or back, is refused although the
	// change is not. Default none.
	Unpreviewed []string `yaml:"-"`
	// Live is the cluster's status in the management cluster. With it, a new release is rolled out in stages: the control
	// plane first, and then the node pools. A new key of etcd has stages too. Default: the release is rolled out at once,
	// and another key is refused.
	Live *Live `yaml:"-"`
	// EtcdKeyHash is the SHA-256 of the decoded EtcdKey in Secrets, in hex, by which another key is recognized. Default: a
	// key is not replaced.
	EtcdKeyHash string `yaml:"-"`
	// Unprotected turns off Pulumi's protection of the HostedCluster, and of the Secret with the key of its etcd, so that
	// they can be deleted. Default false.
	Unprotected bool `yaml:"-" pulumi:"unprotected,optional"`
	// Refused returns the error for a change of an existing cluster that is refused, whose faults have the paths of
	// Settings. Default: the faults themselves.
	Refused func(error) error `yaml:"-"`
}

// Validate returns every fault in args.
func (args *Args) Validate() error {
	var faults fault.Faults
	faults.Join("", args.Site.validate())
	if len(faults) == 0 {
		faults = args.inArgs(fault.In(args.Settings.ValidateFor(args.Live.api(), &args.Site)))
	}
	switch existing := args.Settings.ExistingPullSecret(); {
	case args.Secrets[PullSecret] == nil && existing == "":
		faults.Add("secrets[pullSecret]", nil, "is missing", "set the pull secret of the release")
	case args.Secrets[PullSecret] != nil && existing != "":
		faults.Add("secrets[pullSecret]", nil, "conflicts with spec.pullSecret, which names the existing Secret "+existing,
			"set only one of the two")
	}
	if args.Settings.SSHKey && args.Secrets[SSHKey] == nil {
		faults.Add("secrets[sshKey]", nil, "is missing", "set the public key, or leave Settings.SSHKey false")
	}
	if args.Settings.SigningKey && args.Secrets[SigningKey] == nil {
		faults.Add("secrets[signingKey]", nil, "is missing", "set the RSA private key, or leave Settings.SigningKey false")
	}
	return faults.Err()
}

// NewHostedCluster registers the objects. The error lists every fault in args, including those that HyperShift's API
// would return.
func NewHostedCluster(
	ctx *pulumi.Context,
	name string,
	args *Args,
	opts ...pulumi.ResourceOption,
) (*HostedCluster, error) {
	return component.New(ctx, hostedClusterType, "hosted cluster", name, args, opts,
		func(c *HostedCluster, args *Args) error {
			marks := pulumi.StringMap{InfraIDAnnotation: pulumi.String(args.Settings.Cluster.InfraID)}
			return (&builder{ctx: ctx, name: name, args: args, component: c, parent: c, marks: marks}).build()
		})
}

// builder is shared by the functions that register one cluster.
type builder struct {
	ctx       *pulumi.Context
	name      string
	args      *Args
	component *HostedCluster
	// parent is the component of the objects, and marks are the annotations of all of them.
	parent pulumi.Resource
	marks  pulumi.StringMap
	inputs input.Placeholders
	// forLife refuses changes that HyperShift forbids, and changes that would harm an existing cluster.
	forLife pulumi.ResourceOption
}

func (b *builder) build() error {
	settings := &b.args.Settings
	b.inputs = input.Placeholders{}
	objects, err := settings.objectsWith(b.inputs, &b.args.Site, b.args.Live.api())
	if err != nil {
		return err
	}
	if err := b.stage(objects); err != nil {
		return err
	}
	judge := func(before, after resource.PropertyMap) error {
		return settings.judgeUpdate(b.args.Live, before, after, b.args.Live.Exists())
	}
	if b.forLife, err = b.refuse("-for-life", judge); err != nil {
		return err
	}
	namespace, err := b.namespace()
	if err != nil {
		return err
	}
	first := append([]pulumi.Resource{namespace}, b.args.Dependencies...)
	for _, secret := range objects.Secrets {
		made, err := b.secret(secret, namespace)
		if err != nil {
			return err
		}
		if secret.Value == EtcdKey {
			b.component.EtcdEncryptionKey = pulumi.ToSecret(made.Data.MapIndex(pulumi.String(secret.Key))).(pulumi.StringOutput)
		}
		first = append(first, made)
	}
	if input.IsSet(settings.TrustedCA) {
		made, err := b.proxyCA(namespace)
		if err != nil {
			return err
		}
		first = append(first, made)
	}
	references := objects.references()
	for i, referred := range settings.Referred {
		made, err := b.referred(i, referred, references[referred.Name], []pulumi.Resource{namespace})
		if err != nil {
			return err
		}
		first = append(first, made)
	}
	cluster, err := b.object(b.name+"-cluster", objects.HostedCluster, first, pulumi.Protect(!b.args.Unprotected))
	if err != nil {
		return err
	}
	// Node pools are deleted before the cluster, and only they wait for egress.
	first = append([]pulumi.Resource{cluster}, b.args.Egress...)
	var pools pulumi.StringArray
	for _, object := range objects.NodePools {
		name := textAt(object, "metadata", "name")
		if _, err := b.object(b.name+"-"+name, object, first); err != nil {
			return err
		}
		pools = append(pools, pulumi.String(name))
	}
	b.component.Name = pulumi.String(settings.Cluster.Name).ToStringOutput()
	b.component.Namespace = pulumi.String(settings.NamespaceOrDefault()).ToStringOutput()
	b.component.NodePools = pools.ToStringArrayOutput()
	return nil
}

// refused returns the error for faults in a change that is refused.
func (b *builder) refused(err error) error {
	if b.args.Refused != nil && fault.In(err) != nil {
		return b.args.Refused(err)
	}
	return err
}

// stage changes the objects to the current stage, and reports it.
func (b *builder) stage(objects *Objects) error {
	if err := b.args.Live.judgeReleases(objects); err != nil {
		return b.refused(err)
	}
	if err := b.warn(b.args.Live.warnings(objects)); err != nil {
		return err
	}
	b.component.Stages = []string{}
	if open := b.args.Live.stageReleases(objects); open != "" {
		b.component.Stages = append(b.component.Stages, open)
	}
	open, err := b.args.Live.stageKeys(objects, b.args.Settings.etcdKeyName(), b.args.EtcdKeyHash)
	if err != nil {
		return b.refused(err)
	}
	if open != "" {
		b.component.Stages = append(b.component.Stages, open)
	}
	for _, stage := range b.component.Stages {
		if err := b.ctx.Log.Info(stage, nil); err != nil {
			return err
		}
	}
	return nil
}

// warn logs warnings.
func (b *builder) warn(warnings []string) error {
	for _, warning := range warnings {
		if err := b.ctx.Log.Warn(warning, nil); err != nil {
			return err
		}
	}
	return nil
}

// namespace registers the namespace, which several clusters may share: the first one creates it, no cluster owns a
// field of it, and it stays when one of them is deleted.
func (b *builder) namespace() (*kube.Object, error) {
	namespace := kube.Metadata{Name: pulumi.String(b.args.Settings.NamespaceOrDefault())}
	return kube.NewNamespacePatch(b.ctx, b.name+"-namespace", namespace, pulumi.Parent(b.parent))
}

func (b *builder) secret(secret Secret, namespace pulumi.Resource) (*kube.Secret, error) {
	opts := []pulumi.ResourceOption{pulumi.Parent(b.parent)}
	if secret.Value == EtcdKey {
		sameKey, err := b.refuse("-etcd-key", judgeEtcdKey)
		if err != nil {
			return nil, err
		}
		opts = append(opts, sameKey, pulumi.Protect(!b.args.Unprotected && !secret.unused))
	}
	if secret.Value == SigningKey {
		sameKey, err := b.refuse("-signing-key", judgeSigningKey)
		if err != nil {
			return nil, err
		}
		opts = append(opts, sameKey, pulumi.Protect(!b.args.Unprotected))
	}
	if secret.Value == formerEtcdKey {
		// The state has its content. It is not protected, so that it can be deleted when nothing mentions it.
		opts = append(opts, pulumi.IgnoreChanges([]string{"data"}))
	}
	value, given := b.args.Secrets[secret.Value]
	if generated := !given || secret.Value == SSHKey && b.args.Settings.GenerateSSHKey; generated {
		if problem := b.args.Live.mentionsKey(secret.Name); problem != nil {
			once, err := b.refuseCreation("-"+secret.Name, problem)
			if err != nil {
				return nil, err
			}
			opts = append(opts, once)
		}
	}
	if !given && (secret.Value == EtcdKey || secret.Value == formerEtcdKey) {
		// The engine keeps the first key in the state, and ignores later ones.
		var err error
		if value, _, err = b.generated(func() (string, string, error) {
			key, err := newEtcdKey()
			return key, "", err
		}); err != nil {
			return nil, err
		}
		opts = append(opts, pulumi.IgnoreChanges([]string{"data"}))
	}
	data := pulumi.StringMap{}
	if secret.Value == SSHKey && b.args.Settings.GenerateSSHKey {
		public, private, err := b.generated(newSSHKey)
		if err != nil {
			return nil, err
		}
		data[privateSSHKey] = pulumi.ToSecret(private.ToStringOutput().ApplyT(func(text string) string {
			return base64.StdEncoding.EncodeToString([]byte(text))
		})).(pulumi.StringOutput)
		value, opts = public, append(opts, pulumi.IgnoreChanges([]string{"data"}))
	}
	text := value.ToStringOutput()
	if !secret.Encoded {
		text = text.ApplyT(func(text string) string {
			return base64.StdEncoding.EncodeToString([]byte(text))
		}).(pulumi.StringOutput)
	}
	data[secret.Key] = pulumi.ToSecret(text).(pulumi.StringOutput)
	return kube.NewSecret(b.ctx, b.name+"-"+secret.Name, &kube.SecretArgs{
		Metadata: b.metadata(kube.Metadata{
			Name: pulumi.String(secret.Name), Namespace: pulumi.String(b.args.Settings.NamespaceOrDefault()),
			Labels: pulumi.ToStringMap(goesWithCluster()),
		}),
		Data: data,
	}, append(opts, pulumi.DependsOn([]pulumi.Resource{namespace}))...)
}

// generated returns the two values that draw generates. A preview does not know them: an update that is bound to the
// plan of its preview would otherwise differ from it.
func (b *builder) generated(draw func() (string, string, error)) (first, second pulumi.StringInput, err error) {
	if b.ctx.DryRun() {
		unknown := pulumi.UnsafeUnknownOutput(nil).ApplyT(func(any) string { return "" }).(pulumi.StringOutput)
		return unknown, unknown, nil
	}
	a, c, err := draw()
	return pulumi.String(a), pulumi.String(c), err
}

func newEtcdKey() (string, error) {
	key := make([]byte, EtcdKeyBytes)
	if _, err := rand.Read(key); err != nil {
		return "", fmt.Errorf("generating the key that encrypts etcd: %w", err)
	}
	return base64.StdEncoding.EncodeToString(key), nil
}

func (b *builder) proxyCA(namespace pulumi.Resource) (*kube.Object, error) {
	return kube.NewConfigMap(b.ctx, b.name+"-proxy-ca", &kube.ConfigMapArgs{
		Metadata: b.metadata(kube.Metadata{
			Name: pulumi.String(b.args.Settings.proxyCAName()), Namespace: pulumi.String(b.args.Settings.NamespaceOrDefault()),
		}),
		Data: pulumi.StringMap{proxyCAKey: b.args.Settings.TrustedCA},
	}, pulumi.Parent(b.parent), pulumi.DependsOn([]pulumi.Resource{namespace}))
}

// object applies a HostedCluster or NodePool after its dependencies.
func (b *builder) object(
	name string,
	fields map[string]any,
	first []pulumi.Resource,
	opts ...pulumi.ResourceOption,
) (pulumi.Resource, error) {
	object := unstructured.Unstructured{Object: fields}
	if held := b.args.Held[object.GetKind()+"/"+object.GetName()]; len(held) > 0 {
		opts = append(opts, pulumi.IgnoreChanges(held))
	}
	if err := b.warn(crd.Warnings(fields)); err != nil {
		return nil, err
	}
	spec := b.inputs.In(fields["spec"])
	isPool := object.GetKind() == crd.NodePool
	if !isPool {
		b.allow(spec)
	}
	if pool, isMap := spec.(pulumi.Map); isMap && isPool && b.ctx.DryRun() && slices.Contains(b.args.Unpreviewed,
		object.GetName()) {
		unknownSize(pool)
	}
	metadata := b.metadata(kube.Metadata{
		Name:        pulumi.String(object.GetName()),
		Namespace:   pulumi.String(object.GetNamespace()),
		Labels:      stringMap(object.GetLabels()),
		Annotations: stringMap(object.GetAnnotations()),
	})
	if isPool {
		opts = append(opts, requireTokens(metadata.Annotations)...)
	}
	return kube.NewCustomResource(b.ctx, name, object.GetAPIVersion(), object.GetKind(), metadata, spec,
		append(opts, pulumi.Parent(b.parent), pulumi.DependsOn(first), b.forLife,
			pulumi.Timeouts(&pulumi.CustomTimeouts{Delete: deleteTimeout}))...)
}

// unknownSize makes the size of a NodePool unknown, which keeps a preview from sending it to the API server.
func unknownSize(pool pulumi.Map) {
	for _, size := range []string{"autoScaling", "replicas"} {
		if _, is := pool[size]; is {
			pool[size] = pulumi.UnsafeUnknownOutput(nil)
			return
		}
	}
}

// metadata adds the annotations for the field manager and the owner of the objects.
func (b *builder) metadata(metadata kube.Metadata) kube.Metadata {
	if metadata.Annotations == nil {
		metadata.Annotations = pulumi.StringMap{}
	}
	metadata.Annotations["pulumi.com/patchFieldManager"] = pulumi.String(hypershift.FieldManager)
	maps.Copy(metadata.Annotations, b.marks)
	return metadata
}

// stringMap returns an object's labels or annotations, nil without any.
func stringMap(values map[string]string) pulumi.StringMap {
	if values == nil {
		return nil
	}
	return pulumi.ToStringMap(values)
}
