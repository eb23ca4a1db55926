package aws

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// Operation is the purpose of a call.
type Operation string

// The operations, as the errors of the provider name them.
const (
	Creating Operation = "creating"
	reading  Operation = "reading"
	updating Operation = "updating"
	deleting Operation = "deleting"
)

// Call is one operation on one resource of an account. Rules check it and hooks act on it.
type Call struct {
	*Tx
	Site
	Kind *Kind
	// Resource is the resource: its new state in a creation or change, its current state in a deletion or read.
	Resource *store.Entry
	// Old is the resource before a change, otherwise nil.
	Old *store.Entry
	// CallerRole is the ARN of the role that calls, "" for the account's own user.
	CallerRole string
	// Rehearsal is the account's rehearsal, nil outside of provider calls.
	Rehearsal *faults.Run
	// GivenID is the ID of a seed, "" for a new resource.
	GivenID string
	// Unset are the properties that a creation has not set because the provider is killed before, or AWS refuses the
	// request that sets them.
	Unset []string
	// stopAfter is after how many of the requests that follow the first one a creation ends, -1 after all; stopped is the
	// refusal of the next one, nil for a kill.
	stopAfter int
	stopped   error
}

// State returns the properties of the call's resource.
func (c *Call) State() props.Map { return c.Resource.State }

// perform runs one operation on a resource in one transaction. Every operation that would be an AWS API call goes
// through here, and every refusal gets its context here.
func (p *Provider) perform(what Operation, k *Kind, id string, act func(*Call) error) error {
	stopAfter, stopped := -1, error(nil)
	op := faults.Operation{Service: k.Service, Token: k.Token, Creates: what == Creating,
		StopAfter: func(requests int, refusal error) { stopAfter, stopped = requests, refusal }}
	err := p.Stage.Do(op, func() (string, error) {
		c := &Call{Site: p.site, Kind: k, Rehearsal: p.Stage, stopAfter: stopAfter, stopped: stopped}
		err := p.account.Transact(func(t *Tx) error {
			c.Tx = t
			return act(c)
		})
		if err != nil || c.Resource == nil {
			return "", err
		}
		return c.Resource.ID, nil
	})
	return refusal(what, k, id, err)
}

// refusal returns an error of a call in the provider's words, nil for nil.
func refusal(what Operation, k *Kind, id string, err error) error {
	subject := k.Service + " " + k.Noun
	if id != "" {
		subject += " (" + id + ")"
	}
	var refused *awserr.Error
	var unauthorized denial
	call := k.api(what)
	if errors.As(err, &unauthorized) {
		call = unauthorized.call
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return fmt.Errorf("%s %s: operation error %s: %s, api error %w", what, subject, k.Service, call, refused)
	default:
		return fmt.Errorf("%s %s: %w", what, subject, err)
	}
}

// Create creates the resource that inputs describe, on behalf of an origin.
func (c *Call) Create(inputs props.Map, by store.Origin) error {
	c.Resource = &store.Entry{
		Type:      c.Kind.Token,
		Scope:     c.scopeOf(c.Kind),
		Origin:    by,
		CreatedAt: time.Now().UTC(),
		State:     c.Kind.Constants.Clone(),
	}
	for k, v := range inputs.Clone() {
		c.Resource.State[k] = v
	}
	if err := c.validate(c.Kind.Rules); err != nil {
		return err
	}
	s := c.Resource.State
	if name, prefix, has := c.Kind.prefixed(); has && !s.Has(name) {
		s[name] = s.String(prefix) + ids.RandomOf("0123456789", 26)
	}
	c.Resource.ID = cmp.Or(c.GivenID, c.Kind.ID(c))
	if err := c.identify(c.Kind, c.Resource); err != nil {
		return err
	}
	if c.Kind.OnCreate != nil {
		if err := c.Kind.OnCreate(c); err != nil {
			return err
		}
	}
	c.Put(c.Resource)
	return nil
}

// identify sets the owner of a new resource and its ARN, that of the type's section in provider.txt, for the types that
// have them.
func (c *Call) identify(k *Kind, rec *store.Entry) error {
	if _, has := k.Outputs["ownerId"]; has {
		rec.State["ownerId"] = c.Account
	}
	if _, has := k.Outputs["arn"]; !has || k.Inputs["arn"].Required {
		return nil
	}
	arn, err := c.fill(k, Sections()[k.Token].ARN, withID(rec.State, rec.ID))
	rec.State["arn"] = arn
	return err
}

// on returns a call on a resource of a type by the same caller.
func (c *Call) on(token string) *Call {
	return &Call{Tx: c.Tx, Site: c.Site, Kind: c.Types.Kinds[token], CallerRole: c.CallerRole, Rehearsal: c.Rehearsal}
}

// Make creates a resource for a caller other than the engine, with inputs as the provider completes them. If id is "",
// it chooses the ID. Later calls can refer to it.
func (c *Call) Make(by store.Origin, token, id string, inputs props.Map) (*store.Entry, error) {
	made := c.on(token)
	made.GivenID = id
	all := made.Kind.Defaults.Clone()
	maps.Copy(all, inputs)
	if _, taggable := made.Kind.Outputs["tagsAll"]; taggable {
		all["tagsAll"] = map[string]any(inputs.Object("tags").Clone())
	}
	if err := made.Create(all, by); err != nil {
		return nil, err
	}
	return made.Resource, c.Commit()
}

// Change changes inputs of a resource for another caller than the engine.
func (c *Call) Change(rec *store.Entry, inputs props.Map) error {
	all := rec.State.Clone()
	maps.Copy(all, inputs)
	if err := c.on(rec.Type).Update(rec.ID, all); err != nil {
		return err
	}
	return c.Commit()
}

// Unmake deletes a resource for another caller than the engine, or fails as AWS does.
func (c *Call) Unmake(token, id string) error {
	if err := c.on(token).Remove(id); err != nil {
		return err
	}
	return c.Commit()
}

// EC2ID returns the function that makes IDs of a type of EC2.
func EC2ID(prefix string) func(*Call) string {
	return func(*Call) string { return ids.EC2(prefix) }
}

// Joined returns the function that joins properties to an ID.
func Joined(separator string, properties ...string) func(*Call) string {
	return func(c *Call) string { return joined(c.State(), separator, properties) }
}

// JoinedForImport is Joined for the ID of an import.
func JoinedForImport(separator string, properties ...string) func(props.Map) string {
	return func(p props.Map) string { return joined(p, separator, properties) }
}

func joined(p props.Map, separator string, properties []string) string {
	values := make([]string, len(properties))
	for i, name := range properties {
		values[i] = p.String(name)
	}
	return strings.Join(values, separator)
}

// Update applies new inputs to the resource.
func (c *Call) Update(id string, inputs props.Map) error {
	found := c.Find(c.Kind.Token, id)
	if found == nil {
		return c.Kind.NotFound.For(id)
	}
	c.Old, c.Resource = found, found.Clone()
	c.Resource.State = c.Kind.merge(c.Resource.State, inputs)
	if err := c.validate(c.Kind.Rules); err != nil {
		return err
	}
	if c.Kind.OnUpdate != nil {
		if err := c.Kind.OnUpdate(c); err != nil {
			return err
		}
	}
	c.Put(c.Resource)
	return nil
}

// merge applies inputs to state. An input that is left out is removed, unless AWS had filled it in.
func (k *Kind) merge(state, inputs props.Map) props.Map {
	merged := state.Clone()
	for name := range k.Inputs {
		if !inputs.Has(name) && !slices.Contains(k.Computed, name) {
			delete(merged, name)
		}
	}
	for name, v := range inputs.Clone() {
		merged[name] = v
	}
	for name, v := range k.Constants {
		if !merged.Has(name) {
			merged[name] = untyped.Clone(v)
		}
	}
	return merged
}

// Remove deletes the resource as AWS does, and fails if others depend on it. It succeeds if the resource does not
// exist.
func (c *Call) Remove(id string) error {
	c.Resource = c.Find(c.Kind.Token, id)
	if c.Resource == nil {
		return nil
	}
	for _, r := range c.Kind.DeleteRules {
		if err := r(c); err != nil {
			return err
		}
	}
	for _, h := range c.Kind.Referrers {
		if h.ref.Dependency != BlocksDeletion && h.ref.Dependency != BlocksDeletionCall {
			continue
		}
		for _, rec := range c.Where(h.kind.Token, h.ref.Input, id) {
			// What AWS created along with a resource is deleted with it.
			if rec.Origin != store.ByAWS {
				return c.Kind.InUse.For(id)
			}
		}
	}
	c.erase()
	return nil
}

// erase removes the resource and all its parts from the account, without checks.
func (c *Call) erase() {
	c.Delete(c.Resource)
	for _, h := range c.Kind.Referrers {
		if h.ref.Dependency != DeletedWith && h.ref.Dependency != BlocksDeletionCall {
			continue
		}
		for _, rec := range c.Where(h.kind.Token, h.ref.Input, c.Resource.ID) {
			inner := c.on(h.kind.Token)
			inner.Resource = rec
			inner.erase()
		}
	}
	if c.Kind.OnDelete != nil {
		c.Kind.OnDelete(c)
	}
}

// validate checks a created or changed resource: its references, AWS's rules for tags, and its type's rules.
func (c *Call) validate(rules []Rule) error {
	for _, r := range c.Kind.References {
		to := c.Types.Kinds[r.Type]
		for _, id := range r.targets(c.State()) {
			if to == nil || ManagedByAWS(id) {
				continue
			}
			if c.Find(r.Type, id) == nil {
				return to.NotFound.For(id)
			}
			if c.Rehearsal.Hides(id) {
				return faults.NotYetVisible(to.NotFound.For(id))
			}
		}
	}
	for _, r := range slices.Concat([]Rule{tagsAllowed, withinQuotas}, rules) {
		if err := r(c); err != nil {
			return err
		}
	}
	return nil
}

// Outputs returns the properties of a resource that the provider returns.
func (c *Call) Outputs(rec *store.Entry) props.Map {
	out := rec.State.Clone()
	if c.Kind.OnRead != nil {
		c.Kind.OnRead(&Call{Tx: c.Tx, Site: c.Site, Kind: c.Kind, Resource: rec}, out)
	}
	return out
}

// providerOutputs returns outputs in the provider's form: with the ID, and with "" or null for what is not set.
func (k *Kind) providerOutputs(id string, out props.Map) props.Map {
	all := props.Map{}
	for name, field := range k.Outputs {
		if all[name] = nil; field.Kind == reflect.String {
			all[name] = ""
		}
	}
	maps.Copy(all, out)
	all["id"] = id
	return all
}

// Find returns the resource of a type by its ID, or nil if there is none. Do not change it: use Edit.
func (c *Call) Find(token, id string) *store.Entry {
	return c.Get(store.Key{Scope: c.scopeOf(c.Types.Kinds[token]), Token: token, ID: id})
}

// byImportID returns the resource of the call's type with that ID, or with that second ID for imports.
func (c *Call) byImportID(id string) *store.Entry {
	if rec := c.Find(c.Kind.Token, id); rec != nil || c.Kind.ImportID == nil {
		return rec
	}
	for _, rec := range c.All(c.Kind.Token) {
		if c.Kind.ImportID(rec.State) == id {
			return rec
		}
	}
	return nil
}

// All returns the resources of a type in the call's region, or in the account if the type is global.
func (c *Call) All(token string) []*store.Entry {
	return c.List(c.scopeOf(c.Types.Kinds[token]), token)
}

// Where returns the resources of a type with that value of a property, alone or in a list.
func (c *Call) Where(token, property, value string) []*store.Entry {
	return slices.DeleteFunc(c.All(token), func(rec *store.Entry) bool {
		return rec.State.String(property) != value && !slices.Contains(rec.State.Strings(property), value)
	})
}

// SameZone returns the first two of some subnets that are in one zone, "" if each is in another one.
func (c *Call) SameZone(subnets []string) (first, second string) {
	byZone := map[string]string{}
	for _, id := range subnets {
		zone := c.Find(awstype.Subnet, id).State.String("availabilityZone")
		if byZone[zone] != "" {
			return byZone[zone], id
		}
		byZone[zone] = id
	}
	return "", ""
}

// Others returns the other resources of the call's type that have the same texts in some properties.
func (c *Call) Others(properties ...string) []*store.Entry {
	own := joined(c.State(), "\n", properties)
	return slices.DeleteFunc(c.All(c.Kind.Token), func(rec *store.Entry) bool {
		return rec.ID == c.Resource.ID || joined(rec.State, "\n", properties) != own
	})
}

// Edit returns a copy of the resource whose changes are stored, or nil if there is none.
func (c *Call) Edit(token, id string) *store.Entry {
	rec := c.Find(token, id)
	if rec == nil {
		return nil
	}
	rec = rec.Clone()
	c.Put(rec)
	return rec
}

func (c *Call) scopeOf(k *Kind) string {
	if k != nil && k.Global {
		return store.GlobalScope
	}
	return c.Region
}

// Add stores a resource that AWS creates along with the call's resource.
func (c *Call) Add(token, id string, state props.Map) error {
	k := c.Types.Kinds[token]
	rec := &store.Entry{Type: token, ID: id, Scope: c.scopeOf(k), Origin: store.ByAWS, State: state}
	c.Put(rec)
	return c.identify(k, rec)
}

// WithoutSpaces returns s without spaces: some of AWS's messages write the names of services so.
func WithoutSpaces(s string) string { return strings.ReplaceAll(s, " ", "") }

// ManagedByAWS reports whether a policy is an AWS managed policy, which every account has.
func ManagedByAWS(arn string) bool { return strings.Contains(arn, ":iam::aws:policy/") }

// AllowsCallerRole reports whether principals include the role that makes the call; false for the account's own user.
// A session names its role without the role's path, and so do the principals of an endpoint service.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns
func (c *Call) AllowsCallerRole(principals []string) bool {
	return c.CallerRole != "" && slices.Contains(principals, RoleWithoutPath(c.CallerRole))
}

// RoleWithoutPath returns the ARN of a role without the role's path.
func RoleWithoutPath(role string) string {
	account, path, _ := strings.Cut(role, ":role/")
	return account + ":role/" + path[strings.LastIndex(path, "/")+1:]
}

// Further returns the properties that each request of the provider sets that follows the first one of a creation with
// these inputs, in the order of the requests.
func Further(token string, inputs props.Map) [][]string {
	var further [][]string
	for _, r := range Sections()[token].requests {
		if r.operation == Creating && len(r.sets) > 0 && r.sent(states{now: inputs}) {
			further = append(further, r.sets)
		}
	}
	return further
}

// unfinished reduces inputs to those of a creation that ends after a number of the requests that follow the first one,
// and returns the properties that the other requests would have set. The instance gets AWS's values for them.
func (k *Kind) unfinished(inputs props.Map, requests int) (reduced props.Map, unset []string) {
	further := Further(k.Token, inputs)
	reduced = inputs.Clone()
	for _, sets := range further[min(requests, len(further)):] {
		unset = append(unset, sets...)
	}
	if slices.Contains(unset, "tags") {
		reduced["tagsAll"] = map[string]any{}
	}
	for _, name := range unset {
		delete(reduced, name)
		if fallback, has := k.Defaults[name]; has {
			reduced[name] = untyped.Clone(fallback)
		}
	}
	return reduced, unset
}
