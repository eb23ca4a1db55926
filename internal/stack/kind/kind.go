// Package kind adds to the record of a kind of stack what commands do with the cluster that its stacks belong to: its
// object in a state and in the management cluster, its parts and its operators. A kind without a cluster has none of
// it, and commands report that.
package kind

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Kind is a kind of stack.
type Kind struct {
	config.Definition
	// Cluster is the cluster that depends on the resources of such a stack.
	Cluster *Cluster
	// Guest is the cluster of another owner that the objects of such a stack belong to, which the stack reads alone. Its
	// Find returns the object with the node pools of the stack.
	Guest *Cluster
}

// ByName returns the kind with a name, the zero value for a name that is not registered.
func ByName(name config.Kind) Kind {
	k := Kind{Definition: stacks.Kinds().Definition(name)}
	if k.Section == nil {
		return k
	}
	k.KubeconfigKey = cmp.Or(k.KubeconfigKey, string(name))
	switch of := config.IdentityOf(k.Section()); of.Relation {
	case config.OwnsCluster:
		k.Cluster = ownCluster(of.Object)
	case config.PartOfCluster:
		k.Cluster = partOf(of.Object)
	case config.JoinsCluster:
		k.Guest = joinedCluster(of.Object)
	}
	return k
}

// OrCluster returns the kind of a stack, kind cluster if it is not known: what may have a cluster is treated as one.
func OrCluster(name config.Kind) config.Kind { return cmp.Or(name, config.KindCluster) }

// Owner returns the cluster that depends on such a stack or, for node pools alone, the one that they belong to; nil if
// there is neither.
func (k Kind) Owner() *Cluster { return cmp.Or(k.Cluster, k.Guest) }

// NamespaceKey returns the config key of the namespace of such a stack's object, which is beside the kubeconfig.
func (k Kind) NamespaceKey() string {
	return config.ProjectName + ":" + strings.TrimSuffix(k.KubeconfigKey, "kubeconfig") + "namespace"
}

// Operators are the deployments in the management cluster that act on the objects of such a stack.
func (k Kind) Operators() []Deployment {
	if k.Owner() == nil {
		return nil
	}
	return k.Owner().Operators
}

// ChecksFields reports whether the definitions in the management cluster may lack fields of the objects.
func (k Kind) ChecksFields() bool { return k.Owner() != nil && k.Owner().Object == crd.HostedCluster }

// OwnsHostedCluster reports whether such stacks have hosted clusters.
func (k Kind) OwnsHostedCluster() bool {
	return k.Cluster != nil && k.Cluster.Object == crd.HostedCluster && !k.Cluster.Part
}

// InsteadOf returns what to use instead of a stack of a kind without a hosted cluster, for what is done with one.
func InsteadOf(name config.Kind) string {
	return cmp.Or(ByName(name).Instead, "use a stack of kind "+string(config.KindCluster))
}

// RefuseWithoutHostedCluster returns the refusal of an operation on a hosted cluster if the stack's kind has none. An
// unknown kind may have one.
func RefuseWithoutHostedCluster(stack string, name config.Kind) error {
	if name == "" || ByName(name).OwnsHostedCluster() {
		return nil
	}
	return &failure.Error{
		Reason: failure.Failed, Problem: fmt.Sprintf("stack %s is of kind %s, which has no hosted cluster", stack, name),
		Remedy: InsteadOf(name),
	}
}

// Waits reports whether a file describes a hosted cluster or node pools that the stack applies, whose nodes can be
// waited for.
func Waits(file *config.File) bool {
	of := config.IdentityOf(file.Section)
	return of.Object == crd.HostedCluster && of.Relation != config.PartOfCluster && file.ManagementCluster() != nil
}

// RefuseToWait returns the refusal to wait for the cluster of a stack that does not create one.
func RefuseToWait(stack string, name config.Kind) error {
	k := ByName(name)
	remedy := "leave --wait out"
	switch {
	case k.OwnsHostedCluster():
		remedy += ", or set " + k.KubeconfigKey
	case k.Cluster != nil && k.Cluster.Part:
		remedy += ", and " + k.Instead
	case k.Cluster != nil:
		remedy += ": `hypershift-aws status -s " + stack + "` shows how far the cluster is"
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("stack %s creates no hosted cluster that --wait could wait for", stack),
		Remedy:  remedy,
	}
}
