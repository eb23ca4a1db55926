package management

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// minimal returns the least that can be asked for.
func minimal() *PrerequisitesArgs {
	return &PrerequisitesArgs{
		OIDCBucket: OIDCBucketArgs{Name: "acme-oidc"},
		Operator:   OperatorArgs{IssuerURL: pulumi.String(issuer)},
		Tags:       map[string]string{"team": "fleet"},
	}
}

// with returns the least and one thing more.
func with(change func(*PrerequisitesArgs)) *PrerequisitesArgs {
	args := minimal()
	change(args)
	return args
}

// options returns one case for each option of PrerequisitesArgs.
func options() map[string]*PrerequisitesArgs {
	return map[string]*PrerequisitesArgs{
		"minimal": minimal(),
		"cloudfront": with(func(a *PrerequisitesArgs) {
			a.OIDCBucket.Access = ThroughCloudFront
		}),
		"cloudfront-domain": with(func(a *PrerequisitesArgs) {
			a.OIDCBucket.Access = ThroughCloudFront
			a.OIDCBucket.Distribution = &DistributionArgs{
				Domain: "oidc.example.com", CertificateARN: pulumi.String("arn:aws:acm:us-east-1:111122223333:certificate/0000"),
			}
		}),
		"zone": with(func(a *PrerequisitesArgs) { a.Zone = &ZoneArgs{Domain: "clusters.example.com"} }),
		"zone-delegated": with(func(a *PrerequisitesArgs) {
			a.Zone = &ZoneArgs{Domain: "clusters.example.com", ParentZone: "example.com"}
		}),
		"zone-existing": with(func(a *PrerequisitesArgs) {
			a.Zone = &ZoneArgs{Domain: "existing.example.com", Existing: true}
		}),
		"instance-role": with(func(a *PrerequisitesArgs) {
			a.Zone = &ZoneArgs{Domain: "clusters.example.com"}
			a.Operator = OperatorArgs{
				Identity:        InstanceRole,
				InstanceRoleARN: pulumi.String("arn:aws:iam::111122223333:role/workers"),
			}
		}),
		"access-keys": with(func(a *PrerequisitesArgs) {
			a.Zone = &ZoneArgs{Domain: "clusters.example.com"}
			a.Operator = OperatorArgs{
				Identity:   AccessKeys,
				NamePrefix: "prod",
				Namespace:  "hypershift-prod",
				InfraID:    "mgmt-x7k2p",
			}
		}),
		"registry-bucket": with(func(a *PrerequisitesArgs) { a.RegistryBucketName = "acme-registry" }),
		"backups":         with(func(a *PrerequisitesArgs) { a.Backups = &BackupsArgs{BucketName: "acme-backups", EtcdSnapshots: true} }),
		"etcd-key": with(func(a *PrerequisitesArgs) {
			a.EtcdKey = &EtcdKeyArgs{Alias: "hypershift-etcd", Accounts: input.Strings("444455556666")}
		}),
		"interruption-queue": with(func(a *PrerequisitesArgs) { a.InterruptionQueueName = "prod-spot" }),
		"unprotected":        everythingAsked(),
	}
}

// everythingAsked makes every kind of resource, but roles in place of users.
func everythingAsked() *PrerequisitesArgs {
	return with(func(a *PrerequisitesArgs) {
		a.OIDCBucket.Access = ThroughCloudFront
		a.Zone = &ZoneArgs{Domain: "clusters.example.com", ParentZone: "example.com"}
		a.RegistryBucketName = "acme-registry"
		a.Backups = &BackupsArgs{BucketName: "acme-backups"}
		a.EtcdKey = &EtcdKeyArgs{Alias: "hypershift-etcd"}
		a.InterruptionQueueName = "prod-spot"
		a.Unprotected = true
	})
}

func TestEveryResourceAndLookupComesFromTheGivenProvider(t *testing.T) {
	t.Parallel()
	for name, args := range options() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecorder(commercial())
			r.mustRun(t, args)
			for _, registered := range r.registered {
				if strings.HasPrefix(registered.Type, "aws:") {
					require.Contains(t, registered.provider, "::given::", "%s %s", registered.Type, registered.Name)
				}
			}
			for _, call := range r.calls {
				require.Contains(t, call.Provider, "::given::", call.Token)
			}
		})
	}
}

func TestEveryTaggableResourceHasTheTags(t *testing.T) {
	t.Parallel()
	taggable := []string{
		"aws:s3/bucketV2:BucketV2", "aws:cloudfront/distribution:Distribution", "aws:route53/zone:Zone",
		"aws:iam/role:Role", "aws:iam/user:User", "aws:kms/key:Key", "aws:sqs/queue:Queue",
		"aws:cloudwatch/eventRule:EventRule",
	}
	seen := map[string]bool{}
	for _, args := range options() {
		r := newRecorder(commercial())
		r.mustRun(t, args)
		for _, registered := range r.registered {
			if slices.Contains(taggable, registered.Type) {
				seen[registered.Type] = true
				require.Equal(t, map[string]any{"team": "fleet", hypershift.StackTag: "project/stack/" + args.OIDCBucket.Name},
					registered.Inputs.(map[string]any)["tags"], registered.Name)
			}
		}
	}
	require.Len(t, seen, len(taggable))
}

func TestTheStackTagIsWithinAWSsLimit(t *testing.T) {
	t.Parallel()
	require.Equal(t, "acme/management/acme-oidc", stackTagValue("acme", "management", "acme-oidc"))
	long := strings.Repeat("n", 100)
	value := stackTagValue(long, long, strings.Repeat("b", 63))
	require.Len(t, value, 256)
	require.True(t, strings.HasSuffix(value, "/"+strings.Repeat("b", 63)),
		"the bucket's name, which no other stack has, is whole")
}

func TestResourcesThatClustersDependOnAreProtectedUnlessUnprotected(t *testing.T) {
	t.Parallel()
	stateful := map[string]string{
		"aws:s3/bucketV2:BucketV2":                 "mgmt-oidc-bucket",
		"aws:cloudfront/distribution:Distribution": "mgmt-oidc-bucket",
		"aws:route53/zone:Zone":                    "mgmt-zone",
		"aws:kms/key:Key":                          "mgmt-etcd-key",
	}
	for _, unprotected := range []bool{false, true} {
		args := everythingAsked()
		args.Unprotected = unprotected
		r := newRecorder(commercial())
		r.mustRun(t, args)
		for kind, name := range stateful {
			registered := r.find(t, kind, name)
			require.Equal(t, !unprotected, registered.Protect, kind)
			if destroyed, ok := registered.Inputs.(map[string]any)["forceDestroy"]; ok {
				require.Equal(t, unprotected, destroyed, kind)
			}
		}
		require.Equal(t, !unprotected, r.find(t, "aws:s3/bucketV2:BucketV2", "mgmt-registry-bucket").Protect)
		require.Equal(t, !unprotected, r.find(t, "aws:s3/bucketV2:BucketV2", "mgmt-backup-bucket").Protect)
	}
}

// S3 refuses concurrent changes of a bucket, and a policy for the public before the block allows it.
func TestTheSettingsOfABucketAreCreatedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	r := newRecorder(commercial())
	r.mustRun(t, everythingAsked())
	for _, bucket := range []string{"mgmt-oidc-bucket", "mgmt-registry-bucket", "mgmt-backup-bucket"} {
		settings := []string{
			"BucketOwnershipControls", "BucketPublicAccessBlock", "BucketServerSideEncryptionConfigurationV2",
			"BucketVersioningV2",
			"BucketLifecycleConfigurationV2", "BucketPolicy",
		}
		for i, kind := range settings[1:] {
			token := "aws:s3/" + strings.ToLower(kind[:1]) + kind[1:] + ":" + kind
			require.Contains(t, r.find(t, token, bucket).Dependencies, settings[i]+" "+bucket)
		}
	}
	for _, name := range []string{"interruption", "rebalance"} {
		target := r.find(t, "aws:cloudwatch/eventTarget:EventTarget", "mgmt-interruptions-"+name)
		require.Contains(t, target.Dependencies, "QueuePolicy mgmt-interruptions-queue")
	}
}

func TestOtherPartitionsHaveTheirARNsAndDomains(t *testing.T) {
	t.Parallel()
	for _, in := range []location.Location{
		{Partition: "aws-us-gov", DNSSuffix: "amazonaws.com", Region: "us-gov-west-1", Account: "111122223333"},
		{Partition: "aws-cn", DNSSuffix: "amazonaws.com.cn", Region: "cn-north-1", Account: "111122223333"},
	} {
		t.Run(in.Partition, func(t *testing.T) {
			t.Parallel()
			args := everythingAsked()
			args.OIDCBucket.Access = PublicRead
			if in.Partition == "aws-cn" {
				args.InterruptionQueueName = ""
			}
			r := newRecorder(in)
			result := r.mustRun(t, args)
			text, err := json.Marshal(map[string]any{"resources": r.sorted(), "outputs": result.outputs})
			require.NoError(t, err)
			require.NotContains(t, string(text), "arn:aws:")
			require.Contains(t, string(text), "arn:"+in.Partition+":s3:::acme-oidc/*/openid/v1/jwks")
			require.Equal(t, "https://acme-oidc.s3."+in.Region+"."+in.DNSSuffix, result.outputs["issuerBaseURL"])
		})
	}
}

func TestUnsupportedOptionsOfAPartitionAreRefusedBeforeAnythingIsCreated(t *testing.T) {
	t.Parallel()
	r := newRecorder(location.Location{
		Partition: "aws-cn",
		DNSSuffix: "amazonaws.com.cn",
		Region:    "cn-north-1",
		Account:   "111122223333",
	})
	_, err := r.run(everythingAsked())
	require.ErrorContains(t, err, `oidcBucket.access: "ThroughCloudFront" is not available in partition aws-cn; use PublicRead`)
	require.ErrorContains(t, err, `interruptionQueueName: "prod-spot" would be a queue under amazonaws.com.cn`)
	for _, registered := range r.registered {
		require.False(t, strings.HasPrefix(registered.Type, "aws:"), registered.Type)
	}
}

func TestWithoutAZoneNothingWritesRecords(t *testing.T) {
	t.Parallel()
	r := newRecorder(commercial())
	result := r.mustRun(t, minimal())
	text, err := json.Marshal(map[string]any{"resources": r.sorted(), "outputs": result.outputs["installArgs"]})
	require.NoError(t, err)
	require.NotContains(t, string(text), "external-dns")
	require.NotContains(t, string(text), "route53")
}
