package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/tidwall/gjson"

	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// newManifest is the manifest of a state that no engine has written.
var newManifest = json.RawMessage(`{"time":"0001-01-01T00:00:00Z","magic":"","version":""}`)

// Deployment is a stack's state. Only changed parts are rewritten: a newer engine may have added fields that this
// program does not have.
type Deployment struct {
	version  int
	features []string
	fields   map[string]json.RawMessage
	// read is the deployment as it was read.
	read json.RawMessage
	// Resources and Pending are the state's resources and its pending operations.
	Resources []*Resource
	Pending   []Pending
}

// SecretsSettings returns the keys of a stack's file by which the engine decrypts the secrets of the state: none if
// Pulumi Cloud does.
func (d *Deployment) SecretsSettings() map[string]string {
	var provider struct {
		Type  string `json:"type"`
		State struct {
			Salt         string `json:"salt"`
			URL          string `json:"url"`
			EncryptedKey string `json:"encryptedkey"`
		} `json:"state"`
	}
	if err := json.Unmarshal(d.fields["secrets_providers"], &provider); err != nil {
		return nil // the state has no secrets
	}
	switch provider.Type {
	case "passphrase":
		return map[string]string{"encryptionsalt": provider.State.Salt}
	case "cloud":
		return map[string]string{"secretsprovider": provider.State.URL, "encryptedkey": provider.State.EncryptedKey}
	}
	return nil
}

// OfStack is the state of a stack of the backend.
type OfStack struct {
	// Project and Stack are the names of the project and the stack.
	Project, Stack string
	Deployment     *Deployment
	// Err is why the state cannot be read, nil if it was read.
	Err error
}

// Resource is a resource of the state.
type Resource struct {
	apitype.ResourceV3
	// text is the whole resource.
	text json.RawMessage
}

// Pending is an operation that was in progress when the engine was interrupted.
type Pending struct {
	Resource *Resource             `json:"resource"`
	Type     apitype.OperationType `json:"type"`
}

// InCloud returns the resources that represent something in a cloud and their providers: no components, and nothing
// that is only waiting to be deleted after its replacement.
func (d *Deployment) InCloud() []apitype.ResourceV3 {
	var found []apitype.ResourceV3
	for _, r := range d.Resources {
		if r.Custom && !r.Delete {
			found = append(found, r.ResourceV3)
		}
	}
	return found
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Resource) UnmarshalJSON(text []byte) error {
	r.text = slices.Clone(text)
	return json.Unmarshal(r.text, &r.ResourceV3)
}

// MarshalJSON implements json.Marshaler. A resource that no state had is written from its fields.
func (r *Resource) MarshalJSON() ([]byte, error) {
	if r.text == nil {
		return json.Marshal(r.ResourceV3)
	}
	return r.text, nil
}

// Set changes a field.
func (r *Resource) Set(field string, value any) error {
	fields := map[string]json.RawMessage{}
	text, err := r.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err == nil {
		fields[field], err = json.Marshal(value)
	}
	if err == nil {
		r.text, err = json.Marshal(fields)
	}
	if err != nil {
		return fmt.Errorf("writing %s of %s: %w", field, r.URN, err)
	}
	r.ResourceV3 = apitype.ResourceV3{} // decoding adds to maps
	return json.Unmarshal(r.text, &r.ResourceV3)
}

// ParseExport reads what `pulumi stack export` prints.
func ParseExport(text []byte) (*Deployment, error) {
	var exported apitype.UntypedDeployment
	if err := json.Unmarshal(text, &exported); err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	return newDeployment(exported)
}

// errNoJSON is the error of a state that is not JSON, such as one of which only a part was written.
var errNoJSON = errors.New("reading the state: it is not JSON")

// ParseCheckpoint reads the file of a stack's state in a folder backend. It returns nil for an unknown format.
func ParseCheckpoint(text []byte) (*Deployment, error) {
	latest, err := latestIn(text)
	if latest == nil || err != nil {
		return nil, err
	}
	return newDeployment(*latest)
}

// Mention selects states by their text, before they are decoded; nil selects all. project and stack are those of the
// state.
type Mention func(project, stack string, text []byte) bool

// Mentions returns the Mention of the states with one of the words. The engine writes letters, digits, hyphens, dots
// and underscores as they are; a word with anything else selects all states.
func Mentions(words ...string) Mention {
	for _, word := range words {
		if !plainWord.MatchString(word) {
			return nil
		}
	}
	return func(_, _ string, text []byte) bool {
		return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(text, []byte(word)) })
	}
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// Read reads the file of the state from a folder backend. Without an error and a deployment, the state is whole, and is
// not selected.
func (o *OfStack) Read(file []byte, mention Mention) {
	latest, err := latestIn(file)
	switch {
	case err == nil && latest == nil:
		err = errors.New("its format is not known")
	case err == nil && mention != nil && isList(latest.Deployment) && !mention(o.Project, o.Stack, latest.Deployment):
		return
	case err == nil:
		o.Deployment, err = newDeployment(*latest)
	}
	o.Err = err
}

// isList reports whether the resources of a deployment are one.
func isList(deployment []byte) bool { return gjson.GetBytes(deployment, "resources").IsArray() }

// latestIn returns the deployment in the file of a stack's state, without decoding it; nil for an unknown format.
func latestIn(text []byte) (*apitype.UntypedDeployment, error) {
	text, err := unpack(text)
	if err != nil {
		return nil, err
	}
	if !gjson.ValidBytes(text) {
		return nil, errNoJSON
	}
	fields := gjson.GetManyBytes(text, "version", "features", "checkpoint", "checkpoint.latest")
	version, latest := fields[0].Raw, fields[3]
	untyped := apitype.UntypedDeployment{Version: int(fields[0].Int()), Deployment: json.RawMessage(latest.Raw)}
	switch {
	case !fields[2].IsObject():
		return nil, nil
	case version == "0" && latest.Type == gjson.Null:
		// The engine creates a stack so, before its first update. Source: pulumi's pkg/backend/diy, CreateStack, which saves
		// a zero TypedDeployment.
		untyped.Version = 3
	case version != "3" && version != "4":
		return nil, nil
	}
	for _, feature := range fields[1].Array() {
		untyped.Features = append(untyped.Features, feature.String())
	}
	return &untyped, nil
}

// newDeployment decodes a deployment. A state is large, and each command reads several, so only its resources are
// decoded, each once.
func newDeployment(untyped apitype.UntypedDeployment) (*Deployment, error) {
	d := &Deployment{version: untyped.Version, features: untyped.Features, read: untyped.Deployment}
	if len(untyped.Deployment) == 0 || string(untyped.Deployment) == "null" {
		return d, nil
	}
	err := json.Unmarshal(untyped.Deployment, &d.fields)
	resources := gjson.ParseBytes(d.fields["resources"])
	if err == nil && !resources.IsArray() && resources.Type != gjson.Null {
		err = errors.New("its resources are no list")
	}
	for _, text := range resources.Array() {
		if err == nil {
			r := &Resource{text: json.RawMessage(text.Raw)}
			err = json.Unmarshal(r.text, &r.ResourceV3)
			d.Resources = append(d.Resources, r)
		}
	}
	if err == nil && d.fields["pending_operations"] != nil {
		err = json.Unmarshal(d.fields["pending_operations"], &d.Pending)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	return d, nil
}

// Encode writes the state without pending operations, in dependency order.
func (d *Deployment) Encode() (apitype.UntypedDeployment, error) {
	d.Sort()
	untyped := apitype.UntypedDeployment{Version: d.version, Features: d.features}
	resources, err := json.Marshal(d.Resources)
	if err != nil {
		return untyped, fmt.Errorf("writing the state: %w", err)
	}
	if d.fields == nil {
		d.fields = map[string]json.RawMessage{"manifest": newManifest}
	}
	d.fields["resources"] = resources
	delete(d.fields, "pending_operations")
	if untyped.Deployment, err = json.Marshal(d.fields); err != nil {
		return untyped, fmt.Errorf("writing the state: %w", err)
	}
	return untyped, nil
}

// Copy returns a copy of the state, independent of later changes in d.
func (d *Deployment) Copy() (*Deployment, error) {
	untyped, err := d.Encode()
	if err != nil {
		return nil, err
	}
	copied, err := newDeployment(untyped)
	if err == nil {
		copied.Pending, copied.read = slices.Clone(d.Pending), d.read
	}
	return copied, err
}

// NewResource returns a resource that a state does not have yet.
func NewResource(r apitype.ResourceV3) (*Resource, error) { return encoded(r, r.URN) }

// Copy returns a copy of the resource, independent of later changes in r.
func (r *Resource) Copy() (*Resource, error) { return encoded(r, r.URN) }

// encoded returns the resource that a value is in JSON.
func encoded(value any, urn resource.URN) (*Resource, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("copying %s: %w", urn, err)
	}
	copied := &Resource{}
	return copied, json.Unmarshal(text, copied)
}

// Drop removes r from the state.
func (d *Deployment) Drop(r *Resource) {
	d.Resources = slices.DeleteFunc(d.Resources, func(other *Resource) bool { return other == r })
}

// Forget removes resources, by URN, from those that r depends on.
func (r *Resource) Forget(urns map[string]bool) error {
	gone := func(u resource.URN) bool { return urns[string(u)] }
	if slices.ContainsFunc(r.Dependencies, gone) {
		if err := r.Set("dependencies", slices.DeleteFunc(slices.Clone(r.Dependencies), gone)); err != nil {
			return err
		}
	}
	kept, changed := map[resource.PropertyKey][]resource.URN{}, false
	for key, list := range r.PropertyDependencies {
		kept[key] = slices.DeleteFunc(slices.Clone(list), gone)
		changed = changed || len(kept[key]) != len(list)
	}
	if changed {
		return r.Set("propertyDependencies", kept)
	}
	return nil
}

// Detach removes from r's parent and dependencies those that d does not have: the engine refuses a state with them.
func (r *Resource) Detach(d *Deployment) error {
	gone := map[string]bool{}
	for _, urn := range r.needs() {
		if urn != "" && d.Live(urn) == nil {
			gone[urn] = true
		}
	}
	for field, urn := range map[string]resource.URN{"parent": r.Parent, "deletedWith": r.DeletedWith} {
		if gone[string(urn)] {
			if err := r.Set(field, ""); err != nil {
				return err
			}
		}
	}
	return r.Forget(gone)
}

// Sort moves every resource after its provider, its parent and its dependencies, and otherwise keeps the order.
func (d *Deployment) Sort() {
	var sorted []*Resource
	placed := map[*Resource]bool{}
	byURN := map[string][]*Resource{}
	for _, r := range d.Resources {
		byURN[string(r.URN)] = append(byURN[string(r.URN)], r)
	}
	var place func(*Resource)
	place = func(r *Resource) {
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
	for _, r := range d.Resources {
		place(r)
	}
	d.Resources = sorted
}

// needs returns the URNs that a resource depends on.
func (r *Resource) needs() []string {
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

// Needed reports whether another resource depends on a resource.
func (d *Deployment) Needed(r *Resource) bool {
	return slices.ContainsFunc(d.Resources, func(other *Resource) bool {
		return slices.Contains(other.needs(), string(r.URN))
	})
}

// Live returns the resource of that URN that is not pending deletion, or nil if there is none.
func (d *Deployment) Live(urn string) *Resource {
	for _, r := range d.Resources {
		if string(r.URN) == urn && !r.Delete {
			return r
		}
	}
	return nil
}

// Has reports whether the state has a resource of that type and ID.
func (d *Deployment) Has(token, id string) bool {
	return slices.ContainsFunc(d.Resources, func(r *Resource) bool {
		return string(r.Type) == token && string(r.ID) == id
	})
}

// Manages reports whether the state has a resource with that ID, or name, that the stack manages.
func (d *Deployment) Manages(id string) bool {
	return slices.ContainsFunc(d.Resources, func(r *Resource) bool {
		return r.Custom && !r.External && !r.Delete && string(r.ID) == id
	})
}

// Provider returns the configuration of the provider that a reference names, "urn::id".
func (d *Deployment) Provider(reference string) map[string]any {
	if r := d.Referred(reference); r != nil {
		return r.Inputs
	}
	return nil
}

// Referred returns the provider of a reference, "urn::id"; nil if there is none.
func (d *Deployment) Referred(reference string) *Resource {
	for _, r := range d.Resources {
		if r.Reference() == reference {
			return r
		}
	}
	return nil
}

// Reference returns the reference by which resources name r as their provider.
func (r *Resource) Reference() string { return string(r.URN) + "::" + string(r.ID) }

// Outputs returns the stack's outputs, with "[secret]" for secrets.
func (d *Deployment) Outputs() props.Map {
	for _, r := range d.Resources {
		if r.Type == "pulumi:pulumi:Stack" && r.Outputs != nil {
			return props.HideSecrets(r.Outputs).(map[string]any)
		}
	}
	return map[string]any{}
}

// WithDependents returns the URN of a resource, and those of all that depend on it, directly or not.
func (d *Deployment) WithDependents(urn string) []string {
	list := []string{urn}
	for i := 0; i < len(list); i++ {
		for _, r := range d.Resources {
			if slices.Contains(r.needs(), list[i]) && !slices.Contains(list, string(r.URN)) {
				list = append(list, string(r.URN))
			}
		}
	}
	return list
}
