package test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

const managementIssuer = "https://issuer.example.net/management"

// managementConfig returns the config of a management stack in us-east-1 with these keys.
func managementConfig(keys string) string {
	return `config:
  aws:region: us-east-1
  hypershift-aws:kind: management
  hypershift-aws:management:
    unprotected: true
    tags: {team: platform}
` + keys
}

// managements returns a management stack for each option, and one with all that can be had at once.
func managements() map[string]string {
	const instanceRole = "    operator: {identity: InstanceRole, instanceRoleARN: 'arn:aws:iam::123456789012:role/nodes'}\n"
	return map[string]string{
		"least":        "    oidcBucket: {name: demo-oidc}\n" + instanceRole,
		"cloudfront":   "    oidcBucket: {name: demo-oidc, access: ThroughCloudFront}\n" + instanceRole,
		"web-identity": "    oidcBucket: {name: demo-oidc}\n    operator: {issuerURL: '" + managementIssuer + "', infraID: mgmt-x7k2p}\n",
		"access-keys":  "    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n    zone: {domain: clusters.example.com}\n",
		"zone":         "    oidcBucket: {name: demo-oidc}\n    zone: {domain: clusters.example.com, parentZone: example.com}\n" + instanceRole,
		"existing-zone": "    oidcBucket: {name: demo-oidc}\n" +
			"    zone: {domain: clusters.example.com, parentZone: example.com, existing: true}\n" + instanceRole,
		"kubernetes": "    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n    zone: {domain: clusters.example.com}\n" +
			"    kubeconfig: {file: /etc/management/kubeconfig, context: management}\n",
		"whole": `    oidcBucket:
      name: demo-oidc
      access: ThroughCloudFront
      distribution:
        domain: oidc.example.com
        certificateARN: arn:aws:acm:us-east-1:123456789012:certificate/1234abcd-12ab-34cd-a6ef-1234567890ab
    zone: {domain: clusters.example.com, parentZone: example.com}
    operator: {issuerURL: '` + managementIssuer + `', namePrefix: mgmt, namespace: operator, infraID: mgmt-x7k2p}
    registryBucketName: demo-registry
    etcdKey: {alias: hypershift-etcd, accounts: ["210987654321"]}
    interruptionQueueName: demo-interruptions
    backups: {bucketName: demo-backups, etcdSnapshots: true}
`,
	}
}

// newManagement returns a stack whose account has managementSeeds, and more.
func newManagement(t *testing.T, seeds ...offline.Seed) *enginetest.Stack {
	t.Helper()
	return enginetest.New(t, stacks.Run, enginetest.Options{Seeds: append(managementSeeds(), seeds...)})
}

// managementSeeds returns the parent zone and the management cluster's OIDC provider.
func managementSeeds() []offline.Seed {
	return []offline.Seed{{Kind: offline.SeedPublicZone, Name: "example.com"}, {Kind: offline.SeedOIDCProvider, Name: managementIssuer}}
}

func TestEveryManagementStackIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for name, keys := range sizes.Only(t, managements(), "whole") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := newManagement(t)
			if name == "existing-zone" {
				stack = newManagement(t, offline.Seed{Kind: offline.SeedPublicZone, Name: "clusters.example.com"})
			}
			stack.Configure(managementConfig(keys))
			require.NotEmpty(t, stack.Preview())
			stack.Up()
			golden.Require(t, "testdata/management/"+name+".txt", stack.Graph(nil, "prerequisites", "prerequisites-interruptions", "install"))
			stack.RequireStable()

			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
			require.Empty(t, stack.Objects(), "what destroy left in the cluster")
		})
	}
}

func TestResourcesThatHostedClustersDependOnAreProtectedByDefault(t *testing.T) {
	t.Parallel()
	stack := newManagement(t)
	config := managementConfig(managements()["whole"])
	stack.Configure(strings.Replace(config, "unprotected: true", "unprotected: false", 1))
	stack.Up()
	protected := map[string]int{}
	for _, r := range stack.Custom() {
		if r.Protect {
			protected[r.URN.Name()]++
		}
	}
	require.Equal(t, map[string]int{
		"prerequisites-oidc-bucket": 9, "prerequisites-registry-bucket": 7, "prerequisites-backup-bucket": 7, "prerequisites-zone": 1, "prerequisites-etcd-key": 1,
	}, protected, "each bucket with its settings, the OIDC bucket with its distribution")
	_, err := stack.DestroyErr() // it skips the preview, which would have refused it all
	require.ErrorContains(t, err, "protected")
	left := map[string]int{}
	for _, r := range stack.Custom() {
		left[r.URN.Name()]++
	}
	require.Equal(t, protected, left, "clusters can still be told by their tokens")

	stack.Configure(config)
	stack.Up()
	stack.Destroy()
	require.Empty(t, stack.Resources())
}

func TestAnAccessKeyIsNowhereInPlainText(t *testing.T) {
	t.Parallel()
	stack := newManagement(t)
	stack.Configure(managementConfig(managements()["kubernetes"]))
	stack.Up()
	inSecrets := ""
	for _, object := range stack.Objects() {
		if object.Kind != "Secret" {
			continue
		}
		for _, value := range object.Properties["data"].(map[string]any) {
			text, err := base64.StdEncoding.DecodeString(fmt.Sprint(value))
			require.NoError(t, err)
			inSecrets += string(text)
		}
	}
	seen := 0
	for _, resource := range stack.Resources() {
		if secret, ok := resource.Properties["secret"].(string); ok {
			seen++
			require.NotContains(t, stack.Kept(), secret)
			require.NotContains(t, stack.Kept(), base64.StdEncoding.EncodeToString([]byte(secret))[:40])
			require.Contains(t, inSecrets, "aws_secret_access_key = "+secret)
		}
	}
	require.Equal(t, 3, seen)
}

func TestAManagementStackIsRefusedBeforeAnythingIsCreatedIfTheAccountCannotHaveIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ keys, want string }{
		"a zone that is not delegated": {
			managements()["existing-zone"], `Pulumi.test.yaml: hypershift-aws:management.zone.domain: "clusters.example.com" is not delegated from example.com`,
		},
		"a parent zone that is not there": {
			"    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n    zone: {domain: a.example.org, parentZone: example.org}\n",
			`zone.parentZone: "example.org" has no public zone that can be looked up`,
		},
		"an OIDC provider that is not there": {
			"    oidcBucket: {name: demo-oidc}\n    operator: {issuerURL: 'https://other.example.net'}\n",
			`operator.issuerURL: "https://other.example.net" has no OIDC provider that can be looked up`,
		},
		"a bucket's name that another account has": {
			"    oidcBucket: {name: taken}\n    operator: {identity: AccessKeys}\n", `oidcBucket.name: "taken" is taken by another account or in another region`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := newManagement(t)
			if name == "a zone that is not delegated" {
				stack = enginetest.New(t, stacks.Run, enginetest.Options{Seeds: []offline.Seed{
					// The parent is created later, without a delegation.
					{Kind: offline.SeedPublicZone, Name: "clusters.example.com"}, {Kind: offline.SeedPublicZone, Name: "example.com"},
				}})
			}
			if name == "a bucket's name that another account has" {
				other := enginetest.New(t, stacks.Run, enginetest.Options{Beside: stack})
				other.Configure(strings.Replace(managementConfig(test.keys), "config:\n",
					"config:\n  aws:allowedAccountIds: [\"210987654321\"]\n", 1))
				other.Up()
			}
			before := len(stack.Resources())
			stack.Configure(managementConfig(test.keys))
			_, err := stack.PreviewErr()
			require.ErrorContains(t, err, test.want)
			_, err = stack.UpErr()
			require.ErrorContains(t, err, test.want)
			require.Len(t, stack.Resources(), before)
		})
	}
}

func TestABucketOfAnotherStackIsRefusedInThePreview(t *testing.T) {
	t.Parallel()
	for want, keys := range map[string]string{
		`oidcBucket.name: "demo-oidc"`:        "    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n",
		`registryBucketName: "demo-registry"`: "    oidcBucket: {name: other-oidc}\n    operator: {identity: AccessKeys}\n    registryBucketName: demo-registry\n",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			first := newManagement(t)
			first.Configure(managementConfig(managements()["whole"]))
			first.Up()
			second := enginetest.New(t, stacks.Run, enginetest.Options{Beside: first})
			second.Configure(managementConfig(keys))
			before := len(first.Resources())
			_, err := second.PreviewErr()
			require.ErrorContains(t, err, want+` is an existing bucket of this account that the stack does not manage; use a unique name`)
			require.Len(t, first.Resources(), before)
			require.Empty(t, first.Preview(), "the first stack's own")
		})
	}
}

func TestABucketOfAnInterruptedUpdateBelongsToTheStack(t *testing.T) {
	t.Parallel()
	other := newManagement(t)
	other.Configure(managementConfig("    oidcBucket: {name: other-oidc}\n    operator: {identity: AccessKeys, namePrefix: other}\n    etcdKey: {alias: taken}\n"))
	other.Up()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Beside: other})
	config := managementConfig("    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n    etcdKey: {alias: taken}\n")
	stack.Configure(config)
	created := func() bool {
		return slices.ContainsFunc(stack.Custom(), func(r apitype.ResourceV3) bool { return r.Type == "aws:s3/bucketV2:BucketV2" })
	}
	for attempts := 0; !created(); attempts++ { // an update that fails early stops before the bucket
		require.Less(t, attempts, 20)
		_, err := stack.UpErr()
		require.ErrorContains(t, err, "alias/taken")
	}
	stack.Configure(strings.Replace(config, "alias: taken", "alias: free", 1))
	require.NotContains(t, stack.Up().Of(apitype.OpCreate), "aws:s3/bucketV2:BucketV2 prerequisites-oidc-bucket")
	require.Empty(t, stack.Preview())
}

func TestTheClusterFindsNewCredentialsUnderTheOldName(t *testing.T) {
	t.Parallel()
	stack := newManagement(t)
	config := managementConfig(managements()["kubernetes"])
	stack.Configure(config)
	stack.Up()
	require.Equal(t, []string{
		"ConfigMap kube-public/oidc-storage-provider-s3-config", "Namespace hypershift", "Secret hypershift/external-dns-credentials",
		"Secret hypershift/hypershift-operator-aws-credentials", "Secret hypershift/hypershift-operator-oidc-provider-s3-credentials",
	}, names(stack.Objects()))
	stack.Configure(strings.Replace(config, "AccessKeys}", "AccessKeys, namePrefix: other}", 1))
	changes := stack.Up()
	for _, replaced := range changes.Replaced() {
		require.NotContains(t, replaced, "kubernetes:")
	}
	require.Len(t, changes.Of(apitype.OpUpdate), 3, "the Secrets")
}

func names(objects []offline.Object) []string {
	var found []string
	for _, object := range objects {
		found = append(found, object.Kind+" "+object.ID)
	}
	return found
}
