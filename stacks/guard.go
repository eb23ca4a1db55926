package stacks

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Guard checks an update. It compares what the program registers with the last state.
type Guard interface {
	// AddPrior is called first, for each resource of the last state, with its outputs.
	AddPrior(urn string, outputs map[string]any)
	// Empty reports whether there is nothing to check. Then no other method is called.
	Empty() bool
	// AddResource is called for each resource of AWS or Kubernetes that the program registers.
	AddResource(resource Registered)
	// Refusal returns why the update is refused, nil if it is not.
	Refusal(stack string) error
	// Prepare is called once, after Refusal has allowed the update and before the update changes anything; never in a
	// preview. An error stops the update.
	Prepare(stack string) error
	// NeedsOutputs reports whether CheckResource waits until all inputs of a resource are known.
	NeedsOutputs() bool
	// CheckResource returns an error if a resource must not be registered.
	CheckResource(stack string, resource Registered) error
}

// Registered is a resource that a program registers.
type Registered struct {
	// Token is its type, and Name its name in the program.
	Token, Name string
	// Inputs are its inputs as the engine records them. A value that the program does not know yet is
	// plugin.UnknownStringValue. They are nil if the resource is only read.
	Inputs map[string]any
	// Protected is true if the program protects the resource.
	Protected bool
}

// guard asks a Guard about an update. It holds back every resource of AWS and Kubernetes until the program has named
// all of them, so that a refused update changes nothing.
type guard struct {
	stack string
	// dry is true in a preview, which shows the whole plan before the refusal.
	dry bool
	// ready resolves to no resources once the update is allowed, and is rejected if it is refused.
	ready  pulumi.ResourceArrayOutput
	allow  func()
	refuse func(error)

	mu     sync.Mutex
	update Guard
}

// newGuard reads the last state. It returns nil if there is nothing to guard. part is nil if the whole state is
// checked.
func (o Options) newGuard(ctx *pulumi.Context, read *config.Config, part *part) (*guard, error) {
	if o.Guard == nil {
		return nil, nil //nolint:nilnil // no update is judged
	}
	before, err := resourceOutputs(ctx, qualified(ctx, ctx.Stack()))
	if err != nil {
		return nil, fmt.Errorf("reading the last state of stack %s: %w", ctx.Stack(), err)
	}
	g := &guard{stack: ctx.Stack(), dry: ctx.DryRun(), update: o.Guard(read)}
	ownsLink := ownsPrivateLink(before)
	for urn, resource := range before {
		if (ownsLink || !isPrivateLink(urn)) && part.has(urn, before) {
			g.update.AddPrior(urn, resource.Outputs)
		}
	}
	if g.update.Empty() {
		return nil, nil //nolint:nilnil // there is nothing to guard
	}
	ready, allow, refuse := ctx.NewOutput()
	g.ready = ready.ApplyT(func(any) []pulumi.Resource { return nil }).(pulumi.ResourceArrayOutput)
	g.allow, g.refuse = func() { allow(true) }, refuse
	return g, nil
}

// Guarded calls register, whose components get the given option, and checks what they register as Run checks a stack.
// It reads the config keys of config.Shared, and changes nothing if the update is refused. register must not wait for
// an output of a resource, because no resource of AWS or Kubernetes is registered before it returns.
func (o Options) Guarded(ctx *pulumi.Context, register func(guard pulumi.ResourceOption) error) error {
	return o.guarded(ctx, nil, register)
}

// GuardedComponent is Guarded for a register that registers one component of the program. It checks only that
// component's resources in the last state, because programs in other languages register each component in a separate
// call. A component that the program no longer has is not checked.
func (o Options) GuardedComponent(
	ctx *pulumi.Context,
	component string,
	register func(guard pulumi.ResourceOption) error,
) error {
	return o.guarded(ctx, newPart(component), register)
}

func (o Options) guarded(ctx *pulumi.Context, part *part, register func(guard pulumi.ResourceOption) error) error {
	values, err := sharedValues(ctx)
	if err != nil {
		return err
	}
	read, err := config.ReadShared(config.Source{Stack: ctx.Stack(), Values: values})
	if err != nil {
		return yamlfile.Locate(err, config.FileName(ctx.Stack()), nil)
	}
	g, err := o.newGuard(ctx, read, part)
	if err != nil {
		return err
	}
	return g.end(register(g.option()))
}

// option is the option of the program's components through which the guard sees their resources.
func (g *guard) option() pulumi.ResourceOption {
	if g == nil {
		return pulumi.Transformations(nil)
	}
	return pulumi.Transformations([]pulumi.ResourceTransformation{g.see})
}

// see records a resource, and lets it wait for the verdict.
func (g *guard) see(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, isCustom := args.Resource.(pulumi.CustomResource); !isCustom {
		return nil
	}
	if !strings.HasPrefix(args.Type, "aws:") && !strings.HasPrefix(args.Type, "kubernetes:") {
		return nil
	}
	resource := Registered{Token: args.Type, Name: args.Name, Protected: protected(args.Opts)}
	inputs, made := inputsOf(args.Props)
	resource.Inputs = inputs
	g.update.AddResource(resource)
	if g.dry {
		return nil
	}
	opts := slices.Concat(args.Opts, []pulumi.ResourceOption{pulumi.DependsOnInputs(g.ready)})
	if made && g.update.NeedsOutputs() {
		known := pulumi.ToOutput(args.Props).ApplyT(func(props any) ([]pulumi.Resource, error) {
			resource.Inputs, _ = inputsOf(props)
			return nil, g.update.CheckResource(g.stack, resource)
		}).(pulumi.ResourceArrayOutput)
		opts = append(opts, pulumi.DependsOnInputs(known))
	}
	return &pulumi.ResourceTransformationResult{Props: args.Props, Opts: opts}
}

// protected reports whether options protect a resource.
func protected(opts []pulumi.ResourceOption) bool {
	given, err := pulumi.NewResourceOptions(opts...)
	return err == nil && given.Protect
}

// end decides about the update, once the program has ended with an error or nil.
func (g *guard) end(err error) error {
	if g == nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		err = g.update.Refusal(g.stack)
	}
	if err == nil && !g.dry {
		err = g.update.Prepare(g.stack)
	}
	if err != nil {
		g.refuse(err)
		return err
	}
	g.allow()
	return nil
}

// lastResource is a resource of a stack's last state.
type lastResource struct {
	Type    string         `pulumi:"type"`
	Outputs map[string]any `pulumi:"outputs"`
}

// resourceOutputs looks up the resources of a stack's last state, by URN; nil if the stack has no state.
func resourceOutputs(ctx *pulumi.Context, name string) (map[string]lastResource, error) {
	var answer struct {
		Outputs map[string]lastResource `pulumi:"outputs"`
	}
	_, err := readState(ctx, "pulumi:pulumi:readStackResourceOutputs", struct {
		Name string `pulumi:"stackName"`
	}{name}, &answer)
	return answer.Outputs, err
}

// part is the resources of one component of a program in a stack's state.
type part struct {
	// component is its URN.
	component urn.URN
	// beside are the names of the components beside it that belong to it, if it is a whole stack.
	beside []string
}

// partNames returns the names of the components of a whole stack. They do not depend on its config.
func partNames(component string) []string {
	switch component {
	case ClusterType:
		return []string{
			"network", "oidc", "oidc-documents", "workers", "interruptions", "roles", "shared-vpc-roles", privateLinkName,
			"private-link-service", config.PrivateAccessName,
			"hosted-cluster",
		}
	case ManagementType:
		return []string{"prerequisites", "install"}
	case CAPAType:
		return []string{"capa", "cluster"}
	}
	return nil
}

func newPart(component string) *part {
	u := urn.URN(component)
	return &part{component: u, beside: partNames(string(u.Type()))}
}

// has reports whether a resource of a state is in the part; a nil part has all.
func (p *part) has(resource string, state map[string]lastResource) bool {
	if p == nil {
		return true
	}
	if p.beside == nil {
		return owner(resource, p.component.QualifiedType(), state) == p.component.Name()
	}
	// Its components have the parent that it has itself.
	parents := strings.TrimSuffix(string(p.component.QualifiedType()), string(p.component.Type()))
	below, within := strings.CutPrefix(string(urn.URN(resource).QualifiedType()), parents)
	top, _, nested := strings.Cut(below, urn.TypeDelimiter)
	return within && nested && strings.HasPrefix(top, config.ProjectName+":") &&
		slices.Contains(p.beside, owner(resource, tokens.Type(parents+top), state))
}

// owner returns the name of the component, of a given type, that a resource belongs to, or "". A resource's URN has the
// types of its parents, and its name begins with its component's name. If several names fit, the longest is its
// component's.
func owner(resource string, component tokens.Type, state map[string]lastResource) string {
	u := urn.URN(resource)
	if !strings.HasPrefix(string(u.QualifiedType()), string(component)+urn.TypeDelimiter) {
		return ""
	}
	longest := ""
	for candidate := range state {
		c := urn.URN(candidate)
		if c.QualifiedType() != component {
			continue
		}
		if name := c.Name(); len(name) > len(longest) && (u.Name() == name || strings.HasPrefix(u.Name(), name+"-")) {
			longest = name
		}
	}
	return longest
}
