package hostedcluster_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// etcdKey is the key in the files of HyperShift's CLI, which generates a new one each time.
const etcdKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

func secrets() map[hostedcluster.SecretValue]string {
	return map[hostedcluster.SecretValue]string{
		hostedcluster.PullSecret: `{"auths":{}}`, hostedcluster.SSHKey: "ssh-ed25519 AAAA test\n", hostedcluster.EtcdKey: etcdKey,
	}
}

// upstream returns what `hypershift create cluster aws --render --render-sensitive` writes for the same infra and IAM.
// The files are its output, at 3ee9615567, with --node-pool-replicas 2, --auto-repair,
// --control-plane-availability-policy HighlyAvailable and --additional-tags team=platform; everything.yaml has most
// other flags too.
func upstream(t *testing.T, name string) map[string]map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "hypershift", name+".yaml"))
	require.NoError(t, err)
	return documents(t, text)
}

// documents returns YAML documents by kind and name.
func documents(t *testing.T, text []byte) map[string]map[string]any {
	t.Helper()
	objects := map[string]map[string]any{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var o map[string]any
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		if o != nil {
			objects[o["kind"].(string)+" "+at(o, "metadata", "name").(string)] = o
		}
	}
}

// difference is a difference between HyperShift's rendering and this project's, with the function that removes it from HyperShift's.
type difference struct {
	name string
	undo func(kind string, o map[string]any)
}

// differences returns the differences listed in docs/render.md, except those that are defaults.
func differences() []difference {
	return []difference{
		{"no status", func(_ string, o map[string]any) { delete(o, "status") }},
		{"nothing empty", func(_ string, o map[string]any) { dropEmpty(o) }},
		{"no timeouts of zero", func(kind string, o map[string]any) {
			if spec, _ := o["spec"].(map[string]any); kind == "NodePool" {
				delete(spec, "nodeDrainTimeout")
				delete(spec, "nodeVolumeDetachTimeout")
			}
		}},
		{"every Secret's type", func(kind string, o map[string]any) {
			if kind == "Secret" {
				o["type"] = "Opaque"
			}
		}},
		{"no SSH key", func(kind string, o map[string]any) {
			if spec, _ := o["spec"].(map[string]any); kind == "HostedCluster" && len(spec["sshKey"].(map[string]any)) == 0 {
				spec["sshKey"] = map[string]any{"name": ""}
			}
		}},
		{"the cleanup annotation", func(kind string, o map[string]any) {
			if kind == "HostedCluster" {
				metadata, _ := o["metadata"].(map[string]any)
				annotations, _ := metadata["annotations"].(map[string]any)
				if annotations == nil {
					annotations = map[string]any{}
				}
				annotations["hypershift.openshift.io/cleanup-cloud-resources"] = "true"
				metadata["annotations"] = annotations
			}
		}},
		{"the owner's tag", func(kind string, o map[string]any) {
			if spec, _ := o["spec"].(map[string]any); kind == "HostedCluster" {
				aws := at(o, "spec", "platform", "aws").(map[string]any)
				tags, _ := aws["resourceTags"].([]any)
				aws["resourceTags"] = append(tags, map[string]any{"key": "kubernetes.io/cluster/" + spec["infraID"].(string), "value": "owned"})
			}
		}},
		{"the key of etcd", func(_ string, o map[string]any) {
			if data, _ := o["data"].(map[string]any); data["key"] != nil {
				data["key"] = etcdKey
			}
		}},
	}
}

func dropEmpty(o map[string]any) {
	for key, value := range o {
		if inner, ok := value.(map[string]any); ok {
			if dropEmpty(inner); len(inner) == 0 && key != "sshKey" {
				delete(o, key)
			}
		}
	}
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
			want := upstream(t, name)
			for id, o := range want {
				for _, d := range differences() {
					d.undo(strings.Fields(id)[0], o)
				}
			}
			manifests, err := c.settings.Manifests(c.site, secrets())
			require.NoError(t, err)
			var rendered []byte
			for _, m := range manifests {
				text, err := m.YAML()
				require.NoError(t, err)
				rendered = append(append(rendered, "---\n"...), text...)
			}
			assert.Equal(t, want, documents(t, rendered))
		})
	}
}

// everything returns settings with every option that the other renderings do not use.
func everything() *hostedcluster.Settings {
	s := settings()
	s.EndpointAccess, s.BaseDomainPrefix, s.FIPS, s.AutoNode, s.NodePublicIPs = hypershift.PublicAndPrivate, "none", true, true, true
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
	text, err := os.ReadFile("../../docs/render.md")
	require.NoError(t, err)
	var named, want []string
	for _, match := range regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| [^|]+ \|$`).FindAllStringSubmatch(string(text), -1) {
		named = append(named, match[1])
	}
	for _, d := range differences() {
		want = append(want, d.name)
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
		"00-namespace.yaml", "20-hostedcluster-acme.yaml", "30-nodepool-acme-us-east-1a.yaml", "30-nodepool-acme-us-east-1b.yaml",
	}, files)
}
