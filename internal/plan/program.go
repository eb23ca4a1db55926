package plan

import (
	"errors"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// OfProgram is the part of a plan that is known in a program before the engine plans its update: which guarded resources of the last state
// are registered again, and with which values. It is the guard of updates that the CLI does not run, stacks.Guard.
type OfProgram struct {
	plan Plan
}

// Had adds a resource of the last state, with its outputs. Until the program registers the resource, the update deletes it. Types without a
// record are left out, and resources that are in no component of this project: other parts of a program may register more.
func (p *OfProgram) Had(resource string, outputs map[string]any) {
	u := urn.URN(resource)
	if _, known := awstype.Of(string(u.Type())); !known || !strings.Contains(string(u.QualifiedType()), config.ProjectName+":") {
		return
	}
	id, _ := outputs["id"].(string)
	p.plan.Steps = append(p.plan.Steps, &Step{
		URN: resource, Name: u.Name(), Type: string(u.Type()), Change: ChangeDelete, Custom: true, ID: id, Old: outputs,
	})
}

// Needless reports whether the last state has no guarded resource.
func (p *OfProgram) Needless() bool {
	return !slices.ContainsFunc(p.plan.Steps, func(s *Step) bool { return guarded(s.Type) })
}

// Registers notes that the program registers a resource with inputs; values that the program does not know yet are left out.
func (p *OfProgram) Registers(token, name string, inputs map[string]any) {
	for _, step := range p.plan.Steps {
		if step.Type == token && step.Name == name {
			step.Change, step.New = ChangeSame, inputs
		}
	}
}

// Refusal returns the error of Guard for the update.
func (p *OfProgram) Refusal(stack string, allowed []config.Allowed) error {
	for _, step := range p.plan.Steps {
		record, _ := awstype.Of(step.Type)
		for _, key := range record.Fixed {
			before, after := step.Old[key], step.New[key]
			if step.Change != ChangeDelete && before != nil && after != nil && !same(before, after) {
				step.Change, step.Keys = ChangeReplace, append(step.Keys, key)
			}
		}
	}
	p.follow()
	err := Guard(&p.plan, stack, nil, allowed...)
	if refused := (*GuardError)(nil); errors.As(err, &refused) {
		refused.InProgram = true
	}
	return err
}

// follow marks resources that are replaced because one that they refer to is.
func (p *OfProgram) follow() {
	for changed := true; changed; {
		changed = false
		for _, step := range p.plan.Steps {
			record, _ := awstype.Of(step.Type)
			for _, key := range record.Fixed {
				if step.Change != ChangeDelete && !slices.Contains(step.Keys, key) && step.New[key] == nil && goneTarget(&p.plan, step, key) != nil {
					step.Change, step.Keys, changed = ChangeReplace, append(step.Keys, key), true
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
		return before == after
	}
	return strings.TrimPrefix(was, "https://") == strings.TrimPrefix(is, "https://")
}
