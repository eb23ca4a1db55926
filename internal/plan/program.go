package plan

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// ProgramGuard is the part of a plan that is known in a program before the engine plans its update: which resources of the last state are
// registered again, and with which values. It is the guard of updates that the CLI does not run.
type ProgramGuard struct {
	plan      changes.Plan
	config    *config.Config
	resources []props.Resource
}

var _ stacks.Guard = (*ProgramGuard)(nil)

// NewProgramGuard returns the guard of an update with a config.
func NewProgramGuard(c *config.Config) stacks.Guard { return &ProgramGuard{config: c} }

// GuardedComponent calls register, which registers the component with a URN, and refuses what NewProgramGuard refuses to do to the component.
func GuardedComponent(ctx *pulumi.Context, component string, register func(guard pulumi.ResourceOption) error) error {
	return stacks.Options{Guard: NewProgramGuard}.GuardedComponent(ctx, component, register)
}

// AddPrior adds a resource of the last state, with its outputs. Until the program registers the resource, the update deletes it. Types without a
// record are left out, and resources that are in no component of this project: other parts of a program may register more.
func (p *ProgramGuard) AddPrior(resource string, outputs map[string]any) {
	u := urn.URN(resource)
	if _, known := awstype.Lookup(string(u.Type())); !known && !guarded.Any(string(u.Type())) || !strings.Contains(string(u.QualifiedType()), config.ProjectName+":") {
		return
	}
	id, _ := outputs["id"].(string)
	if metadata := props.Map(outputs).Object("metadata"); id == "" && metadata != nil {
		id = strings.TrimPrefix(metadata.String("namespace")+"/"+metadata.String("name"), "/") // that of a Kubernetes object
	}
	p.plan.Steps = append(p.plan.Steps, &changes.Step{
		URN: resource, Name: u.Name(), Type: string(u.Type()), Change: changes.Delete, Custom: true, ID: id, Old: outputs,
	})
}

// Empty reports whether the last state has no guarded resource, and policies are not mandatory.
func (p *ProgramGuard) Empty() bool {
	return !p.NeedsOutputs() && !slices.ContainsFunc(p.plan.Steps, isGuarded)
}

// AddResource notes that the program registers a resource; values that the program does not know yet are left out.
func (p *ProgramGuard) AddResource(r stacks.Registered) {
	if p.NeedsOutputs() && r.Inputs != nil {
		p.resources = append(p.resources, resourceOf(r))
	}
	known := maps.Clone(r.Inputs)
	maps.DeleteFunc(known, func(_ string, value any) bool { return isUnknown(value) })
	for _, step := range p.plan.Steps {
		if step.Type == r.Token && step.Name == r.Name {
			step.Change, step.New = changes.Same, known
		}
	}
}

func resourceOf(r stacks.Registered) props.Resource {
	return props.Resource{URN: r.Token + "::" + r.Name, Name: r.Name, Type: r.Token, Map: r.Inputs, Protected: r.Protected}
}

// NeedsOutputs reports whether policies are mandatory: documents with outputs of resources are known only after those have been created.
func (p *ProgramGuard) NeedsOutputs() bool { return p.config.Policy == config.PolicyMandatory }

// CheckResource returns the error for the policies that a resource violates.
func (p *ProgramGuard) CheckResource(stack string, r stacks.Registered) error {
	return p.violations("resource "+r.Name+" of stack "+stack, "it was not created or changed", resourceOf(r))
}

func (p *ProgramGuard) violations(subject, effect string, resources ...props.Resource) error {
	waivers, err := Waivers(p.config)
	if err != nil {
		return err
	}
	return policy.Violations(policy.Check(resources, waivers), subject, effect)
}

// Waivers returns the accepted violations of a config.
func Waivers(c *config.Config) ([]forecast.PolicyWaiver, error) {
	for i, waiver := range c.PolicyWaivers {
		if err := policy.ValidateWaiver(waiver); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", config.WaiversKey, i, err)
		}
	}
	return c.PolicyWaivers, nil
}

// Refusal returns the error of Guard for the update, or that of the policies that it violates.
func (p *ProgramGuard) Refusal(stack string) error {
	for _, step := range p.plan.Steps {
		for _, key := range recordOf(step).Fixed {
			before, after := valueAt(step.Old, key), valueAt(step.New, key)
			if step.Change != changes.Delete && before != nil && after != nil && !untyped.Contains(after, isUnknown) && !same(before, after) {
				step.Change, step.Keys = changes.Replace, append(step.Keys, key)
			}
		}
	}
	p.follow()
	err := Guard(&p.plan, stack, nil, p.config.Allowed...)
	if refused := (*changes.GuardError)(nil); errors.As(err, &refused) {
		refused.AllowKey = config.AllowKey
	}
	if err != nil || !p.NeedsOutputs() {
		return err
	}
	return p.violations("the plan of stack "+stack, "nothing was changed", p.resources...)
}

// Prepare implements stacks.Guard: nothing has to be done before an update.
func (p *ProgramGuard) Prepare(string) error { return nil }

// valueAt returns the value at a path, nil if there is none.
func valueAt(values props.Map, path string) any {
	key, rest, nested := strings.Cut(path, ".")
	if nested && values[key] != nil {
		return valueAt(values.Object(key), rest)
	}
	return values[path]
}

// isUnknown reports whether a value is not known to the program yet.
func isUnknown(value any) bool { return value == any(changes.UnknownValue) }

// follow marks resources that are replaced because one that they refer to is.
func (p *ProgramGuard) follow() {
	for changed := true; changed; {
		changed = false
		for _, step := range p.plan.Steps {
			for _, key := range recordOf(step).Fixed {
				if step.Change != changes.Delete && !slices.Contains(step.Keys, key) && valueAt(step.New, key) == nil && goneTarget(&p.plan, step, key) != nil {
					step.Change, step.Keys, changed = changes.Replace, append(step.Keys, key), true
				}
			}
		}
	}
}

// same reports whether an input equals an output of the last state: AWS leaves out the scheme of an OIDC provider's URL.
func same(before, after any) bool {
	was, isText := before.(string)
	is, bothText := after.(string)
	if !isText || !bothText {
		return reflect.DeepEqual(before, after)
	}
	return strings.TrimPrefix(was, "https://") == strings.TrimPrefix(is, "https://")
}
