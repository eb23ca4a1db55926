package account

import (
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// IDs returns the IDs of resources.
func IDs(found []inventory.Resource) []string {
	ids := make([]string, len(found))
	for i, r := range found {
		ids[i] = r.ID
	}
	return ids
}

// Texts returns the strings in a property, or those at a key of the objects in it, "vpcs.vpcId".
func Texts(r inventory.Resource, property string) []string { return textsIn(r.Properties, property) }

// Leaving reports whether AWS deletes the resource, or failed to create it.
func Leaving(r inventory.Resource) bool {
	switch strings.ToLower(r.State) {
	case "deleting", "deleted", "shutting-down", "terminated":
		return true
	case "failed":
		return r.Type == awstype.NATGateway
	}
	return false
}

// Clusters returns the infra IDs whose tag the resource has, with any value, in alphabetical order. The infra ID is the
// whole rest of the key after the prefix.
func Clusters(r inventory.Resource) []string {
	var infraIDs []string
	for key := range r.Tags {
		if infraID, tagged := strings.CutPrefix(key, hypershift.ClusterTagPrefix); tagged && infraID != "" {
			infraIDs = append(infraIDs, infraID)
		}
	}
	if infraID := identityOf(r); infraID != "" {
		infraIDs = append(infraIDs, infraID)
	}
	slices.Sort(infraIDs)
	return slices.Compact(infraIDs)
}

// identityOf returns the infra ID in the tag of an IAM resource, or "" for others.
func identityOf(r inventory.Resource) string {
	switch r.Type {
	case awstype.Role, awstype.InstanceProfile, awstype.OIDCProvider:
		return r.Tags[hypershift.InfraIDTag]
	}
	return ""
}

// Carries reports whether the resource has the cluster's tag, with any value.
func Carries(r inventory.Resource, infraID string) bool {
	_, carries := r.Tags[hypershift.ClusterTagPrefix+infraID]
	return carries || infraID != "" && identityOf(r) == infraID
}

// ClusterTag returns the value of a cluster's tag, or "" without one.
func ClusterTag(r inventory.Resource, infraID string) string {
	value, has := r.Tags[hypershift.ClusterTagPrefix+infraID]
	if !has && Carries(r, infraID) {
		return "owned"
	}
	return value
}
