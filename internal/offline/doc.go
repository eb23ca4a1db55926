// Package offline is an AWS account in memory, served to Pulumi's engine as the aws provider.
//
// The real engine attaches to it by PULUMI_DEBUG_PROVIDERS, so a stack can go through its whole life (preview, up,
// refresh, destroy) without credentials and without a network. The provider accepts the inputs, returns the outputs and
// plans the replacements of pulumi-aws, and it returns AWS's error codes where AWS would refuse a call.
//
// A resource type is one declaration (aws.Kind) and a section of aws/provider.txt. Names and types are read by
// reflection from the Go SDK's own structs; the section has what the real provider declares and sends in addition, such
// as which inputs force a replacement, and the declaration which resources an input refers to, and AWS's rules.
//
// It also serves a Kubernetes API as the kubernetes provider, as far as this project's stacks need one.
package offline
