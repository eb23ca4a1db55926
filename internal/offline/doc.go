// Package offline is an AWS account in memory, served to Pulumi's engine as the aws provider.
//
// The real engine attaches to it by PULUMI_DEBUG_PROVIDERS, so a whole life of a stack (preview, up, refresh,
// destroy) runs without credentials and without a network. It takes the inputs, gives the outputs and plans the
// replacements of the pulumi-aws provider, and refuses what AWS refuses, with AWS's error codes.
//
// A resource type is one declaration (type kind): its shape comes by reflection from the Go SDK's own structs, and the
// declaration adds what the SDK does not say, such as which inputs replace, what an input refers to, and AWS's rules.
//
// Beside it stands a Kubernetes API as the kubernetes provider, as far as this project's stacks need one.
package offline
