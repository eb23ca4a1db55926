package stacks

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// DestroyGuardType is the type of the component that stops the deletion of a stack under a living cluster: a stack
// whose state has a resource with a hook is not destroyed by an engine that does not run the program, and the hook
// refuses in a program that runs. It depends on every resource of the stack, so it is deleted first.
const DestroyGuardType = recorded.DestroyGuardType

// hookName is the name of the hook. The engine prints it when it refuses a destroy, beside a flag that doesn't help, so
// it is what to do.
const hookName = "use-hypershift-aws-destroy"

// formerHookName returns the name of the hook in states of earlier versions: a destroy that runs the program finds it.
func formerHookName(kind config.Kind) string { return string(kind) + "-must-be-gone" }

// Dependent is the cluster that depends on a stack's resources. For a stack of node pools, it is the cluster that they
// belong to.
type Dependent struct {
	// Kind and Section are the stack's kind and config, and Name is the cluster's name.
	Kind    config.Kind
	Section config.Section
	Name    string
	// ManagementCluster is the UID that the stack records for its management cluster, "" if it records none.
	ManagementCluster string
}

// registered are the resources that a stack's program has registered.
type registered struct{ all []pulumi.Resource }

// watch returns the option of a component, or of a resource, that records every resource of it.
func (r *registered) watch() pulumi.ResourceOption {
	return pulumi.Transformations([]pulumi.ResourceTransformation{
		func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
			if resource, isCustom := args.Resource.(pulumi.CustomResource); isCustom {
				r.all = append(r.all, resource)
			}
			return nil
		},
	})
}

// guardDestroy registers the DestroyGuard of a stack, after everything else. Without protection it has no hook: an
// engine refuses to delete a resource with a hook that the program no longer registers, so the component itself always
// stays.
func (p placement) guardDestroy(ctx *pulumi.Context, cluster Dependent, unprotected bool) error {
	opts := append([]pulumi.ResourceOption{pulumi.DependsOn(p.registered.all)}, p.top...)
	if !unprotected && !ctx.RunningWithMocks() { // whose monitor panics when a hook is registered
		var hook *pulumi.ResourceHook
		for _, name := range []string{formerHookName(cluster.Kind), hookName} {
			var err error
			hook, err = ctx.RegisterResourceHook(name, func(*pulumi.ResourceHookArgs) error {
				return p.refuseDestroy(ctx.Context(), ctx.Stack(), cluster)
			}, &pulumi.ResourceHookOptions{OnDryRun: true})
			if err != nil {
				return fmt.Errorf("registering the hook that stops a destroy: %w", err)
			}
		}
		opts = append(opts, pulumi.ResourceHooks(&pulumi.ResourceHookBinding{BeforeDelete: []*pulumi.ResourceHook{hook}}))
	}
	guard := &pulumi.ResourceState{}
	if err := ctx.RegisterComponentResource(DestroyGuardType, string(cluster.Kind)+"-destroy-guard", guard,
		opts...); err != nil {
		return fmt.Errorf("registering the component that stops a destroy: %w", err)
	}
	return nil
}

// refuseDestroy returns why the stack is not deleted, nil if its cluster certainly no longer exists.
func (p placement) refuseDestroy(ctx context.Context, stack string, cluster Dependent) error {
	why := "a program that embeds the stack cannot check"
	if p.options.Alive != nil {
		cluster.ManagementCluster = *p.recorded
		if why = p.options.Alive(ctx, cluster); why == "" {
			return nil
		}
	}
	what, instead := "the stack of cluster %s is", "deletes the cluster first"
	if cluster.Kind == config.KindNodePools {
		what, instead = "the node pools of cluster %s are", "asks for its name"
	}
	return fmt.Errorf(what+" not deleted, because the cluster may be alive: %s; use `hypershift-aws destroy -s %s`, which %s, "+
		"or set %s.unprotected: true and run this command again", cluster.Name, why, stack, instead, cluster.Kind.Key())
}
