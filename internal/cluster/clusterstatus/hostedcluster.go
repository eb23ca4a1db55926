package clusterstatus

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// The resource types of a hosted cluster's objects.
const (
	typeHostedCluster = "kubernetes:" + crd.APIVersion + ":" + crd.HostedCluster
	typeNodePool      = "kubernetes:" + crd.APIVersion + ":" + crd.NodePool
)

// HostedCluster is the hosted cluster of a stack.
type HostedCluster struct {
	// Name and Namespace identify the object in the management cluster; NodePools are the names of its node pools there.
	Name, Namespace string
	NodePools       []string

	// UID is the object's UID, "" if the state does not have it.
	UID string
	// URN is the object's URN.
	URN string
	// Protected are the URNs of the resources that the engine refuses to delete: the object itself, and the Secret with
	// the key of etcd.
	Protected []string
}

// Find returns the hosted cluster in a state, nil if there is none.
func Find(resources []apitype.ResourceV3) *HostedCluster {
	var cluster *HostedCluster
	var pools []string
	for _, r := range resources {
		switch string(r.Type) {
		case typeHostedCluster:
			cluster = newCluster(r, resources)
		case typeNodePool:
			pools = append(pools, textAt(r.Inputs, "metadata", "name"))
		}
	}
	if cluster != nil {
		cluster.NodePools = pools
	}
	return cluster
}

// newCluster returns the cluster of an object in a state, without node pools.
func newCluster(r apitype.ResourceV3, resources []apitype.ResourceV3) *HostedCluster {
	return &HostedCluster{
		Name: textAt(r.Inputs, "metadata", "name"), Namespace: textAt(r.Inputs, "metadata", "namespace"), URN: string(r.URN),
		Protected: Protected(resources), UID: textAt(r.Outputs, "metadata", "uid"),
	}
}

// FindPools returns the hosted cluster of the node pools in a state, with these pools alone; nil if there is no pool.
// The state does not have the cluster's own object, so UID and URN are "".
func FindPools(resources []apitype.ResourceV3) *HostedCluster {
	var cluster *HostedCluster
	for _, r := range resources {
		if string(r.Type) != typeNodePool || r.Delete {
			continue
		}
		if cluster == nil {
			cluster = &HostedCluster{
				Name:      textAt(r.Inputs, "spec", "clusterName"),
				Namespace: textAt(r.Inputs, "metadata", "namespace"),
			}
		}
		cluster.NodePools = append(cluster.NodePools, textAt(r.Inputs, "metadata", "name"))
	}
	return cluster
}

// KindCluster is the kind of Cluster API's clusters.
const KindCluster = "Cluster"

// typeCluster begins the type of a Cluster, of any version.
const typeCluster = "kubernetes:cluster.x-k8s.io/"

// FindCAPA returns the Cluster API Cluster in a state, nil if there is none.
func FindCAPA(resources []apitype.ResourceV3) *HostedCluster {
	for _, r := range resources {
		if isCluster(string(r.Type)) {
			return newCluster(r, resources)
		}
	}
	return nil
}

// Protected returns the URNs of the protected resources that can only be deleted together with the stack's cluster: its
// HostedCluster or Cluster, and the Secret with the key that encrypts etcd. A destroy unprotects all of them, and
// protects again those that remain.
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

// isCluster reports whether a type is Cluster API's Cluster.
func isCluster(token string) bool {
	return strings.HasPrefix(token, typeCluster) && strings.HasSuffix(token, ":"+KindCluster)
}

// LifeTag returns the key of the tag that a HyperShift cluster's resources in AWS are found by.
func LifeTag(infraID string) string { return hypershift.ClusterTagPrefix + infraID }

// CAPALifeTag returns the key of the tag that the resources of a CAPA Cluster are found by.
func CAPALifeTag(cluster string) string { return recorded.CAPAOwnerTagPrefix + cluster }

// TypeLabel returns the name of a type in messages.
func TypeLabel(token string) string {
	if record, _ := awstype.SweepOf(token); record.Label != "" {
		return record.Label
	}
	return report.TypeName(token)
}

// InfraIDOf returns the infra ID of the cluster that owns a resource, by the tags among the resource's inputs; "" if no
// tag names one.
func InfraIDOf(inputs map[string]any) string {
	tags, _ := inputs["tags"].(map[string]any)
	for key, value := range tags {
		if infraID, of := strings.CutPrefix(key, hypershift.ClusterTagPrefix); of && value == "owned" {
			return infraID
		}
	}
	return ""
}
