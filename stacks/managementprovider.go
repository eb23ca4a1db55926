package stacks

import (
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// AccountsConfig is hypershift-aws:cluster.accounts: the accounts beside the stack's own.
type AccountsConfig struct {
	// Management is the management cluster's account. Default: the stack's own.
	Management *AccountConfig `yaml:"management"`
}

// AccountConfig leads to an account.
type AccountConfig struct {
	// Profile is one of the shared config's.
	Profile string `yaml:"profile"`
	// AssumeRole is a role that is taken.
	AssumeRole AssumeRoleConfig `yaml:"assumeRole"`
}

// AssumeRoleConfig is a role that is taken.
type AssumeRoleConfig struct {
	// RoleARN is the role's.
	RoleARN string `yaml:"roleArn"`
}

func (c AccountsConfig) validate() error {
	if c.Management != nil && c.Management.Profile == "" && c.Management.AssumeRole.RoleARN == "" {
		return &fault.Fault{Path: "management", Problem: "says nothing", Remedy: "give profile or assumeRole"}
	}
	return nil
}

// managementProvider registers the provider of the management account, nil where it is the stack's own.
func (e *estate) managementProvider(ctx *pulumi.Context) (pulumi.ProviderResource, error) {
	account := e.config.Accounts.Management
	if account == nil {
		return nil, nil
	}
	args := &aws.ProviderArgs{Region: pulumi.String(e.region)}
	if account.Profile != "" {
		args.Profile = pulumi.String(account.Profile)
	}
	if arn := account.AssumeRole.RoleARN; arn != "" {
		args.AssumeRole = aws.ProviderAssumeRoleArgs{RoleArn: pulumi.String(arn)}
	}
	provider, err := aws.NewProvider(ctx, "management-account", args)
	if err != nil {
		return nil, fmt.Errorf("registering the provider of the management account: %w", err)
	}
	return provider, nil
}
