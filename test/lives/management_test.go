package lives

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
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestEveryManagementStackIsCreatedStableAndDestroyed(t *testing.T) {
	t.Parallel()
	for name, keys := range sizes.Only(t, stackfile.Managements(), "whole") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := harness.NewManagement(t)
			if name == "existing-zone" {
				stack = harness.NewManagement(t, offline.Seed{Kind: offline.SeedPublicZone, Name: "clusters.example.com"})
			}
			stack.Configure(stackfile.Management(keys))
			require.NotEmpty(t, stack.Preview())
			stack.Up()
			golden.RequireGraph(t, "management/"+name,
				stack.Graph(nil, "prerequisites", "prerequisites-interruptions", "install"))
			stack.RequireStable()

			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
			require.Empty(t, stack.Objects(), "what destroy left in the cluster")
		})
	}
}

func TestResourcesThatHostedClustersDependOnAreProtectedByDefault(t *testing.T) {
	t.Parallel()
	stack := harness.NewManagement(t)
	config := stackfile.Management(stackfile.Managements()["whole"])
	stack.Configure(strings.Replace(config, "unprotected: true", "unprotected: false", 1))
	stack.Up()
	protected := map[string]int{}
	for _, r := range stack.Custom() {
		if r.Protect {
			protected[r.URN.Name()]++
		}
	}
	require.Equal(t, map[string]int{
		"prerequisites-oidc-bucket": 9, "prerequisites-registry-bucket": 7, "prerequisites-backup-bucket": 7,
		"prerequisites-zone": 1, "prerequisites-etcd-key": 1,
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
	stack := harness.NewManagement(t)
	stack.Configure(stackfile.Management(stackfile.Managements()["kubernetes"]))
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
			stackfile.Managements()["existing-zone"], `Pulumi.test.yaml: hypershift-aws:management.zone.domain: "clusters.example.com" is not delegated from example.com`,
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
			stack := harness.NewManagement(t)
			if name == "a zone that is not delegated" {
				stack = enginetest.New(t, stacks.Run, enginetest.Options{Seeds: []offline.Seed{
					// The parent is created later, without a delegation.
					{Kind: offline.SeedPublicZone, Name: "clusters.example.com"}, {Kind: offline.SeedPublicZone, Name: "example.com"},
				}})
			}
			if name == "a bucket's name that another account has" {
				other := enginetest.New(t, stacks.Run, enginetest.Options{Beside: stack})
				other.Configure(strings.Replace(stackfile.Management(test.keys), "config:\n",
					"config:\n  aws:allowedAccountIds: [\"210987654321\"]\n", 1))
				other.Up()
			}
			before := len(stack.Resources())
			stack.Configure(stackfile.Management(test.keys))
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
			first := harness.NewManagement(t)
			first.Configure(stackfile.Management(stackfile.Managements()["whole"]))
			first.Up()
			second := enginetest.New(t, stacks.Run, enginetest.Options{Beside: first})
			second.Configure(stackfile.Management(keys))
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
	other := harness.NewManagement(t)
	other.Configure(stackfile.Management("    oidcBucket: {name: other-oidc}\n    operator: {identity: AccessKeys, namePrefix: other}\n    etcdKey: {alias: taken}\n"))
	other.Up()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Beside: other})
	config := stackfile.Management("    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n    etcdKey: {alias: taken}\n")
	stack.Configure(config)
	created := func() bool {
		return slices.ContainsFunc(stack.Custom(), func(r apitype.ResourceV3) bool {
			return r.Type == "aws:s3/bucketV2:BucketV2"
		})
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
	stack := harness.NewManagement(t)
	config := stackfile.Management(stackfile.Managements()["kubernetes"])
	stack.Configure(config)
	stack.Up()
	require.Equal(t, []string{
		"ConfigMap kube-public/oidc-storage-provider-s3-config", "Namespace hypershift",
		"Secret hypershift/external-dns-credentials",
		"Secret hypershift/hypershift-operator-aws-credentials",
		"Secret hypershift/hypershift-operator-oidc-provider-s3-credentials",
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
