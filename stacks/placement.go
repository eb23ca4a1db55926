package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// placement contains the options with which a stack program registers its components: by default at the top level of a stack, with the
// stack's own providers.
type placement struct {
	// options are the program's.
	options Options
	// region is the region of the stack's own provider.
	region string
	// origin is the source of the config.
	origin config.Origin
	// top are the options of resources without a provider, such as providers themselves.
	top []pulumi.ResourceOption
	// components are the options of components.
	components []pulumi.ResourceOption
	// lookups are the options of lookups in the stack's own account.
	lookups []pulumi.InvokeOption
	// clusterUID reads which management cluster a kubeconfig selects; nil records nothing.
	clusterUID ClusterUID
	// registered are the resources that the program has registered, and recorded is the UID of the management cluster in the state. unread is true if a
	// preview could not read the management cluster.
	registered *registered
	recorded   *string
	unread     *bool
	// accounts are the IDs of the accounts that were looked up, by provider; nil is the stack's own.
	accounts map[pulumi.ProviderResource]string
}

// newPlacement returns a placement that records the resources of the options' components.
func newPlacement(options Options, top, components []pulumi.ResourceOption) placement {
	all := &registered{}
	return placement{
		options: options, top: append(top, all.watch()), components: append(components, all.watch()), registered: all, recorded: new(string), unread: new(bool),
		clusterUID: options.ClusterUID, accounts: map[pulumi.ProviderResource]string{},
	}
}

// account returns the ID of a provider's account, nil for the stack's own. AWS is called once per provider.
func (p placement) account(ctx *pulumi.Context, provider pulumi.ProviderResource) (string, error) {
	if account, known := p.accounts[provider]; known {
		return account, nil
	}
	account, err := location.LookupAccount(ctx, p.in(provider)...)
	if err == nil {
		p.accounts[provider] = account
	}
	return account, err
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
