package config

import (
	"reflect"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// Accounts are the accounts other than the stack's own, which is configured by aws: keys.
type Accounts struct {
	// Management is the account of the management cluster. Default: the stack's own account.
	Management *Account `yaml:"management" pulumi:"management,optional"`
	// VPCOwner is the account that owns the shared VPC. Required with network.shared.
	VPCOwner *Account `yaml:"vpcOwner" pulumi:"vpcOwner,optional"`
}

// Account is an account by the keys of the aws: config, such as profile, assumeRole, region and endpoints. Of aws: config
// itself only sets the region.
type Account struct {
	// settings are the provider's, as the SDK's plain struct has them.
	settings reflect.Value
}

var _ selfDecoding = (*Account)(nil)

// decode implements selfDecoding with the provider's keys. Access keys are refused: they do not belong in the file.
func (a *Account) decode(d *decoder, node *yaml.Node, path string) {
	settings := reflect.New(AccountKeys()).Elem()
	d.decode(node, settings, path)
	for _, field := range FieldsOf(settings.Type()) {
		if slices.Contains(CredentialKeys(), field.Key) && !settings.FieldByIndex(field.Index).IsZero() {
			d.faults.Add(dotted(path, field.Key), nil, "is a credential, which does not belong in this file", "use profile or assumeRole")
		}
	}
	a.settings = settings
}

// CredentialKeys returns the keys of the AWS provider that are refused in a stack's file.
func CredentialKeys() []string { return []string{"accessKey", "secretKey", "token"} }

// validate returns a fault for an account without keys.
func (c Accounts) validate() error {
	var faults fault.Faults
	for _, named := range []struct {
		path    string
		account *Account
	}{{"management", c.Management}, {"vpcOwner", c.VPCOwner}} {
		if named.account != nil && named.account.settings.IsZero() {
			faults.Add(named.path, nil, "is empty", "use profile, assumeRole or another key of the AWS provider")
		}
	}
	return faults.Err()
}

// ProviderArgs returns the settings in the form of a provider's args, in that region unless they set another.
func (a *Account) ProviderArgs(region string) *aws.ProviderArgs {
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
