package clusterstatus

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// typeCluster is the type of a Cluster API Cluster, of any version.
const typeCluster, kindCluster = "kubernetes:cluster.x-k8s.io/", ":Cluster"

// FindCAPA returns the Cluster API Cluster in a state, nil if there is none.
func FindCAPA(resources []apitype.ResourceV3) *HostedCluster {
	for _, r := range resources {
		if isCluster(string(r.Type)) {
			return &HostedCluster{
				Name: textAt(r.Inputs, "metadata", "name"), Namespace: textAt(r.Inputs, "metadata", "namespace"), URN: string(r.URN),
				Protected: Protected(resources), UID: textAt(r.Outputs, "metadata", "uid"),
			}
		}
	}
	return nil
}
