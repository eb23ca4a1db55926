package hostedcluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// etcdKeys are the keys of etcd that a cluster mentions: ARNs of KMS keys, or names of Secrets with AES keys; "" for
// none.
type etcdKeys struct {
	// encryption is the encryption in the HostedCluster's spec.
	encryption
	// confirmed is the key that HyperShift has encrypted all data with, and target the key that it rotates to. Releases
	// before 4.22 report neither.
	confirmed, target string
	// confirmedHash and targetHash are the SHA-256 of the contents of AES keys.
	confirmedHash, targetHash string
	// upToDate is the status of the condition EtcdDataEncryptionUpToDate.
	upToDate string
	// settled is true if all replicas of the API server have the present configuration, or if that is not known.
	settled bool
}

// etcdKeys reads the keys. The HostedCluster's condition alone does not show that a new key is in use: HyperShift
// copies it from the control plane, which may not have seen the new key yet. Source: HyperShift's
// hostedclusterconfigoperator/controllers/reencryption.
func (l *Live) etcdKeys() etcdKeys {
	k := etcdKeys{settled: true}
	if !l.Exists() {
		return k
	}
	status := func(key string, field ...string) string {
		return textAt(l.ControlPlane, append([]string{"status", "secretEncryption", key}, field...)...)
	}
	switch k.encryption = encryptionIn(l.HostedCluster); k.kind {
	case typeKMS:
		k.confirmed, k.target = status("activeKey", "aws", "arn"), status("targetKey", "aws", "arn")
	case typeAESCBC:
		k.confirmed, k.target = status("activeKey", "aescbc", "secret",
			"name"), status("targetKey", "aescbc", "secret", "name")
		k.confirmedHash, k.targetHash = status("activeKey", "aescbc", "dataHash"), status("targetKey", "aescbc", "dataHash")
	}
	conditions, _, _ := unstructured.NestedSlice(l.HostedCluster, "status", "conditions")
	for _, c := range conditions {
		if textAt(c, "type") == "EtcdDataEncryptionUpToDate" {
			k.upToDate = textAt(c, "status")
		}
	}
	k.settled = l.apiServerSettled()
	return k
}

// apiServerSettled reports whether the rollout of the API server's deployment is complete.
func (l *Live) apiServerSettled() bool {
	number := func(path ...string) int64 {
		n, _, _ := unstructured.NestedInt64(l.APIServer, path...)
		return n
	}
	return number("status", "observedGeneration") >= number("metadata",
		"generation") && number("status", "unavailableReplicas") == 0 &&
		number("status", "updatedReplicas") >= number("status", "replicas")
}

// mentioned returns all keys that the cluster mentions, each once. Data may be encrypted with any of them, so none may
// be taken away.
func (k etcdKeys) mentioned() []string {
	var keys []string
	for _, key := range []string{k.active, k.backup, k.confirmed, k.target} {
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// rotating reports whether HyperShift rotates to a key that it has not confirmed yet.
func (k etcdKeys) rotating() bool {
	return k.target != "" || k.upToDate == "False" || k.confirmed != k.active
}

// rotated reports whether all data is encrypted with the active key alone, and no API server uses another one.
func (k etcdKeys) rotated() bool {
	return k.confirmed == k.active && k.target == "" && k.upToDate == "True" && k.settled
}

// KMSKeys returns the ARNs of the KMS keys that an existing cluster may need to read its etcd.
func (l *Live) KMSKeys() []string {
	if k := l.etcdKeys(); k.kind == typeKMS {
		return k.mentioned()
	}
	return nil
}

// JudgeKMSKey returns a fault if the cluster's etcd cannot be rotated to a KMS key, "" for none. It returns nil if etcd
// can be rotated to it or already uses it, or if the cluster does not exist.
func (l *Live) JudgeKMSKey(arn string) error {
	k := l.etcdKeys()
	if k.kind == "" {
		return nil
	}
	wanted := encryption{kind: typeAESCBC}
	if arn != "" {
		wanted = encryption{kind: typeKMS, active: arn}
	}
	return k.judge(wanted, arn)
}

// judge returns a fault if there is no way from the present encryption to the wanted one. key is the wanted key, "" if
// it is not known.
func (k etcdKeys) judge(wanted encryption, key string) error {
	now := k.current()
	switch {
	case now.kind != wanted.kind:
		return &fault.Fault{
			Path: "kmsKeyARN", Value: wanted.key(),
			Problem: fmt.Sprintf("changes the encryption of etcd of an existing cluster from type %s to %s: what etcd stores could no longer be read, because "+
				"HyperShift rotates only between keys of the same type", now.kind, wanted.kind),
			Remedy: "set kmsKeyARN: " + now.key(),
		}
	case key == "" || key == k.active:
		return nil
	case k.confirmed == "" || k.upToDate == "":
		return &fault.Fault{
			Path: "kmsKeyARN", Value: wanted.key(),
			Problem: "is another key than " + now.String() + ", with which the existing cluster encrypts etcd, but its control plane does not report " +
				"whether data is encrypted again (EtcdDataEncryptionUpToDate): what etcd stores could no longer be read",
			Remedy: "set kmsKeyARN: " + now.key() + "; or upgrade to a release that rotates keys, 4.22 or later, and allow the user of the kubeconfig to get " +
				"objects of kind " + crd.HostedControlPlane + " in the namespace of the control plane",
		}
	}
	return nil
}

// secretFor returns the name of the Secret with the AES key that has a hash. A cluster keeps the name for its present
// key. Each other key gets another name, because HyperShift reads the former and the new key from separate Secrets.
// base is the name for a new cluster.
func (k etcdKeys) secretFor(base, hash string) string {
	switch {
	case k.kind != typeAESCBC:
		return base
	case hash == "" || k.confirmed == "", hash == k.confirmedHash && k.confirmed == k.active:
		return k.active
	case hash == k.confirmedHash:
		return k.confirmed
	case hash == k.targetHash:
		return k.target
	}
	return recorded.LaterEtcdKey(base, hash)
}

// stageKeys gives the HostedCluster the keys that it may have now, and returns the open stage in words, "" if there is
// none. base is the name of the Secret of a new cluster, and hash the SHA-256 of the AES key that is wanted, "" for the
// present one. It keeps the Secrets of all keys that the cluster mentions.
func (l *Live) stageKeys(objects *Objects, base, hash string) (string, error) {
	k, wanted := l.etcdKeys(), encryptionIn(objects.HostedCluster)
	if k.kind == "" || k.active == "" {
		return "", nil
	}
	key, what, drop := wanted.active, "KMS key ", "the former key leaves the policy of the KMS provider's role"
	if wanted.kind == typeAESCBC {
		key, what, drop = k.secretFor(base, hash), "etcd key in Secret ", "the former Secret is deleted"
		k.keepSecrets(objects, base, key)
	}
	if err := k.judge(wanted, key); err != nil {
		return "", err
	}
	active, backup, stage := key, "", ""
	switch {
	case k.active != key && (k.rotating() || !k.settled):
		active, backup = k.active, k.backup
		stage = "stage 0 of 4: HyperShift still rotates to " + cmp.Or(k.target,
			k.active) + "; the new key follows when that is complete"
	case k.active != key:
		backup = k.active
		stage = "stage 1 of 4: the control plane may use both keys, and gets the new one; HyperShift encrypts all data again in stage 2"
	case k.confirmed == "": // not reported: nothing is taken away
		backup = k.backup
	case !k.rotated():
		backup = k.backup
		stage = "stage 2 of 4: HyperShift encrypts all data again; the former key stays until that is complete"
	case k.backup != "":
		stage = "stage 3 of 4: all data is encrypted with the new key, and the HostedCluster no longer mentions the former one; in stage 4 " + drop
	}
	encryption{kind: wanted.kind, active: active, backup: backup}.setIn(objects.HostedCluster)
	if stage == "" {
		return "", nil
	}
	former := slices.DeleteFunc(k.mentioned(), func(mentioned string) bool { return mentioned == key })
	return what + key + ", formerly " + strings.Join(former, ", ") + ": " + stage, nil
}

// keepSecrets writes the wanted key to the Secret of a name. It keeps the Secrets of other keys that the cluster
// mentions, if they are the stack's. It never writes a Secret whose name differs from what secretFor returns. The
// Secret of a key that the cluster does not mention yet is unused: if another key is wanted before the cluster gets
// this one, the update deletes its Secret.
func (k etcdKeys) keepSecrets(objects *Objects, base, key string) {
	own := func(name string) bool { return recorded.IsEtcdKeyBeside(base, name) }
	for i := range objects.Secrets {
		if objects.Secrets[i].Value == EtcdKey && own(key) {
			objects.Secrets[i].Name, objects.Secrets[i].unused = key, !slices.Contains(k.mentioned(), key)
		}
	}
	for _, name := range k.mentioned() {
		if name != key && own(name) {
			objects.Secrets = append(objects.Secrets, Secret{Value: formerEtcdKey, Name: name, Key: "key", Encoded: true})
		}
	}
}
