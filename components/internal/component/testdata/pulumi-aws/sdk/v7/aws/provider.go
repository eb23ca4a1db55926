// Package aws stands for that of another major version of pulumi-aws.
package aws

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// Provider is an AWS provider.
type Provider struct{ pulumi.ProviderResourceState }
