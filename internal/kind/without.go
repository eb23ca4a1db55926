package kind

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// NeedsHostedCluster returns the refusal of what is done with a hosted cluster, for a stack of a kind that has none; nil for a stack of kind
// cluster, and for a kind that is not known.
func NeedsHostedCluster(stack string, of config.Kind) error {
	remedy := "use a stack of kind " + string(config.KindCluster)
	switch of {
	case config.KindCluster, "":
		return nil
	case config.KindNetwork:
		remedy = "use the stack of kind cluster that names it as networkStack"
	case config.KindIAM:
		remedy = "use the stack of kind cluster that names it as iamStack"
	default: // others are named by no stack of kind cluster, or by many
	}
	return &failure.Error{Reason: failure.Failed, Problem: fmt.Sprintf("stack %s is of kind %s, which has no hosted cluster", stack, of), Remedy: remedy}
}
