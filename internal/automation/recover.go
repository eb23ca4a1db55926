package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// Recover settles what an earlier run left open when it, the engine or a provider died. What was being created is looked
// for in AWS and taken into the state if it is there; what was being changed or deleted is read again. It says what it
// did about each creation, and does nothing, and asks nobody, where nothing is open.
//
// A creation that cannot be looked for, since what was asked for has neither a key nor tags, stays with the engine,
// which warns of it.
func (s *Stack) Recover(ctx context.Context) error {
	if err := s.releaseDead(); err != nil {
		return err
	}
	noted, err := s.underWay().doubts()
	if err != nil {
		return err
	}
	doubts := s.state.doubts(noted)
	if len(doubts) == 0 {
		return s.underWay().clear()
	}
	if err := s.attachOffline(); err != nil {
		return err
	}
	r := &recovery{stack: s, state: s.state}
	for _, d := range doubts {
		if err := r.settle(ctx, d); err != nil {
			return &Error{
				Reason:  Failed,
				Problem: fmt.Sprintf("looking for what an earlier run of stack %s left behind: %s", s.Name, err),
				Remedy: "mend that and run the command again; or `hypershift-aws refresh --forget-pending -s " + s.Name +
					"`, which looks for nothing, and delete by hand what is there",
				Cause: err,
			}
		}
	}
	if err := r.finish(ctx); err != nil {
		return err
	}
	return s.underWay().clear()
}

// doubts are the state's operations under way and those that were noted, each once, as far as the state does not answer
// them.
func (d *deployment) doubts(noted []doubt) []openOperation {
	var list []openOperation
	known := map[string]bool{}
	for _, pending := range d.pending {
		if !pending.Resource.Custom || strings.HasPrefix(string(pending.Resource.Type), "pulumi:") {
			continue // nothing of it is in AWS
		}
		op := openOperation{urn: string(pending.Resource.URN)}
		if pending.Type == apitype.OperationTypeCreating {
			op.create = pending.Resource
		}
		known[op.urn] = true
		list = append(list, op)
	}
	for _, n := range noted {
		live := d.live(n.URN)
		switch {
		case known[n.URN]:
		case !n.creates():
			if live != nil {
				list = append(list, openOperation{urn: n.URN})
			}
		case n.State == nil || live != nil && n.Op != apitype.OpCreateReplacement:
		case !n.State.Custom:
			d.resources = append(d.resources, d.resourceOf(n.State))
		case strings.HasPrefix(n.State.Type, "pulumi:"):
			if n.made != nil {
				d.resources = append(d.resources, d.resourceOf(n.made))
			}
		case n.made != nil:
			list = append(list, openOperation{urn: n.URN, create: d.resourceOf(n.State), id: n.made.ID})
		default:
			list = append(list, openOperation{urn: n.URN, create: d.resourceOf(n.State)})
		}
	}
	return list
}

// openOperation is an operation on a resource of which nobody knows how it ended.
type openOperation struct {
	urn string
	// create is the resource where it was to be made.
	create *stateResource
	// id is the resource's where it is known that it was made.
	id string
}

// resourceOf makes a resource of the state of what an event told of it. Events tell nothing of dependencies: they are
// the resources whose IDs are among the inputs, and the next update writes them anew.
func (d *deployment) resourceOf(m *apitype.StepEventStateMetadata) *stateResource {
	r := apitype.ResourceV3{
		URN: resource.URN(m.URN), Custom: m.Custom, ID: resource.ID(m.ID), Type: tokens.Type(m.Type), Inputs: m.Inputs,
		Parent: resource.URN(m.Parent), Protect: m.Protect, RetainOnDelete: m.RetainOnDelete, Provider: m.Provider,
	}
	if strings.HasPrefix(m.Type, "pulumi:") {
		r.Outputs = m.Outputs
	}
	text, _ := json.Marshal(m.Inputs) // came out of JSON
	for _, other := range d.resources {
		if other.Custom && !other.Delete && other.ID != "" && strings.Contains(string(text), `"`+string(other.ID)+`"`) {
			r.Dependencies = append(r.Dependencies, other.URN)
		}
	}
	made := &stateResource{}
	whole, _ := json.Marshal(r)     // plain data
	_ = json.Unmarshal(whole, made) // as it was just written
	return made
}

// recovery settles open operations.
type recovery struct {
	stack *Stack
	state *deployment
	// taken are the resources that were put into the state and are still to be read.
	taken []taking
	// read are the URNs to be read again.
	read []string
	// open are the creations that cannot be looked for.
	open []string
}

// taking is a resource that was put into the state under one ID, and the others that it may have.
type taking struct {
	res    *stateResource
	others []string
}

// settle decides on one operation.
func (r *recovery) settle(ctx context.Context, op openOperation) error {
	if op.create == nil {
		if r.state.live(op.urn) != nil {
			r.read = append(r.read, op.urn)
		}
		return nil
	}
	if op.id != "" {
		return r.take(op.create, []string{op.id})
	}
	query := orphan.Query{Type: string(op.create.Type), Inputs: op.create.Inputs}
	if query.Replaceable() {
		return nil // it is made again
	}
	if !query.Findable() {
		r.open = append(r.open, fmt.Sprintf("%s %s, and AWS cannot be asked for it: %s",
			TypeName(query.Type), op.create.URN.Name(), query.Remedy()))
		return nil
	}
	if len(query.Tags()) == 0 && !r.ours(query) {
		return nil // what it would be part of is not there either, or is not the stack's
	}
	ids, err := r.candidates(ctx, op.create, query)
	if err != nil {
		return fmt.Errorf("%s %s: %w", TypeName(query.Type), op.create.URN.Name(), err)
	}
	if len(ids) == 0 {
		r.say("an earlier run was stopped while creating %s %s: it had not been made", TypeName(query.Type), op.create.URN.Name())
		return nil
	}
	return r.take(op.create, ids)
}

// ours is whether what the query is part of is the stack's.
func (r *recovery) ours(query orphan.Query) bool {
	whole := query.PartOf()
	return len(whole) > 0 && !slices.ContainsFunc(whole, func(id string) bool { return !r.state.manages(id) })
}

// candidates are the IDs under which the resource may be in AWS and is not in the state.
func (r *recovery) candidates(ctx context.Context, res *stateResource, query orphan.Query) ([]string, error) {
	account := r.stack.awsAccount(r.state.provider(res.Provider))
	if query.Searched() {
		found, err := account.Find(ctx, query)
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(orphan.IDs(found), func(id string) bool { return r.state.has(query.Type, id) }), nil
	}
	place, err := account.Place(ctx)
	if err != nil {
		return nil, err
	}
	id := query.ImportID(place)
	if id == "" || r.state.has(query.Type, id) {
		return nil, nil
	}
	for _, other := range r.state.resources {
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

// take puts the resource into the state under the first of the IDs. What has its URN already is the one that it was to
// replace.
func (r *recovery) take(res *stateResource, ids []string) error {
	if err := res.set("id", ids[0]); err != nil {
		return err
	}
	if string(res.Type) == awstype.MainRouteTableAssociation {
		if err := res.set("outputs", r.mainAssociation(res)); err != nil {
			return err
		}
	}
	if old := r.state.live(string(res.URN)); old != nil {
		if old.PendingReplacement {
			r.state.drop(old)
		} else if err := old.set("delete", true); err != nil {
			return err
		}
	}
	r.state.resources = append(r.state.resources, res)
	r.taken = append(r.taken, taking{res, ids[1:]})
	return nil
}

// mainAssociation are the outputs of a VPC's main association, which nothing can import: its inputs, and the table that
// the VPC had before and gets back.
func (r *recovery) mainAssociation(res *stateResource) map[string]any {
	outputs := map[string]any{"id": string(res.ID)}
	for name, value := range res.Inputs {
		outputs[name] = value
	}
	for _, vpc := range r.state.resources {
		if string(vpc.Type) == typeVPC && vpc.Outputs["id"] == res.Inputs["vpcId"] {
			outputs["originalRouteTableId"] = vpc.Outputs["defaultRouteTableId"]
		}
	}
	return outputs
}

func (d *deployment) drop(r *stateResource) {
	d.resources = slices.DeleteFunc(d.resources, func(other *stateResource) bool { return other == r })
}

// finish writes the state, reads what is to be read, and gives up again what turns out to be gone or somebody else's.
func (r *recovery) finish(ctx context.Context) error {
	s := r.stack
	for _, subject := range r.open {
		r.say("an earlier run was stopped while creating %s", subject)
	}
	// The engine forgets what is under way in a state that it is given.
	write := len(r.taken) > 0 || len(r.open) == 0 && len(s.state.pending) > 0
	for write || len(r.read) > 0 {
		if write {
			if err := s.importState(ctx, r.state); err != nil {
				return err
			}
		}
		targets := r.read
		for _, t := range r.taken {
			targets = append(targets, string(t.res.URN))
		}
		if len(targets) > 0 {
			if err := s.read(ctx, targets); err != nil {
				return err
			}
		}
		if err := s.readState(ctx); err != nil {
			return err
		}
		r.state, r.read = s.state, nil
		var err error
		if write, err = r.verify(); err != nil {
			return err
		}
	}
	return nil
}

// verify looks at what was taken as AWS shows it, and reports whether the state is to be written again. AWS lists some
// resources for a while after they are gone: then the next of the IDs is tried.
func (r *recovery) verify() (write bool, err error) {
	taken := r.taken
	r.taken = nil
	for _, t := range taken {
		subject := TypeName(string(t.res.Type)) + " " + t.res.URN.Name()
		found := r.state.live(string(t.res.URN))
		query := orphan.Query{Type: string(t.res.Type), Inputs: t.res.Inputs}
		tags, hasTags := map[string]any{}, false
		if found != nil {
			tags, hasTags = found.Outputs["tagsAll"].(map[string]any)
		}
		switch {
		case found == nil && len(t.others) > 0:
			if err := r.take(t.res, t.others); err != nil {
				return false, err
			}
			write = true
		case found == nil:
			r.say("an earlier run was stopped while creating %s: it had not been made", subject)
		case hasTags && !query.CarriedBy(tags) && (len(tags) > 0 || !r.ours(query)):
			r.state.drop(found)
			write = true
			r.say("an earlier run was stopped while creating %s; %s is there, but without this stack's tags: it is left alone", subject, found.ID)
		default:
			r.say("an earlier run was stopped while creating %s: found it as %s, and took it into the state", subject, found.ID)
			if len(t.others) > 0 {
				r.say("there may be more of %s that are in no state; look whether they are needed, and delete them: %s",
					subject, strings.Join(t.others, ", "))
			}
		}
	}
	return write, nil
}

func (r *recovery) say(format string, args ...any) {
	r.stack.session.Report(&NoteEvent{Message: fmt.Sprintf(format, args...)})
}

// importState makes the state what d says, in an order in which everything comes after what it needs.
func (s *Stack) importState(ctx context.Context, d *deployment) error {
	d.sort()
	text, err := d.encode()
	if err != nil {
		return err
	}
	if err := s.auto.Import(ctx, apitype.UntypedDeployment{Version: d.version, Features: d.features, Deployment: text}); err != nil {
		return s.classify(err)
	}
	return nil
}

// read has the engine read resources as they are in AWS.
func (s *Stack) read(ctx context.Context, urns []string) error {
	// The engine ends with an error on a target that it does not know.
	targets := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(urns))), func(u string) bool { return !urn.URN(u).IsValid() })
	if _, err := s.auto.Refresh(ctx, optrefresh.Target(targets), optrefresh.SuppressProgress(), optrefresh.SuppressOutputs()); err != nil {
		return s.classify(err)
	}
	return nil
}

// sort puts every resource after its provider, its parent and what it depends on, and changes the order no further.
func (d *deployment) sort() {
	var sorted []*stateResource
	placed := map[*stateResource]bool{}
	byURN := map[string][]*stateResource{}
	for _, r := range d.resources {
		byURN[string(r.URN)] = append(byURN[string(r.URN)], r)
	}
	var place func(*stateResource)
	place = func(r *stateResource) {
		if placed[r] {
			return
		}
		placed[r] = true
		for _, dependency := range r.needs() {
			for _, other := range byURN[dependency] {
				place(other)
			}
		}
		sorted = append(sorted, r)
	}
	for _, r := range d.resources {
		place(r)
	}
	d.resources = sorted
}

// needs are the URNs of what a resource comes after.
func (r *stateResource) needs() []string {
	needs := []string{string(r.Parent), string(r.DeletedWith)}
	if i := strings.LastIndex(r.Provider, "::"); i > 0 {
		needs = append(needs, r.Provider[:i])
	}
	for _, u := range r.Dependencies {
		needs = append(needs, string(u))
	}
	for _, list := range r.PropertyDependencies {
		for _, u := range list {
			needs = append(needs, string(u))
		}
	}
	return needs
}
