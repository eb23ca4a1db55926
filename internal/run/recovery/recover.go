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

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// Stack gives a recovery access to a stack.
type Stack interface {
	// State reads the state from the backend.
	State(ctx context.Context) (*state.Deployment, error)
	// Import replaces the state by d, unless another run has changed it since d was read.
	Import(ctx context.Context, d *state.Deployment) error
	// Read refreshes the resources with those URNs from AWS, by the engine.
	Read(ctx context.Context, urns []string) error
	// Account returns the account of a provider with that configuration.
	Account(ctx context.Context, settings map[string]any, provider string) (account.Account, error)
	// Elsewhere returns whether another state of the backend has a resource of that type and ID in that place. unread are
	// the stacks whose states cannot be read.
	Elsewhere(ctx context.Context, place inventory.Place) (has func(token, id string) bool, unread []string, err error)
	// Object reads an object of the stack's management cluster, nil if there is none.
	Object(ctx context.Context, kind, namespace, name string) (map[string]any, error)
}

// Options configure a recovery.
type Options struct {
	// IDs are those of the candidates that the user has decided for.
	IDs []string
	// Search is true if candidates are only searched for: nothing is added to the state, and nothing is recorded.
	Search bool
	// Report receives what is found.
	Report func(report.Event)
}

// Recover settles what an earlier run left unfinished when it, the engine or a provider was killed. Resources that were
// being created are searched for in AWS and added to the state if they exist; resources that were being changed or
// deleted are read again. Nothing in AWS is changed. It reports each decision on a creation, and calls neither AWS nor
// the engine if nothing is unfinished. Creations that are not found in AWS are searched for again: by SearchAgain at
// the end of the run, and by each run until searchedFor has passed. It fails with an takeover.AmbiguousError if a
// creation has two candidates, or one that may be another stack's.
//
// A creation that cannot be searched for, because its inputs have neither a key nor a tag that names the stack, stays
// pending in the state, and the engine warns about it.
func Recover(ctx context.Context, stack Stack, d *state.Deployment, j Journal, o Options) ([]takeover.Found, error) {
	run, err := j.unfinished()
	if err != nil {
		return nil, err
	}
	missing, err := j.pendingCreations()
	if err != nil {
		return nil, err
	}
	r := &recovery{
		stack:   stack,
		state:   d,
		journal: j,
		pending: len(d.Pending) > 0,
		ids:     o.IDs,
		report:  o.Report,
		gone:    map[string]bool{},
		dated:   map[string]bool{},
	}
	if r.before, err = d.Copy(); err != nil {
		return nil, err
	}
	for _, operation := range openOperations(d, run) {
		if err := r.settle(ctx, operation); err != nil {
			return nil, &SearchError{err}
		}
		missing = slices.DeleteFunc(missing, func(c PendingCreation) bool { return string(c.Resource.URN) == operation.urn })
	}
	if o.Search {
		for _, c := range missing {
			if err := r.search(ctx, c); err != nil {
				return nil, &SearchError{err}
			}
		}
		return nil, &takeover.AmbiguousError{Lookups: r.ambiguous}
	}
	if err := r.searchAgain(ctx, missing); err != nil {
		return nil, err
	}
	if len(r.ambiguous) > 0 {
		return r.found, &takeover.AmbiguousError{Lookups: r.ambiguous}
	}
	return r.found, j.Clear()
}

// SearchAgain searches for the creations of earlier runs that were not found in AWS so far, and adds to the state what
// it finds. Providers are those of the state before a destroy, for what is found after it. Without such creations it
// calls neither AWS nor the engine.
func SearchAgain(
	ctx context.Context,
	stack Stack,
	j Journal,
	providers []*state.Resource,
	o Options,
) ([]takeover.Found, error) {
	missing, err := j.pendingCreations()
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	r := &recovery{
		stack:     stack,
		journal:   j,
		ids:       o.IDs,
		report:    o.Report,
		providers: providers,
		late:      true,
		gone:      map[string]bool{},
		dated:     map[string]bool{},
	}
	if r.state, err = stack.State(ctx); err != nil {
		return nil, err
	}
	if r.before, err = r.state.Copy(); err != nil {
		return nil, err
	}
	return r.found, r.searchAgain(ctx, missing)
}

// SearchError is the failure of a search in AWS.
type SearchError struct{ error }

// Unwrap returns the cause.
func (e *SearchError) Unwrap() error { return e.error }

// openOperations returns the state's pending operations and those of the journal, each once, without those whose
// outcome is in the state.
func openOperations(d *state.Deployment, run interrupted) []openOperation {
	var list []openOperation
	known := map[string]bool{}
	for _, pending := range d.Pending {
		if !pending.Resource.Custom || strings.HasPrefix(string(pending.Resource.Type), "pulumi:") {
			continue // it does not exist in AWS
		}
		op := openOperation{urn: string(pending.Resource.URN), begin: run.findBegin(string(pending.Resource.URN))}
		if pending.Type == apitype.OperationTypeCreating {
			op.create = pending.Resource
		}
		known[op.urn] = true
		list = append(list, op)
	}
	for _, n := range run.entries {
		if known[n.URN] {
			continue
		}
		if op, open := openEntry(d, n); open {
			list = append(list, op)
		}
	}
	for _, r := range d.Resources {
		// An earlier recovery was killed after it had added the resource, and before it had read it; or AWS refused a request
		// of its creation after the first one, and the state has what the creation was going to set: the engine's update
		// would find no difference.
		unread := len(r.Outputs) == 0 || len(r.InitErrors) > 0
		if r.Custom && !r.External && !r.Delete && r.ID != "" && unread && strings.HasPrefix(string(r.Type), "aws:") {
			list = append(list, openOperation{urn: string(r.URN)})
		}
	}
	return list
}

// openEntry returns the operation of an entry of the journal, unless its outcome is known. It adds to the state what
// does not exist in AWS.
func openEntry(d *state.Deployment, n entry) (op openOperation, open bool) {
	op = openOperation{urn: n.URN}
	live := d.Live(n.URN)
	switch {
	case !n.creates():
		return op, live != nil
	case n.State == nil || live != nil && n.Op != apitype.OpCreateReplacement:
		return op, false
	case !n.State.Custom:
		d.Resources = append(d.Resources, findResource(d, n.State))
		return op, false
	case strings.HasPrefix(n.State.Type, "pulumi:"):
		if n.made != nil {
			d.Resources = append(d.Resources, findResource(d, n.made))
		}
		return op, false
	}
	op.create, op.begin = findResource(d, n.State), n.begin
	if n.made != nil {
		op.id = n.made.ID
	}
	return op, true
}

// openOperation is an operation on a resource with an unknown outcome.
type openOperation struct {
	urn string
	// create is the resource to be created, in a creation.
	create *state.Resource
	// begin is what its run knew when it began, nil if that is not known.
	begin *Begin
	// id is the resource's ID, if it is known that it was created.
	id string
}

// findResource builds a resource of the state from an event. Events do not contain dependencies: these are set to the
// resources whose IDs are among the inputs, and the next update writes the real ones.
func findResource(d *state.Deployment, m *apitype.StepEventStateMetadata) *state.Resource {
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
	made, _ := state.NewResource(r) // plain data
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
	ids     []string
	report  func(report.Event)
	// late is true at the end of a run. The run does not fail because of what is found then.
	late bool
	// providers are those that a destroyed stack had.
	providers []*state.Resource
	// taken are the resources that were added to the state and have not been read yet.
	taken []taking
	// read are the URNs to be read again.
	read []string
	// open are the creations that cannot be searched for, missing those that were not found.
	open    []string
	missing []PendingCreation
	// gone are the IDs that AWS lists but the provider did not find, dated those that were created since the run began, by
	// AWS's time.
	gone, dated map[string]bool
	ambiguous   []takeover.Candidates
	found       []takeover.Found
}

// taking is a creation whose resource was added to the state under an ID.
type taking struct {
	PendingCreation
	id string
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
		return r.add(r.newPending(op.create, op.begin), op.id)
	}
	query := newQuery(op.create)
	if query.Replaceable() {
		return nil // the next update creates it
	}
	if !query.Findable() {
		r.open = append(r.open, fmt.Sprintf("%s %s, and AWS cannot be searched for it: %s",
			report.TypeName(query.Type), op.create.URN.Name(), query.Remedy()))
		return nil
	}
	return r.search(ctx, r.newPending(op.create, op.begin))
}

func newQuery(res *state.Resource) account.Query {
	return account.Query{Type: string(res.Type), Inputs: res.Inputs}
}

// subject returns the resource's name in messages.
func subject(res *state.Resource) string {
	return report.TypeName(string(res.Type)) + " " + res.URN.Name()
}

// ours reports whether the resources that the query is part of belong to the stack.
func (r *recovery) ours(query account.Query) bool {
	whole := query.PartOf()
	return len(whole) > 0 && !slices.ContainsFunc(whole, func(id string) bool { return !r.state.Manages(id) })
}

// mainAssociation returns the outputs of a VPC's main route table association, which cannot be imported: its inputs,
// and the previous main table, which the VPC gets back on deletion.
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

// finish writes the state, reads the resources to be read, and removes those that no longer exist or are not the
// stack's. If AWS cannot be read, it restores the state.
func (r *recovery) finish(ctx context.Context) error {
	for _, subject := range r.open {
		r.say("an earlier run was stopped while creating %s", subject)
	}
	marked, err := r.markIncomplete()
	if err != nil {
		return err
	}
	// An import of a state drops its pending operations.
	write := marked || len(r.taken) > 0 || len(r.open) == 0 && r.pending
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
		if r.state, err = r.stack.State(ctx); err != nil {
			return err
		}
		r.read = nil
		if write, err = r.verify(ctx); err != nil {
			return err
		}
		if marked, err = r.markIncomplete(); err != nil {
			return err
		}
		write = write || marked
	}
	return nil
}

// targets returns the URNs of the resources to be read. The engine fails on one that the state does not have, such as a
// provider whose deletion was in progress.
func (r *recovery) targets() []string {
	var targets []string
	for _, res := range r.state.Resources {
		if slices.Contains(r.read, string(res.URN)) {
			targets = append(targets, string(res.URN))
		}
	}
	for _, t := range r.taken {
		targets = append(targets, string(t.Resource.URN))
	}
	return targets
}

// restore writes the old state back, and records its pending operations in the journal: an import of a state drops
// them. It writes nothing if another run has added to the state in the meantime.
func (r *recovery) restore(ctx context.Context, cause error) error {
	errs := []error{cause, r.journal.Keep(r.before)}
	now, err := r.stack.State(context.WithoutCancel(ctx))
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, res := range now.Resources {
		if !slices.ContainsFunc(r.state.Resources, func(ours *state.Resource) bool {
			return ours.URN == res.URN && ours.ID == res.ID
		}) {
			return errors.Join(append(errs, fmt.Errorf("the state has %s in the meantime, and was not restored",
				res.URN.Name()))...)
		}
	}
	r.before.Rebase(now)
	return errors.Join(append(errs, r.stack.Import(context.WithoutCancel(ctx), r.before))...)
}

// verify checks the added resources by their state in AWS, and reports whether the state must be written again. AWS
// lists some resources for a while after their deletion: then the search is repeated without them.
func (r *recovery) verify(ctx context.Context) (write bool, err error) {
	taken := r.taken
	r.taken = nil
	for _, t := range taken {
		found := r.state.Live(string(t.Resource.URN))
		query := newQuery(t.Resource)
		tags, hasTags := map[string]any{}, false
		if found != nil {
			tags, hasTags = found.Outputs["tagsAll"].(map[string]any)
		}
		again := t.PendingCreation
		switch {
		case found == nil:
			r.gone[t.id] = true
		case hasTags && !r.isOwn(t, query, tags):
			r.state.Drop(found)
			write = true
			r.found = append(r.found, newFound(found, takeover.Foreign, t.id))
			r.say("an earlier run was stopped while creating %s; %s exists, but does not have this stack's tags: it was not changed", subject(found), found.ID)
			again.Foreign = append(again.Foreign, t.id)
		default:
			r.found = append(r.found, newFound(found, takeover.Taken, t.id))
			r.say("an earlier run was stopped while creating %s: found it as %s, and added it to the state", subject(found), found.ID)
			complete, err := r.judgeCompleteness(found, t.Resource.Inputs)
			if err != nil {
				return write, err
			}
			write = write || complete
			continue
		}
		if isObject(query.Type) || query.Keyed() && len(again.Foreign) > 0 {
			continue // its name is taken
		}
		if err := r.search(ctx, again); err != nil {
			return write, &SearchError{err}
		}
	}
	return write || len(r.taken) > 0, nil
}

func (r *recovery) say(format string, args ...any) {
	r.report(&event.Note{Message: report.Sentence(format, args...)})
}
