// Package recorded has the names in states and stack files, and the tags in AWS, that a component or a stack gives and
// that other packages look for. A reader of states needs no component for them.
package recorded

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
)

const (
	// EndpointType is the type of the component privatelink.Endpoint.
	EndpointType = "hypershift-aws:privatelink:Endpoint"
	// DestroyGuardType is the type of the component that stops the deletion of a stack under a living cluster.
	DestroyGuardType = "hypershift-aws:stacks:DestroyGuard"
	// ClusterTagPrefix begins the key of the tag of a cluster's resources; the cluster's infra ID, or its name for CAPA,
	// ends it. Source: Kubernetes' cloud-provider-aws, pkg/providers/v1/tags.go.
	ClusterTagPrefix = "kubernetes.io/cluster/"
	// CAPAOwnerTagPrefix begins the key of the tag, with the value owned, on resources that CAPA creates and deletes for a
	// cluster; the cluster's name ends it. Source: CAPA's api/v1beta2/tags.go.
	CAPAOwnerTagPrefix = "sigs.k8s.io/cluster-api-provider-aws/cluster/"
)

// OfflineSecretsProvider is the URL of the secrets provider of offline stacks, which package transit serves.
const OfflineSecretsProvider = "hashivault://offline"

// ManagementClusterStash is the name of the resource, a stash of Pulumi's, that keeps the UID of a stack's management
// cluster.
const ManagementClusterStash = "management-cluster"

// IsManagementCluster reports whether a resource of a stack's state is the one whose output "output" is the UID of the
// management cluster that the stack's objects were applied to.
func IsManagementCluster(token, name string) bool {
	return token == "pulumi:index:Stash" && name == ManagementClusterStash
}

// etcdKey is between a cluster's name and the digest in the name of the Secret with an AES key of its etcd.
const etcdKey = "-etcd-encryption-key"

// etcdKeyDigits is how many digits of a key's SHA-256 are in the name of its Secret.
const etcdKeyDigits = 10

// EtcdKeyPattern matches the names of the Secrets with AES keys of a cluster's etcd, after the cluster's name. The
// first key's has no digest, and its content never changes. HyperShift reads a former and a new key from separate
// Secrets.
var EtcdKeyPattern = regexp.MustCompile(fmt.Sprintf(etcdKey+"(-[0-9a-f]{%d})?$", etcdKeyDigits))

// EtcdKey returns the name of the Secret with the first AES key of a cluster's etcd.
func EtcdKey(cluster string) string { return cluster + etcdKey }

// LaterEtcdKey returns the name of the Secret with a later key, by that of the first and the later key's SHA-256 in
// hex.
func LaterEtcdKey(first, hash string) string {
	return first + "-" + hash[:min(len(hash), etcdKeyDigits)]
}

// IsEtcdKey reports whether a Secret of this name may have this key: the first one's name tells nothing of it.
func IsEtcdKey(secret string, key []byte) bool {
	digest := EtcdKeyPattern.FindStringSubmatch(secret)
	return digest != nil && strings.HasPrefix(fmt.Sprintf("-%x", sha256.Sum256(key)), digest[1])
}

// IsEtcdKeyBeside reports whether a Secret of this name has an AES key of the cluster whose first one has the name
// first.
func IsEtcdKeyBeside(first, secret string) bool {
	digest, same := strings.CutPrefix(secret, first)
	return same && regexp.MustCompile(fmt.Sprintf("^(-[0-9a-f]{%d})?$", etcdKeyDigits)).MatchString(digest)
}

// IsFirstEtcdKey reports whether a Secret of this name has the first AES key of a cluster's etcd.
func IsFirstEtcdKey(secret string) bool { return strings.HasSuffix(secret, etcdKey) }
