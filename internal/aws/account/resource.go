package account

import (
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Resource is a resource in AWS.
type Resource struct {
	// Type is the Pulumi type, "aws:ec2/vpc:Vpc". ID is the ID for an import.
	Type, ID string
	// ARN is "" for types without one.
	ARN string
	// Tags are all its tags; nil if AWS's list of the type has none.
	Tags map[string]string
	// Created is when it was created; zero for types for which AWS does not return it.
	Created time.Time
	// Properties are those that identify it or determine its price, under the provider's names.
	Properties map[string]any
	// Owner is its account, "" if AWS does not return it: a subnet may be shared by another account.
	Owner string
	// VPC is the ID of its VPC, for a VPC its own ID; "" for a resource outside of VPCs.
	VPC string
	// State is its state in AWS, "running" or "in-use"; "" if it has none.
	State string
	// UsedBy are the IDs of the resources that it is attached to.
	UsedBy []string
	// Interfaces are the IDs of the network interfaces that belong to it.
	Interfaces []string
	// Description is AWS's or the maker's word for what a network interface is, and the text of a TXT record of external-dns.
	Description string
	// Groups are the IDs of the security groups of a network interface.
	Groups []string
	// Backends are the ARNs of the load balancers that an endpoint service offers.
	Backends []string
	// Hosts are the DNS names and addresses of a load balancer, an endpoint or an elastic IP, the public address of a network interface,
	// and those that a record points at, in the form of Host.
	Hosts []string
	// Domain is the name of a hosted zone.
	Domain string
	// DeletedWith says with which resource it is deleted, if it cannot be deleted on its own: the VPC of a main route table. Default "".
	DeletedWith string
}

// IDs returns the IDs of resources.
func IDs(found []Resource) []string {
	ids := make([]string, len(found))
	for i, r := range found {
		ids[i] = r.ID
	}
	return ids
}

// Text returns a property, or "" if it is not a string.
func (r Resource) Text(property string) string {
	text, _ := r.Properties[property].(string)
	return text
}

// Texts returns the strings in a property, or those at a key of the objects in it, "vpcs.vpcId".
func Texts(r Resource, property string) []string { return textsIn(r.Properties, property) }

// leaving reports whether AWS deletes the resource, or failed to create it.
func leaving(r Resource) bool {
	switch strings.ToLower(r.State) {
	case "deleting", "deleted", "shutting-down", "terminated":
		return true
	case "failed":
		return r.Type == awstype.NATGateway
	}
	return false
}

// Clusters returns the infra IDs whose tag the resource has, with any value, in alphabetical order. The infra ID is the whole rest of the
// key after the prefix.
func Clusters(r Resource) []string {
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
func identityOf(r Resource) string {
	switch r.Type {
	case awstype.Role, awstype.InstanceProfile, awstype.OIDCProvider:
		return r.Tags[hypershift.InfraIDTag]
	}
	return ""
}

// Carries reports whether the resource has the cluster's tag, with any value.
func Carries(r Resource, infraID string) bool {
	_, carries := r.Tags[hypershift.ClusterTagPrefix+infraID]
	return carries || infraID != "" && identityOf(r) == infraID
}

// ClusterTag returns the value of a cluster's tag, or "" without one.
func ClusterTag(r Resource, infraID string) string {
	value, has := r.Tags[hypershift.ClusterTagPrefix+infraID]
	if !has && Carries(r, infraID) {
		return "owned"
	}
	return value
}

// Zone returns the ID of the hosted zone that a record is in.
func (r Resource) Zone() string {
	zone, _, _ := strings.Cut(r.ID, "_")
	return zone
}

// Name returns the tag Name, or "" without one.
func (r Resource) Name() string { return r.Tags["Name"] }
