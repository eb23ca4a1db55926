package clusterstatus

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// KindCluster is the kind of Cluster API's clusters.
const KindCluster = "Cluster"

// typeCluster begins the type of a Cluster, of any version.
const typeCluster = "kubernetes:cluster.x-k8s.io/"

// FindCAPA returns the Cluster API Cluster in a state, nil if there is none.
func FindCAPA(resources []apitype.ResourceV3) *HostedCluster {
	for _, r := range resources {
		if isCluster(string(r.Type)) {
			return clusterOf(r, resources)
		}
	}
	return nil
}
