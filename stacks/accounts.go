package stacks

import (
	"fmt"
	"reflect"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// accounts are the providers of accounts other than the stack's own, nil for those that are not configured.
type accounts struct {
	management           pulumi.ProviderResource
	vpcOwner, parentZone *aws.Provider
	// further are those of accounts.further, by name.
	further map[string]*aws.Provider
}

// registerAccount registers the provider of an account, nil if there is none.
func registerAccount(
	ctx *pulumi.Context,
	name string,
	account *config.Account,
	region string,
	opts ...pulumi.ResourceOption,
) (*aws.Provider, error) {
	if account == nil {
		return nil, nil
	}
	provider, err := aws.NewProvider(ctx, name, providerArgs(account, region), opts...)
	if err != nil {
		return nil, fmt.Errorf("registering the provider of the %s: %w", name, err)
	}
	return provider, nil
}

// registerAccounts registers a provider for each account that the config names.
func registerAccounts(
	ctx *pulumi.Context,
	c config.Accounts,
	region string,
	opts ...pulumi.ResourceOption,
) (accounts, error) {
	var a accounts
	for _, named := range []struct {
		name   string
		config *config.Account
		take   func(*aws.Provider)
	}{
		{config.ManagementAccountProvider, c.Management, func(p *aws.Provider) { a.management = p }},
		{config.VPCOwnerAccountProvider, c.VPCOwner, func(p *aws.Provider) { a.vpcOwner = p }},
		{config.ParentZoneAccountProvider, c.ParentZone, func(p *aws.Provider) { a.parentZone = p }},
	} {
		provider, err := registerAccount(ctx, named.name, named.config, region, opts...)
		if err != nil {
			return a, err
		}
		if provider != nil {
			named.take(provider)
		}
	}
	a.further = map[string]*aws.Provider{}
	for i := range c.Further {
		provider, err := registerAccount(ctx, c.Further[i].Provider(), &c.Further[i].Account, region, opts...)
		if err != nil {
			return a, err
		}
		a.further[c.Further[i].Name] = provider
	}
	return a, nil
}

// checkManagementAccount returns an error if accounts.management is not the account of the management stack.
func (e *clusterProgram) checkManagementAccount(ctx *pulumi.Context) error {
	if e.accounts.management == nil {
		return nil
	}
	account, err := e.place.account(ctx, e.accounts.management)
	if err != nil {
		return fmt.Errorf("%s.accounts.management: %w", config.ClusterKey, err)
	}
	if account != e.management.AccountID {
		return fmt.Errorf("%s.accounts.management selects account %s, but the management stack %q is in %s; correct one of them",
			config.ClusterKey, account, e.config.Management, e.management.AccountID)
	}
	return nil
}

// providerArgs returns the keys of an account as the args of a provider, in that region unless they set another.
func providerArgs(a *config.Account, region string) *aws.ProviderArgs {
	plain := reflect.New(aws.ProviderArgs{}.ElementType()).Elem()
	copyKeys(plain, reflect.ValueOf(a))
	args := &aws.ProviderArgs{}
	out := reflect.ValueOf(args).Elem()
	for i := range plain.NumField() {
		if field := plain.Field(i); !field.IsZero() {
			out.FieldByName(plain.Type().Field(i).Name).Set(reflect.ValueOf(pulumi.ToOutput(field.Interface())))
		}
	}
	if args.Region == nil {
		args.Region = pulumi.String(region)
	}
	return args
}

// copyKeys sets to, one of the SDK's plain types, to a value: structs key by key, without keys that are not set.
func copyKeys(to, from reflect.Value) {
	switch {
	case from.IsZero():
	case from.Kind() == reflect.Pointer && to.Type() != from.Type():
		copyKeys(to, from.Elem())
	case to.Kind() == reflect.Pointer && to.Type() != from.Type():
		to.Set(reflect.New(to.Type().Elem()))
		copyKeys(to.Elem(), from)
	case from.Kind() == reflect.Struct:
		keys := map[string]configfield.Field{}
		for _, field := range configfield.All(to.Type()) {
			keys[field.Key] = field
		}
		for _, field := range configfield.All(from.Type()) {
			copyKeys(to.FieldByIndex(keys[field.Key].Index), from.FieldByIndex(field.Index))
		}
	default:
		to.Set(from)
	}
}
