package stacks

import (
	"fmt"
	"reflect"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"gopkg.in/yaml.v3"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// AccountsConfig is hypershift-aws:cluster.accounts: the accounts beside the stack's own, which aws:
// config leads to.
type AccountsConfig struct {
	// Management is the management cluster's account. Default: it is not needed.
	Management *AccountConfig `yaml:"management"`
	// VPCOwner is the account that owns a shared VPC. Default: it is not needed.
	VPCOwner *AccountConfig `yaml:"vpcOwner"`
}

// AccountConfig leads to an account by the keys of the aws: config, such as profile, assumeRole, region
// and endpoints. Of aws: config itself it takes over nothing but the region.
type AccountConfig struct {
	// settings are the provider's, as the SDK's plain struct has them.
	settings reflect.Value
}

var _ selfDecoding = (*AccountConfig)(nil)

// decode implements selfDecoding with the provider's keys. Access keys are refused: the file is no place for them.
func (a *AccountConfig) decode(node *yaml.Node, path string, faults *fault.Faults) {
	settings := reflect.New(aws.ProviderArgs{}.ElementType()).Elem()
	decode(node, settings, path, faults)
	for _, name := range []string{"AccessKey", "SecretKey", "Token"} {
		if field, _ := settings.Type().FieldByName(name); !settings.FieldByName(name).IsZero() {
			faults.Add(dotted(path, keyOf(field)), nil, "is a credential, and the file is no place for one", "give profile or assumeRole")
		}
	}
	a.settings = settings
}

// validate returns a fault for an account that nothing leads to.
func (c AccountsConfig) validate() error {
	var faults fault.Faults
	for _, named := range []struct {
		path    string
		account *AccountConfig
	}{{"management", c.Management}, {"vpcOwner", c.VPCOwner}} {
		if named.account != nil && named.account.settings.IsZero() {
			faults.Add(named.path, nil, "says nothing", "give profile, assumeRole or another key of the AWS provider")
		}
	}
	return faults.Err()
}

// accounts are the providers of the accounts beside the stack's own, nil for those that are not named.
type accounts struct {
	management, vpcOwner pulumi.ProviderResource
}

// providers registers a provider for each account that the config names.
func (c AccountsConfig) providers(ctx *pulumi.Context, region string) (accounts, error) {
	var a accounts
	for _, named := range []struct {
		name   string
		config *AccountConfig
		out    *pulumi.ProviderResource
	}{
		{"management-account", c.Management, &a.management},
		{"vpc-owner-account", c.VPCOwner, &a.vpcOwner},
	} {
		if named.config == nil {
			continue
		}
		provider, err := aws.NewProvider(ctx, named.name, named.config.providerArgs(region))
		if err != nil {
			return a, fmt.Errorf("registering the provider of the %s: %w", named.name, err)
		}
		*named.out = provider
	}
	return a, nil
}

// providerArgs are the settings as a provider takes them, in that region unless they give another.
func (a *AccountConfig) providerArgs(region string) *aws.ProviderArgs {
	args := &aws.ProviderArgs{}
	out := reflect.ValueOf(args).Elem()
	for i := range a.settings.NumField() {
		if field := a.settings.Field(i); !field.IsZero() {
			input := pulumi.ToOutput(field.Interface())
			out.FieldByName(a.settings.Type().Field(i).Name).Set(reflect.ValueOf(input))
		}
	}
	if args.Region == nil {
		args.Region = pulumi.String(region)
	}
	return args
}

// accountID asks AWS which account a provider leads to, the stack's own where it is nil.
func accountID(ctx *pulumi.Context, provider pulumi.ProviderResource) (string, error) {
	var opts []pulumi.InvokeOption
	if provider != nil {
		opts = append(opts, pulumi.Provider(provider))
	}
	identity, err := aws.GetCallerIdentity(ctx, &aws.GetCallerIdentityArgs{}, opts...)
	if err != nil {
		return "", fmt.Errorf("asking AWS whose account this is: %w", err)
	}
	return identity.AccountId, nil
}

// checkManagementAccount fails where the config leads to another account than its management stack is in.
func (e *estate) checkManagementAccount(ctx *pulumi.Context) error {
	if e.accounts.management == nil {
		return nil
	}
	account, err := accountID(ctx, e.accounts.management)
	if err != nil {
		return fmt.Errorf("%s.accounts.management: %w", clusterKey, err)
	}
	if account != e.management.AccountID {
		return fmt.Errorf("%s.accounts.management leads to account %s, and the management stack %q is in %s; correct one of them",
			clusterKey, account, e.config.Management, e.management.AccountID)
	}
	return nil
}
