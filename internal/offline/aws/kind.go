package aws

import (
	"cmp"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Kind declares a type of resource: what pulumi-aws and AWS know of it that the SDK's structs do not say.
type Kind struct {
	// Token is the type's, "aws:ec2/subnet:Subnet".
	Token string
	// Args and state are the SDK's own structs: names, types and required scalars are read off them.
	Args, State pulumi.Input
	// Service and noun name it in errors, "EC2" and "Subnet", and its API calls: "CreateSubnet".
	Service, Noun string
	// Calls names the API's calls where they are not Create, Modify and Delete with the noun.
	Calls Calls
	// Global types live outside of regions: IAM, Route 53.
	Global bool

	// Required are the lists and documents that must be given.
	Required []string
	// ExactlyOneOf are groups of inputs of which exactly one must be given; apart are groups of which at most one may be.
	ExactlyOneOf, ConflictsWith [][]string
	// Computed are the optional inputs that AWS fills in: leaving one out again changes nothing.
	Computed []string
	// Unread are the inputs that the provider cannot read: AWS does not keep them, or does not tell.
	Unread []string
	// Defaults are the values of inputs that are left out.
	Defaults props.Map
	// Enums are the values that an input may have.
	Enums map[string][]string
	// ValidateFunc says what is wrong with an input's text before any call is made, "" for nothing.
	ValidateFunc map[string]func(text string) string
	// AutoName is the input that Pulumi names after the resource where it is left out, "" where it does not.
	AutoName string

	// ForceNew are the inputs whose change makes a new resource.
	ForceNew []string
	// UniqueBy are the inputs that AWS allows once: if none of them changes, a replacement deletes first.
	UniqueBy []string
	// CompareAs are the inputs that are compared in a form of their own.
	CompareAs map[string]props.Form

	// References are the inputs that name other resources.
	References []Reference
	// NotFound is AWS's answer where one of this type does not exist, inUse where it cannot be deleted yet.
	NotFound, InUse awserr.Template
	// Rules are held against a resource before it is made and before it is changed.
	Rules []Rule
	// DeleteRules is held against a resource before it is deleted.
	DeleteRules []Rule

	// Constants are the outputs that are alike for all.
	Constants props.Map
	// OnCreate completes a new resource: its ID, its computed outputs, and what comes with it.
	OnCreate func(*Call) error
	// AfterCreate is the provider's read of a resource that it has created: it exists, even where the read fails.
	AfterCreate func(*Call) error
	// OnUpdate follows up on a change; the record has its new inputs already.
	OnUpdate func(*Call) error
	// OnDelete takes back what the resource did to others. It is called after the resource has gone.
	OnDelete func(*Call) error
	// OnRead adds the outputs that depend on other resources, as a read finds them.
	OnRead func(*Call, props.Map)
	// ImportID is a second ID by which a resource can be imported.
	ImportID func(props.Map) string

	// OnImport is what an import by the ID gives where ImportID finds nothing; default nothing, which is how AWS and the engine say that
	// there is none.
	OnImport func(c *Call, id string) (*store.Record, error)

	// What follows is filled in by newCatalogue.
	Inputs, Outputs props.Shape
	Referrers       []Referrer
}

// Calls are the API's calls of one type.
type Calls struct{ Create, Update, Remove string }

// Reference is an input, or a list of them, that holds IDs of a type.
type Reference struct {
	Input string
	Type  string
	// Prefix limits the ref to IDs that begin so.
	Prefix     string
	Dependency Dependency
}

// Dependency say what a ref means for the resource that is referred to.
type Dependency int

const (
	// Independent refs mean nothing to it.
	Independent Dependency = iota
	// BlocksDeletion keeps it from being deleted.
	BlocksDeletion
	// DeletedWith is deleted along with it.
	DeletedWith
	// BlocksDeletionCall keeps it from being deleted by a call, but goes when it is gone.
	BlocksDeletionCall
)

// Rule is one of AWS's own. It returns a refusal, or nil.
type Rule func(*Call) error

// Referrer is a ref seen from the type that is referred to.
type Referrer struct {
	kind *Kind
	ref  Reference
}

// Catalogue is what the offline account knows.
type Catalogue struct {
	Kinds     map[string]*Kind
	Functions map[string]*Function
	quotas    []Quota
	// config are the keys of the provider's configuration.
	config map[string]bool
}

// NewCatalogue makes a catalogue of resource types, functions and quotas.
func NewCatalogue(kinds []*Kind, functions []*Function, quotas []Quota) Catalogue {
	c := Catalogue{Kinds: map[string]*Kind{}, Functions: map[string]*Function{}, quotas: quotas, config: map[string]bool{
		// Keys that the SDK's struct leaves out.
		"assumeRoles": true, "version": true, "pluginDownloadURL": true,
	}}
	for name := range props.ShapeOf(aws.ProviderArgs{}) {
		c.config[name] = true
	}
	for _, k := range kinds {
		k.Inputs, k.Outputs = props.ShapeOf(k.Args), props.ShapeOf(k.State)
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

// api is the name of the call that does what is done.
func (k *Kind) api(doing Operation) string {
	noun := Spaceless(k.Noun)
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

// targets are the IDs that p gives for r.
func (r Reference) targets(p props.Map) []string {
	ids := p.Strings(r.Input)
	if id := p.String(r.Input); id != "" {
		ids = append(ids, id)
	}
	if r.Prefix == "" {
		return ids
	}
	return withPrefix(ids, r.Prefix)
}
