package config

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// wholeManagement is a config of a management stack that uses every key.
const wholeManagement = `config:
  aws:region: us-east-1
  hypershift-aws:kind: management
  hypershift-aws:management:
    oidcBucket:
      name: demo-oidc
      access: ThroughCloudFront
      distribution: {domain: oidc.example.com, certificateARN: "arn:aws:acm:us-east-1:123456789012:certificate/x"}
    zone: {domain: clusters.example.com, existing: true, parentZone: example.com}
    operator: {identity: WebIdentity, issuerURL: "https://oidc.example.com/x", namePrefix: mgmt, namespace: hs, infraID: mgmt-x1}
    registryBucketName: demo-registry
    etcdKey: {alias: etcd, accounts: ["210987654321"]}
    interruptionQueueName: demo-interruptions
    backups: {bucketName: demo-backups, namespace: oadp, etcdSnapshots: true}
    unprotected: true
    tags: {team: platform}
    kubeconfig: {file: ~/.kube/management, context: management}
`

func TestAWholeManagementConfigIsDecoded(t *testing.T) {
	t.Parallel()
	file, err := load(t, wholeManagement)
	require.NoError(t, err)
	require.Equal(t, KindManagement, file.Kind)
	require.Nil(t, As[*Cluster](file))
	require.Equal(t, &management.PrerequisitesArgs{
		OIDCBucket: management.OIDCBucketArgs{
			Name: "demo-oidc", Access: management.ThroughCloudFront,
			Distribution: &management.DistributionArgs{
				Domain: "oidc.example.com", CertificateARN: pulumi.String("arn:aws:acm:us-east-1:123456789012:certificate/x"),
			},
		},
		Zone: &management.ZoneArgs{Domain: "clusters.example.com", Existing: true, ParentZone: "example.com"},
		Operator: management.OperatorArgs{
			Identity: management.WebIdentity, IssuerURL: pulumi.String("https://oidc.example.com/x"),
			NamePrefix: "mgmt", Namespace: "hs", InfraID: "mgmt-x1",
		},
		RegistryBucketName: "demo-registry",
		EtcdKey:            &management.EtcdKeyArgs{Alias: "etcd", Accounts: input.Strings("210987654321")},

		Backups:               &management.BackupsArgs{BucketName: "demo-backups", Namespace: "oadp", EtcdSnapshots: true},
		InterruptionQueueName: "demo-interruptions", Unprotected: true, RefuseExistingBuckets: true,
		Tags: map[string]string{"team": "platform"},
	}, As[*Management](file).Prerequisites())
	require.Equal(t, &Kubeconfig{File: "~/.kube/management", Context: "management"}, As[*Management](file).Kubeconfig)
	require.Equal(t, []Existing{
		{Kind: ExistingPublicZone, Name: "example.com"},
		{Kind: ExistingPublicZone, Name: "clusters.example.com"},
		{Kind: ExistingOIDCProvider, Name: "https://oidc.example.com/x", ClientIDs: []iam.ClientID{
			{Name: "openshift", Breaks: "HyperShift's operator and external-dns cannot assume their roles", Vital: true},
			{Name: "sts.amazonaws.com", Breaks: "HyperShift's snapshots of etcd cannot be written", Vital: true}}},
	}, file.Existing(nil))
}

func TestABadManagementConfigIsRefusedWithItsLineItsPathAndARemedy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ replace, with, want string }{
		{"name: demo-oidc", "name: demo.oidc", `:6: hypershift-aws:management.oidcBucket.name: "demo.oidc" contains dots`},
		{"name: demo-oidc", "name: demo-registry", `:11: hypershift-aws:management.registryBucketName: "demo-registry" is also the OIDC bucket`},
		{"ThroughCloudFront", "Anyone", `:7: hypershift-aws:management.oidcBucket.access: "Anyone" is not an access`},
		{"parentZone: example.com", "parentZone: example.org", `:9: hypershift-aws:management.zone.parentZone: "example.org" is not above`},
		{`issuerURL: "https:`, `issuerURL: "http:`, `:10: hypershift-aws:management.operator.issuerURL: "http://oidc.example.com/x" is not an issuer's URL`},
		{"identity: WebIdentity", "identity: Anyone", `:10: hypershift-aws:management.operator.identity: "Anyone" is not an identity`},
		{`"210987654321"`, `"21"`, `:12: hypershift-aws:management.etcdKey.accounts[0]: "21" is not the ID of an account`},
		{"~/.kube", "kube", `:17: hypershift-aws:management.kubeconfig.file: "kube/management" is relative`},
		{"existing: true", "existing: very", `:9: hypershift-aws:management.zone.existing: "very" is a string; expected a boolean`},
		{"registryBucketName", "registryBucket", `:11: hypershift-aws:management.registryBucket is not a key of the config; did you mean registryBucketName?`},
		{"hypershift-aws:management:", "hypershift-aws:cluster:",
			"hypershift-aws:management is missing; set oidcBucket and operator"},
		{"hypershift-aws:kind: management", "hypershift-aws:kind: management\n  hypershift-aws:cluster: {}",
			":4: hypershift-aws:cluster is only allowed in stacks of kind cluster; leave it out, or correct hypershift-aws:kind"},
	} {
		t.Run(test.with, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, wholeManagement, test.replace)
			_, err := load(t, strings.Replace(wholeManagement, test.replace, test.with, 1))
			require.ErrorContains(t, err, test.want)
			for _, f := range fault.In(err) {
				require.NotZero(t, f.Line, f.Path)
				require.NotEmpty(t, f.Remedy, f.Path)
			}
		})
	}
}

// installing returns a management section with the keys of operator.install, whose folder is dir.
func installing(dir string, args management.InstallArgs) *Management {
	m := &Management{Kubeconfig: &Kubeconfig{}}
	m.OIDCBucket.Name, m.Operator.Identity, m.Operator.Install = "demo-oidc", management.AccessKeys, &args
	m.Resolve(Source{Dir: dir})
	return m
}

func TestWhatTheInstallationOfTheOperatorLacksIsRefused(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("0", 64)
	for name, test := range map[string]struct {
		args   management.InstallArgs
		change func(*Management)
		paths  []string
	}{
		"a file": {args: management.InstallArgs{Manifests: "hypershift.yaml"}},
		"a URL with a digest": {
			args: management.InstallArgs{Manifests: "https://example.com/hypershift.yaml", Digest: digest},
		},
		"nothing": {paths: []string{"operator.install.manifests"}},
		"a URL without a digest": {
			args:  management.InstallArgs{Manifests: "https://example.com/x"},
			paths: []string{"operator.install.digest"},
		},
		"a URL without TLS": {
			args:  management.InstallArgs{Manifests: "http://example.com/x", Digest: digest},
			paths: []string{"operator.install.manifests"},
		},
		"a digest of another kind": {
			args:  management.InstallArgs{Manifests: "x", Digest: "md5:0"},
			paths: []string{"operator.install.digest"},
		},
		"no management cluster": {management.InstallArgs{Manifests: "x"}, func(m *Management) {
			m.Kubeconfig = nil
		}, []string{"kubeconfig"}},
		"further flags of the CLI's line": {management.InstallArgs{Manifests: "x"},
			func(m *Management) { m.Operator.ExtraArgs = []string{"--slos-alerts"} }, []string{"operator.extraArgs"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := installing("", test.args)
			if test.change != nil {
				test.change(m)
			}
			var paths []string
			for _, f := range fault.In(m.Validate("")) {
				paths = append(paths, f.Path)
				require.NotEmpty(t, f.Remedy)
			}
			require.Equal(t, test.paths, paths)
		})
	}
}

func TestTheManifestsOfTheOperatorAreReadAndCompared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hypershift.yaml"), []byte("kind: List\n"), 0o600))
	const digest = "sha256:21d4c93b5e7c6a3ef6e79df4adcd1b6a6ec5b1b0d6a8d43c6c3c92a4c1a3a8f1"
	text, err := installing(dir, management.InstallArgs{Manifests: "hypershift.yaml"}).InstallManifests(t.Context())
	require.NoError(t, err)
	require.Equal(t, "kind: List\n", text)

	_, err = installing(dir, management.InstallArgs{
		Manifests: "hypershift.yaml",
		Digest:    digest,
	}).InstallManifests(t.Context())
	require.Equal(t, "operator.install.digest", fault.In(err)[0].Path)
	_, actual, _ := strings.Cut(fault.In(err)[0].Problem, ", ")
	_, err = installing(dir, management.InstallArgs{
		Manifests: "hypershift.yaml",
		Digest:    actual,
	}).InstallManifests(t.Context())
	require.NoError(t, err, "the digest that the message names")

	_, err = installing(dir, management.InstallArgs{Manifests: "other.yaml"}).InstallManifests(t.Context())
	require.Equal(t, "operator.install.manifests", fault.In(err)[0].Path)
}

func TestTheManifestsOfTheOperatorAreDownloaded(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/hypershift.yaml" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte("kind: List\n"))
	}))
	t.Cleanup(server.Close)
	text, err := download(t.Context(), server.Client(), server.URL+"/hypershift.yaml")
	require.NoError(t, err)
	require.Equal(t, "kind: List\n", text)
	for name, get := range map[string]func() (string, error){
		"a missing file":            func() (string, error) { return download(t.Context(), server.Client(), server.URL+"/other") },
		"an unknown certificate":    func() (string, error) { return download(t.Context(), &http.Client{}, server.URL+"/hypershift.yaml") },
		"an address that is no URL": func() (string, error) { return download(t.Context(), server.Client(), "https://[") },
	} {
		_, err := get()
		require.Len(t, fault.In(err), 1, name)
		require.NotEmpty(t, fault.In(err)[0].Remedy, name)
	}
}
