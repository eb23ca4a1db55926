package author

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
