package author

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/input"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestEveryValueOfANewFileIsReadBackAsItWasGiven(t *testing.T) {
	t.Parallel()
	values := newValues{
		name: "demo", infraID: "demo-x1", baseDomain: "example.com", baseDomainPrefix: "none",
		endpointAccess: "PublicAndPrivate", region: "eu-central-1", vpcCIDR: "10.8.0.0/18", nat: "Single",
		zones: []string{"eu-central-1a", "eu-central-1b"}, oidcBucket: "demo-oidc", oidcRegion: "eu-west-1",
		kmsKey: "arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
		tags:   map[string]string{"on": "yes", "version": "1.10", "a:b": "c=d"},
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.dev.yaml"), []byte(values.file()), 0o644))
	file, err := stacks.LoadFile(dir, "dev")
	require.NoError(t, err, values.file())
	c := file.Cluster
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
		kind: "capa", name: "demo", region: "eu-central-1", kubernetesVersion: "v1.33.4", topology: "Public", vpcCIDR: "10.8.0.0/18",
		zones: []string{"eu-central-1a", "eu-central-1b"}, tags: map[string]string{"on": "yes"},
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
	c := file.CAPA
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
		for _, field := range config.FieldsOf(section) {
			assert.Regexp(t, `(?m)^ +(# )?`+field.Key+`:`, text)
		}
	}
}

// A key that is a comment is an example: without its "# " the stack's rules accept it, some with what they need beside it.
func TestEveryExampleInANewFileOfKindCAPAIsAccepted(t *testing.T) {
	t.Parallel()
	values := capaValues()
	values.topology, values.zones = "", []string{"eu-central-1a"}
	text := values.file()
	examples := regexp.MustCompile(`(?m)^( +)# (\w+: .*)$`).FindAllStringSubmatch(text, -1)
	require.Greater(t, len(examples), 15)
	instead := map[string]string{"existing": `(?m)^ +(vpcCIDR|zones): .*\n`}
	for _, example := range examples {
		with := regexp.MustCompile(regexp.QuoteMeta(example[0])).ReplaceAllLiteralString(text, example[1]+example[2])
		for key, without := range instead {
			if slices.Contains([]string{key}, regexp.MustCompile(`^\w+`).FindString(example[2])) {
				with = regexp.MustCompile(without).ReplaceAllString(with, "")
			}
		}
		assert.NoError(t, check(with, "dev"), example[0])
	}
}
