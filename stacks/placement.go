package stacks

import (
	"path/filepath"
	"reflect"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// placement contains the options with which a stack program registers its components: by default at the top level of a
// stack, with the stack's own providers.
type placement struct {
	// options are the program's.
	options Options
	// region is the region of the stack's own provider.
	region string
	// origin is the source of the config.
	origin origin
	// top are the options of resources without a provider, such as providers themselves.
	top []pulumi.ResourceOption
	// components are the options of components.
	components []pulumi.ResourceOption
	// lookups are the options of lookups in the stack's own account.
	lookups []pulumi.InvokeOption
	// clusterUID reads which management cluster a kubeconfig selects; nil records nothing.
	clusterUID ClusterUID
	// registered are the resources that the program has registered, and recorded is the UID of the management cluster in
	// the state. unread is true if a preview could not read the management cluster.
	registered *registered
	recorded   *string
	unread     *bool
	// accounts are the lookups of accounts.
	accounts *accountLookups
}

// accountLookups look up the ID of a provider's account once, by provider; nil is the stack's own.
type accountLookups struct {
	mutex sync.Mutex
	begun map[pulumi.ProviderResource]func() (string, error)
}

// newPlacement returns a placement that records the resources of the options' components.
func newPlacement(options Options, top, components []pulumi.ResourceOption) placement {
	all := &registered{}
	return placement{
		options: options, top: append(top, all.watch()), components: append(components, all.watch()), registered: all,
		recorded: new(string), unread: new(bool),
		clusterUID: options.ClusterUID,
		accounts:   &accountLookups{begun: map[pulumi.ProviderResource]func() (string, error){}},
	}
}

// account returns the ID of a provider's account, nil for the stack's own. AWS is called once per provider.
func (p placement) account(ctx *pulumi.Context, provider pulumi.ProviderResource) (string, error) {
	p.accounts.mutex.Lock()
	if p.accounts.begun[provider] == nil {
		p.accounts.begun[provider] = sync.OnceValues(func() (string, error) {
			return location.LookupAccount(ctx, p.in(provider)...)
		})
	}
	lookUp := p.accounts.begun[provider]
	p.accounts.mutex.Unlock()
	return lookUp()
}

// location returns the location of the stack's own provider, whose region is known.
func (p placement) location(ctx *pulumi.Context) (location.Location, error) {
	in, err := location.LookupPartition(ctx, p.lookups...)
	if err != nil {
		return in, err
	}
	in.Region = p.region
	in.Account, err = p.account(ctx, nil)
	return in, err
}

// with returns the options of a component that comes from the given provider; nil for the stack's own.
func (p placement) with(provider pulumi.ProviderResource) []pulumi.ResourceOption {
	if provider == nil {
		return p.components
	}
	return append(append([]pulumi.ResourceOption{}, p.components...), pulumi.Provider(provider))
}

// in sets a lookup's provider, nil for the stack's own.
func (p placement) in(provider pulumi.ProviderResource) []pulumi.InvokeOption {
	if provider == nil {
		return p.lookups
	}
	return []pulumi.InvokeOption{pulumi.Provider(provider)}
}

// origin is the file that a stack's config comes from.
type origin struct {
	path string
	// root is its content, nil if it cannot be read: faults then have no line.
	root *yaml.Node
}

// readOrigin reads a stack's file in dir for the lines of its values.
func readOrigin(dir, stack string) origin {
	f := origin{path: filepath.Join(dir, config.FileName(stack))}
	if text, err := atomicfile.ReadInput(f.path); err == nil {
		f.root, _ = yamlfile.Parse(text) // the engine has read it
	}
	return f
}

// placed adds the file to every fault in err and, if its content is known, the line.
func (o origin) placed(err error) error { return yamlfile.Locate(err, o.path, o.root) }

// refused maps the faults that a component found in AWS to paths and lines of the config. The paths are in the kind's
// section or, with a part, under the key with that name in a cluster's section ("network"). Other errors are returned
// unchanged.
func (o origin) refused(err error, kind config.Kind, part string) error {
	found := fault.In(err)
	if found == nil {
		return err
	}
	if part != "" {
		found = configfield.Claim(reflect.TypeFor[config.Cluster](), part, found)
	}
	var faults fault.Faults
	faults.Join(kind.Key(), found)
	return yamlfile.Locate(faults.Err(), o.path, o.root)
}

// stackDir returns the folder of the stack files of the project in root: root itself, unless its Pulumi.yaml names
// another.
func stackDir(root string) string {
	var project struct {
		StackConfigDir string `yaml:"stackConfigDir"`
	}
	// An engine that runs the project has read the file; without an engine, the file may be missing.
	if text, err := atomicfile.ReadInput(filepath.Join(root, "Pulumi.yaml")); err == nil {
		_ = yaml.Unmarshal(text, &project)
	}
	return filepath.Join(root, project.StackConfigDir)
}
