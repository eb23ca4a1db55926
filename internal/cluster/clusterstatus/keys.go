package clusterstatus

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// HasEtcdKey reports whether a HostedCluster among a state's resources refers to the Secret for a key that encrypts
// etcd.
func HasEtcdKey(resources []apitype.ResourceV3, secret string) bool {
	return slices.ContainsFunc(resources, func(r apitype.ResourceV3) bool { return EncryptsWith(r.Inputs, secret) })
}

// EncryptsWith reports whether an object is a HostedCluster that refers to the Secret for a key that encrypts etcd.
func EncryptsWith(object map[string]any, secret string) bool {
	hosted := props.Map(object)
	return hosted.String("kind") == crd.HostedCluster && secret != "" &&
		slices.ContainsFunc([]string{"activeKey", "backupKey"}, func(key string) bool {
			return hosted.String("spec", "secretEncryption", "aescbc", key, "name") == secret
		})
}
