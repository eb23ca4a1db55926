package hostedcluster

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// The types of encryption of etcd. Source: HyperShift's SecretEncryptionType.
const (
	typeKMS    = "kms"
	typeAESCBC = "aescbc"
)

// encryption is how a HostedCluster encrypts Secrets in etcd.
type encryption struct {
	// kind is typeKMS or typeAESCBC, "" if the cluster does not exist.
	kind string
	// active and backup are ARNs of KMS keys, or names of Secrets with AES keys; "" for none.
	active, backup string
}

// keyPath returns the path of a key in a HostedCluster, which is "activeKey" or "backupKey".
func keyPath(kind, which string) []string {
	if kind == typeKMS {
		return []string{"spec", "secretEncryption", "kms", "aws", which, "arn"}
	}
	return []string{"spec", "secretEncryption", kind, which, "name"}
}

func encryptionIn(object map[string]any) encryption {
	kind := textAt(object, "spec", "secretEncryption", "type")
	return encryption{
		kind:   kind,
		active: textAt(object, keyPath(kind, "activeKey")...),
		backup: textAt(object, keyPath(kind, "backupKey")...),
	}
}

// setIn writes the keys into a HostedCluster with an encryption of the same type.
func (e encryption) setIn(object map[string]any) {
	_ = unstructured.SetNestedField(object, e.active, keyPath(e.kind, "activeKey")...) // the schema accepted the object
	if e.backup != "" {
		_ = unstructured.SetNestedField(object, e.backup, keyPath(e.kind, "backupKey")...)
	}
}

// current returns the encryption without its backup key.
func (e encryption) current() encryption { return encryption{kind: e.kind, active: e.active} }

// key returns the kmsKeyARN of the config for the encryption.
func (e encryption) key() string {
	if e.kind == typeKMS && e.active != "" {
		return e.active
	}
	return noKMSKey
}

// noKMSKey is the kmsKeyARN for no key.
const noKMSKey = "none"

func (e encryption) String() string {
	switch {
	case e.kind == typeKMS && e.active != "":
		return "the KMS key " + e.active
	case e.active != "":
		return "the key in Secret " + e.active
	case e.kind != "":
		return "type " + e.kind
	}
	return "none"
}
