package aws

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Kind declares a resource type: the facts about pulumi-aws and AWS that the SDK's structs do not contain.
type Kind struct {
	// Token is the type's token, "aws:ec2/subnet:Subnet".
	Token string
	// Args and State are the SDK's own structs: names, types and required scalars are read from them.
	Args, State pulumi.Input
	// Service and Noun name the type in errors, "EC2" and "Subnet", and its API calls: "CreateSubnet".
	Service, Noun string
	// Calls names the API calls where they are not Create, Modify and Delete followed by the noun.
	Calls Calls
	// Global types have no region: IAM, Route 53.
	Global bool

	// ExactlyOneOf are groups of inputs: exactly one input of each must be set. ConflictsWith are groups: at most one
	// input of each may be set.
	ExactlyOneOf, ConflictsWith [][]string
	// Unread are the inputs that the provider cannot read back: AWS does not store or does not return them.
	Unread []string
	// ValidateFunc returns the error in an input's text before any call is made, "" for none.
	ValidateFunc map[string]func(text string) string
	// AutoName is the input that Pulumi derives from the resource's name if it is left out; "" if it derives none.
	AutoName string

	// UniqueBy are the inputs that AWS allows once: if none of them changes, a replacement deletes the old resource first.
	UniqueBy []string
	// CompareAs are the inputs that are compared in a normalized form, besides sets and JSON documents.
	CompareAs map[string]props.Form

	// References are the inputs that refer to other resources.
	References []Reference
	// NotFound is AWS's error for an instance that does not exist, InUse for one that cannot be deleted yet.
	NotFound, InUse awserr.Template
	// MissingOnDelete is AWS's error for the deletion of an instance that does not exist, if the provider reports it.
	// Default none: the provider takes it for a deletion.
	MissingOnDelete awserr.Template
	// Rules are checked before a resource is created and before it is changed.
	Rules []Rule
	// DeleteRules are checked before a resource is deleted.
	DeleteRules []Rule

	// Constants are the outputs with the same value for all instances. Texts that are empty are left out.
	Constants props.Map
	// ID returns the ID of a new resource.
	ID func(*Call) string
	// OnCreate completes a new resource, which has its ID, ARN and owner: with its other computed outputs, and what AWS
	// creates with it.
	OnCreate func(*Call) error
	// AfterCreate is the provider's read after it has created a resource: the resource exists even if the read fails.
	AfterCreate func(*Call) error
	// OnUpdate applies the effects of a change; the record already has its new inputs.
	OnUpdate func(*Call) error
	// OnDelete undoes the resource's effects on others. It is called after the resource is deleted.
	OnDelete func(*Call)
	// OnRead adds the outputs that depend on other resources at the time of a read.
	OnRead func(*Call, props.Map)
	// ImportID is a second ID by which a resource can be imported.
	ImportID func(props.Map) string

	// OnImport is the result of an import if ImportID finds nothing. Default nil: the engine reports that there is no such
	// resource.
	OnImport func(c *Call, id string) (*store.Entry, error)

	// The fields below are set by NewCatalogue: names and types by the SDK's structs, the other facts by provider.txt.

	Inputs, Outputs props.Shape
	// Required are the required lists and documents.
	Required []string
	// Computed are the optional inputs that AWS fills in: leaving one out later changes nothing.
	Computed []string
	// allTagsAreInput is true for the types whose check sets the input tagsAll. The provider's newer types, of Terraform's
	// plugin framework, have only the output.
	allTagsAreInput bool
	// ForceNew are the inputs whose change replaces the resource.
	ForceNew []string
	// Defaults are the default values of inputs.
	Defaults props.Map
	// Enums are the allowed values of inputs.
	Enums     map[string][]string
	Referrers []Referrer
}

// Calls are the names of one type's API calls.
type Calls struct{ Create, Update, Remove string }

// Reference is an input, or a list of inputs, whose values are IDs of a type.
type Reference struct {
	Input string
	Type  string
	// Prefix limits the reference to IDs with this prefix.
	Prefix     string
	Dependency Dependency
}

// Dependency is how a reference affects the deletion of the resource that it refers to.
type Dependency int

const (
	// Independent means that it has no effect.
	Independent Dependency = iota
	// BlocksDeletion means that it cannot be deleted while the reference exists.
	BlocksDeletion
	// DeletedWith means that the referring resource is deleted along with it.
	DeletedWith
	// BlocksDeletionCall means that a call cannot delete it, but the referring resource is deleted after it.
	BlocksDeletionCall
)

// Rule is one of AWS's rules. It returns AWS's error, or nil.
type Rule func(*Call) error

// Referrer is a reference seen from the type that it refers to.
type Referrer struct {
	kind *Kind
	ref  Reference
}

// Catalogue lists the resource types, functions and quotas of the offline account.
type Catalogue struct {
	Kinds     map[string]*Kind
	Functions map[string]*Function
	quotas    []Quota
	// config are the keys of the provider's configuration.
	config props.Shape
}

// ofEveryProvider are the keys of a provider that the engine adds to its configuration.
var ofEveryProvider = []string{"version", "pluginDownloadURL"}

// declare sets what provider.txt has of the type's inputs.
func (k *Kind) declare() {
	k.Defaults, k.Enums = props.Map{}, map[string][]string{}
	if k.CompareAs == nil {
		k.CompareAs = map[string]props.Form{}
	}
	for _, p := range Sections()[k.Token].Properties {
		if p.Name == "tagsAll" {
			k.allTagsAreInput = p.Optional
		}
		input, ok := k.Inputs[p.Name]
		if !ok {
			continue
		}
		if p.Required && !input.Required && p.Name != k.AutoName { // scalars are required by their type
			k.Required = append(k.Required, p.Name)
		}
		if p.Computed {
			k.Computed = append(k.Computed, p.Name)
		}
		if p.ForceNew {
			k.ForceNew = append(k.ForceNew, p.Name)
		}
		if p.Default != nil {
			k.Defaults[p.Name] = p.Default
		}
		if p.Enum != nil {
			k.Enums[p.Name] = p.Enum
		}
		if p.Form != 0 {
			k.CompareAs[p.Name] = p.Form
		}
	}
}

// prefixed returns the input with the name of a resource and the one with only its prefix, of a type that has both.
func (k *Kind) prefixed() (name, prefix string, has bool) {
	for _, name := range []string{"name", "keyName", "bucket"} {
		if _, has := k.Inputs[name+"Prefix"]; has {
			return name, name + "Prefix", true
		}
	}
	return "", "", false
}

// NewCatalogue makes a catalogue of resource types, functions and quotas.
func NewCatalogue(kinds []*Kind, functions []*Function, quotas []Quota) Catalogue {
	c := Catalogue{Kinds: map[string]*Kind{}, Functions: map[string]*Function{}, quotas: quotas,
		config: props.ShapeOf(aws.ProviderArgs{})}
	maps.Copy(c.config, props.ShapeFor[struct {
		AssumeRoles []any `pulumi:"assumeRoles"` // the SDK's struct leaves it out
	}]())
	for _, k := range kinds {
		k.Inputs, k.Outputs = props.ShapeOf(k.Args), props.ShapeOf(k.State)
		k.declare()
		if name, prefix, has := k.prefixed(); has {
			k.ConflictsWith = append(k.ConflictsWith, []string{name, prefix})
		}
		c.Kinds[k.Token] = k
	}
	for _, k := range c.Kinds {
		for _, r := range k.References {
			if to := c.Kinds[r.Type]; to != nil && r.Dependency != Independent {
				to.Referrers = append(to.Referrers, Referrer{k, r})
			}
		}
	}
	for _, f := range functions {
		c.Functions[f.token] = f
	}
	return c
}

func (c Catalogue) kind(token string) (*Kind, error) {
	if k := c.Kinds[token]; k != nil {
		return k, nil
	}
	return nil, fmt.Errorf("resource type %q is not part of the offline account", token)
}

func (c Catalogue) function(token string) (*Function, error) {
	if f := c.Functions[token]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("function %q is not part of the offline account", token)
}

// api returns the name of the call that does what is done.
func (k *Kind) api(doing Operation) string {
	noun := WithoutSpaces(k.Noun)
	switch doing {
	case Creating:
		return cmp.Or(k.Calls.Create, "Create"+noun)
	case updating:
		return cmp.Or(k.Calls.Update, "Modify"+noun)
	case deleting:
		return cmp.Or(k.Calls.Remove, "Delete"+noun)
	default:
		return "Describe" + noun
	}
}

// targets returns the IDs in p to which r refers.
func (r Reference) targets(p props.Map) []string {
	ids := p.Strings(r.Input)
	if id := p.String(r.Input); id != "" {
		ids = append(ids, id)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, r.Prefix) })
}
