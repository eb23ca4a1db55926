package author

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestEveryValueOfANewFileIsReadBackAsItWasGiven(t *testing.T) {
	t.Parallel()
	values := newValues{
		name: "demo", infraID: "demo-x1", baseDomain: "example.com", baseDomainPrefix: "none",
		endpointAccess: "PublicAndPrivate", region: "eu-central-1", vpcCIDR: "10.8.0.0/18", nat: "Single",
		zones: []string{"eu-central-1a", "eu-central-1b"}, oidcBucket: "demo-oidc", oidcRegion: "eu-west-1",
		kmsKey: "arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab",
		tags:   map[string]string{"on": "yes", "version": "1.10", "a:b": "c=d"},
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(values.file()), 0o644))
	file, err := stacks.LoadFile(dir, "dev")
	require.NoError(t, err, values.file())
	c := config.As[*config.Cluster](file)
	assert.Equal(t, values.tags, c.Tags)
	assert.Equal(t, "demo-x1", c.InfraID)
	assert.Equal(t, "none", c.BaseDomainPrefix)
	assert.EqualValues(t, "PublicAndPrivate", c.EndpointAccess)
	assert.EqualValues(t, "Single", c.Network.NAT)
	assert.Equal(t, "10.8.0.0/18", c.Network.VPCCIDR)
	assert.Len(t, c.Network.Zones, 2)
	assert.Equal(t, "eu-west-1", input.Text(c.OIDC.BucketRegion))
	assert.Equal(t, values.kmsKey, input.Text(c.KMSKeyARN))
}

func capaValues() newValues {
	return newValues{
		kind: "capa", name: "demo", region: "eu-central-1", kubernetesVersion: "v1.33.4", topology: "Public",
		vpcCIDR: "10.8.0.0/18",
		zones:   []string{"eu-central-1a", "eu-central-1b"}, tags: map[string]string{"on": "yes"},
	}
}

func TestEveryValueOfANewFileOfKindCAPAIsReadBackAsItWasGiven(t *testing.T) {
	t.Parallel()
	values := capaValues()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(values.file()), 0o644))
	file, err := stacks.LoadFile(dir, "dev")
	require.NoError(t, err, values.file())
	assert.Equal(t, "eu-central-1", file.Region)
	c := config.As[*config.CAPA](file)
	assert.Equal(t, "demo", c.Name)
	assert.Equal(t, "v1.33.4", c.KubernetesVersion)
	assert.EqualValues(t, "Public", c.Topology)
	assert.Equal(t, "10.8.0.0/18", c.Network.VPCCIDR)
	assert.Len(t, c.Network.Zones, 2)
	assert.Equal(t, values.tags, c.Tags)
}

func TestANewFileOfKindCAPAExplainsEveryKey(t *testing.T) {
	t.Parallel()
	text := capaValues().file()
	for _, section := range []reflect.Type{reflect.TypeFor[config.CAPA](), reflect.TypeFor[capa.NetworkArgs]()} {
		for _, field := range configfield.All(section) {
			assert.Regexp(t, `(?m)^ +(# )?`+field.Key+`:`, text)
		}
	}
}

// A key that is a comment is an example: without its "# " the stack's rules accept it, some with what they need beside
// it.
func TestEveryExampleInANewFileOfKindCAPAIsAccepted(t *testing.T) {
	t.Parallel()
	values := capaValues()
	values.topology, values.zones = "", []string{"eu-central-1a"}
	text := values.file()
	examples := regexp.MustCompile(`(?m)^( +)# (\w+: .*)$`).FindAllStringSubmatch(text, -1)
	require.Greater(t, len(examples), 15)
	instead := map[string]string{"existing": `(?m)^ +(vpcCIDR|zones): .*\n`}
	beside := map[string]string{"endpointSecurityGroups": "interfaceEndpoints", "podsIPv6": "ipv6", "servicesIPv6": "ipv6"}
	for _, example := range examples {
		with := regexp.MustCompile(regexp.QuoteMeta(example[0])).ReplaceAllLiteralString(text, example[1]+example[2])
		for key, without := range instead {
			if slices.Contains([]string{key}, regexp.MustCompile(`^\w+`).FindString(example[2])) {
				with = regexp.MustCompile(without).ReplaceAllString(with, "")
			}
		}
		if needed := beside[regexp.MustCompile(`^\w+`).FindString(example[2])]; needed != "" {
			with = strings.Replace(with, "# "+needed+":", needed+":", 1)
		}
		assert.NoError(t, check(with, "dev"), example[0])
	}
}

func partValues(kind config.Kind) newValues {
	v := newValues{
		kind:    string(kind),
		name:    "demo",
		infraID: "demo-x1",
		region:  "eu-central-1",
		tags:    map[string]string{"on": "yes"},
	}
	if kind == config.KindNetwork {
		v.baseDomain, v.baseDomainPrefix, v.endpointAccess = "example.com", "none", "Private"
		v.vpcCIDR, v.nat, v.zones = "10.8.0.0/18", "Single", []string{"eu-central-1a", "eu-central-1b"}
		return v
	}
	v.networkStack, v.oidcBucket, v.oidcRegion = "net", "demo-oidc", "eu-west-1"
	v.kmsKey = "arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab"
	return v
}

func TestEveryValueOfTheNewFilesOfAClustersPartsIsReadBackAsItWasGiven(t *testing.T) {
	t.Parallel()
	read := func(v newValues) *config.File {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(v.file()), 0o600))
		file, err := stacks.LoadFile(dir, "dev")
		require.NoError(t, err, v.file())
		return file
	}
	values := partValues(config.KindNetwork)
	n := config.As[*config.Network](read(values))
	require.NotNil(t, n)
	assert.Equal(t, []string{"demo", "demo-x1", "example.com", "none", "Private", "10.8.0.0/18", "Single"},
		[]string{n.Name, n.InfraID, n.BaseDomain, n.BaseDomainPrefix, string(n.EndpointAccess), n.Network.VPCCIDR,
			string(n.Network.NAT)})
	assert.Equal(t, values.tags, n.Tags)
	assert.Len(t, n.Network.Zones, 2)

	values = partValues(config.KindIAM)
	i := config.As[*config.IAM](read(values))
	require.NotNil(t, i)
	assert.Equal(t, []string{"demo", "demo-x1", "net", "demo-oidc", "eu-west-1", values.kmsKey}, []string{
		i.Name, i.InfraID, i.NetworkStack, input.Text(i.OIDC.BucketName), input.Text(i.OIDC.BucketRegion),
		input.Text(i.KMSKeyARN),
	})
	assert.Equal(t, values.tags, i.Tags)

	values = newValues{kind: string(config.KindNodePools), name: "demo", region: "eu-central-1"}
	file := read(values)
	require.NotNil(t, config.As[*config.NodePools](file))
	assert.Equal(t, []string{"eu-central-1", "demo", "demo-extra"}, []string{file.Region, config.As[*config.NodePools](file).Name, config.As[*config.NodePools](file).NodePools[0].Name})

	values = newValues{
		name:         "demo",
		infraID:      "demo-x1",
		region:       "eu-central-1",
		baseDomain:   "example.com",
		networkStack: "net",
		iamStack:     "roles",
	}
	c := config.As[*config.Cluster](read(values))
	require.NotNil(t, c)
	assert.Equal(t, []string{"demo-x1", "net", "roles"}, []string{c.InfraID, c.NetworkStack, c.IAMStack})
}

func TestANewManagementStackAndItsClusterAreOfOneAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	management := newValues{
		kind:              "management",
		region:            "us-east-1",
		oidcBucket:        "demo-oidc",
		operatorIssuer:    "https://oidc.example.com/m",
		externalDNSDomain: "hcp.example.com",
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.management.yaml"), []byte(management.file()), 0o600))
	file, err := stacks.LoadFile(dir, "management")
	require.NoError(t, err, management.file())
	m := config.As[*config.Management](file)
	assert.Equal(t, []string{"demo-oidc", "hcp.example.com", "https://oidc.example.com/m"}, []string{m.OIDCBucket.Name, m.Zone.Domain, input.Text(m.Operator.IssuerURL)})

	cluster := newValues{
		name:       "demo",
		infraID:    "demo-x1",
		region:     "us-east-1",
		baseDomain: "example.com",
		management: "management",
		release:    "quay.io/r:4.20.1",
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(cluster.file()), 0o600))
	file, err = stacks.LoadFile(dir, "dev")
	require.NoError(t, err, cluster.file())
	assert.Equal(t, "management", config.As[*config.Cluster](file).Management)
	assert.Equal(t, "quay.io/r:4.20.1", config.As[*config.Cluster](file).HostedCluster.Release)
}

// The hosted cluster of a new file is a comment: without its "# " it is what --release writes.
func TestTheCommentedHostedClusterIsTheOneOfARelease(t *testing.T) {
	t.Parallel()
	values := newValues{
		name:       "demo",
		infraID:    "demo-x1",
		region:     "us-east-1",
		baseDomain: "example.com",
		oidcBucket: "demo-oidc",
		zones:      []string{"us-east-1b"},
	}
	_, section, found := strings.Cut(values.file(), "    # hostedCluster:\n")
	require.True(t, found)
	uncommented := regexp.MustCompile(`(?m)^    # `).ReplaceAllString(section, "    ")
	values.release = "quay.io/openshift-release-dev/ocp-release:4.20.1-multi"
	_, active, found := strings.Cut(values.file(), "    hostedCluster:\n")
	require.True(t, found)
	assert.Equal(t, active, uncommented)
	assert.NoError(t, check(values.file(), "dev"))
}
