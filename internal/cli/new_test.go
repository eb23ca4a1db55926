package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// answering runs a command line at a terminal where somebody types the answers.
func answering(t *testing.T, answers string, args ...string) (int, string) {
	t.Helper()
	var stderr bytes.Buffer
	code := Run(Streams{In: strings.NewReader(answers), Out: &stderr, Err: &stderr, Asks: true, Dir: t.TempDir()}, args)
	return code, stderr.String()
}

func TestNewAsksForWhatIsMissingAndOffersDefaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "\n\nexample.com\ndemo-oidc\n", "-C", dir, "-s", "demo", "new", "--zones", "us-east-1b")
	require.Equal(t, exitDone, code, said)
	assert.Contains(t, said, "name of the hosted cluster [demo]: ")
	assert.Contains(t, said, "AWS region [us-east-1]: ")

	file, err := config.LoadFile(dir, "demo")
	require.NoError(t, err)
	assert.Equal(t, "demo", file.Cluster.Name)
	assert.Equal(t, "us-east-1", file.Region)
	assert.Equal(t, "example.com", file.Cluster.BaseDomain)
}

func TestNewWritesNothingWhenAnAnswerCannotWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "De mo\nus-east-1\nexample.com\ndemo-oidc\n", "-C", dir, "-s", "demo", "new")
	assert.Equal(t, exitRefused, code)
	assert.Contains(t, said, `"De mo"`)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestAnEndOfInputIsNoAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, said := answering(t, "demo\n", "-C", dir, "new")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, said, "reading the answer")
	assert.NoFileExists(t, filepath.Join(dir, "Pulumi.demo.yaml"))
}

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
	file, err := config.LoadFile(dir, "dev")
	require.NoError(t, err, values.file())
	c := file.Cluster
	assert.Equal(t, values.tags, c.Tags)
	assert.Equal(t, "demo-x1", c.InfraID)
	assert.Equal(t, "none", c.BaseDomainPrefix)
	assert.EqualValues(t, "PublicAndPrivate", c.EndpointAccess)
	assert.EqualValues(t, "Single", c.Network.NAT)
	assert.Equal(t, "10.8.0.0/18", c.Network.VPCCIDR)
	assert.Len(t, c.Network.Zones, 2)
	assert.Equal(t, "eu-west-1", c.OIDC.BucketRegion)
	assert.Equal(t, values.kmsKey, c.KMSKeyARN)
}
