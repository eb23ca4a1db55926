package clusterstatus

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// HasEtcdKey reports whether a HostedCluster among a state's resources refers to the Secret for a key that encrypts
// etcd.
func HasEtcdKey(resources []apitype.ResourceV3, secret string) bool {
	for _, r := range resources {
		object := props.Map(r.Inputs)
		if object.String("kind") != crd.HostedCluster || secret == "" {
			continue
		}
		for _, key := range []string{"activeKey", "backupKey"} {
			if object.String("spec", "secretEncryption", "aescbc", key, "name") == secret {
				return true
			}
		}
	}
	return false
}
