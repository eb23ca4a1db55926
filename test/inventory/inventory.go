// Package inventory says who makes what of a hosted cluster's AWS estate: this project, HyperShift or
// Kubernetes, in which account and in which mode. The table in docs/ownership.md is written from it, and
// the graphs of what this project makes are held against it.
package inventory

import (
	"slices"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// Stage is one of the five in which an estate comes about: who makes it, and in which account. Source:
// HyperShift, docs/content/reference/infrastructure/aws.md.
type Stage int

const (
	// ManagementPrerequisites are made before HyperShift's operator is installed, in the management account.
	ManagementPrerequisites Stage = iota + 1
	// ClusterPrerequisites are made before the hosted cluster, in the hosted cluster's account.
	ClusterPrerequisites
	// HyperShiftInManagement is made by HyperShift in the management account.
	HyperShiftInManagement
	// HyperShiftInCluster is made by HyperShift in the hosted cluster's account.
	HyperShiftInCluster
	// KubernetesInCluster is made by the hosted cluster itself in its account.
	KubernetesInCluster
)

// Stages lists the stages in their order.
func Stages() []Stage {
	return []Stage{ManagementPrerequisites, ClusterPrerequisites, HyperShiftInManagement, HyperShiftInCluster, KubernetesInCluster}
}

// Ours is whether this project makes what the stage has.
func (s Stage) Ours() bool { return s == ManagementPrerequisites || s == ClusterPrerequisites }

// Account is whose account something is in.
type Account string

const (
	// ManagementAccount is the management cluster's.
	ManagementAccount Account = "management"
	// ClusterAccount is the hosted cluster's.
	ClusterAccount Account = "cluster"
	// VPCOwnerAccount is that of a shared VPC's owner.
	VPCOwnerAccount Account = "VPC owner"
	// PrivateZonesAccount is the one of the two that cluster.network.shared.privateZonesIn names: by default
	// the VPC owner's.
	PrivateZonesAccount Account = "by privateZonesIn"
)

// account is that of a stage, in a VPC that is not shared.
func (s Stage) account() Account {
	if s == ManagementPrerequisites || s == HyperShiftInManagement {
		return ManagementAccount
	}
	return ClusterAccount
}

// Item is one kind of thing in AWS.
type Item struct {
	Stage Stage
	// What it is, in the field's words.
	What string
	// Modes are those in which it is there. Default all of them.
	Modes []hypershift.EndpointAccess
	// PerZone is whether there is one in each of the cluster's zones; else there is one.
	PerZone bool
	// Option is the config key without which there is none, or "<key>: <value>"; "" where there is one in any
	// case.
	Option string
	// Without are config keys in the same form with each of which there is none, or one less. Default none.
	Without []string
	// In is whose account it is in. Default the stage's.
	In Account
	// Shared is whose account it is in where the VPC is shared. Default as In has it.
	Shared Account
	// Resources are a pattern of what stands for it in a graph: "<type> <name>", such as "ec2.Vpc network-vpc".
	// For what others make it is what this project never makes.
	Resources string
	// Ready is what this project has ready for those who make it; empty for what it makes itself.
	Ready Ready
}

// IsIn is whether the item is there in a mode.
func (i Item) IsIn(mode hypershift.EndpointAccess) bool {
	return len(i.Modes) == 0 || slices.Contains(i.Modes, mode)
}

// Account is whose account the item is in, in a VPC that is shared or not.
func (i Item) Account(shared bool) Account {
	if shared && i.Shared != "" {
		return i.Shared
	}
	if i.In != "" {
		return i.In
	}
	return i.Stage.account()
}

// Ready is what somebody else needs in order to make an item.
type Ready struct {
	// Role is the name in a graph of the role that they take, and Action the permission of it that they need;
	// "" for a role that is not this project's.
	Role, Action string
	// Tag is the key of the tag by which they find where it belongs; "" where they are told.
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
	return slices.Concat(managementItems(), networkItems(), networkOptionItems(), sharedVPCItems(), privateLinkItems(), roleItems(), hyperShiftItems(), kubernetesItems())
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
