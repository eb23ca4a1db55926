// Package program is the Pulumi program of a stack with every check that it can make by itself: `pulumi up`, the Pulumi Kubernetes Operator
// and embedding programs get the refusals of the CLI. Package stacks alone needs no client of Kubernetes and refuses no update.
package program

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// Run is the program of stacks.Run. It returns an error, and registers no resource of AWS or Kubernetes, if the update would replace or
// delete a resource that a running cluster depends on, or if the kubeconfig selects another management cluster than the one of the last
// update. In a preview, the plan is shown first. A new release is rolled out in stages, which each further update continues.
func Run(ctx *pulumi.Context) error {
	return stacks.Options{
		ClusterUID: kubeapi.ClusterUID,
		Live:       kubeapi.Live,
		Guard:      func() stacks.Guard { return &plan.OfProgram{} },
	}.Run(ctx)
}
