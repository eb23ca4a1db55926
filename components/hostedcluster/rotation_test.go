package hostedcluster

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// kmsCluster returns a cluster with its keys, as fields of etcdKeys.
func kmsCluster(k etcdKeys) *Live {
	cluster := withRelease("HostedCluster", "demo", image("4.22.0"))
	set := func(object map[string]any, value string, path ...string) {
		if value != "" {
			_ = unstructured.SetNestedField(object, value, path...)
		}
	}
	set(cluster, "kms", "spec", "secretEncryption", "type")
	set(cluster, k.active, "spec", "secretEncryption", "kms", "aws", "activeKey", "arn")
	set(cluster, k.backup, "spec", "secretEncryption", "kms", "aws", "backupKey", "arn")
	cluster["status"] = map[string]any{}
	if k.upToDate != "" {
		_ = unstructured.SetNestedSlice(cluster, []any{map[string]any{
			"type":   "EtcdDataEncryptionUpToDate",
			"status": k.upToDate,
		}}, "status", "conditions")
	}
	controlPlane := map[string]any{}
	set(controlPlane, k.confirmed, "status", "secretEncryption", "activeKey", "aws", "arn")
	set(controlPlane, k.target, "status", "secretEncryption", "targetKey", "aws", "arn")
	return &Live{HostedCluster: cluster, ControlPlane: controlPlane}
}

func wantingKey(arn string) *Objects {
	o := wanting("4.22.0", nil)
	_ = unstructured.SetNestedField(o.HostedCluster, "kms", "spec", "secretEncryption", "type")
	_ = unstructured.SetNestedField(o.HostedCluster, arn, "spec", "secretEncryption", "kms", "aws", "activeKey", "arn")
	return o
}

func TestAKeyOfEtcdIsReplacedInStagesThatKeepTheFormerKeyAsLongAsItIsMentioned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now            etcdKeys
		active, backup string
		stage          string
	}{
		"the same key": {etcdKeys{
			encryption: encryption{active: "new"},
			confirmed:  "new",
			upToDate:   "True",
		}, "new", "", ""},
		"1: both keys": {etcdKeys{
			encryption: encryption{active: "old"},
			confirmed:  "old",
			upToDate:   "True",
		}, "new", "old", "stage 1 of 4"},
		"2: not begun": {etcdKeys{
			encryption: encryption{active: "new", backup: "old"},
			confirmed:  "old",
			upToDate:   "True",
		}, "new", "old", "stage 2 of 4"},
		"2: re-encryption": {etcdKeys{
			encryption: encryption{active: "new", backup: "old"},
			confirmed:  "old",
			target:     "new",
			upToDate:   "False",
		}, "new", "old", "stage 2 of 4"},
		"2: condition is late": {etcdKeys{
			encryption: encryption{active: "new", backup: "old"},
			confirmed:  "new",
			upToDate:   "False",
		}, "new", "old", "stage 2 of 4"},
		"3: the backup leaves": {etcdKeys{
			encryption: encryption{active: "new", backup: "old"},
			confirmed:  "new",
			upToDate:   "True",
		}, "new", "", "stage 3 of 4"},
		"a third key waits": {etcdKeys{
			encryption: encryption{active: "mid", backup: "old"},
			confirmed:  "old",
			target:     "mid",
			upToDate:   "False",
		}, "mid", "old", "stage 0 of 4"},
		"back to the old one": {etcdKeys{
			encryption: encryption{active: "mid", backup: "new"},
			confirmed:  "new",
			target:     "mid",
			upToDate:   "False",
		}, "mid", "new", "stage 0 of 4"},
		"before 4.22, unchanged":  {etcdKeys{encryption: encryption{active: "new"}}, "new", "", ""},
		"before 4.22, a rotation": {etcdKeys{encryption: encryption{active: "new", backup: "old"}}, "new", "old", ""},
	} {
		objects := wantingKey("new")
		stage, err := kmsCluster(c.now).stageKeys(objects, "", "")
		require.NoError(t, err, name)
		require.Contains(t, stage, c.stage, name)
		require.Equal(t, c.stage == "", stage == "", name)
		require.Equal(t, c.active, textAt(objects.HostedCluster, "spec", "secretEncryption", "kms", "aws", "activeKey",
			"arn"), name)
		require.Equal(t, c.backup, textAt(objects.HostedCluster, "spec", "secretEncryption", "kms", "aws", "backupKey",
			"arn"), name)
	}
}

func TestTheFormerKeyStaysUntilEachAPIServerHasTheNewConfiguration(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]map[string]any{
		"a replica is not updated": {"status": map[string]any{"replicas": int64(3), "updatedReplicas": int64(2)}},
		"a replica is not available": {
			"status": map[string]any{"replicas": int64(3), "updatedReplicas": int64(3), "unavailableReplicas": int64(1)},
		},
		"the change is not observed": {
			"metadata": map[string]any{"generation": int64(2)},
			"status":   map[string]any{"observedGeneration": int64(1)},
		},
	} {
		live := kmsCluster(etcdKeys{encryption: encryption{active: "new", backup: "old"}, confirmed: "new", upToDate: "True"})
		live.APIServer = server
		objects := wantingKey("new")
		_, err := live.stageKeys(objects, "", "")
		require.NoError(t, err, name)
		require.Equal(t, "old", textAt(objects.HostedCluster, "spec", "secretEncryption", "kms", "aws", "backupKey", "arn"),
			name)
		require.ElementsMatch(t, []string{"new", "old"}, live.KMSKeys(), name)
	}
}

func TestAKeyThatHyperShiftCannotRotateToIsRefused(t *testing.T) {
	t.Parallel()
	old := kmsCluster(etcdKeys{encryption: encryption{active: "old"}})
	require.ErrorContains(t, old.JudgeKMSKey("new"), "does not report whether data is encrypted again")
	require.NoError(t, old.JudgeKMSKey("old"))
	require.ErrorContains(t, old.JudgeKMSKey(""), "from type kms to aescbc")
	require.NoError(t, kmsCluster(etcdKeys{
		encryption: encryption{active: "old"},
		confirmed:  "old",
		upToDate:   "True",
	}).JudgeKMSKey("new"))
	require.NoError(t, (*Live)(nil).JudgeKMSKey("new"))
	_, err := old.stageKeys(wantingKey("new"), "", "")
	require.Error(t, err)
}

func TestEachAESKeyHasASecretOfItsOwnAndTheMentionedOnesStay(t *testing.T) {
	t.Parallel()
	k := etcdKeys{
		encryption:    encryption{kind: typeAESCBC, active: "demo-key"},
		confirmed:     "demo-key",
		confirmedHash: "aaaaaaaaaaaa",
		upToDate:      "True",
	}
	require.Equal(t, "demo-key", k.secretFor("demo-key", ""))
	require.Equal(t, "demo-key", k.secretFor("demo-key", "aaaaaaaaaaaa"))
	require.Equal(t, "demo-key-bbbbbbbbbb", k.secretFor("demo-key", "bbbbbbbbbbbb"))
	k.active, k.backup, k.target, k.targetHash = "demo-key-bbbbbbbbbb", "demo-key", "demo-key-bbbbbbbbbb", "bbbbbbbbbbbb"
	require.Equal(t, "demo-key-bbbbbbbbbb", k.secretFor("demo-key", "bbbbbbbbbbbb"))
	objects := &Objects{Secrets: []Secret{{Value: EtcdKey, Name: "demo-key"}}}
	k.keepSecrets(objects, "demo-key", "demo-key-bbbbbbbbbb")
	require.Equal(t, "demo-key-bbbbbbbbbb", objects.Secrets[0].Name)
	require.Equal(t, "demo-key", objects.Secrets[1].Name)
	objects = &Objects{Secrets: []Secret{{Value: EtcdKey, Name: "demo-key"}}}
	for _, others := range []string{"of-others", "demo-key-of-others"} {
		(etcdKeys{encryption: encryption{active: others}}).keepSecrets(objects, "demo-key", others)
		(etcdKeys{encryption: encryption{active: others}}).keepSecrets(objects, "demo-key", "demo-key")
		require.Len(t, objects.Secrets, 1)
		require.Equal(t, "demo-key", objects.Secrets[0].Name)
	}
	k = etcdKeys{
		encryption:    encryption{kind: typeAESCBC, active: "demo-key-bbbbbbbbbb"},
		confirmed:     "demo-key-bbbbbbbbbb",
		confirmedHash: "bbbbbbbbbbbb",
	}
	objects = &Objects{Secrets: []Secret{{Value: EtcdKey, Name: "demo-key"}}}
	k.keepSecrets(objects, "demo-key", "demo-key-bbbbbbbbbb")
	require.Len(t, objects.Secrets, 1, "nothing mentions the former key")
}

func TestOnlyASecretThatTheClusterMentionsIsProtectedDuringARotation(t *testing.T) {
	t.Parallel()
	now := etcdKeys{
		encryption: encryption{kind: typeAESCBC, active: "demo-key-bbbbbbbbbb", backup: "demo-key"}, confirmed: "demo-key",
		target: "demo-key-bbbbbbbbbb",
	}
	for key, unused := range map[string]bool{
		"demo-key":            false,
		"demo-key-bbbbbbbbbb": false,
		"demo-key-cccccccccc": true,
	} {
		objects := &Objects{Secrets: []Secret{{Value: EtcdKey, Name: "demo-key"}}}
		now.keepSecrets(objects, "demo-key", key)
		require.Equal(t, Secret{Value: EtcdKey, Name: key, unused: unused}, objects.Secrets[0])
	}
}
