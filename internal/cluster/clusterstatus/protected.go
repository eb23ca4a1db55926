package clusterstatus

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
)

// Protected returns the URNs of the protected resources that can only be deleted together with the stack's cluster: its HostedCluster or
// Cluster, and the Secret with the key that encrypts etcd. A destroy unprotects all of them, and protects again those that remain.
func Protected(resources []apitype.ResourceV3) []string {
	var urns []string
	for _, r := range resources {
		if r.Protect && !r.Delete && OfCluster(string(r.Type)) {
			urns = append(urns, string(r.URN))
		}
	}
	return urns
}

// OfCluster reports whether a type is one of those that a stack protects for its cluster.
func OfCluster(token string) bool {
	return guarded.Protects(token, awstype.ForCluster)
}

// isCluster reports whether a type is that of a Cluster API Cluster.
func isCluster(token string) bool {
	return strings.HasPrefix(token, typeCluster) && strings.HasSuffix(token, ":"+KindCluster)
}
