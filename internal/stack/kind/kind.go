// Package kind adds to each kind of stack what the commands use of it: the object of its cluster, its operators, its paths, its manifests. A
// field that a kind leaves out is a thing that its stacks do not have, and a command reports that.
package kind

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Kind is a kind of stack.
type Kind struct {
	// Name is its name in package stacks, which has its section and its program.
	Name config.Kind
	// KubeconfigKey is the config key of its kubeconfig, below the project's namespace.
	KubeconfigKey string
	// Cluster is the cluster that depends on the resources of such a stack.
	Cluster *Cluster
	// Guest is the cluster of another owner that the objects of such a stack belong to, which the stack reads alone. Its Find returns the object with
	// the node pools of the stack.
	Guest *Cluster
	// Operators are the deployments in the management cluster that act on the objects of such a stack.
	Operators []clusterstatus.Deployment
	// ChecksFields is true if the definitions in the management cluster may lack fields of the objects.
	ChecksFields bool
	// HostsControlPlanes is true if control planes of hosted clusters run in the management cluster of such a stack: its VPC has to cover the zones of
	// the clusters.
	HostsControlPlanes bool
	// Instead tells what to use instead of such a stack for operations on a hosted cluster. Default: a stack of kind cluster.
	Instead string
	// Unwaited returns what follows the advice to leave --wait out for a stack that creates no hosted cluster. nil is nothing.
	Unwaited func(stack string) string
	// PublicDomain returns the domain whose public delegation a stack needs, "" for none. newZone is true if the plan creates a hosted zone.
	PublicDomain func(section config.Section, newZone bool) (domain string, isNew bool)
	// Paths checks the paths through the resources of a deployed stack, and PlannedPaths those after a plan.
	Paths        func(section config.Section, graph *connectivity.Graph, outputs map[string]any) ([]status.Path, error)
	PlannedPaths func(section config.Section, graph *connectivity.Graph) []status.Path
	// GivenVPC returns the ID of the VPC that exists outside the stack, "" if there is none. Paths then needs it in the graph.
	GivenVPC func(section config.Section, outputs map[string]any) string
	// Manifests renders the objects of a stack from its outputs. A hosted cluster's objects are rendered from HyperShift's documents.
	Manifests func(file *config.File, outputs map[string]any) ([]hostedcluster.Manifest, error)
}

// Cluster is the cluster of a stack, and its object in the management cluster.
type Cluster struct {
	// Object is the kind of its object.
	Object string
	// Output is the output of the stack whose value tags the cluster's resources in AWS.
	Output string
	// Find returns the object in a state, nil if there is none.
	Find func([]apitype.ResourceV3) *clusterstatus.HostedCluster
	// Parts are the kinds of objects that the cluster consists of, besides its own.
	Parts []clusterstatus.Part
	// Identify returns the name, the namespace and the infra ID of the cluster in a section. The infra ID is "" if the name tags its resources.
	Identify func(config.Section) (name, namespace, infraID string)
	// Tag returns the key of the tag of its resources.
	Tag func(name, infraID string) string
}

// Owner returns the cluster that depends on such a stack or, for node pools alone, the one that they belong to; nil if there is neither.
func (k Kind) Owner() *Cluster { return cmp.Or(k.Cluster, k.Guest) }

// ByName returns the kind with a name; a kind without any of the things for a name that is not listed here.
func ByName(name config.Kind) Kind {
	for _, k := range kinds() {
		if k.Name == name {
			return k
		}
	}
	return Kind{}
}

// withPaths returns the names of the kinds whose stacks have a network.
func withPaths() []string {
	var names []string
	for _, k := range kinds() {
		if k.Paths != nil {
			names = append(names, string(k.Name))
		}
	}
	return names
}

// Instead returns what to use instead of a stack of a kind without a hosted cluster, for what is done with one.
func Instead(name config.Kind) string {
	return cmp.Or(ByName(name).Instead, "use a stack of kind "+string(config.KindCluster))
}

// NeedsHostedCluster returns the refusal of an operation on a hosted cluster if the stack's kind has none. It returns nil for kind cluster, and for
// an unknown kind.
func NeedsHostedCluster(stack string, name config.Kind) error {
	if name == config.KindCluster || name == "" {
		return nil
	}
	return &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("stack %s is of kind %s, which has no hosted cluster", stack, name), Remedy: Instead(name)}
}

// NeedsNetwork returns the refusal of an operation on a network if the stack's kind has none.
func NeedsNetwork(stack string, name config.Kind) error {
	k := ByName(name)
	if k.Paths != nil {
		return nil
	}
	names := withPaths()
	remedy := "use a stack of kind " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
	if k.Instead != "" { // a part of a hosted cluster
		remedy = "use the stack of kind network or cluster that has the network of the same hosted cluster"
	}
	return &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("stack %s has no network to check: it is of kind %s", stack, name), Remedy: remedy}
}

// NeedsCluster returns the refusal to wait for the cluster of a stack that does not create one.
func NeedsCluster(stack string, name config.Kind) error {
	remedy := "leave --wait out"
	if unwaited := ByName(name).Unwaited; unwaited != nil {
		remedy += unwaited(stack)
	}
	return &failure.Error{Reason: failure.Refused, Problem: fmt.Sprintf("stack %s creates no hosted cluster that --wait could wait for", stack), Remedy: remedy}
}
