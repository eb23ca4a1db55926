package offline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// doing is what a call is for.
type doing string

const (
	creating doing = "creating"
	reading  doing = "reading"
	updating doing = "updating"
	deleting doing = "deleting"
)

// call is one operation on one resource within an account: what the rules look at and the hooks work on.
type call struct {
	*accountTx
	site
	kind *kind
	// rec is the resource: as it is being made or changed, or as it is when it is deleted or read.
	rec *record
	// was is the resource before a change, nil otherwise.
	was *record
	// as is the ARN of the role that calls, "" for the account's own user.
	as string
	// stage is what the account is rehearsing, nil for what no provider asks for.
	stage *stage
	// given is the ID that a seed brings along, "" for a new one.
	given string
}

// in is the properties of the resource at hand.
func (c *call) in() props { return c.rec.State }

// perform does something to a resource in one transaction. Every operation that AWS would see as a call passes through
// here, and every refusal gets its context here.
func (p *provider) perform(what doing, k *kind, id string, act func(*call) error) error {
	err := p.stage.play(operation{service: k.service, token: k.token, creates: what == creating}, func() (string, error) {
		c := &call{site: p.site, kind: k, stage: p.stage}
		err := p.account.transact(func(t *accountTx) error {
			c.accountTx = t
			return act(c)
		})
		if err != nil || c.rec == nil {
			return "", err
		}
		return c.rec.ID, nil
	})
	subject := k.service + " " + k.noun
	if id != "" {
		subject += " (" + id + ")"
	}
	var refused *refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return fmt.Errorf("%s %s: operation error %s: %s, api error %w", what, subject, k.service, k.api(what), refused)
	default:
		return fmt.Errorf("%s %s: %w", what, subject, err)
	}
}

// create makes the resource that inputs describe, for origin.
func (c *call) create(inputs props, by origin) error {
	c.rec = &record{Type: c.kind.token, Scope: c.scopeOf(c.kind), Origin: by, State: c.kind.fixed.clone()}
	for k, v := range inputs.clone() {
		c.rec.State[k] = v
	}
	if err := c.permitted(c.kind.rules); err != nil {
		return err
	}
	if err := c.kind.make(c); err != nil {
		return err
	}
	c.put(c.rec)
	return nil
}

// update gives the resource new inputs.
func (c *call) update(id string, inputs props) error {
	found := c.find(c.kind.token, id)
	if found == nil {
		return c.kind.missing.about(id)
	}
	c.was, c.rec = found, found.clone()
	c.rec.State = c.kind.merge(c.rec.State, inputs)
	if err := c.permitted(c.kind.rules); err != nil {
		return err
	}
	if c.kind.change != nil {
		if err := c.kind.change(c); err != nil {
			return err
		}
	}
	c.put(c.rec)
	return nil
}

// merge gives state the inputs. An input that is left out goes, unless AWS had filled it in.
func (k *kind) merge(state, inputs props) props {
	merged := state.clone()
	for name := range k.inputs {
		if !inputs.has(name) && !slices.Contains(k.computed, name) {
			delete(merged, name)
		}
	}
	for name, v := range inputs.clone() {
		merged[name] = v
	}
	for name, v := range k.fixed {
		if !merged.has(name) {
			merged[name] = cloneValue(v)
		}
	}
	return merged
}

// remove deletes the resource as AWS does, refusing where others need it. One that is gone already is no fault.
func (c *call) remove(id string) error {
	c.rec = c.find(c.kind.token, id)
	if c.rec == nil {
		return nil
	}
	for _, r := range c.kind.leaving {
		if err := r(c); err != nil {
			return err
		}
	}
	for _, h := range c.kind.holders {
		if h.ref.ties != blocks && h.ref.ties != blockingPart {
			continue
		}
		for _, rec := range c.holding(h, id) {
			// What AWS made along with a resource goes with it.
			if rec.Origin != byAWS {
				return c.kind.inUse.about(id)
			}
		}
	}
	return c.erase()
}

// erase takes the resource out of the account with all that is part of it, without asking.
func (c *call) erase() error {
	c.drop(c.rec)
	for _, h := range c.kind.holders {
		if h.ref.ties != part && h.ref.ties != blockingPart {
			continue
		}
		for _, rec := range c.holding(h, c.rec.ID) {
			inner := &call{accountTx: c.accountTx, site: c.site, kind: h.kind, rec: rec}
			if err := inner.erase(); err != nil {
				return err
			}
		}
	}
	if c.kind.unmake != nil {
		return c.kind.unmake(c)
	}
	return nil
}

// permitted holds a resource that is made or changed against its references, AWS's rules for tags and its type's own.
func (c *call) permitted(rules []rule) error {
	for _, r := range c.kind.refs {
		to := c.types.kinds[r.to]
		for _, id := range r.targets(c.in()) {
			if to == nil || managedByAWS(id) {
				continue
			}
			if c.find(r.to, id) == nil {
				return to.missing.about(id)
			}
			if c.stage.hides(id) {
				return notYet(to.missing.about(id))
			}
		}
	}
	for _, r := range slices.Concat([]rule{tagsAllowed, withinQuotas}, rules) {
		if err := r(c); err != nil {
			return err
		}
	}
	return nil
}

// holding are the resources that refer to id by h.
func (c *call) holding(h holder, id string) []*record {
	var holding []*record
	for _, rec := range c.all(h.kind.token) {
		if slices.Contains(h.ref.targets(rec.State), id) {
			holding = append(holding, rec)
		}
	}
	return holding
}

// outputs is what the provider reports of a resource.
func (c *call) outputs(rec *record) props {
	out := rec.State.clone()
	if c.kind.view != nil {
		c.kind.view(&call{accountTx: c.accountTx, site: c.site, kind: c.kind, rec: rec}, out)
	}
	return out
}

// find is the resource of a type by its ID, nil if there is none. It is not to be changed: see edit.
func (c *call) find(token, id string) *record {
	return c.record(key{c.scopeOf(c.types.kinds[token]), token, id})
}

// named is the resource of the call's type that has that ID, or that other ID by which it can be imported.
func (c *call) named(id string) *record {
	if rec := c.find(c.kind.token, id); rec != nil || c.kind.otherID == nil {
		return rec
	}
	for _, rec := range c.all(c.kind.token) {
		if c.kind.otherID(rec.State) == id {
			return rec
		}
	}
	return nil
}

// all are the resources of a type in the call's region, or of the account where the type is global.
func (c *call) all(token string) []*record {
	return c.records(c.scopeOf(c.types.kinds[token]), token)
}

// edit is a copy of the resource whose changes are kept, nil if there is none.
func (c *call) edit(token, id string) *record {
	rec := c.find(token, id)
	if rec == nil {
		return nil
	}
	rec = rec.clone()
	c.put(rec)
	return rec
}

func (c *call) scopeOf(k *kind) string {
	if k != nil && k.global {
		return globalScope
	}
	return c.region
}

// add keeps a resource that AWS makes along with the one at hand.
func (c *call) add(token, id string, state props) {
	c.put(&record{Type: token, ID: id, Scope: c.scopeOf(c.types.kinds[token]), Origin: byAWS, State: state})
}

func spaceless(s string) string { return strings.ReplaceAll(s, " ", "") }

func withPrefix(ids []string, prefix string) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, prefix) })
}
