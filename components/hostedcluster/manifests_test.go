package hostedcluster_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/test/upstream"
)

// etcdKey is the key in the files of HyperShift's CLI, which generates a new one each time.
const etcdKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

func secrets() map[hostedcluster.SecretValue]string {
	return map[hostedcluster.SecretValue]string{
		hostedcluster.PullSecret: `{"auths":{}}`, hostedcluster.SSHKey: "ssh-ed25519 AAAA test\n", hostedcluster.EtcdKey: etcdKey,
	}
}

// recorded returns what `hypershift create cluster aws --render --render-sensitive` writes for the same infra and IAM.
// The files are its output, at 3ee9615567, with --node-pool-replicas 2, --auto-repair,
// --control-plane-availability-policy HighlyAvailable and --additional-tags team=platform; everything.yaml has most
// other flags too.
func recorded(t *testing.T, name string) map[string]map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "hypershift", name+".yaml"))
	require.NoError(t, err)
	return upstream.Objects(t, text)
}

func TestTheRenderingEqualsHyperShiftsExceptForTheDocumentedDifferences(t *testing.T) {
	t.Parallel()
	type rendering struct {
		settings *hostedcluster.Settings
		site     *hostedcluster.Site
	}
	cases := map[string]rendering{"everything": {everything(), siteOfEverything()}}
	for _, access := range hypershift.EndpointAccesses() {
		for suffix, domain := range map[string]string{"": "", "-external-dns": "hcp.example.com"} {
			s, site := settings(), site()
			s.EndpointAccess, s.ExternalDNSDomain, s.SSHKey = access, domain, true
			s.InfrastructureAvailability = hostedcluster.SingleReplica
			if !access.HasPublic() {
				site.PublicZoneID = ""
			}
			cases[string(access)+suffix] = rendering{s, site}
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := recorded(t, name)
			upstream.Undo(want, etcdKey)
			manifests, err := c.settings.Manifests(c.site, secrets())
			require.NoError(t, err)
			var rendered []byte
			for _, m := range manifests {
				text, err := m.YAML()
				require.NoError(t, err)
				rendered = append(append(rendered, "---\n"...), text...)
			}
			assert.Equal(t, want, upstream.Objects(t, rendered))
		})
	}
}

// everything returns settings with every option that the other renderings do not use.
func everything() *hostedcluster.Settings {
	s := settings()
	s.Release = "quay.io/openshift-release-dev/ocp-release:4.19.0-multi"
	s.EndpointAccess, s.BaseDomainPrefix, s.FIPS, s.AutoNode, s.NodePublicIPs = hypershift.PublicAndPrivate, "none", true,
		true, true
	s.Capabilities = &hostedcluster.Capabilities{Disabled: []string{"ImageRegistry"}}
	s.Annotations, s.Labels = map[string]string{"a.example.com/b": "c"}, map[string]string{"d": "e"}
	s.EtcdStorageClass, s.EtcdStorageSize = "fast", "16Gi"
	s.ClusterCIDRs, s.ServiceCIDRs = []string{"10.140.0.0/14"}, []string{"172.30.0.0/16"}
	s.TrustedCA = pulumi.String("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
	for _, zone := range site().Zones {
		s.NodePools = append(s.NodePools, hostedcluster.NodePool{Zone: zone.Name, Arch: hostedcluster.ARM64})
	}
	return s
}

func siteOfEverything() *hostedcluster.Site {
	site := site()
	site.ProxyAddress, site.HTTPSProxyAddress = "http://10.0.0.9:3128", "https://10.0.0.9:3129"
	site.KMSKeyARN, site.Roles[iam.RoleKMSProvider] = "arn:aws:kms:us-east-1:123456789012:key/k", account+"kms-provider"
	site.Roles[iam.RoleKarpenter] = account + "karpenter"
	site.SharedVPC = &hostedcluster.SharedVPC{
		IngressARN:      "arn:aws:iam::222222222222:role/acme-x7k2p-shared-vpc-route53",
		ControlPlaneARN: "arn:aws:iam::222222222222:role/acme-x7k2p-shared-vpc-endpoint", LocalZoneID: "Z0000000LOCAL",
	}
	return site
}

func TestTheDocsListEveryDifference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/appendix/render.md")
	require.NoError(t, err)
	var named, want []string
	for _, match := range regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| [^|]+ \|$`).FindAllStringSubmatch(string(text), -1) {
		named = append(named, match[1])
	}
	for _, d := range upstream.Differences(etcdKey) {
		want = append(want, d.Name)
	}
	require.NotEmpty(t, named)
	assert.Equal(t, want, named[1:], "the first row is the head")
}

func TestOnlyGivenSecretsAreRendered(t *testing.T) {
	t.Parallel()
	manifests, err := settings().Manifests(site(), nil)
	require.NoError(t, err)
	var files []string
	for _, m := range manifests {
		files = append(files, m.File)
		assert.NotEqual(t, "Secret", m.Object["kind"])
	}
	assert.True(t, slices.IsSorted(files), "applied in the order of their names, the namespace is first")
	assert.Equal(t, []string{
		"00-namespace.yaml", "20-hostedcluster-acme.yaml", "30-nodepool-acme-us-east-1a.yaml",
		"30-nodepool-acme-us-east-1b.yaml",
	}, files)
}
