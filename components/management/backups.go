package management

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/internal/iamrole"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
)

// BackupsArgs describe a private bucket for backups of hosted clusters, and the roles that write to it.
type BackupsArgs struct {
	// BucketName is the name of the bucket. Required. Changing it replaces the bucket.
	BucketName string `yaml:"bucketName" pulumi:"bucketName"`
	// Namespace is the namespace of OADP in the management cluster. Default "openshift-adp".
	Namespace string `yaml:"namespace" pulumi:"namespace,optional"`
	// EtcdSnapshots also creates the role for HyperShift's own snapshots of etcd (HCPEtcdBackup). With identity
	// WebIdentity, the OIDC provider needs the client ID "sts.amazonaws.com" too. Default false.
	EtcdSnapshots bool `yaml:"etcdSnapshots" pulumi:"etcdSnapshots,optional"`
}

// BackupRoles are the ARNs of the roles for backups; "" for one that is not created.
type BackupRoles struct {
	// OADPRoleARN is for OADP's Velero.
	OADPRoleARN pulumi.StringOutput `pulumi:"oadpRoleARN"`
	// EtcdSnapshotRoleARN is for HyperShift's snapshots of etcd.
	EtcdSnapshotRoleARN pulumi.StringOutput `pulumi:"etcdSnapshotRoleARN"`
}

// Outputs returns the roles by their names.
func (r BackupRoles) Outputs() pulumi.Map { return outputs.Collect(r) }

// The service accounts that write backups, and the audience of the tokens of the last one. Sources: OADP's
// documentation for AWS STS; HyperShift, hypershift-operator/controllers/etcdbackup/reconciler.go.
const (
	oadpServiceAccount    = "openshift-adp-controller-manager"
	veleroServiceAccount  = "velero"
	snapshotAccount       = "etcd-backup-job"
	snapshotAudience      = "sts.amazonaws.com"
	oadpSuffix            = "oadp"
	snapshotSuffix        = "etcd-snapshot"
	backupBucketNameField = "backups.bucketName"
)

func (args *BackupsArgs) namespace() string {
	if args.Namespace == "" {
		return hypershift.BackupNamespace
	}
	return args.Namespace
}

// validateBackups returns the faults in the backups, by their paths in BackupsArgs.
func (args *PrerequisitesArgs) validateBackups() error {
	backups := args.Backups
	if backups == nil {
		return nil
	}
	var faults fault.Faults
	if backups.BucketName == "" {
		faults.Add("bucketName", nil, "is missing", "set a name for the bucket")
	} else {
		faults.Join("bucketName", hypershift.ValidateBucketName(backups.BucketName))
	}
	switch backups.BucketName {
	case "":
	case args.OIDCBucket.Name:
		faults.Add("bucketName", backups.BucketName, "is also the OIDC bucket, which is partly public", "use another bucket")
	case args.RegistryBucketName:
		faults.Add("bucketName", backups.BucketName, "is also the registry bucket, whose users could read the backups",
			"use another bucket")
	}
	if len(validation.IsDNS1123Label(backups.namespace())) > 0 {
		faults.Add("namespace", backups.Namespace, "is not the name of a namespace",
			"use at most 63 of a-z, 0-9, and -, and begin and end with a letter or digit")
	}
	if args.Operator.Identity.OrDefault() == AccessKeys {
		faults.Add("", nil, "needs roles, but operator.identity is AccessKeys", "use identity WebIdentity or InstanceRole, or a bucket of your own with keys of OADP's")
	}
	return faults.Err()
}

// backups creates the bucket and the roles.
func (b *builder) backups(roles *identities) error {
	args := b.args.Backups
	if args == nil {
		return nil
	}
	part, err := b.bucket(backupBucketNameField, b.child("backup-bucket"), args.BucketName, false)
	if err != nil {
		return err
	}
	b.made.BackupBucketName = part.bucket.Bucket
	if err := b.policy(part, pulumi.String(policy.New(bucketTLSOnly(bucketARN(b.place,
		args.BucketName))).JSON())); err != nil {
		return err
	}
	output := &b.made.BackupRoles
	if output.OADPRoleARN, err = roles.role(oadpSuffix, oadpPolicy(b.place, args.BucketName),
		roles.trust(audience, args.namespace(), oadpServiceAccount, veleroServiceAccount)); err != nil ||
		!args.EtcdSnapshots {
		return err
	}
	output.EtcdSnapshotRoleARN, err = roles.role(snapshotSuffix, snapshotPolicy(b.place, args.BucketName),
		roles.trust(snapshotAudience, b.args.Operator.NamespaceOrDefault(), snapshotAccount))
	return err
}

func (i *identities) role(
	suffix string,
	document policy.Document,
	trust pulumi.StringInput,
) (pulumi.StringOutput, error) {
	name := i.args.Operator.namePrefix() + "-" + suffix
	role, err := iamrole.New(i.ctx, i.child(suffix), &iamrole.Args{
		Path: i.args.IAM.Path, PermissionsBoundary: i.args.IAM.PermissionsBoundary,
		Name: name, Trust: trust, Tags: i.tags(),
		Inline: []iamrole.InlinePolicy{{Name: name, Document: pulumi.String(document.JSON())}},
	}, i.parent())
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return role.Arn, nil
}

// oadpPolicy allows Velero to write, read and delete backups, and to take snapshots of the volumes of etcd, but to
// delete only snapshots of its own. Source: the policy of Velero's plugin for AWS, without what OADP needs only to
// create a bucket.
func oadpPolicy(in location.Location, bucket string) policy.Document {
	arn := bucketARN(in, bucket)
	own := policy.Allows([]string{"ec2:DeleteSnapshot"}, everything)
	own.Condition = policy.Condition{"Null": {"aws:ResourceTag/velero.io/backup": {"false"}}}
	tag := policy.Allows([]string{"ec2:CreateTags"}, everything)
	tag.Condition = policy.Condition{"StringEquals": {"ec2:CreateAction": {"CreateSnapshot", "CreateVolume"}}}
	return policy.New(
		policy.Allows([]string{"s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketMultipartUploads"}, arn),
		policy.Allows([]string{
			"s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject",
			"s3:PutObjectTagging",
		}, arn+"/*"),
		policy.Allows([]string{"ec2:CreateSnapshot", "ec2:CreateVolume", "ec2:DescribeSnapshots", "ec2:DescribeVolumes"},
			everything),
		tag, own,
	)
}

// snapshotPolicy allows the jobs of HCPEtcdBackup to write snapshots. Source: HyperShift,
// docs/content/how-to/disaster-recovery/etcd-snapshot-backup/managed-services-credentials.md.
func snapshotPolicy(in location.Location, bucket string) policy.Document {
	return policy.New(policy.Allows([]string{"s3:AbortMultipartUpload", "s3:PutObject"}, bucketARN(in, bucket)+"/*"))
}

// ClientIDs returns the client IDs that the OIDC provider of the management cluster needs.
func (args *PrerequisitesArgs) ClientIDs() []iam.ClientID {
	needed := []iam.ClientID{{
		Name:   audience,
		Breaks: "HyperShift's operator and external-dns cannot assume their roles",
		Vital:  true,
	}}
	if args.Backups != nil && args.Backups.EtcdSnapshots {
		needed = append(needed, iam.ClientID{
			Name:   snapshotAudience,
			Breaks: "HyperShift's snapshots of etcd cannot be written",
			Vital:  true,
		})
	}
	return needed
}
