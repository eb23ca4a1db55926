// Package program is the Pulumi program of a stack with every check that it can make by itself: `pulumi up`, the Pulumi
// Kubernetes Operator and embedding programs get the refusals of the CLI. Package stacks alone needs no client of
// Kubernetes and refuses no update.
package program

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/programguard"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/selfcheck"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// Run is the program of stacks.Run. It returns an error, and registers no resource of AWS or Kubernetes, if the update
// would replace or delete a resource that a running cluster depends on, or if the kubeconfig selects another management
// cluster than the one of the last update. In a preview, the plan is shown first. A destroy that runs it is refused
// before anything is deleted, unless the config has `unprotected: true`, or the stack has only node pools, whose
// cluster no longer exists. A new release is rolled out in stages, which each further update continues.
func Run(ctx *pulumi.Context) error {
	return selfcheck.Run(ctx)
}

// Guarded calls register, whose components get the given option, and refuses what Run refuses to replace or delete: for
// programs that use components without Run. It is called once per program, around everything that a cluster depends on;
// register must not wait for an output of a resource. `hypershift-aws:allow` in the stack's config allows the
// replacement or deletion of a resource.
func Guarded(ctx *pulumi.Context, register func(guard pulumi.ResourceOption) error) error {
	return stacks.Options{Guard: programguard.New}.Guarded(ctx, register)
}
