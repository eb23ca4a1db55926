package management

import (
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/components/location"
)

const prerequisitesType = "hypershift-aws:management:Prerequisites"

// Prerequisites is what HyperShift's operator needs in the management account, in the provider's region. Source:
// HyperShift, cmd/install/install.go and cmd/infra/aws/create_operator_roles.go.
type Prerequisites struct {
	pulumi.ResourceState

	// AccountID is the management account, 12 digits.
	AccountID pulumi.StringOutput `pulumi:"accountID"`
	// Region is the region of the bucket, the key and the queue.
	Region pulumi.StringOutput `pulumi:"region"`
	// BucketName is the name of the OIDC bucket.
	BucketName pulumi.StringOutput `pulumi:"bucketName"`
	// IssuerBaseURL is the part of a hosted cluster's issuer URL before "/<infraID>", "https://…".
	IssuerBaseURL pulumi.StringOutput `pulumi:"issuerBaseURL"`
	// DistributionDomain is the CloudFront distribution's default domain, to which a custom domain's CNAME must point; ""
	// if the bucket is read directly.
	DistributionDomain pulumi.StringOutput `pulumi:"distributionDomain"`
	// Zone is the zone of the hosted clusters' public names; empty if there is none.
	Zone Zone `pulumi:"zone"`
	// OperatorRoles are the roles of the operator and of external-dns; empty with AccessKeys.
	OperatorRoles OperatorRoles `pulumi:"operatorRoles"`
	// Credentials maps the name of a Secret in the operator's namespace to the AWS credentials file for its key
	// "credentials". It is marked as a secret, and empty unless the identity is AccessKeys.
	Credentials pulumi.StringMapOutput `pulumi:"credentials"`
	// InstallArgs is the command line that installs the operator with the prerequisites, one element per argument.
	InstallArgs pulumi.StringArrayOutput `pulumi:"installArgs"`
	// RegistryBucketName is the name of the registry bucket; "" if there is none.
	RegistryBucketName pulumi.StringOutput `pulumi:"registryBucketName"`
	// EtcdKeyARN is the ARN of the key for etcd, "arn:…:key/…"; "" if there is none.
	EtcdKeyARN pulumi.StringOutput `pulumi:"etcdKeyARN"`
	// BackupBucketName is the name of the bucket for backups; "" if there is none.
	BackupBucketName pulumi.StringOutput `pulumi:"backupBucketName"`
	// BackupRoles are the roles that write backups; empty without a bucket for them.
	BackupRoles BackupRoles `pulumi:"backupRoles"`
	// InterruptionQueueURL is a HostedCluster's spec.platform.aws.terminationHandlerQueueURL; "" without a queue.
	InterruptionQueueURL pulumi.StringOutput `pulumi:"interruptionQueueURL"`
}

// PrerequisitesArgs are the inputs of Prerequisites, and the keys of management in a stack's file.
type PrerequisitesArgs struct {
	// OIDCBucket is the bucket of the hosted clusters' OIDC documents. Required.
	OIDCBucket OIDCBucketArgs `yaml:"oidcBucket" pulumi:"oidcBucket"`
	// Zone is the public hosted zone of the hosted clusters' DNS names, which external-dns writes. Default none:
	// external-dns is not set up.
	Zone *ZoneArgs `yaml:"zone" pulumi:"zone,optional"`
	// Operator configures how HyperShift's operator authenticates to AWS. Required.
	Operator OperatorArgs `yaml:"operator" pulumi:"operator"`
	// IAM configures the roles and users of the management account. Default: no path and no boundary.
	IAM IdentityOptions `yaml:"iam" pulumi:"iam,optional"`
	// RegistryBucketName is the name of a private bucket for the images of operator catalogs, which clusters without
	// access to public registries need. Default none. Changing it replaces the bucket.
	RegistryBucketName string `yaml:"registryBucketName" pulumi:"registryBucketName,optional"`
	// EtcdKey is a KMS key to create, which encrypts the etcd of hosted clusters. Default none.
	EtcdKey *EtcdKeyArgs `yaml:"etcdKey" pulumi:"etcdKey,optional"`
	// Backups are a private bucket for backups of hosted clusters, and the roles with which OADP and HyperShift write to
	// it. Default none.
	Backups *BackupsArgs `yaml:"backups" pulumi:"backups,optional"`
	// InterruptionQueueName is the name of an SQS queue for the spot interruptions of one hosted cluster, whose nodes are
	// in this account and region. Default none. Changing it replaces the queue.
	InterruptionQueueName string `yaml:"interruptionQueueName" pulumi:"interruptionQueueName,optional"`
	// Unprotected turns off Pulumi's protection of what hosted clusters depend on: the buckets and the hosted zone, with
	// all that is in them, the distribution, the key, and the Deployment of an installed operator. To delete everything,
	// first apply unprotected: true, then destroy the stack. Default false.
	Unprotected bool `yaml:"unprotected" pulumi:"unprotected,optional"`
	// RefuseExistingBuckets refuses a plan to create a bucket that exists already in this account and region, such as one
	// of another stack. It uses a resource hook, which the mocks of Pulumi's SDK do not support. Default false: AWS
	// refuses the bucket when it is created.
	RefuseExistingBuckets bool `yaml:"-" pulumi:"refuseExistingBuckets,optional"`
	// Tags are tags for every resource that supports tags, in addition to the tag that names the stack. At most 49.
	// Default none.
	Tags map[string]string `yaml:"tags" pulumi:"tags,optional"`
}

// Validate returns every fault in args that can be found without calling AWS.
func (args *PrerequisitesArgs) Validate() error {
	var faults fault.Faults
	faults.Join("oidcBucket", args.OIDCBucket.Validate())
	if args.Zone != nil {
		faults.Join("zone", args.Zone.Validate())
	}
	faults.Join("operator", args.Operator.Validate())
	faults.Join("iam", args.IAM.Validate())
	if args.RegistryBucketName != "" {
		faults.Join("registryBucketName", hypershift.ValidateBucketName(args.RegistryBucketName))
		if args.RegistryBucketName == args.OIDCBucket.Name {
			faults.Add("registryBucketName", args.RegistryBucketName, "is also the OIDC bucket, which is partly public",
				"use another bucket")
		}
	}
	if args.EtcdKey != nil {
		faults.Join("etcdKey", args.EtcdKey.Validate())
	}
	if args.InterruptionQueueName != "" {
		faults.Join("interruptionQueueName", validateQueueName(args.InterruptionQueueName))
	}
	faults.Join("backups", args.validateBackups())
	faults.Join("tags", args.validateTags())
	return faults.Err()
}

// NewPrerequisites registers the resources. The error lists every fault in args, with a fault for everything that the
// provider's partition does not support and for a bucket name that is taken, and if an OIDC provider or a zone in args
// does not exist in the account.
func NewPrerequisites(
	ctx *pulumi.Context,
	name string,
	args *PrerequisitesArgs,
	opts ...pulumi.ResourceOption,
) (*Prerequisites, error) {
	return component.New(ctx, prerequisitesType, "prerequisites", name, args, opts,
		func(p *Prerequisites, args *PrerequisitesArgs) error {
			place, err := location.Lookup(ctx, pulumi.Parent(p))
			if err != nil {
				return err
			}
			if err := args.validateIn(place); err != nil {
				return err
			}
			b := &builder{ctx: ctx, name: name, args: args, made: p, place: place}
			return b.build()
		})
}

// validateIn returns a fault for everything in args that the partition does not support.
func (args *PrerequisitesArgs) validateIn(in location.Location) error {
	var faults fault.Faults
	faults.Join("oidcBucket", args.OIDCBucket.validateIn(in))
	if args.InterruptionQueueName != "" {
		faults.Join("interruptionQueueName", validateQueueIn(args.InterruptionQueueName, in))
	}
	return faults.Err()
}

// builder is shared by the functions that register the prerequisites.
type builder struct {
	ctx   *pulumi.Context
	name  string
	args  *PrerequisitesArgs
	made  *Prerequisites
	place location.Location
}

// build looks up everything that args refer to, and returns a fault for each thing that does not exist or cannot be
// used. Then it creates the resources.
func (b *builder) build() error {
	zone, identities := &publicZone{builder: b}, &identities{builder: b}
	var faults fault.Faults
	faults.Join("", b.checkBucketNames())
	faults.Join("zone", zone.find())
	faults.Join("operator.issuerURL", identities.findProvider())
	faults.Join("", identities.checkInstanceRole())
	if err := faults.Err(); err != nil {
		return err
	}
	b.made.AccountID = pulumi.String(b.place.Account).ToStringOutput()
	b.made.Region = pulumi.String(b.place.Region).ToStringOutput()
	for _, part := range []func() error{
		b.oidcBucket, zone.create, identities.create, b.registryBucket, b.etcdKey,
		func() error { return b.backups(identities) }, b.interruptionQueue,
	} {
		if err := part(); err != nil {
			return err
		}
	}
	b.made.InstallArgs = b.installArgs()
	return nil
}

// child returns the resource name of a part of the prerequisites.
func (b *builder) child(part string) string { return b.name + "-" + part }

// tags returns the tags of every resource: the user's, and the one that names the stack.
func (b *builder) tags() map[string]string {
	tags := map[string]string{}
	maps.Copy(tags, b.args.Tags)
	tags[hypershift.StackTag] = b.args.StackTag(b.ctx)
	return tags
}

// parent makes a resource a child of the prerequisites, with its provider.
func (b *builder) parent() pulumi.ResourceOrInvokeOption { return pulumi.Parent(b.made) }

// protect protects what hosted clusters depend on from deletion.
func (b *builder) protect() pulumi.ResourceOption { return pulumi.Protect(!b.args.Unprotected) }
