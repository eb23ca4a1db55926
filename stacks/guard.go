package stacks

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Guard judges an update by the last state and by what the program registers.
type Guard interface {
	// Had is called first, for each resource of the last state, with its outputs.
	Had(urn string, outputs map[string]any)
	// Needless reports whether the last state has nothing to guard; then no other method is called.
	Needless() bool
	// Registers is called for each resource of AWS or Kubernetes that the program registers, with the inputs that are plain text.
	Registers(token, name string, inputs map[string]any)
	// Refusal returns why the update is refused, nil if it is not. What the stack's file allows is not refused.
	Refusal(stack string, allowed []config.Allowed) error
}

// guard asks a Guard about an update. It holds back every resource of AWS and Kubernetes until the program has named all of them, so that a
// refused update changes nothing.
type guard struct {
	stack string
	// dry is true in a preview, which shows the whole plan before the refusal.
	dry bool
	// ready resolves to no resources once the update is allowed, and is rejected if it is refused.
	ready  pulumi.ResourceArrayOutput
	allow  func()
	refuse func(error)

	mu      sync.Mutex
	update  Guard
	allowed []config.Allowed
}

// newGuard reads the last state. It returns nil if there is nothing to guard.
func (o Options) newGuard(ctx *pulumi.Context, allowed []config.Allowed) (*guard, error) {
	if o.Guard == nil {
		return nil, nil //nolint:nilnil // no update is judged
	}
	before, err := resourceOutputs(ctx, qualified(ctx, ctx.Stack()))
	if err != nil {
		return nil, fmt.Errorf("reading the last state of stack %s: %w", ctx.Stack(), err)
	}
	g := &guard{stack: ctx.Stack(), dry: ctx.DryRun(), update: o.Guard(), allowed: allowed}
	ownsLink := ownsPrivateLink(before)
	for urn, resource := range before {
		if ownsLink || !isPrivateLink(urn) {
			g.update.Had(urn, resource.Outputs)
		}
	}
	if g.update.Needless() {
		return nil, nil //nolint:nilnil // there is nothing to guard
	}
	ready, allow, refuse := ctx.NewOutput()
	g.ready = ready.ApplyT(func(any) []pulumi.Resource { return nil }).(pulumi.ResourceArrayOutput)
	g.allow, g.refuse = func() { allow(true) }, refuse
	return g, nil
}

// options are those of the program's components, with which the guard sees their resources.
func (g *guard) options() []pulumi.ResourceOption {
	if g == nil {
		return nil
	}
	return []pulumi.ResourceOption{pulumi.Transformations([]pulumi.ResourceTransformation{g.see})}
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
	g.update.Registers(args.Type, args.Name, plainInputs(args.Props))
	if g.dry {
		return nil
	}
	return &pulumi.ResourceTransformationResult{Props: args.Props, Opts: append(args.Opts[:len(args.Opts):len(args.Opts)], pulumi.DependsOnInputs(g.ready))}
}

// end decides about the update, once the program has ended with an error or nil.
func (g *guard) end(err error) error {
	if g == nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		err = g.update.Refusal(g.stack, g.allowed)
	}
	if err != nil {
		g.refuse(err)
		return err
	}
	g.allow()
	return nil
}

// plainInputs returns the inputs that are plain text, by their names.
func plainInputs(props pulumi.Input) map[string]any {
	inputs := map[string]any{}
	args := reflect.Indirect(reflect.ValueOf(props))
	if args.Kind() != reflect.Struct {
		return inputs
	}
	// The fields of an Args struct have the names of those of its plain struct, which has the names of the inputs as tags.
	for _, field := range reflect.VisibleFields(props.ElementType()) {
		if value := args.FieldByName(field.Name); value.IsValid() && !value.IsZero() {
			if text, plain := value.Interface().(pulumi.String); plain {
				inputs[field.Tag.Get("pulumi")] = string(text)
			}
		}
	}
	return inputs
}

// lastResource is a resource of a stack's last state.
type lastResource struct {
	Outputs map[string]any `pulumi:"outputs"`
}

// resourceOutputs looks up the resources of a stack's last state, by URN; nil if the stack has no state.
func resourceOutputs(ctx *pulumi.Context, name string) (map[string]lastResource, error) {
	var answer struct {
		Outputs map[string]lastResource `pulumi:"outputs"`
	}
	_, err := ctx.InvokePackageRaw("pulumi:pulumi:readStackResourceOutputs", struct {
		Name string `pulumi:"stackName"`
	}{name}, &answer, "")
	if err != nil && strings.Contains(err.Error(), "unknown stack") {
		return nil, nil
	}
	return answer.Outputs, err
}
