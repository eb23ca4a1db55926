// Package programguard has the guard of a plan for a program whose update the CLI does not run.
package programguard

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// guard refuses what a program registers by the guard of plans, and by the policies if they are mandatory.
type guard struct {
	program   plan.Program
	config    *config.Config
	resources []props.Resource
}

// New returns the guard of an update with a config.
func New(c *config.Config) stacks.Guard { return &guard{config: c} }

// Component calls register, which registers the component with a URN, and refuses what New refuses to do to the
// component.
func Component(ctx *pulumi.Context, component string, register func(guard pulumi.ResourceOption) error) error {
	return stacks.Options{Guard: New}.GuardedComponent(ctx, component, register)
}

// AddPrior implements stacks.Guard. Resources that are in no component of this project are left out: other parts of a
// program may register more.
func (g *guard) AddPrior(resource string, outputs map[string]any) {
	if strings.Contains(string(urn.URN(resource).QualifiedType()), config.ProjectName+":") {
		g.program.AddPrior(resource, outputs)
	}
}

// Empty implements stacks.Guard: there is nothing to check if the last state has no guarded resource, and policies are
// not mandatory.
func (g *guard) Empty() bool { return !g.NeedsOutputs() && g.program.Unguarded() }

// AddResource implements stacks.Guard.
func (g *guard) AddResource(r stacks.Registered) {
	if g.NeedsOutputs() && r.Inputs != nil {
		g.resources = append(g.resources, resourceOf(r))
	}
	g.program.Register(r.Token, r.Name, r.Inputs)
}

func resourceOf(r stacks.Registered) props.Resource {
	return props.Resource{URN: r.Token + "::" + r.Name, Name: r.Name, Type: r.Token, Map: r.Inputs, Protected: r.Protected}
}

// NeedsOutputs reports whether policies are mandatory: documents with outputs of resources are known only after those
// have been created.
func (g *guard) NeedsOutputs() bool { return g.config.Policy == config.PolicyMandatory }

// CheckResource returns the error for the policies that a resource violates.
func (g *guard) CheckResource(stack string, r stacks.Registered) error {
	return g.violations("resource "+r.Name+" of stack "+stack, "it was not created or changed", resourceOf(r))
}

func (g *guard) violations(subject, effect string, resources ...props.Resource) error {
	if err := policy.ValidateWaivers(config.WaiversKey, g.config.PolicyWaivers); err != nil {
		return err
	}
	return policy.Violations(policy.Check(resources, g.config.PolicyWaivers), subject, effect, config.WaiversKey)
}

// Refusal implements stacks.Guard: it returns the error of the guard of plans for the update, or that of the policies
// that it violates.
func (g *guard) Refusal(stack string) error {
	err := g.program.Guard(stack, g.config.Allows)
	if err != nil || !g.NeedsOutputs() {
		return err
	}
	return g.violations("the plan of stack "+stack, "nothing was changed", g.resources...)
}

// Prepare implements stacks.Guard: nothing has to be done before an update.
func (g *guard) Prepare(string) error { return nil }
