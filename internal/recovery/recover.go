package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// Stack gives a recovery access to a stack.
type Stack interface {
	// State reads the state from the backend.
	State(ctx context.Context) (*state.Deployment, error)
	// Import replaces the state by d.
	Import(ctx context.Context, d *state.Deployment) error
	// Read refreshes the resources with those URNs from AWS, by the engine.
	Read(ctx context.Context, urns []string) error
	// Delete deletes the resources with those URNs, by the engine.
	Delete(ctx context.Context, urns []string) error
	// Account returns the account of a provider with that configuration.
	Account(ctx context.Context, settings map[string]any, provider string) (orphan.Account, error)
	// Object reads an object of the stack's management cluster, nil if there is none.
	Object(ctx context.Context, kind, namespace, name string) (map[string]any, error)
}

// Recover settles what an earlier run left unfinished when it, the engine or a provider was killed. Resources that were being created are
// searched for in AWS and added to the state if they exist; resources that were being changed or deleted are read again. It reports each
// decision on a creation, and calls neither AWS nor the engine if nothing is unfinished. Creations that are not found in AWS are searched
// for again: by SearchAgain at the end of the run, and by each run until Awaited has passed.
//
// A creation that cannot be searched for, because its inputs have neither a key nor a tag that names the stack, stays pending in the state,
// and the engine warns about it.
func Recover(ctx context.Context, stack Stack, d *state.Deployment, j Journal, say func(report.Event)) error {
	noted, err := j.unfinished()
	if err != nil {
		return err
	}
	missing, err := j.awaited()
	if err != nil {
		return err
	}
	r := &recovery{stack: stack, state: d, journal: j, pending: len(d.Pending) > 0, report: say}
	if r.before, err = d.Copy(); err != nil {
		return err
	}
	open := openOperations(d, noted)
	for _, operation := range open {
		if err := r.settle(ctx, operation); err != nil {
			return &SearchError{err}
		}
		missing = slices.DeleteFunc(missing, func(a awaited) bool { return string(a.Resource.URN) == operation.urn })
	}
	if err := r.searchAgain(ctx, missing); err != nil {
		return err
	}
	return j.Clear()
}

// SearchError is the failure of a search in AWS.
type SearchError struct{ error }

// Unwrap returns the cause.
func (e *SearchError) Unwrap() error { return e.error }

// openOperations returns the state's pending operations and those of the journal, each once, without those whose outcome is in the state.
func openOperations(d *state.Deployment, noted []entry) []openOperation {
	var list []openOperation
	known := map[string]bool{}
	for _, pending := range d.Pending {
		if !pending.Resource.Custom || strings.HasPrefix(string(pending.Resource.Type), "pulumi:") {
			continue // it does not exist in AWS
		}
		op := openOperation{urn: string(pending.Resource.URN)}
		if pending.Type == apitype.OperationTypeCreating {
			op.create = pending.Resource
		}
		known[op.urn] = true
		list = append(list, op)
	}
	for _, n := range noted {
		live := d.Live(n.URN)
		switch {
		case known[n.URN]:
		case !n.creates():
			if live != nil {
				list = append(list, openOperation{urn: n.URN})
			}
		case n.State == nil || live != nil && n.Op != apitype.OpCreateReplacement:
		case !n.State.Custom:
			d.Resources = append(d.Resources, resourceOf(d, n.State))
		case strings.HasPrefix(n.State.Type, "pulumi:"):
			if n.made != nil {
				d.Resources = append(d.Resources, resourceOf(d, n.made))
			}
		case n.made != nil:
			list = append(list, openOperation{urn: n.URN, create: resourceOf(d, n.State), id: n.made.ID})
		default:
			list = append(list, openOperation{urn: n.URN, create: resourceOf(d, n.State)})
		}
	}
	return list
}

// openOperation is an operation on a resource with an unknown outcome.
type openOperation struct {
	urn string
	// create is the resource to be created, in a creation.
	create *state.Resource
	// id is the resource's ID, if it is known that it was created.
	id string
}

// resourceOf builds a resource of the state from an event. Events do not contain dependencies: these are set to the resources whose IDs are
// among the inputs, and the next update writes the real ones.
func resourceOf(d *state.Deployment, m *apitype.StepEventStateMetadata) *state.Resource {
	r := apitype.ResourceV3{
		URN: resource.URN(m.URN), Custom: m.Custom, ID: resource.ID(m.ID), Type: tokens.Type(m.Type), Inputs: m.Inputs,
		Parent: resource.URN(m.Parent), Protect: m.Protect, RetainOnDelete: m.RetainOnDelete, Provider: m.Provider,
	}
	if strings.HasPrefix(m.Type, "pulumi:") {
		r.Outputs = m.Outputs
	}
	text, _ := json.Marshal(m.Inputs) // read from JSON
	for _, other := range d.Resources {
		if other.Custom && !other.Delete && other.ID != "" && strings.Contains(string(text), `"`+string(other.ID)+`"`) {
			r.Dependencies = append(r.Dependencies, other.URN)
		}
	}
	made := &state.Resource{}
	whole, _ := json.Marshal(r)     // plain data
	_ = json.Unmarshal(whole, made) // as it was just written
	return made
}

// recovery settles open operations.
type recovery struct {
	stack   Stack
	state   *state.Deployment
	journal Journal
	// before is the state at the start.
	before *state.Deployment
	// pending is true if the backend's state has pending operations.
	pending bool
	// discards is true if resources found by a repeated search are deleted, as after a destroy.
	discards bool
	report   func(report.Event)
	// taken are the resources that were added to the state and have not been read yet.
	taken []taking
	// surplus are the resources that were added to the state for deletion.
	surplus []*surplus
	// addedProviders are the URNs of providers that were added to the state for repeated searches.
	addedProviders []string
	// read are the URNs to be read again.
	read []string
	// open are the creations that cannot be searched for, missing those that were not found.
	open    []string
	missing []awaited
}

// taking is a resource that was added to the state under one ID, and the other IDs that it may have.
type taking struct {
	awaited
	others []string
}

// settle decides on one operation.
func (r *recovery) settle(ctx context.Context, op openOperation) error {
	if op.create == nil {
		if r.state.Live(op.urn) != nil {
			r.read = append(r.read, op.urn)
		}
		return nil
	}
	if isObject(string(op.create.Type)) {
		return r.settleObject(ctx, op.create)
	}
	if op.id != "" {
		return r.take(r.newAwaited(op.create), []string{op.id})
	}
	query := queryOf(op.create)
	if query.Replaceable() {
		return nil // the next update creates it
	}
	if !query.Findable() {
		r.open = append(r.open, fmt.Sprintf("%s %s, and AWS cannot be searched for it: %s",
			report.TypeName(query.Type), op.create.URN.Name(), query.Remedy()))
		return nil
	}
	if !query.Identified() && !r.ours(query) {
		return nil // the resource that it is part of does not exist either, or is not the stack's
	}
	ids, err := r.candidates(ctx, op.create, query)
	if err != nil {
		return fmt.Errorf("%s: %w", subject(op.create), err)
	}
	if len(ids) == 0 {
		r.keepSearching(r.newAwaited(op.create))
		return nil
	}
	return r.take(r.newAwaited(op.create), ids)
}

func queryOf(res *state.Resource) orphan.Query {
	return orphan.Query{Type: string(res.Type), Inputs: res.Inputs}
}

// subject returns the resource's name in messages.
func subject(res *state.Resource) string {
	return report.TypeName(string(res.Type)) + " " + res.URN.Name()
}

// ours reports whether the resources that the query is part of belong to the stack.
func (r *recovery) ours(query orphan.Query) bool {
	whole := query.PartOf()
	return len(whole) > 0 && !slices.ContainsFunc(whole, func(id string) bool { return !r.state.Manages(id) })
}

// candidates returns the IDs that the resource may have in AWS and that are not in the state.
func (r *recovery) candidates(ctx context.Context, res *state.Resource, query orphan.Query) ([]string, error) {
	account, err := r.stack.Account(ctx, r.state.Provider(res.Provider), res.Provider)
	if err != nil {
		return nil, err
	}
	if query.Searched() {
		found, err := account.Find(ctx, query)
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(orphan.IDs(found), func(id string) bool { return r.state.Has(query.Type, id) }), nil
	}
	place, err := account.Place(ctx)
	if err != nil {
		return nil, err
	}
	id := query.ImportID(place)
	if id == "" || r.state.Has(query.Type, id) {
		return nil, nil
	}
	for _, other := range r.state.Resources {
		same := orphan.Query{Type: string(other.Type), Inputs: other.Inputs}
		if other.Type == res.Type && !other.PendingReplacement && same.ImportID(place) == id {
			return nil, nil
		}
	}
	if query.Checked() {
		if exists, err := account.Exists(ctx, query); err != nil || !exists {
			return nil, err
		}
	}
	return []string{id}, nil
}

// take adds the resource to the state under the first of the IDs. A resource that already has its URN is the one that it replaces.
func (r *recovery) take(a awaited, ids []string) error {
	res := a.Resource
	if err := res.Set("id", ids[0]); err != nil {
		return err
	}
	if string(res.Type) == awstype.MainRouteTableAssociation {
		if err := res.Set("outputs", r.mainAssociation(res)); err != nil {
			return err
		}
	}
	if old := r.state.Live(string(res.URN)); old != nil {
		if old.PendingReplacement {
			r.state.Drop(old)
		} else if err := old.Set("delete", true); err != nil {
			return err
		}
	}
	r.state.Resources = append(r.state.Resources, res)
	r.taken = append(r.taken, taking{a, ids[1:]})
	return nil
}

// mainAssociation returns the outputs of a VPC's main route table association, which cannot be imported: its inputs, and the previous main
// table, which the VPC gets back on deletion.
func (r *recovery) mainAssociation(res *state.Resource) map[string]any {
	outputs := map[string]any{"id": string(res.ID)}
	for name, value := range res.Inputs {
		outputs[name] = value
	}
	for _, vpc := range r.state.Resources {
		if string(vpc.Type) == awstype.VPC && vpc.Outputs["id"] == res.Inputs["vpcId"] {
			outputs["originalRouteTableId"] = vpc.Outputs["defaultRouteTableId"]
		}
	}
	return outputs
}

// finish writes the state, reads the resources to be read, removes those that no longer exist or are not the stack's, and deletes surplus
// ones. If AWS cannot be read, it restores the state.
func (r *recovery) finish(ctx context.Context) error {
	for _, subject := range r.open {
		r.say("an earlier run was stopped while creating %s", subject)
	}
	// An import of a state drops its pending operations.
	write := len(r.taken) > 0 || len(r.surplus) > 0 || len(r.open) == 0 && r.pending
	for write || len(r.read) > 0 {
		if write {
			if err := r.stack.Import(ctx, r.state); err != nil {
				return err
			}
		}
		if targets := r.targets(); len(targets) > 0 {
			if err := r.stack.Read(ctx, targets); err != nil {
				return &SearchError{r.restore(ctx, err)}
			}
		}
		var err error
		if r.state, err = r.stack.State(ctx); err != nil {
			return err
		}
		r.read = nil
		if write, err = r.verify(); err != nil {
			return err
		}
	}
	return r.deleteSurplus(ctx)
}

// targets returns the URNs of the resources to be read.
func (r *recovery) targets() []string {
	targets := r.read
	for _, t := range r.taken {
		targets = append(targets, string(t.Resource.URN))
	}
	for _, s := range r.surplus {
		if !s.verified {
			targets = append(targets, s.urn)
		}
	}
	return targets
}

// restore writes the old state back, and records its pending operations in the journal: an import of a state drops them.
func (r *recovery) restore(ctx context.Context, cause error) error {
	errs := []error{cause}
	for _, pending := range r.before.Pending {
		errs = append(errs, r.journal.pending(pending, r.before.Live(string(pending.Resource.URN)) != nil))
	}
	return errors.Join(append(errs, r.stack.Import(context.WithoutCancel(ctx), r.before))...)
}

// verify checks the added resources by their state in AWS, and reports whether the state must be written again. AWS lists some resources
// for a while after their deletion: then the next of the IDs is tried.
func (r *recovery) verify() (write bool, err error) {
	write = r.verifySurplus()
	taken := r.taken
	r.taken = nil
	for _, t := range taken {
		found := r.state.Live(string(t.Resource.URN))
		query := queryOf(t.Resource)
		tags, hasTags := map[string]any{}, false
		if found != nil {
			tags, hasTags = found.Outputs["tagsAll"].(map[string]any)
		}
		switch {
		case found == nil && len(t.others) > 0:
			if err := r.take(t.awaited, t.others); err != nil {
				return false, err
			}
			write = true
		case found == nil:
			r.keepSearching(t.awaited)
		case hasTags && !query.CarriedBy(tags) && (len(tags) > 0 || !r.ours(query)):
			r.state.Drop(found)
			write = true
			r.say("an earlier run was stopped while creating %s; %s exists, but does not have this stack's tags: it was not changed", subject(found), found.ID)
		default:
			r.say("an earlier run was stopped while creating %s: found it as %s, and added it to the state", subject(found), found.ID)
			more, err := r.discard(t.awaited, t.others)
			if err != nil {
				return false, err
			}
			write = write || more
		}
	}
	return write, nil
}

func (r *recovery) say(format string, args ...any) {
	r.report(&report.NoteEvent{Message: fmt.Sprintf(format, args...)})
}
