package hostedcluster

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// secretWith returns the inputs of the Secret with a key of etcd.
func secretWith(key string) resource.PropertyMap {
	return resource.PropertyMap{
		"data": resource.NewObjectProperty(resource.PropertyMap{"key": resource.MakeSecret(resource.NewStringProperty(key))}),
	}
}

func TestTheKeyInASecretCannotBeChangedAndIsNotShown(t *testing.T) {
	t.Parallel()
	require.NoError(t, judgeEtcdKey(secretWith("first"), secretWith("first")))
	for name, after := range map[string]resource.PropertyMap{
		"another key": secretWith("second"), "no data": {},
		"an unknown key": {
			"data": resource.NewObjectProperty(resource.PropertyMap{
				"key": resource.MakeComputed(resource.NewStringProperty("")),
			}),
		},
	} {
		err := judgeEtcdKey(secretWith("first"), after)
		require.Error(t, err, name)
		require.Equal(t, "etcdKey", fault.In(err)[0].Path, name)
		require.NotContains(t, err.Error(), "first", name)
		require.NotContains(t, err.Error(), "second", name)
	}
}

func TestAnUpdateThatHarmsAnExistingClusterIsRefused(t *testing.T) {
	t.Parallel()
	object := func(kind, release string, encryption map[string]any) map[string]any {
		return map[string]any{
			"kind": kind, "metadata": map[string]any{"name": "demo-a"},
			"spec": map[string]any{"release": map[string]any{"image": release}, "secretEncryption": encryption},
		}
	}
	aes := func(secret string) map[string]any {
		return map[string]any{"type": "aescbc", "aescbc": map[string]any{"activeKey": map[string]any{"name": secret}}}
	}
	kms := func(arn string) map[string]any {
		return map[string]any{
			"type": "kms",
			"kms":  map[string]any{"aws": map[string]any{"activeKey": map[string]any{"arn": arn}}},
		}
	}
	const newer, older, olderPatch = "ocp-release:4.20.1-x86_64", "ocp-release:4.18.0-multi", "ocp-release:4.20.0-x86_64"
	for _, test := range []struct {
		old, updated map[string]any
		path         string
	}{
		{object("HostedCluster", older, aes("k")), object("HostedCluster", newer, aes("k")), ""},
		{object("HostedCluster", newer, aes("k")), object("HostedCluster", older, aes("k")), "release"},
		{object("HostedCluster", newer, aes("k")), object("HostedCluster", olderPatch, aes("k")), "release"},
		{object("HostedCluster", newer, aes("k")), object("HostedCluster", newer, kms("arn")), "kmsKeyARN"},
		{object("HostedCluster", newer, aes("k")), object("HostedCluster", newer, aes("l")), "kmsKeyARN"},
		{object("HostedCluster", newer, kms("arn")), object("HostedCluster", newer, kms("other")), "kmsKeyARN"},
		{object("HostedCluster", newer, kms("arn")), object("HostedCluster", newer, aes("k")), "kmsKeyARN"},
		{object("HostedCluster", newer, kms("arn")), object("HostedCluster", newer, nil), "kmsKeyARN"},
		{object("NodePool", newer, nil), object("NodePool", older, nil), "nodePools[demo-a].release"},
		{object("NodePool", newer, nil), object("NodePool", olderPatch, nil), ""},
		{object("NodePool", older, nil), object("NodePool", newer, nil), ""},
	} {
		err := new(Live).judgeHarm(test.old, test.updated, false)
		if test.path == "" {
			require.NoError(t, err)
			continue
		}
		require.Len(t, fault.In(err), 1)
		require.Equal(t, test.path, fault.In(err)[0].Path)
		if test.path == "kmsKeyARN" {
			require.ErrorContains(t, err, "from release 4.22 on")
			require.ErrorContains(t, err, "the cluster has "+newer)
		}
	}
}

// A key that the state has lost is not generated again for a cluster that refers to it.
func TestAKeyIsGeneratedOnceForACluster(t *testing.T) {
	t.Parallel()
	live := &Live{HostedCluster: map[string]any{"spec": map[string]any{
		"secretEncryption": map[string]any{"type": "aescbc", "aescbc": map[string]any{
			"activeKey": map[string]any{"name": "active"}, "backupKey": map[string]any{"name": "backup"},
		}},
		"sshKey": map[string]any{"name": "ssh"},
	}}}
	for secret, path := range map[string]string{"active": "etcdKey", "backup": "etcdKey", "ssh": "generateSSHKey"} {
		found := fault.In(live.mentionsKey(secret))
		require.Len(t, found, 1, secret)
		assert.Equal(t, path, found[0].Path)
		assert.NotEmpty(t, found[0].Remedy)
	}
	assert.NoError(t, live.mentionsKey("another"))
	assert.NoError(t, (*Live)(nil).mentionsKey("active"), "a cluster that does not exist yet")
	assert.NoError(t, (&Live{}).mentionsKey("active"), "a cluster that does not exist yet")
}
