// Package recorded has the names in states and stack files, and the tags in AWS, that a component or a stack gives and
// that other packages look for. A reader of states needs no component for them.
package recorded

const (
	// EndpointType is the type of the component privatelink.Endpoint.
	EndpointType = "hypershift-aws:privatelink:Endpoint"
	// DestroyGuardType is the type of the component that stops the deletion of a stack under a living cluster.
	DestroyGuardType = "hypershift-aws:stacks:DestroyGuard"
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
