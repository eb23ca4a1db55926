package kind

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Instead returns what to use instead of a stack of a kind without a hosted cluster, for what is done with one.
func Instead(of config.Kind) string {
	return cmp.Or(Of(of).Instead, "use a stack of kind "+string(config.KindCluster))
}

// NeedsHostedCluster returns the refusal of what is done with a hosted cluster, for a stack of a kind that has none; nil for a stack of kind
// cluster, and for a kind that is not known.
func NeedsHostedCluster(stack string, of config.Kind) error {
	if of == config.KindCluster || of == "" {
		return nil
	}
	return &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("stack %s is of kind %s, which has no hosted cluster", stack, of), Remedy: Instead(of)}
}

// NeedsNetwork returns the refusal of what is done with a network, for a stack of a kind that has none; nil for one that has.
func NeedsNetwork(stack string, of config.Kind) error {
	k := Of(of)
	if k.Paths != nil {
		return nil
	}
	names := WithPaths()
	remedy := "use a stack of kind " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
	if k.Instead != "" { // a part of a hosted cluster
		remedy = "use the stack of kind network or cluster that has the network of the same hosted cluster"
	}
	return &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("stack %s has no network to check: it is of kind %s", stack, of), Remedy: remedy}
}

// NeedsCluster returns the refusal to wait for the cluster of a stack that does not create one.
func NeedsCluster(stack string, of config.Kind) error {
	remedy := "leave --wait out"
	if unwaited := Of(of).Unwaited; unwaited != nil {
		remedy += unwaited(stack)
	}
	return &failure.Error{Reason: failure.Refused, Problem: fmt.Sprintf("stack %s creates no hosted cluster that --wait could wait for", stack), Remedy: remedy}
}
