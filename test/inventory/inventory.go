// Package inventory lists the AWS resources of a hosted cluster: whether this project, HyperShift or Kubernetes creates
// each, in which account and in which mode. docs/appendix/ownership.md is generated from it, and a test compares it
// with the graphs of this project's stacks.
package inventory

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// Stage is one of the five stages in which a cluster's resources are created: by whom, and in which account. Source:
// HyperShift, docs/content/reference/infrastructure/aws.md.
type Stage int

const (
	// ManagementPrerequisites are created before HyperShift's operator is installed, in the management account.
	ManagementPrerequisites Stage = iota + 1
	// ClusterPrerequisites are created before the hosted cluster, in the hosted cluster's account.
	ClusterPrerequisites
	// HyperShiftInManagement is created by HyperShift in the management account.
	HyperShiftInManagement
	// HyperShiftInCluster is created by HyperShift in the hosted cluster's account.
	HyperShiftInCluster
	// KubernetesInCluster is created by the hosted cluster itself in its account.
	KubernetesInCluster
)

// stages lists the stages in their order.
func stages() []Stage {
	return []Stage{ManagementPrerequisites, ClusterPrerequisites, HyperShiftInManagement, HyperShiftInCluster,
		KubernetesInCluster}
}

// Ours reports whether this project creates the stage's resources.
func (s Stage) Ours() bool { return s == ManagementPrerequisites || s == ClusterPrerequisites }

// Account is the account of a resource.
type Account string

const (
	// ManagementAccount is the management cluster's.
	ManagementAccount Account = "management"
	// ClusterAccount is the hosted cluster's.
	ClusterAccount Account = "cluster"
	// VPCOwnerAccount is that of a shared VPC's owner.
	VPCOwnerAccount Account = "VPC owner"
	// PrivateZonesAccount is the account in cluster.network.shared.privateZonesIn: by default the VPC owner's.
	PrivateZonesAccount Account = "by privateZonesIn"
	// FurtherAccount is one in cluster.accounts.further, or the hosted cluster's own.
	FurtherAccount Account = "by accounts.further"
)

// account returns the account of a stage, if the VPC is not shared.
func (s Stage) account() Account {
	if s == ManagementPrerequisites || s == HyperShiftInManagement {
		return ManagementAccount
	}
	return ClusterAccount
}

// Item is one kind of AWS resource.
type Item struct {
	Stage Stage
	// What is its name, in AWS's words.
	What string
	// Modes are the modes in which it exists. Default all of them.
	Modes []hypershift.EndpointAccess
	// PerZone is true if there is one in each of the cluster's zones; otherwise there is one.
	PerZone bool
	// Option is the config key without which there is none, or "<key>: <value>"; "" if it always exists.
	Option string
	// Without are config keys in the same form, with each of which there is none, or one fewer. Default none.
	Without []string
	// In is its account. Default the stage's.
	In Account
	// Shared is its account if the VPC is shared. Default In.
	Shared Account
	// Resources is a pattern of its resources in a graph: "<type> <name>", such as "ec2.Vpc network-vpc". For items that
	// others create, it is what this project never creates.
	Resources string
	// Ready is what this project prepares for those who create it; empty for the project's own resources.
	Ready Ready
}

// IsIn reports whether the item exists in a mode.
func (i Item) IsIn(mode hypershift.EndpointAccess) bool {
	return len(i.Modes) == 0 || slices.Contains(i.Modes, mode)
}

// Account returns the item's account, with or without a shared VPC.
func (i Item) Account(shared bool) Account {
	if shared && i.Shared != "" {
		return i.Shared
	}
	if i.In != "" {
		return i.In
	}
	return i.Stage.account()
}

// Ready is what others need in order to create an item.
type Ready struct {
	// Role is the name in a graph of the role that they assume, and Action the required permission; "" for a role that is
	// not this project's.
	Role, Action string
	// Tag is the key of the tag by which they find the item's place; "" if it is configured.
	Tag string
	// Quota is the limit of AWS that it counts against, by its code in Service Quotas and its name.
	Quota Quota
}

// Quota is a limit of an account and region.
type Quota struct {
	// Code is AWS's own, "L-…".
	Code string
	Name string
}

// Items lists the whole inventory, stage by stage.
func Items() []Item {
	return slices.Concat(managementItems(), networkItems(), networkOptionItems(), sharedVPCItems(), privateLinkItems(),
		roleItems(), hyperShiftItems(), kubernetesItems())
}

func publicModes() []hypershift.EndpointAccess {
	return []hypershift.EndpointAccess{hypershift.Public, hypershift.PublicAndPrivate}
}

func privateLinkModes() []hypershift.EndpointAccess {
	return []hypershift.EndpointAccess{hypershift.PublicAndPrivate, hypershift.Private}
}

func privateMode() []hypershift.EndpointAccess {
	return []hypershift.EndpointAccess{hypershift.Private}
}
