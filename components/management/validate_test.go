package management

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func TestEachFaultHasItsPathAndARemedy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*PrerequisitesArgs)
		want   string
	}{
		"no bucket": {func(a *PrerequisitesArgs) { a.OIDCBucket.Name = "" }, "oidcBucket.name is missing"},
		"dots":      {func(a *PrerequisitesArgs) { a.OIDCBucket.Name = "acme.oidc" }, `oidcBucket.name: "acme.oidc" contains dots`},
		"capitals":  {func(a *PrerequisitesArgs) { a.OIDCBucket.Name = "Acme" }, `oidcBucket.name: "Acme" is not the name of a bucket`},
		"short":     {func(a *PrerequisitesArgs) { a.OIDCBucket.Name = "ab" }, "is not the name of a bucket"},
		"long": {func(a *PrerequisitesArgs) {
			a.OIDCBucket.Name = strings.Repeat("a", 64)
		}, "is not the name of a bucket"},
		"reserved prefix": {func(a *PrerequisitesArgs) { a.OIDCBucket.Name = "xn--oidc" }, "begins with xn--"},
		"reserved suffix": {func(a *PrerequisitesArgs) { a.OIDCBucket.Name = "oidc-s3alias" }, "ends with -s3alias"},
		"access":          {func(a *PrerequisitesArgs) { a.OIDCBucket.Access = "Private" }, `oidcBucket.access: "Private" is not an access`},
		"distribution of a public bucket": {
			func(a *PrerequisitesArgs) { a.OIDCBucket.Distribution = &DistributionArgs{Domain: "oidc.example.com"} },
			"oidcBucket.distribution is only used with"},
		"domain without certificate": {func(a *PrerequisitesArgs) {
			a.OIDCBucket.Access = ThroughCloudFront
			a.OIDCBucket.Distribution = &DistributionArgs{Domain: "oidc.example.com"}
		}, "oidcBucket.distribution.certificateARN is missing"},
		"certificate without domain": {func(a *PrerequisitesArgs) {
			a.OIDCBucket.Access = ThroughCloudFront
			a.OIDCBucket.Distribution = &DistributionArgs{
				CertificateARN: pulumi.String("arn:aws:acm:us-east-1:111122223333:certificate/0"),
			}
		}, "oidcBucket.distribution.domain is missing"},
		"certificate of another region": {func(a *PrerequisitesArgs) {
			a.OIDCBucket.Access = ThroughCloudFront
			a.OIDCBucket.Distribution = &DistributionArgs{
				Domain: "oidc.example.com", CertificateARN: pulumi.String("arn:aws:acm:eu-west-1:111122223333:certificate/0")}
		}, "is not the ARN of a certificate that CloudFront can use"},
		"no domain": {func(a *PrerequisitesArgs) { a.Zone = &ZoneArgs{} }, "zone.domain is missing"},
		"domain":    {func(a *PrerequisitesArgs) { a.Zone = &ZoneArgs{Domain: "clusters"} }, `zone.domain: "clusters" is not a domain name`},
		"parent beside": {func(a *PrerequisitesArgs) {
			a.Zone = &ZoneArgs{Domain: "a.example.com", ParentZone: "example.org"}
		},
			`zone.parentZone: "example.org" is not above "a.example.com"`},
		"parent itself": {func(a *PrerequisitesArgs) {
			a.Zone = &ZoneArgs{Domain: "example.com", ParentZone: "example.com"}
		}, "is not above"},
		"identity": {func(a *PrerequisitesArgs) { a.Operator.Identity = "Magic" }, `operator.identity: "Magic" is not an identity`},
		"no issuer": {func(a *PrerequisitesArgs) {
			a.Operator.IssuerURL = pulumi.String("")
		}, "operator.issuerURL is missing"},
		"http issuer": {func(a *PrerequisitesArgs) { a.Operator.IssuerURL = pulumi.String("http://oidc.example.com") },
			`operator.issuerURL: "http://oidc.example.com" is not an issuer's URL`},
		"no instance role": {
			func(a *PrerequisitesArgs) { a.Operator = OperatorArgs{Identity: InstanceRole} },
			"operator.instanceRoleARN is missing"},
		"instance profile": {func(a *PrerequisitesArgs) {
			a.Operator = OperatorArgs{
				Identity:        InstanceRole,
				InstanceRoleARN: pulumi.String("arn:aws:iam::111122223333:instance-profile/workers"),
			}
		}, "is not the ARN of a role"},
		"issuer of another identity": {
			func(a *PrerequisitesArgs) { a.Operator.Identity = AccessKeys },
			"is for identity WebIdentity, but identity is AccessKeys"},
		"former identity that keeps nothing": {
			func(a *PrerequisitesArgs) { a.Operator.FormerIdentity = InstanceRole }, `operator.formerIdentity: "InstanceRole" keeps nothing`},
		"former identity without its key": {
			func(a *PrerequisitesArgs) {
				a.Operator = OperatorArgs{Identity: AccessKeys, FormerIdentity: InstanceRole}
			}, "operator.instanceRoleARN is missing"},
		"unknown former identity": {func(a *PrerequisitesArgs) { a.Operator.FormerIdentity = "Keys" }, `operator.formerIdentity: "Keys" is not an identity`},
		"long prefix":             {func(a *PrerequisitesArgs) { a.Operator.NamePrefix = strings.Repeat("p", 48) }, "operator.namePrefix"},
		"prefix": {func(a *PrerequisitesArgs) {
			a.Operator.NamePrefix = "a b"
		}, "has characters that IAM refuses"},
		"namespace": {func(a *PrerequisitesArgs) { a.Operator.Namespace = "Hyper" }, `operator.namespace: "Hyper" is not the name of a namespace`},
		"infra ID":  {func(a *PrerequisitesArgs) { a.Operator.InfraID = "a/b" }, "operator.infraID"},
		"tag of the stack": {
			func(a *PrerequisitesArgs) { a.Tags = map[string]string{"hypershift-aws/stack": "mine"} },
			`tags[hypershift-aws/stack]: "mine" is the key of the tag that names the stack`},
		"fifty tags": {func(a *PrerequisitesArgs) {
			a.Tags = map[string]string{}
			for i := range 50 {
				a.Tags[strings.Repeat("k", i+1)] = ""
			}
		}, "the stack adds one"},
		"registry":         {func(a *PrerequisitesArgs) { a.RegistryBucketName = "a.b.c" }, "registryBucketName"},
		"one bucket":       {func(a *PrerequisitesArgs) { a.RegistryBucketName = a.OIDCBucket.Name }, "is also the OIDC bucket"},
		"no backup bucket": {func(a *PrerequisitesArgs) { a.Backups = &BackupsArgs{} }, "backups.bucketName is missing"},
		"backups in the OIDC bucket": {
			func(a *PrerequisitesArgs) { a.Backups = &BackupsArgs{BucketName: a.OIDCBucket.Name} }, "is also the OIDC bucket"},
		"backups in the registry bucket": {func(a *PrerequisitesArgs) {
			a.RegistryBucketName, a.Backups = "acme-one", &BackupsArgs{BucketName: "acme-one"}
		}, "is also the registry bucket"},
		"backup namespace": {func(a *PrerequisitesArgs) {
			a.Backups = &BackupsArgs{BucketName: "acme-backups", Namespace: "a/b"}
		},
			`backups.namespace: "a/b" is not the name of a namespace`},
		"backups without roles": {func(a *PrerequisitesArgs) {
			a.Operator, a.Backups = OperatorArgs{Identity: AccessKeys}, &BackupsArgs{BucketName: "acme-backups"}
		}, "backups needs roles, but operator.identity is AccessKeys"},
		"no alias": {func(a *PrerequisitesArgs) { a.EtcdKey = &EtcdKeyArgs{} }, "etcdKey.alias is missing"},
		"alias prefix": {func(a *PrerequisitesArgs) {
			a.EtcdKey = &EtcdKeyArgs{Alias: "alias/etcd"}
		}, "begins with alias/"},
		"alias of AWS": {func(a *PrerequisitesArgs) { a.EtcdKey = &EtcdKeyArgs{Alias: "aws/etcd"} }, "begins with aws/"},
		"alias":        {func(a *PrerequisitesArgs) { a.EtcdKey = &EtcdKeyArgs{Alias: "e tcd"} }, "is not an alias"},
		"alias too long": {func(a *PrerequisitesArgs) {
			a.EtcdKey = &EtcdKeyArgs{Alias: strings.Repeat("a", 251)}
		}, "use at most 250 letters"},
		"account": {func(a *PrerequisitesArgs) { a.EtcdKey = &EtcdKeyArgs{Alias: "e", Accounts: input.Strings("1")} }, `etcdKey.accounts[0]: "1" is not the ID of an account`},
		"queue":   {func(a *PrerequisitesArgs) { a.InterruptionQueueName = "spot.fifo" }, "interruptionQueueName"},
		"long queue": {func(a *PrerequisitesArgs) {
			a.InterruptionQueueName = strings.Repeat("q", 52)
		}, "interruptionQueueName"},
		"tag of AWS": {func(a *PrerequisitesArgs) { a.Tags = map[string]string{"aws:x": "y"} }, "tags[aws:x]"},
		"long tag value": {func(a *PrerequisitesArgs) {
			a.Tags = map[string]string{"x": strings.Repeat("y", 257)}
		}, "tags[x] has 257 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := with(c.change).Validate()
			faults := fault.In(err)
			require.Len(t, faults, 1, "%v", err)
			require.ErrorContains(t, err, c.want)
			require.NotEmpty(t, faults[0].Remedy)
		})
	}
}

func TestAllFaultsAreReportedAtOnceAndNothingIsCreated(t *testing.T) {
	t.Parallel()
	r := newRecorder(commercial())
	_, err := r.run(&PrerequisitesArgs{
		OIDCBucket: OIDCBucketArgs{Name: "a.b"}, Zone: &ZoneArgs{}, EtcdKey: &EtcdKeyArgs{}, InterruptionQueueName: "?",
	})
	require.Len(t, fault.In(err), 5)
	for _, registered := range r.registered {
		require.Equal(t, "pulumi:providers:aws", registered.Type)
	}
}

func TestTheLongestNamesFit(t *testing.T) {
	t.Parallel()
	require.NoError(t, with(func(a *PrerequisitesArgs) {
		a.OIDCBucket.Name = strings.Repeat("a", 63)
		a.Operator.NamePrefix = strings.Repeat("p", 47)
		a.InterruptionQueueName = strings.Repeat("q", 51)
	}).Validate())
	require.Len(t, strings.Repeat("p", 47)+"-"+oidcS3Suffix, 64)
}

func TestAllFaultsFoundInAWSAreReportedAtOnceAndNothingIsCreated(t *testing.T) {
	t.Parallel()
	r := newRecorder(commercial())
	r.taken = "docs"
	_, err := r.run(&PrerequisitesArgs{
		OIDCBucket: OIDCBucketArgs{Name: "docs"},
		Zone:       &ZoneArgs{Domain: "a.example.org", ParentZone: "example.org", Existing: true},
		Operator:   OperatorArgs{IssuerURL: pulumi.String("https://nowhere.example.com")},
	})
	for _, want := range []string{
		`oidcBucket.name: "docs" is taken by another account or in another region; use a unique name`,
		`zone.parentZone: "example.org" has no public zone that can be looked up`,
		`zone.domain: "a.example.org" has no public zone that can be looked up`,
		`operator.issuerURL: "https://nowhere.example.com" has no OIDC provider that can be looked up`,
	} {
		require.ErrorContains(t, err, want)
	}
	for _, registered := range r.registered {
		require.Contains(t, []string{"pulumi:providers:aws", prerequisitesType}, registered.Type)
	}
}
