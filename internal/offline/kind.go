package offline

import (
	"cmp"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// kind declares a type of resource: what pulumi-aws and AWS know of it that the SDK's structs do not say.
type kind struct {
	// token is the type's, "aws:ec2/subnet:Subnet".
	token string
	// args and state are the SDK's own structs: names, types and required scalars are read off them.
	args, state pulumi.Input
	// service and noun name it in errors, "EC2" and "Subnet", and its API calls: "CreateSubnet".
	service, noun string
	// calls names the API's calls where they are not Create, Modify and Delete with the noun.
	calls calls
	// global types live outside of regions: IAM, Route 53.
	global bool

	// required are the lists and documents that must be given.
	required []string
	// oneOf are groups of inputs of which exactly one must be given; apart are groups of which at most one may be.
	oneOf, apart [][]string
	// computed are the optional inputs that AWS fills in: leaving one out again changes nothing.
	computed []string
	// defaults are the values of inputs that are left out.
	defaults props
	// enums are the values that an input may have.
	enums map[string][]string
	// valid says what is wrong with an input's text before any call is made, "" for nothing.
	valid map[string]func(text string) string
	// named is the input that Pulumi names after the resource where it is left out, "" where it does not.
	named string

	// replaces are the inputs whose change makes a new resource.
	replaces []string
	// unique are the inputs that AWS allows once: if none of them changes, a replacement deletes first.
	unique []string
	// forms are the inputs that are compared in a form of their own.
	forms map[string]form

	// refs are the inputs that name other resources.
	refs []ref
	// missing is AWS's answer where one of this type does not exist, inUse where it cannot be deleted yet.
	missing, inUse answer
	// rules are held against a resource before it is made and before it is changed.
	rules []rule
	// leaving is held against a resource before it is deleted.
	leaving []rule

	// fixed are the outputs that are alike for all.
	fixed props
	// make completes a new resource: its ID, its computed outputs, and what comes with it.
	make func(*call) error
	// change follows up on a change; the record has its new inputs already.
	change func(*call) error
	// unmake takes back what the resource did to others. It is called after the resource has gone.
	unmake func(*call) error
	// view adds the outputs that depend on other resources, as a read finds them.
	view func(*call, props)
	// otherID is a second ID by which a resource can be imported.
	otherID func(props) string

	// What follows is filled in by newCatalogue.
	inputs, outputs shape
	holders         []holder
}

// calls are the API's calls of one type.
type calls struct{ create, update, remove string }

// ref is an input, or a list of them, that holds IDs of a type.
type ref struct {
	input string
	to    string
	// prefix limits the ref to IDs that begin so.
	prefix string
	ties   ties
}

// ties say what a ref means for the resource that is referred to.
type ties int

const (
	// loose refs mean nothing to it.
	loose ties = iota
	// blocks keeps it from being deleted.
	blocks
	// part is deleted along with it.
	part
	// blockingPart keeps it from being deleted by a call, but goes when it is gone.
	blockingPart
)

// rule is one of AWS's own. It returns a refusal, or nil.
type rule func(*call) error

// holder is a ref seen from the type that is referred to.
type holder struct {
	kind *kind
	ref  ref
}

// catalogue is what the offline account knows.
type catalogue struct {
	kinds     map[string]*kind
	functions map[string]*function
	quotas    []quota
	// config are the keys of the provider's configuration.
	config map[string]bool
}

// newCatalogue makes a catalogue of resource types, functions and quotas.
func newCatalogue(kinds []*kind, functions []*function, quotas []quota) catalogue {
	c := catalogue{kinds: map[string]*kind{}, functions: map[string]*function{}, quotas: quotas, config: map[string]bool{
		// Keys that the SDK's struct leaves out.
		"assumeRoles": true, "version": true, "pluginDownloadURL": true,
	}}
	for name := range shapeOf(aws.ProviderArgs{}) {
		c.config[name] = true
	}
	for _, k := range kinds {
		k.inputs, k.outputs = shapeOf(k.args), shapeOf(k.state)
		c.kinds[k.token] = k
	}
	for _, k := range c.kinds {
		for _, r := range k.refs {
			if to := c.kinds[r.to]; to != nil && r.ties != loose {
				to.holders = append(to.holders, holder{k, r})
			}
		}
	}
	for _, f := range functions {
		c.functions[f.token] = f
	}
	return c
}

func (c catalogue) kind(token string) (*kind, error) {
	if k := c.kinds[token]; k != nil {
		return k, nil
	}
	return nil, fmt.Errorf("resource type %q is not part of the offline account", token)
}

func (c catalogue) function(token string) (*function, error) {
	if f := c.functions[token]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("function %q is not part of the offline account", token)
}

// api is the name of the call that does what is done.
func (k *kind) api(doing doing) string {
	noun := spaceless(k.noun)
	switch doing {
	case creating:
		return cmp.Or(k.calls.create, "Create"+noun)
	case updating:
		return cmp.Or(k.calls.update, "Modify"+noun)
	case deleting:
		return cmp.Or(k.calls.remove, "Delete"+noun)
	default:
		return "Describe" + noun
	}
}

// targets are the IDs that p gives for r.
func (r ref) targets(p props) []string {
	ids := p.texts(r.input)
	if id := p.text(r.input); id != "" {
		ids = append(ids, id)
	}
	if r.prefix == "" {
		return ids
	}
	return withPrefix(ids, r.prefix)
}
